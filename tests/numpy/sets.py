"""Sets, orders of several keys, coordinates, covariances, polynomials that are fitted."""
import numpy as np

from draw import COMPLEX, Array
from folds import either_zero
from function import Function
from linalg import near

PLAIN = ["int32", "int64", "float32", "float64"]
FEW = [0.0, 1.0, 2.0, 2.5, -3.0, 5.0]


def _two_sets(draw):
    kinds = COMPLEX if draw.chance(15) else [*PLAIN, "bool"]
    return [draw.array(draw.shape(cells=12), dtypes=kinds, values=FEW) for _ in range(2)]


def _with_parts(draw):
    """Few different cells, so that parts are alike."""
    a = draw.array(draw.shape(axes=draw.between(1, 3), cells=24), dtypes=[*PLAIN, "bool"], values=[0, 1])
    return [a, draw.axis(a.view().ndim)]


def _unique_parts(a, axis):
    return np.unique(a, return_index=True, return_inverse=True, return_counts=True, axis=axis)


def _keys(draw):
    shape = draw.shape(axes=draw.between(1, 2), cells=24)
    keys = [draw.array(shape, dtypes=PLAIN, values=[0, 1, 2.5, np.nan] if draw.chance(20) else [0, 1, 2])
            for _ in range(draw.between(1, 3))]
    return [keys, draw.axis(len(shape))]


def _placed(draw):
    a = draw.array(draw.shape(axes=draw.between(1, 3)), dtypes=PLAIN, values=FEW)
    axis = None if draw.chance(20) else draw.axis(a.view().ndim)
    return [a, draw.between(-3, 3), axis]


def _partitioned(name):
    def reference(a, kth, axis):
        return np.sort(getattr(np, name)(a, kth, axis), axis)

    return reference


def _numbers(draw):
    shape = [draw.between(1, 5) for _ in range(draw.between(1, 3))]
    numbers = draw.array(dtypes=["int32", "int64"], values=list(range(int(np.prod(shape)))))
    return [numbers, shape]


def _coordinates(draw):
    shape = [draw.between(1, 5) for _ in range(draw.between(1, 3))]
    cells = draw.shape(cells=9)
    return [[draw.array(cells, dtypes=["int32", "int64"], values=list(range(n))) for n in shape], shape]


def _triangle(draw):
    return [draw.between(0, 5), draw.between(-4, 4), draw.one_of([None, draw.between(0, 6)])]


def _open(draw):
    return [[draw.array((draw.between(0 if draw.chance(5) else 1, 4),), dtypes=["int32", "int64", "bool"], values=[0, 1, 2])
             for _ in range(draw.between(1, 3))]]


def _blocks(draw):
    rows, columns = [draw.between(1, 3) for _ in range(2)], [draw.between(1, 3) for _ in range(2)]
    if draw.chance(5):
        return [[draw.array((rows[0], columns[0])), draw.array((rows[0] + 1, columns[1])),
                 draw.array((rows[1], columns[0])), draw.array((rows[1], columns[1]))]]
    return [[draw.array((r, c)) for r in rows for c in columns]]


def _without(draw):
    long = draw.chance(20)
    a = draw.array((draw.between(20, 40),) if long else draw.shape(axes=draw.between(1, 3)))
    shape = a.view().shape
    axis = None if draw.chance(30) else draw.axis(len(shape))
    count = draw.between(17, 30) if long else draw.between(0, 3)
    if draw.chance(70) or (axis is not None and not -len(shape) <= axis < len(shape)):
        extent = 19 if long else 4
        return [a, [draw.between(-extent, extent) for _ in range(count)], axis]
    extent = a.view().size if axis is None else shape[axis]
    if draw.chance(50) and extent > 1:  # of one mask NumPy takes the only bool for a number
        return [a, draw.array((extent + draw.chance(4),), "bool"), axis]
    return [a, draw.array((count,), draw.one_of(["int8", "int32", "int64"]), values=range(-extent, max(extent, 1))), axis]


