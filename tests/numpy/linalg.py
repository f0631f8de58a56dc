"""Systems of equations and factorizations. Of those that leave signs open, what does not depend on them."""
import numpy as np

from bounds import around
from draw import COMPLEX
from function import Function

KINDS = ["int64", "float32", "float64", "float64", *COMPLEX]


def near(value, error):
    """The numbers so near, part by part."""
    if value.dtype.kind not in "fc":
        return value, value
    if value.dtype.kind == "f":
        return around(value, np.broadcast_to(error, value.shape), value.dtype)
    low, high = np.empty_like(value), np.empty_like(value)
    for part in ("real", "imag"):
        cells = getattr(value, part)
        ends = around(cells, np.broadcast_to(error, value.shape), cells.dtype)
        setattr(low, part, ends[0])
        setattr(high, part, ends[1])
    return low, high


def _error(value, size):
    """So many roundings of the largest cell, or of `size`."""
    if value.size == 0 or value.dtype.kind not in "fc":
        return np.float64(0)
    largest = np.max(np.abs(value), initial=0)
    return np.float64(np.finfo(value.dtype).eps) * size * (np.float64(largest) + 1)


def _bounds(size):
    def bounds(results, a, *rest):
        """The condition of what was drawn, times some roundings, times the operands' sizes."""
        condition = 1.0
        if a.size:
            m = a.astype(complex)
            if m.shape[-1] != m.shape[-2]:
                m = m.conj().swapaxes(-1, -2) @ m
            condition = float(np.max(np.linalg.cond(m)))
            if not condition < 1e3:
                return "skip"
        scale = size * condition * (1 + float(np.max(np.abs(a), initial=0))) * max(a.shape[-2:])
        return [near(value, _error(value, scale)) for value in results]

    return bounds


def _batch(draw):
    return [draw.between(0 if draw.chance(5) else 1, 3) for _ in range(draw.one_of([0, 0, 0, 1, 1, 2]))]


def _matrices(draw, rows=None, columns=None, batch=None, kinds=None, regular=True):
    """Of full rank, and far from singular; at times of a shape or dtype that is refused."""
    draw.mood = "whole"
    rows = draw.between(1, 5) if rows is None else rows
    columns = rows if columns is None else columns
    shape = [*(_batch(draw) if batch is None else batch), rows, columns]
    if draw.chance(4):
        shape[-1] += 1
    if draw.chance(2):
        shape = shape[-1:]
    a = draw.array(shape, dtypes=["float16"] if draw.chance(2) else kinds or KINDS, values=[0, 1, 2, -1, 3, -2])
    if regular and len(shape) > 1:
        view = a.view()
        for i in range(min(shape[-2:])):
            view[..., i, i] += 7 * (-1) ** i
    return a


def _tall_or_wide(draw, **options):
    return _matrices(draw, draw.between(1, 5), draw.between(1, 5), **options)


def _hermitian(draw, positive):
    a = _matrices(draw, kinds=["float32", "float64", *COMPLEX], regular=False)
    view = a.view()
    if view.ndim > 1 and view.shape[-1] == view.shape[-2] and view.dtype != np.float16:
        whole = view + view.conj().swapaxes(-1, -2)
        if positive:
            whole = whole + 40 * np.eye(view.shape[-1])
        view[...] = whole.astype(view.dtype)
    return a


def _system(draw):
    n, batch = draw.between(1, 5), _batch(draw)
    a = _matrices(draw, n, batch=batch)
    if draw.chance(40):
        b = draw.array((n if draw.chance(95) else n + 1,), dtypes=KINDS)
    else:
        own = batch[draw.between(0, len(batch)):] if draw.chance(50) else batch
        b = draw.array([*own, n, draw.between(0 if draw.chance(5) else 1, 3)], dtypes=KINDS)
    return [a, b]


def _overdetermined(draw):
    a = _matrices(draw, draw.between(1, 5), draw.between(1, 5), batch=[])
    rows = a.view().shape[0]
    shape = (rows,) if draw.chance(50) else (rows + (1 if draw.chance(4) else 0), draw.between(1, 3))
    return [a, draw.array(shape, dtypes=["int64", "float32", "float64", *COMPLEX]), None]


def _adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def _qr(a, mode):
    q, r = np.linalg.qr(a, mode)
    return q @ r, _adjoint(q) @ q, np.abs(r)


