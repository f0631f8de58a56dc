"""Folds and scans by any function; numbers from array to array; slopes at given places."""
import numpy as np

from bounds import WIDE, around, ulp
from draw import COMPLEX, Array
from folds import either_zero, sum_bounds
from function import Function

BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
LOGIC = ["logical_and", "logical_or", "logical_xor"]
CHOICE = ["minimum", "maximum", "fmin", "fmax"]
NUMBERS = ["gcd", "lcm"]


def _with_function(draw):
    name = draw.one_of(BITS + LOGIC + CHOICE * 2 + NUMBERS)
    values, dtypes = None, None
    if name in BITS:
        dtypes = ["bool", "int32", "int64"] if draw.chance(96) else ["float64"]
    elif name in NUMBERS:
        dtypes, values = ["int32", "int64"], [0, 1, 2, 3, 4, 6, 12, -6]
    elif name in CHOICE and draw.chance(30):
        dtypes, values = COMPLEX, [0.0, 1.0, 2.0, -1.0, np.nan if draw.chance(25) else 3.0]
    elif draw.chance(30):
        values = [0, 1, 2, -3, np.nan, -0.0, np.inf]
    return draw.array(dtypes=dtypes, values=values), name


def _accumulated(draw):
    a, name = _with_function(draw)
    return [a, draw.axis(a.view().ndim), None, name]


def _accumulate(a, axis, dtype, name):
    if a.ndim == 0:
        raise ValueError("no axes")
    return getattr(np, name).accumulate(a, axis)


def _reduced(draw):
    a, name = _with_function(draw)
    axes = draw.axes(a.view().ndim)
    if name == "lcm" and not isinstance(axes, int):
        axes = 0  # NumPy takes one axis alone
    return [a, axes, draw.chance(40), name]


def _reduce(a, axes, keepdims, name):
    return getattr(np, name).reduce(a, axes, keepdims=keepdims)


def _chosen_bounds(results, a, *_):
    """Which of two zeros, and which of two NaNs, is left open."""
    low, high = results[0].copy(), results[0].copy()
    if low.dtype.kind == "c":
        if np.any(np.isnan(a)):
            return "skip"  # which parts of which NaN
        for cells, zero in ((low, -0.0), (high, 0.0)):
            for part in (cells.real, cells.imag):
                part[part == 0] = zero
        return [(low, high)]
    return either_zero(results)


def _ends(draw, positive):
    values = [1.0, 2.0, 3.5, 0.25, 7.0] if positive else [0.0, 1.0, -2.0, 3.5, 0.25]
    kinds = ["float32", "float64"]
    start, stop = draw.operands(2, dtypes=kinds, values=values)
    rank = max(x.view().ndim if isinstance(x, Array) else 0 for x in (start, stop))
    return start, stop, draw.between(-1 if draw.chance(5) else 0, 7), draw.chance(70), draw.axis(rank + 1)


def _powers(draw):
    start, stop, count, endpoint, axis = _ends(draw, False)
    return [start, stop, count, endpoint, draw.one_of([10.0, 2.0, 0.5]), axis]


def _factors(draw):
    start, stop, count, endpoint, axis = _ends(draw, True)
    return [start, stop, count, endpoint, axis]


def _power_bounds(results, *_):
    """A power of an exponent that is rounded, and so is its logarithm."""
    value = np.asarray(results[0], WIDE)
    size = np.abs(np.log(np.maximum(np.abs(np.where(np.isnan(value), 1, value)), 1e-30)))
    exact = ~np.isfinite(value) | (value == 0)
    return [around(value, np.where(exact, 0, ulp(value, results[0].dtype) * (size + 1) * 16), results[0].dtype)]


def _logspace(start, stop, count, endpoint, base, axis):
    return np.logspace(start, stop, count, endpoint, base, axis=axis)


def _geomspace(start, stop, count, endpoint, axis):
    return np.geomspace(start, stop, count, endpoint, axis=axis)


def _sloped(draw):
    draw.mood = "plain"
    a = draw.array(draw.shape(axes=draw.between(1, 3)), dtypes=["int32", "int64", "float32", "float64"])
    axis, order = draw.axis(a.view().ndim), draw.one_of([1, 1, 2, 2, 3 if draw.chance(5) else 1])
    shape = a.view().shape
    if draw.chance(25) or not -len(shape) <= axis < len(shape):
        return [a, draw.one_of([1.0, 0.5, 2.0]), axis, order]
    count = shape[axis] + (1 if draw.chance(4) else 0)
    x = Array(np.cumsum([draw.random.choice([0.25, 0.5, 1.0, 2.0]) for _ in range(count)], dtype="float64"))
    return [a, x, axis, order]


def _gradient(a, x, axis, order):
    return np.gradient(a, x, axis=axis, edge_order=order)


def _slope_bounds(results, a, x, axis, order):
    """Weights of a few roundings, and a sum of three terms; of evenly spaced places NumPy has simpler ones."""
    if results[0].size == 0:
        return None
    dtype = results[0].dtype
    least = np.min(np.diff(x)) if np.ndim(x) else x
    size = np.max(np.abs(a.astype(WIDE))) / least * 16
    return [around(results[0], size * np.finfo(dtype).eps * 8, dtype)]


def functions():
    return [Function("accumulate", _accumulated, _accumulate, _chosen_bounds),
            Function("reduce", _reduced, _reduce, _chosen_bounds),
            Function("reduce", lambda draw: [draw.array(dtypes=["float32", "float64", "int64"]), 0, False, "add"], _reduce,
                     lambda results, a, axes, keepdims, name: sum_bounds(results, a, axes, keepdims)),
            Function("logspace_of_arrays", _powers, _logspace, _power_bounds),
            Function("geomspace_of_arrays", _factors, _geomspace, _power_bounds),
            Function("gradient_at", _sloped, _gradient, _slope_bounds)]