def _several_inserted(draw):
    a = draw.array(draw.shape(axes=draw.between(1, 2), cells=24), dtypes=["float32", "float64"])
    shape, axis = a.view().shape, None if draw.chance(30) else draw.axis(a.view().ndim)
    count = draw.between(2, 5)
    # Of several places outside NumPy looks at none.
    extent = shape[axis] if axis is not None and -len(shape) <= axis < len(shape) else a.view().size
    places = [draw.between(-extent, extent) for _ in range(count)]
    if draw.chance(30):
        places = draw.array((count,), "int64", values=range(-extent, extent + 1))
    if axis is None or len(shape) == 1 or not -len(shape) <= axis < len(shape):
        values = draw.between(-5, 5) if draw.chance(40) else draw.array((count,), dtypes=["int32", "float64"])
    else:
        of_all = [1 if draw.chance(30) else extent for extent in shape]
        of_all[axis] = draw.one_of([1, count])
        values = draw.array(tuple(of_all), dtypes=["int32", "float64"])
    return [a, places, values, axis]


def _inserted(draw):
    a = draw.array(draw.shape(axes=draw.between(1, 2), cells=24), dtypes=["float32", "float64"])
    axis = None if draw.chance(30) else draw.axis(a.view().ndim)
    if draw.chance(60):
        return [a, draw.between(-4, 4), draw.between(-5, 5), axis]
    shape, rank = a.view().shape, a.view().ndim
    if axis is None or rank == 1 or not -rank <= axis < rank:
        return [a, draw.between(-4, 4), draw.array((draw.between(1, 3),), dtypes=["int32", "float64"]), axis]
    return [a, draw.between(-4, 4), draw.array((shape[1 - axis % 2],), dtypes=["int32", "float64"]), axis]


def _delete(a, places, axis):
    return np.delete(a, np.array(places, int) if isinstance(places, list) else places, axis)


def _insert(a, place, values, axis):
    return np.insert(a, place, values, axis)


def _variables(draw):
    draw.mood = "plain"
    return draw.array((draw.between(1, 4), draw.between(3, 6)) if draw.chance(80) else (draw.between(3, 7),),
                      dtypes=["int64", "float32", "float64", *COMPLEX])


def _cov_bounds(results, a, *_):
    size = 1 + float(np.max(np.abs(a), initial=0))
    return [near(results[0], np.float64(np.finfo(results[0].dtype).eps) * 64 * size**2 * (a.size + 1))]


def _corr_bounds(results, a, rowvar):
    m = np.atleast_2d(a)
    m = m.T if not rowvar and a.ndim == 2 else m
    deviation = float(np.min(np.std(m, 1)))
    if not deviation > 0.5 or not np.all(np.isfinite(results[0])):
        return "skip"
    size = (1 + float(np.max(np.abs(a)))) / deviation
    return [near(results[0], np.float64(np.finfo(results[0].dtype).eps) * 64 * size**2 * (a.size + 1))]


def _fitted(draw):
    deg = draw.between(0, 3)
    count = draw.between(deg + 1, deg + 5)
    x = Array(np.arange(count, dtype="float64") / 2 - 1)
    shape = (count,) if draw.chance(70) else (count, draw.between(1, 2))
    if draw.chance(4):
        shape = (count + 1,)
    draw.mood = "plain"
    return [x, draw.array(shape, dtypes=["int64", "float64"]), deg if draw.chance(96) else -1]


def _fit_bounds(results, x, y, deg):
    size = 1 + float(np.max(np.abs(y)))
    return [near(results[0], np.float64(2.3e-16) * 20000 * size)]


def _coefficients(draw, least=1):
    if draw.chance(3):
        return draw.array((2, 2))
    return draw.array((draw.between(least, 6),), dtypes=["int64", "float64"], values=[0, 1, 2, -1, 3, 0.5])


def _line(p):
    if p.ndim != 1:
        raise ValueError("no line")
    return p


def _roots(p):
    found = np.roots(_line(p)).astype(complex)
    return found.sum(), (found * found).sum()


def _root_bounds(results, p):
    """Roots that are several move by a root of the epsilon."""
    return [near(value, np.float64(1e-3) * (1 + np.abs(value))) for value in results]


def _integrated(draw):
    m = draw.between(-1 if draw.chance(5) else 0, 3)
    k = [draw.between(-3, 3) for _ in range(draw.one_of([1, max(m, 1), max(m, 1), 2]))] if draw.chance(50) else None
    if k is not None and len(k) > max(m, 1):
        k = k[:max(m, 1)]  # NumPy takes as many as there are times, and no more
    return [_coefficients(draw), m, k]