def _eigh(a, uplo):
    values, vectors = np.linalg.eigh(a, uplo)
    return values, (vectors * values[..., None, :]) @ _adjoint(vectors), _adjoint(vectors) @ vectors


def _sums(a):
    values = np.linalg.eigvals(a)
    values = values.astype(np.result_type(values.dtype, np.complex64))
    return values.sum(-1), (values * values).sum(-1), (values * values * values).sum(-1)


def _eig(a):
    sums = _sums(a)
    complex_of = sums[0].dtype
    return (*sums, np.zeros(a.shape, complex_of), np.ones(a.shape[:-1], complex_of.type(0).real.dtype))


def _svd(a, full):
    u, s, vh = np.linalg.svd(a, full)
    k = s.shape[-1]
    return s, (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], _adjoint(u) @ u, vh @ _adjoint(vh)


def _lstsq(a, b, rcond):
    if a.ndim == 2 and b.shape[:1] == a.shape[:1] and np.float16 in (a.dtype, b.dtype):
        raise TypeError("float16")
    x, residuals, rank, values = np.linalg.lstsq(a, b, rcond)
    return x, residuals, np.int64(rank), values


def _lstsq_bounds(results, a, b, rcond):
    bounds = _bounds(64)(results, a)
    if bounds == "skip":
        return bounds
    size = 64 * 50 * a.size * (1 + float(np.max(np.abs(b), initial=0)))
    with np.errstate(all="ignore"):
        return [near(value, _error(value, size * (1 + float(np.max(np.abs(b), initial=0))))) for value in results]


def _powered(draw):
    return [_matrices(draw), draw.between(-3, 6)]


def _chain(draw):
    count = draw.between(2, 5)
    extents = [draw.between(1, 4) for _ in range(count + 1)]
    kinds = [draw.one_of(["int64", "float64", "complex128"])]
    arrays = [draw.array(extents[k:k + 2], dtypes=kinds, values=[0, 1, 2, -1, 3]) for k in range(count)]
    if draw.chance(20):
        arrays[0] = draw.array(extents[1:2], dtypes=kinds, values=[0, 1, 2])
    if draw.chance(20):
        arrays[-1] = draw.array(extents[-2:-1], dtypes=kinds, values=[0, 1, 2])
    if draw.chance(5):
        arrays[-1] = draw.array((extents[-2] + 1, 2), dtypes=kinds)
    return [arrays]


def _tensor(draw):
    extents = draw.one_of([(2, 2), (4,), (3,), (2, 1)])
    n = int(np.prod(extents))
    a = draw.array((n, *extents) if draw.chance(50) else (*extents, n), dtypes=["float64"], values=[0, 1, -1])
    view = a.view()
    view.reshape(n, n)  # may be a copy: cells are set one by one
    for i in range(n):
        place = (i, *np.unravel_index(i, extents)) if view.shape[0] == n and view.shape[1:] == extents else \
            (*np.unravel_index(i, extents), i)
        view[place] += 6
    return a


def _tensor_inverse(draw):
    a = _tensor(draw)
    shape = a.view().shape
    count = next(k for k in range(1, len(shape)) if np.prod(shape[:k]) == np.prod(shape[k:]))
    return [a, count if draw.chance(95) else 0]


def _tensor_system(draw):
    a = _tensor(draw)
    shape = a.view().shape
    count = next(k for k in range(1, len(shape)) if np.prod(shape[:k]) == np.prod(shape[k:]))
    return [a, draw.array(shape[:count], dtypes=["float64"])]


def _tensor_bounds(results, a, *_):
    return [near(value, _error(value, 1000)) for value in results]


def _normed(draw):
    a = draw.array(draw.shape(axes=draw.between(2, 3) if draw.chance(95) else 1),
                   dtypes=["int64", "float32", "float64", *COMPLEX], values=[0, 1, 2, -1, 3.5])
    rank = a.view().ndim
    axes = None if rank == 2 and draw.chance(60) else draw.random.sample(range(rank), min(rank, 2))
    if axes and draw.chance(40):
        axes = [axis - rank for axis in axes]
    return [a, draw.one_of([2, -2, "nuc", "fro", 1, -1, np.inf, -np.inf, 3 if draw.chance(10) else 2]), axes, draw.chance(40)]


def _vector_normed(draw):
    a = draw.array(draw.shape(cells=24), dtypes=["int64", "float32", "float64", *COMPLEX], values=[0, 1, 2, -1, 3.5])
    order = draw.one_of([2, 1, 3, 0, 0.5, np.inf, -np.inf])
    return [a, draw.axes(a.view().ndim), order, draw.chance(40)]


