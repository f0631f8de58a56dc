"""Numbers in bins and between places, polynomials, angles, and sums of products by letters."""
import numpy as np
from numpy.lib import _histograms_impl as histograms

from bounds import WIDE, around
from draw import COMPLEX, FLOATS, Array
from function import Function

FEW = [0.0, 1.0, 2.0, 2.5, -3.0, 5.0, 7.0]
PLAIN = ["int32", "int64", "float32", "float64"]


def _line(draw, extent=None, dtypes=None, values=FEW, most=7):
    """One axis, seen through a step at times."""
    extent = draw.between(0 if draw.chance(5) else 1, most) if extent is None else extent
    return draw.array((extent,), dtypes=dtypes or PLAIN, values=values)


def _in_order(draw, dtypes=None, values=FEW, rises=True, most=7):
    line = _line(draw, dtypes=dtypes, values=values, most=most)
    view = line.view()
    view[...] = np.sort(view) if rises else np.sort(view)[::-1]
    return line


def _places_of(draw, dtypes=None, values=FEW):
    return draw.array(dtypes=dtypes or PLAIN, values=values)


def _searched(draw):
    if draw.chance(25):
        kinds, values = COMPLEX, [0.0, 1.0, 2.0, np.nan if draw.chance(30) else -1.0]
    else:
        kinds, values = None, [*FEW, np.nan, np.inf] if draw.chance(30) else FEW
    a = _in_order(draw, kinds, values) if draw.chance(97) else draw.array((2, 3))
    v = draw.one_of([1, 2.25, 7, True]) if draw.chance(15) else _places_of(draw, kinds, values)
    return [a, v, draw.one_of(["left", "right"]) if draw.chance(98) else "middle"]


def _sought(draw):
    values = [*FEW, np.nan, -0.0] if draw.chance(40) else FEW
    kinds = COMPLEX if draw.chance(20) else [*PLAIN, "bool", "float16"]
    return [draw.array(dtypes=kinds, values=values), draw.array(draw.shape(cells=9), dtypes=kinds, values=values)]


def _digitized(draw):
    bins = _in_order(draw, rises=draw.chance(60)) if draw.chance(97) else draw.array((2, 3))
    return [_places_of(draw, values=[*FEW, np.nan, np.inf] if draw.chance(30) else FEW), bins, draw.chance(50)]


def _interpolated(draw):
    values = None if draw.chance(50) else FEW
    xp = _in_order(draw, values=values, most=9)
    count = xp.view().size
    kinds = COMPLEX if draw.chance(15) else PLAIN
    fp = _line(draw, count if draw.chance(97) else count + 1, kinds,
               [*FEW, np.nan, np.inf] if draw.chance(20) else values)
    left, right = (draw.one_of([None, None, -1.5, np.nan]) for _ in range(2))
    period = draw.one_of([360.0, 2.5, -4.0, 0.0 if draw.chance(20) else 7.0]) if draw.chance(20) else None
    if kinds == COMPLEX:
        left = right = None
    x = draw.one_of([1, 2.25, -100.0]) if draw.chance(10) else _places_of(draw, values=values)
    return [x, xp, fp, left, right, period]


def _interp_bounds(results, x, xp, fp, left, right, period):
    """The same operations; equal places leave open which of them is met."""
    places = np.sort(np.mod(xp.astype(float), abs(period)) if period else xp.astype(float))
    if np.any(np.diff(places) == 0) or np.any(np.isnan(places)):
        return "skip"
    return None


def _counted(draw):
    dtypes = ["int32", "int64", "bool"] if draw.chance(95) else FLOATS
    x = _line(draw, dtypes=dtypes, values=[0, 1, 2, 5, 9, 3] + [-1] * draw.chance(4), most=12)
    weights = draw.array(x.view().shape if draw.chance(96) else (13,), dtypes=PLAIN) if draw.chance(40) else None
    return [x, weights, draw.one_of([0, 0, 3, 12, -1 if draw.chance(20) else 0])]


def _histogram(draw):
    a = draw.array(dtypes=PLAIN, values=FEW if draw.chance(50) else None)
    bins = draw.between(1 if draw.chance(97) else 0, 12)
    limits = None
    if draw.chance(30):
        bins = _in_order(draw)
        if np.any(np.diff(bins.view()) < 0) or bins.view().size < 2:
            bins = 4
    elif draw.chance(40):
        limits = sorted([float(draw.between(-9, 9)) / 2, float(draw.between(-9, 9)) / 2], reverse=draw.chance(4))
    weights = draw.array(a.view().shape, dtypes=PLAIN, values=[1, 2, 3, 4]) if draw.chance(30) else None
    return [a, bins, limits, draw.chance(30), weights]


