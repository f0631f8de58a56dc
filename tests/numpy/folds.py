"""Folds over axes, and how far any order of adding may lead from the exact value."""
import numpy as np

from bounds import WIDE, around
from draw import DTYPES, FLOATS
from function import Function


def _axes(a, axes):
    return tuple(range(a.ndim)) if axes is None else axes


def _folded(results, wide, axes, keepdims):
    count = wide.size // max(results[0].size, 1)
    return count, lambda cells: np.sum(cells, axis=axes, keepdims=keepdims, dtype=WIDE)


def _rounding(dtype):
    return WIDE(np.finfo(dtype).eps) / 2


def _may_overflow(cells, dtype):
    """Whether some order of adding leads beyond the largest number, also where there are infinities besides."""
    return np.sum(np.abs(cells[np.isfinite(cells)]), dtype=WIDE) > np.finfo(dtype).max / 8


def _exact_unless_finite(results, value, error, cells, axes, keepdims):
    """What has infinities or NaNs in it has them in any order."""
    result = results[0]
    odd = np.any(~np.isfinite(cells), axis=axes, keepdims=keepdims)
    low, high = around(value, np.where(np.isfinite(error), error, 0), result.dtype)
    return [(np.where(odd, result, low), np.where(odd, result, high))]


def sum_bounds(results, a, axes, keepdims, *_):
    """(n - 1) u sum|x| in any order: Higham, Accuracy and Stability of Numerical Algorithms, 4.2."""
    dtype = results[0].dtype
    if dtype.kind != "f":
        return None
    wide, axes = a.astype(dtype).astype(WIDE), _axes(a, axes)
    count, total = _folded(results, wide, axes, keepdims)
    size = total(np.abs(wide))
    if _may_overflow(wide, dtype):
        return "skip"  # whether it overflows on the way is the order's affair
    return _exact_unless_finite(results, total(wide), size * _rounding(dtype) * max(count - 1, 0) * WIDE(1.01), wide, axes,
                                keepdims)


def _product_bounds(results, a, axes, keepdims):
    dtype = results[0].dtype
    if dtype.kind != "f":
        return None
    wide, axes = a.astype(dtype).astype(WIDE), _axes(a, axes)
    count, _ = _folded(results, wide, axes, keepdims)
    finite = wide[np.isfinite(wide) & (wide != 0)]
    exponents = np.sum(np.abs(np.log2(np.abs(finite)))) if finite.size else 0
    if exponents > (120 if dtype.itemsize <= 4 else 1000):
        return "skip"  # some order overflows, or comes to 0
    value = np.prod(wide, axis=axes, keepdims=keepdims, dtype=WIDE)
    return _exact_unless_finite(results, value, np.abs(value) * _rounding(dtype) * count * WIDE(1.01), wide, axes, keepdims)


def _mean_bounds(results, a, axes, keepdims):
    dtype = results[0].dtype
    wide, axes = a.astype(dtype).astype(WIDE), _axes(a, axes)
    count, total = _folded(results, wide, axes, keepdims)
    size = total(np.abs(wide))
    if _may_overflow(wide, dtype):
        return "skip"
    if a.size == 0:
        return None
    least = WIDE(np.finfo(dtype).smallest_subnormal)
    error = np.where(size == 0, 0, size / count * _rounding(dtype) * (count + 1) * WIDE(1.01) + least)
    return _exact_unless_finite(results, total(wide) / count, error, wide, axes, keepdims)


def variance_bounds(results, a, axes, keepdims, ddof, root):
    """Two passes: the error of the mean enters squared, those of the squares add up as in any sum."""
    dtype = results[0].dtype
    wide, axes = a.astype(dtype).astype(WIDE), _axes(a, axes)
    if a.size == 0:
        return None
    count, total = _folded(results, wide, axes, True)
    if count - ddof <= 0 or np.any(np.isfinite(wide) & (np.abs(wide) > WIDE(1e15 if dtype.itemsize <= 4 else 1e120))):
        return "skip"
    if np.any((wide != 0) & (np.abs(wide) < WIDE(1e-15 if dtype.itemsize <= 4 else 1e-120))):
        return "skip"  # squares that are lost
    unit = _rounding(dtype) * WIDE(1.01)
    middle = total(wide) / count
    variance = total((wide - middle) ** 2) / count
    shift = unit * (count + 1) * total(np.abs(wide)) / count
    if dtype.kind == "f" and a.dtype != dtype:  # what is rounded when it becomes a float
        shift = shift + unit * np.max(np.abs(wide), axis=axes, keepdims=True)
    distance = 2 * np.sqrt(variance) * shift * (a.dtype != dtype) + shift**2
    error = ((count + 6) * unit * (variance + distance) + distance) * count / (count - ddof)
    value = variance * count / (count - ddof)
    if root:
        low, high = np.sqrt(np.maximum(value - error, 0)), np.sqrt(value + error)
        value, error = (low + high) / 2, (high - low) / 2 + high * unit * 2
    shape = results[0].shape
    return _exact_unless_finite(results, value.reshape(shape), error.reshape(shape), wide, axes, keepdims)