def _matrix_normed(draw):
    a = draw.array(draw.shape(axes=draw.between(2, 3) if draw.chance(95) else 1),
                   dtypes=["int64", "float32", "float64", *COMPLEX], values=[0, 1, 2, -1, 3.5])
    return [a, draw.one_of([None, None, 1, -1, 2, -2, np.inf, -np.inf, 3 if draw.chance(20) else 1]), draw.chance(40)]


def _norm(a, order, axes, keepdims):
    return np.linalg.norm(a, order, axes, keepdims)


def _norm_bounds(results, a, *_):
    return [near(value, _error(value, 200 * (a.size + 1))) for value in results]


def _triangle(draw):
    return draw.one_of(["L", "U"]) if draw.chance(97) else "M"


def functions():
    def square(draw):
        return [_matrices(draw)]

    return [Function("solve", _system, np.linalg.solve, lambda results, a, b: _bounds(64 * 20)(results, a)),
            Function("inv", square, np.linalg.inv, _bounds(64)),
            Function("det", square, np.linalg.det, _bounds(64)),
            Function("slogdet", square, lambda a: tuple(np.linalg.slogdet(a)), _bounds(64)),
            Function("cholesky", lambda draw: [_hermitian(draw, True), draw.chance(50)],
                     lambda a, upper: np.linalg.cholesky(a, upper=upper), _bounds(64)),
            Function("qr", lambda draw: [_tall_or_wide(draw), draw.one_of(["reduced", "complete", "wrong"
                                                                          if draw.chance(4) else "reduced"])],
                     _qr, _bounds(64)),
            Function("qr_r", lambda draw: [_tall_or_wide(draw)], lambda a: np.abs(np.linalg.qr(a, "r")), _bounds(64)),
            Function("eigh", lambda draw: [_hermitian(draw, False), _triangle(draw)], _eigh,
                     lambda results, a, uplo: [near(value, _error(value, 2000)) for value in results]),
            Function("eigvalsh", lambda draw: [_hermitian(draw, False), _triangle(draw)], np.linalg.eigvalsh,
                     lambda results, a, uplo: [near(value, _error(value, 2000)) for value in results]),
            Function("eig", square, _eig, lambda results, a: [near(value, _error(value, 20000)) for value in results]),
            Function("eigvals", square, _sums, lambda results, a: [near(value, _error(value, 20000)) for value in results]),
            Function("svd", lambda draw: [_tall_or_wide(draw), draw.chance(50)], _svd, _bounds(64)),
            Function("svdvals", lambda draw: [_tall_or_wide(draw)], np.linalg.svdvals, _bounds(64)),
            Function("lstsq", _overdetermined, _lstsq, _lstsq_bounds),
            Function("pinv", lambda draw: [_tall_or_wide(draw), 1e-3 if draw.chance(30) else 1e-6],
                     lambda a, rcond: np.linalg.pinv(a, rcond), _bounds(64)),
            Function("matrix_rank", lambda draw: [_tall_or_wide(draw), 0.5 if draw.chance(30) else None],
                     np.linalg.matrix_rank, None),
            Function("cond", lambda draw: [_matrices(draw), draw.one_of([None, 2, -2, 1, -1, np.inf, -np.inf])],
                     np.linalg.cond, lambda results, a, p: _bounds(256)(results, a)),
            Function("matrix_power", _powered, np.linalg.matrix_power,
                     lambda results, a, n: _bounds(4000)(results, a) if results[0].dtype.kind in "fc" else None),
            Function("multi_dot", _chain, lambda arrays: np.linalg.multi_dot(arrays),
                     lambda results, arrays: [near(value, _error(value, 8)) for value in results]),
            Function("tensorinv", _tensor_inverse, np.linalg.tensorinv, _tensor_bounds),
            Function("tensorsolve", _tensor_system, np.linalg.tensorsolve, _tensor_bounds),
            Function("norm_of_values", _normed, _norm, _norm_bounds),
            Function("vector_norm", _vector_normed, lambda a, axes, order, keepdims:
                     np.linalg.vector_norm(a, axis=axes, ord=order, keepdims=keepdims), _norm_bounds),
            Function("matrix_norm", _matrix_normed, lambda a, order, keepdims:
                     np.linalg.matrix_norm(a, ord=order or "fro", keepdims=keepdims), _norm_bounds)]