def _histogram_bounds(results, a, bins, limits, density, weights):
    """Counts are exact, wherever all of them; densities are a quotient of quotients."""
    if limits is None and not isinstance(bins, np.ndarray) and not np.all(np.isfinite(a.astype(float))):
        return "skip"
    if a.dtype.kind == "i" and np.any(np.abs(a.astype(float)) > 2**50):
        return "skip"
    counts, edges = results
    if not np.all(np.isfinite(edges)) or np.any(np.diff(edges) == 0) and density:
        return "skip"
    if not density:
        return [(counts, counts), (edges, edges)]
    size = np.abs(counts.astype(WIDE))
    return [around(counts, size * np.finfo(counts.dtype).eps * 4, counts.dtype), (edges, edges)]


RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


def _by_rule(draw):
    draw.mood = "plain"
    a = draw.array(draw.shape(cells=draw.one_of([6, 60, 200])), dtypes=PLAIN, values=FEW if draw.chance(30) else None)
    limits = sorted([float(draw.between(-9, 9)) / 2, float(draw.between(-9, 9)) / 2]) if draw.chance(30) else None
    weights = draw.array(a.view().shape, dtypes=PLAIN, values=[1, 2]) if draw.chance(3) else None
    return [a, draw.one_of(RULES) if draw.chance(97) else "widest", limits, False, weights]


def _rule_bounds(results, a, rule, limits, *_):
    """What an ulp of the width decides is not judged: the reach by it is nearly a whole number."""
    edges = results[-1]
    if isinstance(rule, str):
        if rule == "stone" and (a.dtype == np.float32 or a.size < 3):
            return "skip"  # losses that are alike
        cells = a.ravel().astype(float)
        low, high = limits or ((cells.min(), cells.max()) if cells.size else (0, 1))
        low, high = (low, high) if low < high else (low - 0.5, high + 0.5)
        cells = cells[(cells >= low) & (cells <= high)]
        if cells.size:
            width = histograms._hist_bin_selectors[rule](cells, (low, high))
            bins = (high - low) / (max(width, 1) if a.dtype.kind == "i" and width else width or high - low)
            if abs(bins - round(bins)) < 1e-5 * bins and (a.dtype == np.float32 or rule not in ("sqrt", "sturges")):
                return "skip"
    return [(x, x) for x in results[:-1]] + [(edges, edges)]


def _polynomial(draw):
    p = _line(draw, dtypes=FLOATS[1:] + ["int32", "int64"], most=5)
    if draw.chance(3):
        p = draw.array((2, 2))
    return [p, draw.array() if draw.chance(85) else draw.one_of([2, 0.5, -3])]


def _powers(draw):
    x = _line(draw, most=6) if draw.chance(95) else draw.array()
    return [x, draw.one_of([None, draw.between(0, 6), -1 if draw.chance(10) else 2]), draw.chance(50)]


def _differences(draw):
    a = draw.array(dtypes=[*PLAIN, "bool"] if draw.chance(20) else PLAIN)
    ends = [draw.array(draw.shape(axes=draw.between(0, 2), cells=6), dtypes=[a.base.dtype.name] if draw.chance(70) else PLAIN)
            if draw.chance(40) else None for _ in range(2)]
    return [a, *ends]


def _angles(draw):
    draw.mood = "plain"
    a = draw.array(dtypes=["int64", "float64"], values=[0, 1, 3, -3, 6, 9, -8, 2.5] if draw.chance(60) else None)
    period = draw.one_of([2 * np.pi, 2 * np.pi, 4.0, 6.0, 1.0])
    return [a, draw.one_of([None, None, 2.0, 5.0]), draw.axis(a.view().ndim), period]


def _unwrapped(a, discont, axis, period):
    return np.unwrap(a, discont, axis, period=period)


def _angle_bounds(results, a, discont, axis, period):
    value = results[0].astype(WIDE)
    size = np.sum(np.abs(a.astype(WIDE))) + np.abs(value) + a.size * period
    return [around(value, size * np.finfo(results[0].dtype).eps * 4, results[0].dtype)]


SUBSCRIPTS = ["ij,jk->ik", "ij,jk", "ij,ij->", "ij,ij->i", "ii->i", "ii", "ij->ji", "ij->j", "ij->", "i,j->ij", "i,i", "ijk,jil->kl",
              "bij,bjk->bik", "ij,j->i", "i,ij->j", "ijk->kji", "iij->j", "iji->j", "ij,jk,kl->il", "ij,kj->ikj", "i,i,i->i",
              "a b, b c -> c a", "...ij,...jk->...ik", "...i->...", "i...->...", "...,...", "ij...,jk...->ik...", "ab,cd->abcd",
              "abc,abd->cd", "abc,bcd->ad", "ij,ik,il->jkl", "i->", "->", ",->", "ij,ji->", "...ii->...i", "bi,bi->b",
              "ijk,ijk->jk", "iij,jk->ik", "i,jk->ijk", "xy,yz,zx->", "ij,jk->ij", "Ab,bC"]