def either_zero(results, *_):
    low, high = results[0].copy(), results[0].copy()
    if low.dtype.kind == "f":
        low, high = np.where(low == 0, -0.0, low), np.where(high == 0, 0.0, high)
    return [(low, high)]


def _fold(draw):
    a = draw.array()
    return [a, draw.axes(a.view().ndim), draw.chance(40)]


def _spread(draw):
    return [*_fold(draw), draw.one_of([0, 0, 0, 1, 1, 2])]


def _two_vectors(draw):
    shape = draw.shape(axes=0 if draw.chance(15) else 1)
    other = draw.shape(axes=1) if draw.chance(10) else shape
    dtypes = FLOATS if draw.chance(40) else DTYPES
    return [draw.array(shape, dtypes=dtypes), draw.array(other, dtypes=dtypes)]


def _dot_bounds(results, a, b):
    dtype = results[0].dtype
    if dtype.kind != "f":
        return None
    if a.ndim == 0 or b.ndim == 0:  # of the number 0 the BLAS makes zeros, whatever the cells
        return either_zero(results) if np.all(np.isfinite(a)) and np.all(np.isfinite(b)) else "skip"
    with np.errstate(all="ignore"):
        terms = a.astype(dtype).astype(WIDE) * b.astype(dtype).astype(WIDE)
    size = np.sum(np.abs(terms), dtype=WIDE)
    if np.isfinite(size) and size > np.finfo(dtype).max / 2:
        return "skip"
    if not np.all(np.isfinite(terms)):
        return None
    error = size * _rounding(dtype) * terms.size * WIDE(1.01) + terms.size * WIDE(np.finfo(dtype).smallest_subnormal)
    value = np.asarray(np.sum(terms, dtype=WIDE))
    return [around(value, error if size else 0, dtype)] if size else either_zero(results)


def _places(draw):
    a = draw.array()
    return [a, draw.axis(a.view().ndim) if draw.chance(70) else None, draw.chance(40)]


def _places_of_numbers(draw):
    """No line of NaNs alone, of which NumPy raises (docs/numpy.md)."""
    a = draw.array(dtypes=[*DTYPES, "complex128"], values=[0, 1, 2.5, -3, 7, np.nan] if draw.chance(50) else None)
    return [a, draw.axis(a.view().ndim) if draw.chance(70) else None, draw.chance(40)]


def _placed_number(name):
    def call(a, axis, keepdims):
        try:
            return getattr(np, name)(a, axis, keepdims=keepdims)
        except ValueError as error:
            if "All-NaN" not in str(error):
                raise
        # docs/numpy.md: the first of them
        last = np.inf if name == "nanargmin" else -np.inf
        return getattr(np, name[3:])(np.where(np.isnan(a), a.dtype.type(last), a), axis, keepdims=keepdims)

    return call


def _without_nan(number, bounds):
    """The bounds of another fold, of the cells with this number in place of NaNs."""
    def changed(results, a, *more):
        return bounds(results, np.where(np.isnan(a), a.dtype.type(number), a) if a.dtype.kind == "f" else a, *more)

    return changed


def _nan_mean_bounds(results, a, axes, keepdims):
    if a.dtype.kind != "f" or not np.any(np.isnan(a)):
        return _mean_bounds(results, a, axes, keepdims)
    if a.size == 0:
        return None
    zeroed, axes = np.where(np.isnan(a), a.dtype.type(0), a), _axes(a, axes)
    wide = zeroed.astype(WIDE)
    size = np.sum(np.abs(wide), axis=axes, keepdims=keepdims)
    if _may_overflow(wide, a.dtype):
        return "skip"
    with np.errstate(all="ignore"):
        count = np.sum(~np.isnan(a), axis=axes, keepdims=keepdims).astype(WIDE)
        least = WIDE(np.finfo(a.dtype).smallest_subnormal)
        error = np.where((size == 0) | (count == 0), 0, size / count * _rounding(a.dtype) * (a.size + 1) + least)
        value = np.where(count == 0, WIDE(np.nan), np.sum(wide, axis=axes, keepdims=keepdims) / count)
    return _exact_unless_finite(results, value, error, wide, axes, keepdims)


def _nan_spread_bounds(root):
    def bounds(results, a, *more):
        if a.dtype.kind == "f" and np.any(np.isnan(a)):
            count = np.sum(~np.isnan(a), axis=_axes(a, more[0]), keepdims=more[1]) - more[2]
            if np.all(count <= 0):
                return None
            return "skip" if a.ndim and more[0] is not None else _nan_spread(results, a[~np.isnan(a)], more, root)
        return variance_bounds(results, a, *more, root)

    return bounds


def _nan_spread(results, cells, more, root):
    bounds = variance_bounds([results[0].reshape(())], cells, None, False, more[2], root)
    return bounds if bounds is None or isinstance(bounds, str) else [tuple(np.asarray(x) for x in bounds[0])]


