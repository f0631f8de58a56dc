"""What goes along an axis cell by cell: scans."""
import numpy as np

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


def _accumulated_bounds(results, a, axis, dtype, name):
    return either_zero(results) if name in ("minimum", "maximum") else None


def functions():
    table = [Function(name, _scanned, lambda a, axis, dtype, function=getattr(np, name): function(a, axis, dtype))
             for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")]
    table.append(Function("accumulate", _accumulated,
                          lambda a, axis, dtype, name: getattr(np, name).accumulate(a, axis, dtype), _accumulated_bounds))
    return table
