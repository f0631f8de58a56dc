"""What goes along an axis: scans, sorts, medians and quantiles."""
import numpy as np

from bounds import WIDE, around
from folds import either_zero
from function import Function


def _dtype(draw, a):
    """One to which all cells can be cast with one meaning."""
    whole = ["int8", "uint8", "int16", "uint32", "bool", "int64"] if a.base.dtype.kind in "bi" else []
    return np.dtype(draw.one_of(["float32", "float64", *whole])) if draw.chance(40) else None


def _scanned(draw):
    a = draw.array()
    return [a, None if draw.chance(25) else draw.axis(a.view().ndim), _dtype(draw, a)]


def _accumulated(draw):
    a, _, dtype = _scanned(draw)
    return [a, draw.axis(a.view().ndim), dtype, draw.one_of(["add", "multiply", "minimum", "maximum"])]


def _halves_bounds(results, a, axis, fold):
    """NumPy rounds each float16 of a scan; here they are rounded once: both within that of the exact value."""
    if results[0].dtype != np.float16:
        return None
    cells = a.reshape(-1) if axis is None else a
    with np.errstate(all="ignore"):
        wide = cells.astype(np.float16).astype(WIDE)
        wide = wide.reshape(-1) if wide.ndim == 0 else wide
        along = 0 if axis is None else axis
        value, size = fold.accumulate(wide, along), fold.accumulate(np.abs(wide), along)
    if np.any(np.isfinite(size) & (size > 60000)) or np.any((size != 0) & (size < 1e-4)):
        return "skip"  # what overflows, or is lost, on the way
    odd = ~np.isfinite(value)
    error = np.where(odd, 0, size * 2.0**-11 * (wide.shape[along] + 1))
    low, high = around(np.where(odd, 0, value), error, np.dtype(np.float16))
    shape, own = results[0].shape, results[0].reshape(value.shape)
    return [(np.where(odd, own, low).reshape(shape), np.where(odd, own, high).reshape(shape))]


def _scan_bounds(name):
    def bounds(results, a, axis, dtype):
        if name[:3] == "nan" and a.dtype.kind == "f":
            a = np.where(np.isnan(a), a.dtype.type(0 if name.endswith("sum") else 1), a)
        return _halves_bounds(results, a, axis, np.add if name.endswith("sum") else np.multiply)

    return bounds


def _accumulated_bounds(results, a, axis, dtype, name):
    if name in ("minimum", "maximum"):
        return either_zero(results)
    return _halves_bounds(results, a, axis, getattr(np, name))


def _sorted(draw):
    a = draw.array(values=[0, 1, 2, -3, np.nan, -0.0, np.inf] if draw.chance(30) else None)
    return [a, None if draw.chance(25) else draw.axis(a.view().ndim)]


def _ordered(draw):
    a = draw.array(values=[0, 1, 2.5, -3, np.nan, np.nan, 7] if draw.chance(30) else None)
    axes = draw.axes(a.view().ndim)
    if isinstance(axes, list) and a.view().size == 0:
        axes = axes[0]  # NumPy cannot make one axis of several then
    return [a, axes, draw.chance(40)]


def _at_places(whole):
    def drawn(draw):
        def one():
            return draw.one_of([0.0, whole, whole / 2, whole / 4, whole * 0.9, draw.random.uniform(0, whole)])

        a, axes, keepdims = _ordered(draw)
        q = one() if draw.chance(50) else [one() for _ in range(draw.between(1, 4))]
        if draw.chance(3):
            q = whole + 1.0
        return [a, q, axes, keepdims]

    return drawn