def _weighted(draw):
    a = draw.array()
    axes, keepdims = draw.axes(a.view().ndim), draw.chance(40)
    shape = a.view().shape
    if draw.chance(25) and 0 not in shape:  # numpy.average divides the number of cells by that of means, 0 by 0
        return [a, None, axes, False]  # without weights there is no keepdims here
    named = [] if axes is None else axes if isinstance(axes, list) else [axes]
    if named and all(-len(shape) <= axis < len(shape) for axis in named) and draw.chance(50):
        shape = tuple(shape[axis] for axis in named)
    if draw.chance(4):
        shape = (*shape, 2)
    return [a, draw.array(shape, values=[1, 2, 3, 0.5, 4]), axes, keepdims]


def _average_bounds(results, a, weights, axis, keepdims):
    if weights is None:
        return _mean_bounds(results, a, axis, keepdims)
    dtype, axes = results[0].dtype, _axes(a, axis)
    if a.size == 0:
        return None
    if weights.shape != a.shape:
        named = [k % a.ndim for k in (axes if isinstance(axes, tuple) else (axes,))]
        spread = weights.transpose(np.argsort(named)).reshape([a.shape[k] if k in named else 1 for k in range(a.ndim)])
        weights = np.broadcast_to(spread, a.shape)
    wide, heavy = a.astype(dtype).astype(WIDE), weights.astype(dtype).astype(WIDE)
    with np.errstate(all="ignore"):
        terms = wide * heavy
        size, weight = (np.sum(x, axis=axes, dtype=WIDE, keepdims=keepdims) for x in (np.abs(terms), heavy))
    if _may_overflow(terms, dtype):
        return "skip"
    least = WIDE(np.finfo(dtype).smallest_subnormal) * (a.size + 1)
    error = np.where(size == 0, 0, size / weight * _rounding(dtype) * (2 * a.size + 4) + least)
    mean = np.sum(terms, axis=axes, dtype=WIDE, keepdims=keepdims) / weight
    return _exact_unless_finite(results, mean, error, terms, axes, keepdims)


def _weighted_always(draw):
    while True:
        drawn = _weighted(draw)
        if drawn[1] is not None:
            return drawn


def _average_and_weights_bounds(results, a, weights, axis, keepdims):
    mean = _average_bounds(results[:1], a, weights, axis, keepdims)
    if isinstance(mean, str):
        return mean
    size = np.abs(results[1].astype(WIDE))  # weights are positive
    whole = around(results[1].astype(WIDE), size * _rounding(results[1].dtype) * (a.size + 3), results[1].dtype)
    return [*(mean or [(results[0], results[0])]), whole]


def functions():
    def folding(function):
        return lambda a, axes, keepdims: function(a, axis=axes, keepdims=keepdims)

    table = [Function("sum", _fold, folding(np.sum), sum_bounds),
             Function("prod", _fold, folding(np.prod), _product_bounds),
             Function("mean", _fold, folding(np.mean), _mean_bounds)]
    for name in ("min", "max", "amin", "amax", "ptp"):
        table.append(Function(name, _fold, folding(getattr(np, name)), either_zero))
    for name in ("any", "all", "count_nonzero"):
        table.append(Function(name, _fold, folding(getattr(np, name))))
    for name, root in (("var", False), ("std", True)):
        function = getattr(np, name)
        table.append(Function(
            name, _spread,
            lambda a, axes, keepdims, ddof, function=function: function(a, axis=axes, keepdims=keepdims, ddof=ddof),
            lambda results, *more, root=root: variance_bounds(results, *more, root)))
    for name, bounds in (("nansum", _without_nan(0, sum_bounds)), ("nanprod", _without_nan(1, _product_bounds)),
                         ("nanmin", either_zero), ("nanmax", either_zero), ("nanmean", _nan_mean_bounds)):
        table.append(Function(name, _fold, folding(getattr(np, name)), bounds))
    for name in ("argmin", "argmax"):
        table.append(Function(name, _places, folding(getattr(np, name))))
    for name in ("nanargmin", "nanargmax"):
        table.append(Function(name, _places_of_numbers, _placed_number(name)))
    for name, root in (("nanvar", False), ("nanstd", True)):
        function = getattr(np, name)
        table.append(Function(
            name, _spread,
            lambda a, axes, keepdims, ddof, function=function: function(a, axis=axes, keepdims=keepdims, ddof=ddof),
            _nan_spread_bounds(root)))
    table.append(Function("average", _weighted, lambda a, weights, axes, keepdims:
                          np.average(a, axis=axes, weights=weights, keepdims=keepdims), _average_bounds))
    table.append(Function("average_and_weights", _weighted_always, lambda a, weights, axes, keepdims:
                          np.average(a, axis=axes, weights=weights, returned=True, keepdims=keepdims),
                          _average_and_weights_bounds))
    for name in ("dot", "vdot"):
        table.append(Function(name, _two_vectors, getattr(np, name), _dot_bounds))
    return table