WRONG = ["ij,jk->iz", "ij->ii", "i$->i", "ijkl->i", "ij,jk,kl", "...i->i"]


def _summed(draw):
    text = draw.one_of(WRONG) if draw.chance(6) else draw.one_of(SUBSCRIPTS)
    words = text.replace(" ", "").split("->")[0].split(",")
    extents = {letter: draw.between(0 if draw.chance(3) else 1, 4) for letter in "".join(words) if letter.isalpha()}
    dots = [draw.between(1, 3) for _ in range(draw.between(0, 2))] if "..." in text else []
    kinds = [draw.one_of(PLAIN + ["bool", "float16", *COMPLEX])] if draw.chance(60) else PLAIN
    small = [0, 1, 2, -1, 3]
    arrays = []
    for word in words:
        shape = []
        own = dots[draw.between(0, len(dots)):] if draw.chance(20) else dots
        for part in word.replace("...", "."):
            shape += [1 if draw.chance(15) else n for n in own] if part == "." else [extents.get(part, 2)]
        if draw.chance(2) and shape:
            shape[0] += 1
        if draw.chance(5) and shape:
            shape[draw.between(0, len(shape) - 1)] = 1
        arrays.append(draw.array(shape, dtypes=kinds, values=small))
    return [text.replace(" ", ""), arrays]


def _einsum(text, arrays):
    return np.einsum(text, *arrays)


def _kron_operands(draw):
    dtypes = PLAIN + ["bool", *COMPLEX]  # of small numbers, products of complex ones are exact, too
    return [draw.array(draw.shape(axes=draw.between(0, 3), cells=12), dtypes=dtypes, values=[0, 1, 2, -1, 3])
            for _ in range(2)]


def _vectors(draw):
    shape = list(draw.shape(axes=draw.between(1, 3), cells=12))
    axis = draw.between(0, len(shape) - 1)
    shape[axis] = 3 if draw.chance(96) else 4
    first, second = list(shape), list(shape)
    for one in (first, second):
        for k in range(len(shape)):
            if k != axis and draw.chance(15):
                one[k] = 1
    place = axis - len(shape) if draw.chance(60) else axis
    return [draw.array(first, dtypes=PLAIN), draw.array(second, dtypes=PLAIN), place]


def _either_zero(results, *_):
    low, high = results[0].copy(), results[0].copy()
    for x, zero in ((low, -0.0), (high, 0.0)):
        for part in ((x.real, x.imag) if x.dtype.kind == "c" else (x,) if x.dtype.kind == "f" else ()):
            part[part == 0] = zero
    return [(low, high)]


def functions():
    return [Function("searchsorted", _searched, lambda a, v, side: np.searchsorted(a, v, side)),
            Function("isin", _sought, np.isin),
            Function("unique_counts", lambda draw: _sought(draw)[:1], lambda a: tuple(np.unique_counts(a)),
                     lambda results, a: "skip" if np.count_nonzero(np.isnan(a)) > 1 and a.dtype.kind == "c" else
                     [*_either_zero(results), (results[1], results[1])]),
            Function("digitize", _digitized, np.digitize),
            Function("interp", _interpolated, np.interp, _interp_bounds),
            Function("bincount", _counted, np.bincount),
            Function("histogram", _histogram, np.histogram, _histogram_bounds),
            Function("histogram_by_rule", _by_rule, np.histogram, _rule_bounds),
            Function("histogram_bin_edges", lambda draw: _by_rule(draw)[:3] if draw.chance(60) else
                     [draw.array(dtypes=PLAIN), draw.between(1 if draw.chance(95) else 0, 9), None],
                     np.histogram_bin_edges, lambda results, a, bins, limits: _rule_bounds(results, a, bins, limits)),
            Function("polyval", _polynomial, np.polyval),
            Function("vander", _powers, lambda x, n, increasing: np.vander(x, n, increasing)),
            Function("ediff1d", _differences, np.ediff1d),
            Function("unwrap", _angles, _unwrapped, _angle_bounds),
            Function("einsum", _summed, _einsum, _either_zero),
            Function("kron", _kron_operands, np.kron, _either_zero),
            Function("cross", _vectors, lambda a, b, axis: np.cross(a, b, axis=axis))]