def _quantile_bounds(results, a, q, axes, keepdims):
    """NumPy takes differences in the array's dtype, in which they may wrap."""
    if results[0].dtype == np.float16:
        return "skip"  # NumPy rounds the place itself to a float16
    if a.dtype.kind in "iu" and a.size and np.any((a > np.iinfo(a.dtype).max // 4) | (a < np.iinfo(a.dtype).min // 4)):
        return "skip"
    return either_zero(results)


def _nan_quantile_bounds(results, a, q, axes, keepdims):
    """NumPy gives several places of no cells one result, and of NaNs alone the array's dtype."""
    if a.size == 0 or (isinstance(q, tuple) and results[0].dtype != np.float64):
        return "skip"
    return _quantile_bounds(results, a, q, axes, keepdims)


METHODS = ["lower", "higher", "nearest", "midpoint", "linear", "inverted_cdf", "averaged_inverted_cdf",
           "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]


def _by_method(whole):
    def drawn(draw):
        a, q, axes, keepdims = _at_places(whole)(draw)
        if a.base.dtype == np.float16:
            a = draw.array(a.view().shape, dtypes=["float32", "int64"])
        return [a, q, axes, keepdims, draw.one_of(METHODS) if draw.chance(97) else "middle"]

    return drawn


def _weighted(name, whole):
    """Weights that add up to whole numbers, whatever the order of adding. NumPy's nanquantile takes none of some axes."""
    def drawn(draw):
        a, q, axes, keepdims = _at_places(whole)(draw)
        shape = a.view().shape
        if isinstance(axes, (int, list)) and not name.startswith("nan") and draw.chance(40):
            named = axes if isinstance(axes, list) else [axes]
            shape = tuple(shape[axis] if -len(shape) <= axis < len(shape) else 1 for axis in named)
        if draw.chance(4):
            shape += (2,)
        dtypes, values = ["float64", "float32", "float16", "int64", "uint8", "int32"], [0, 1, 1, 2, 3, 5]
        if draw.chance(10):
            dtypes, values = ["float64", "int64"], draw.one_of([[0], [0, 1, -1], [1, 2, np.nan], [1, np.inf]])
        weights = draw.array(shape, dtypes=dtypes, values=values)
        return [a, q, axes, keepdims, "inverted_cdf" if draw.chance(97) else draw.one_of(METHODS), weights]

    return drawn


def _weighted_bounds(results, a, q, axes, keepdims, method, weights):
    return "skip" if a.size == 0 else either_zero(results)  # NumPy gives the mean of none


def _method_bounds(name):
    def bounds(results, a, q, axes, keepdims, method):
        if name.startswith("nan"):
            # NumPy gives several places of NaNs alone the array's dtype, and ints no result of none
            if a.size == 0 or isinstance(q, tuple) and np.any(np.isnan(a)):
                return "skip"
        return _quantile_bounds(results, a, q, axes, keepdims)

    return bounds


def _sorted_complex(draw):
    a = draw.array(dtypes=["complex64", "complex128"])
    return [a, None if draw.chance(25) else draw.axis(a.view().ndim)]


def either_complex_zero(results, *_):
    """0.0 and -0.0 are the same to an order: which stands first is left open."""
    ends = []
    for zero in (-0.0, 0.0):
        cells = results[0].copy()
        for part in (cells.real, cells.imag):
            part[part == 0] = zero
        ends.append(cells)
    return [tuple(ends)]


def functions():
    table = [Function(name, _scanned, lambda a, axis, dtype, function=getattr(np, name): function(a, axis, dtype),
                      _scan_bounds(name)) for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")]
    table.append(Function("accumulate", _accumulated,
                          lambda a, axis, dtype, name: getattr(np, name).accumulate(a, axis, dtype), _accumulated_bounds))
    table += [Function("sort", _sorted, np.sort, either_zero),
              Function("argsort", _sorted, lambda a, axis: np.argsort(a, axis, kind="stable")),
              Function("sort", _sorted_complex, np.sort, either_complex_zero),
              Function("argsort", _sorted_complex, lambda a, axis: np.argsort(a, axis, kind="stable")),
              Function("unique", lambda draw: _sorted(draw)[:1], np.unique, either_zero),
              Function("median", _ordered, lambda a, axes, keepdims: np.median(a, axes, keepdims=keepdims), either_zero),
              Function("nanmedian", _ordered, lambda a, axes, keepdims: np.nanmedian(a, axes, keepdims=keepdims),
                       either_zero)]
    for name, whole in (("quantile", 1.0), ("percentile", 100.0), ("nanquantile", 1.0), ("nanpercentile", 100.0)):
        function = getattr(np, name)
        table.append(Function(name, _at_places(whole), lambda a, q, axes, keepdims, function=function:
                              function(a, list(q) if isinstance(q, tuple) else q, axes, keepdims=keepdims),
                              _nan_quantile_bounds if name.startswith("nan") else _quantile_bounds))
        table.append(Function(name + "_by_method", _by_method(whole), lambda a, q, axes, keepdims, method, function=function:
                              function(a, list(q) if isinstance(q, tuple) else q, axes, keepdims=keepdims, method=method),
                              _method_bounds(name)))
        table.append(Function(name + "_weighted", _weighted(name, whole),
                              lambda a, q, axes, keepdims, method, weights, function=function:
                              function(a, list(q) if isinstance(q, tuple) else q, axes, keepdims=keepdims, method=method,
                                       weights=weights), _weighted_bounds))
    return table
