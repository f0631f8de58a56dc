"""Between which floats a result may lie."""
import numpy as np

WIDE = np.longdouble  # with 64 bits of fraction or more


def _down(value, dtype):
    cells = value.astype(dtype)
    return np.where(cells.astype(WIDE) > value, np.nextafter(cells, dtype.type(-np.inf)), cells)


def _up(value, dtype):
    cells = value.astype(dtype)
    return np.where(cells.astype(WIDE) < value, np.nextafter(cells, dtype.type(np.inf)), cells)


def around(value, error, dtype):
    """The floats from value - error to value + error; the nearest one alone where both are none or infinite."""
    value, error = np.asarray(value, WIDE), np.asarray(error, WIDE)
    fixed = ~np.isfinite(value) | (error == 0)
    low, high = _down(value - error, dtype), _up(value + error, dtype)
    nearest = value.astype(dtype)
    return np.where(fixed, nearest, low).astype(dtype), np.where(fixed, nearest, high).astype(dtype)


def ulp(value, dtype):
    """The distance of the dtype's numbers around a value, beyond the largest, too."""
    info = np.finfo(dtype)
    size = np.abs(np.asarray(value, WIDE))
    _, exponent = np.frexp(np.where(np.isfinite(size), size, 1))
    lowest = WIDE(np.nextafter(dtype.type(0), dtype.type(1)))
    return np.maximum(np.ldexp(WIDE(1), exponent - info.nmant - 1), lowest)


def within_ulps(value, dtype, ulps=1.0):
    """A zero stays what it is: the functions that have any give it exactly."""
    value = np.asarray(value, WIDE)
    return around(value, np.where(value == 0, WIDE(0), ulp(value, dtype) * WIDE(ulps)), dtype)