def _places_of_zeros(draw):
    if draw.chance(30):
        n = draw.between(1, 4)
        return [draw.array((n, n), dtypes=["int64", "float64", "complex128"], values=[0, 1, 2, -1, 3, 0.5])]
    shape = (draw.between(0, 6),) if draw.chance(95) else (2, 3)
    return [draw.array(shape, dtypes=["int64", "float16", "float32", "float64", "complex128"], values=[0, 1, 2, -1, 3, 0.5])]


def _poly(p):
    if p.ndim == 2 and p.shape[0] != p.shape[1]:
        raise ValueError("no square")
    made = np.asarray(np.poly(p))
    return made.astype(p.dtype) if p.dtype.kind == "c" and p.size else made  # complex ones stay so here


def _poly_bounds(results, p):
    if p.ndim == 1 and p.dtype.kind != "c":
        return None
    return [near(results[0], np.float64(1e-9) * 10 ** p.shape[0])]


def functions():
    def two(name, reference):
        return Function(name, _two_sets, reference)

    def pair(name, least=1, bounds=None):
        return Function(name, lambda draw: [_coefficients(draw, least), _coefficients(draw, least)],
                        lambda a, b: getattr(np, name)(_line(a), _line(b)), bounds)

    return [two("union1d", np.union1d), two("intersect1d", np.intersect1d), two("setdiff1d", np.setdiff1d),
            two("setxor1d", np.setxor1d),
            Function("unique_all", lambda draw: _two_sets(draw)[:1], lambda a: tuple(np.unique_all(a))),
            Function("unique_inverse", lambda draw: _two_sets(draw)[:1], lambda a: tuple(np.unique_inverse(a))),
            Function("unique_values", lambda draw: _two_sets(draw)[:1], lambda a: np.sort(np.unique_values(a))),
            Function("unique_along", _with_parts, _unique_parts),
            Function("lexsort", _keys, lambda keys, axis: np.lexsort(keys, axis)),
            Function("partition", _placed, _partitioned("partition")),
            Function("argpartition", _placed, _partitioned("argpartition")),
            Function("unravel_index", _numbers, lambda a, shape: tuple(np.unravel_index(a, shape))),
            Function("ravel_multi_index", _coordinates, lambda arrays, shape: np.ravel_multi_index(tuple(arrays), shape)),
            Function("tril_indices", _triangle, np.tril_indices), Function("triu_indices", _triangle, np.triu_indices),
            Function("diag_indices", lambda draw: [draw.between(0, 5), draw.between(1, 3)], np.diag_indices),
            Function("ix_", _open, lambda lines: np.ix_(*lines)),
            Function("block", _blocks, lambda arrays: np.block([arrays[:len(arrays) // 2], arrays[len(arrays) // 2:]])),
            Function("delete_at", _without, _delete),
            Function("insert", lambda draw: (_inserted if draw.chance(60) else _several_inserted)(draw), _insert),
            Function("cov", lambda draw: [_variables(draw), draw.chance(70), draw.one_of([0, 1])],
                     lambda m, rowvar, ddof: np.cov(m, rowvar=rowvar, ddof=ddof), _cov_bounds),
            Function("corrcoef", lambda draw: [_variables(draw), draw.chance(70)],
                     lambda m, rowvar: np.corrcoef(m, rowvar=rowvar), _corr_bounds),
            Function("polyfit", _fitted, np.polyfit, _fit_bounds),
            Function("polyder", lambda draw: [_coefficients(draw), draw.between(-1 if draw.chance(5) else 0, 3)],
                     lambda p, m: np.polyder(_line(p), m)),
            Function("polyint", _integrated, lambda p, m, k: np.polyint(_line(p), m, None if k is None else list(k))),
            pair("polyadd"), pair("polysub"), pair("polymul", 0, either_zero), pair("polydiv", 0),
            Function("poly", _places_of_zeros, _poly, _poly_bounds),
            Function("roots", lambda draw: [_coefficients(draw)], _roots, _root_bounds)]
