"""Cells written by masks in their order, zeros at the ends, triangles of an array's shape, bits in bytes."""
import numpy as np

from draw import DTYPES, COMPLEX, Array
from function import Function

PLAIN = ["int32", "int64", "float32", "float64"]


def _masked(draw):
    """Values that begin again, or are more than are taken; a mask of the same size, or nearly."""
    a = draw.array(draw.shape(cells=24), dtypes=[*PLAIN, "bool", "complex128"])
    shape = a.view().shape
    if draw.chance(15):
        shape = (int(np.prod(shape)),)
    if draw.chance(4):
        shape = (*shape, 2)
    mask = draw.array(shape, dtypes=["bool"] if draw.chance(80) else PLAIN, values=[0, 1, -2] if draw.chance(90) else [0])
    dtype = a.base.dtype.name if draw.chance(85) else draw.one_of(PLAIN)
    kind = draw.between(0, 9)
    if kind == 0:
        return [a, mask, draw.one_of([0, 1, True])]
    if kind == 1:
        return [a, mask, draw.array(a.view().shape, dtypes=[dtype])]
    values = draw.array(draw.shape(axes=draw.between(0, 2), cells=9), dtypes=[dtype])
    return [a, mask, values]


def _written(name):
    def call(a, mask, values):
        getattr(np, name)(a, mask, values)
        return a.copy()

    return call


def _with_zeros(draw):
    a = draw.array(draw.shape(axes=draw.between(0, 3), cells=24), dtypes=[*DTYPES, *COMPLEX],
                   values=[0, 0, 0, 0, 1, 0, -0.0, np.nan] if draw.chance(80) else [0])
    return [a, draw.one_of(["fb", "f", "b", "bf"]) if draw.chance(97) else draw.one_of(["x", "ff"]),
            draw.axes(a.view().ndim)]


def _trimmed(a, ends, axes):
    return np.trim_zeros(a, ends, axes)


def _shaped(draw):
    return draw.array(draw.shape(axes=draw.between(1 if draw.chance(10) else 2, 2), cells=24), dtypes=PLAIN)


def _square(draw):
    n = draw.between(0, 4)
    if draw.chance(10):
        return [draw.array(draw.shape(cells=12), dtypes=PLAIN)]
    return [draw.array((n,) * draw.between(1 if draw.chance(5) else 2, 3), dtypes=PLAIN)]


def _bits(draw):
    a = draw.array(draw.shape(axes=draw.between(0, 3)), dtypes=["bool", "bool", "int32", "int64", "float32" if draw.chance(10)
                                                              else "bool"], values=[0, 1, 1, -3])
    return [a, None if draw.chance(30) else draw.axis(a.view().ndim),
            draw.one_of(["big", "little"]) if draw.chance(97) else "middle"]


def _bytes(draw):
    a = draw.array(draw.shape(axes=draw.between(0, 3), cells=12), dtypes=["uint8"] if draw.chance(96) else ["int64"])
    count = None if draw.chance(60) else draw.between(-20, 40)
    return [a, None if draw.chance(30) else draw.axis(a.view().ndim), count,
            draw.one_of(["big", "little"]) if draw.chance(97) else "middle"]


def _bits_bounds(results, a, axis, count, order):
    """NumPy leaves bits beyond no bytes as they happen to be; here they are 0."""
    return [(np.zeros_like(x), np.zeros_like(x)) for x in results] if a.size == 0 else None


def functions():
    return [Function("putmask", _masked, _written("putmask")),
            Function("place", _masked, _written("place")),
            Function("trim_zeros", _with_zeros, _trimmed, view=True),
            Function("tril_indices_from", lambda draw: [_shaped(draw), draw.between(-4, 4)], np.tril_indices_from),
            Function("triu_indices_from", lambda draw: [_shaped(draw), draw.between(-4, 4)], np.triu_indices_from),
            Function("diag_indices_from", _square, np.diag_indices_from),
            Function("packbits", _bits, lambda a, axis, order: np.packbits(a, axis, order)),
            Function("unpackbits", _bytes, lambda a, axis, count, order: np.unpackbits(a, axis, count, order), _bits_bounds)]
