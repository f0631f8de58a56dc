"""Arrays from nothing, or like others."""
import numpy as np

from bounds import WIDE, around, ulp
from draw import COMPLEX, DTYPES, Array
from function import Function


def _shape(draw):
    shape = list(draw.shape())
    if draw.chance(3):
        shape.append(-1)
    return shape


def _of_shape(draw):
    return [_shape(draw), draw.dtype()]


def _small_number(draw, dtype):
    if dtype.kind == "b":
        return draw.chance(50)
    return draw.between(-5, 5) if dtype.kind != "f" or draw.chance(30) else draw.uniform()


def _full(draw):
    dtype = draw.dtype()
    if draw.chance(30):
        shape = draw.shape()
        return [list(shape), draw.array(shape[draw.between(0, len(shape)):], dtype=dtype.name), dtype]
    value = _small_number(draw, dtype)
    return [_shape(draw), value, dtype if draw.chance(70) or value is None else None]


def _arange(draw):
    if draw.chance(60):
        return [draw.between(-9, 9), draw.between(-9, 20), draw.one_of([1, 2, 3, -1, -4, 0]),
                draw.one_of([None, None, *map(np.dtype, ("int32", "int64", "float32", "float64"))])]
    start = draw.uniform()
    step = draw.one_of([0.5, 0.1, -0.7, 1.0, 3.3])
    return [start, start + step * draw.between(-3, 12), step, draw.one_of([None, np.dtype("float64")])]


def _linspace(draw):
    if draw.chance(50):
        small = [0, 1, -2, 3.5, 0.25, 7]
        if draw.chance(25):
            start, stop = draw.operands(2, dtypes=COMPLEX, values=[0.0, 1.0, -2.0, 3.5], numbers=False)
            rank = max(x.view().ndim for x in (start, stop))
            return [start, stop, draw.between(0, 7), draw.chance(70), None, draw.axis(rank + 1)]
        start, stop = draw.operands(2, dtypes=["bool", "int32", "int64", "float32", "float64"], values=small)
        rank = max(x.view().ndim if isinstance(x, Array) else 0 for x in (start, stop))
        return [start, stop, draw.between(-1 if draw.chance(5) else 0, 7), draw.chance(70),
                draw.one_of([None, None, np.dtype("float32"), np.dtype("int64")]), draw.axis(rank + 1)]
    return [draw.uniform(), draw.uniform(), draw.between(-1 if draw.chance(5) else 0, 20), draw.chance(70),
            draw.one_of([np.dtype("float64"), np.dtype("float32"), np.dtype("int64")])]


def _by_powers(draw):
    count, endpoint = draw.between(-1 if draw.chance(5) else 0, 20), draw.chance(70)
    return draw.uniform(), draw.uniform(), count, endpoint, draw.one_of([np.dtype("float64"), np.dtype("float32")])


def _logspace(draw):
    start, stop, count, endpoint, dtype = _by_powers(draw)
    return [start, stop, count, endpoint, draw.one_of([10.0, 2.0, 2.5, 0.5]), dtype]


def _geomspace(draw):
    start, stop, count, endpoint, dtype = _by_powers(draw)
    if draw.chance(90):
        stop = abs(stop) * (-1 if start < 0 else 1)
    return [0.0 if draw.chance(3) else start, stop, count, endpoint, dtype]


def _power_bounds(results, *_):
    """A power of an exponent that is rounded, and so is its logarithm."""
    value = np.asarray(results[0], WIDE)
    size = np.abs(np.log(np.maximum(np.abs(np.where(np.isnan(value), 1, value)), 1e-300)))
    exact = ~np.isfinite(value) | (value == 0)
    return [around(value, np.where(exact, 0, ulp(value, results[0].dtype) * (size + 1) * 8), results[0].dtype)]


def _fromfunction(draw):
    count = draw.one_of([1, 2])
    return [list(draw.shape(axes=count if draw.chance(95) else 3)), draw.one_of([np.dtype(x) for x in DTYPES[1:]]), count]


def _of_coordinates(shape, dtype, count):
    if len(shape) != count:
        raise TypeError("another number of arguments")
    return np.fromfunction((lambda i, j: i * 3 + j) if count == 2 else lambda i: i * i, shape, dtype=dtype)


def _diagonal(draw):
    rank = draw.one_of([1, 2, 3, 4]) if draw.chance(20) else draw.between(2, 3)
    a = draw.array(draw.shape(axes=rank))
    return [a, draw.between(-5, 5), draw.axis(rank), draw.axis(rank)]


def _like(draw):
    return [draw.array(), draw.one_of([None, draw.dtype()])]


def _converted(draw):
    a, dtype = _like(draw)
    # C says nothing of floats that no integer holds.
    return [a, None if dtype is not None and dtype.kind in "iu" and a.view().dtype.kind == "f" else dtype]


def _full_like(draw):
    dtype = draw.dtype()
    return [draw.array(), _small_number(draw, dtype), dtype]


def _eye(draw):
    return [draw.between(-1 if draw.chance(5) else 0, 6), draw.one_of([None, draw.between(0, 7)]), draw.between(-7, 7),
            draw.dtype()]


def _matrix(draw):
    return [draw.array(draw.shape(axes=draw.one_of([1, 2, 2, 2, 3]) if draw.chance(5) else draw.between(2, 3))),
            draw.between(-4, 4)]


def _vectors(draw):
    shapes = [draw.shape(axes=draw.one_of([0, 1, 1, 1]), cells=4) for _ in range(draw.between(1, 3))]
    return [[draw.array(shape) for shape in shapes], draw.chance(50)]


def _slices(draw):
    """Of some cells, or of none: where the stop is before the start, NumPy has none of a line and refuses a grid."""
    numbers = []
    for _ in range(draw.between(1, 3)):
        start, step = draw.between(-3, 3), draw.one_of([1, 1, 2, -1, -2, 0 if draw.chance(2) else 3])
        numbers += [start, start + step * draw.between(0, 4), step]
    return [numbers]


def _slices_of(numbers):
    return tuple(slice(*numbers[k:k + 3]) for k in range(0, len(numbers), 3))


def functions():
    def zeros(shape, dtype):
        return np.zeros(shape, dtype)

    def zeros_like(a, dtype):
        return np.zeros_like(a, dtype)

    return [
        Function("zeros", _of_shape, zeros), Function("ones", _of_shape, np.ones), Function("empty", _of_shape, zeros),
        Function("full", _full, np.full), Function("arange", _arange, np.arange),
        Function("linspace", _linspace, lambda start, stop, count, end, dtype, axis=0:
                 np.linspace(start, stop, count, end, dtype=dtype, axis=axis)),
        Function("logspace", _logspace, lambda start, stop, count, end, base, dtype:
                 np.logspace(start, stop, count, end, base, dtype), _power_bounds),
        Function("geomspace", _geomspace, lambda start, stop, count, end, dtype:
                 np.geomspace(start, stop, count, end, dtype), _power_bounds),
        Function("fromfunction", _fromfunction, _of_coordinates), Function("diagonal", _diagonal, np.diagonal),
        Function("diag", lambda draw: [draw.array(draw.shape(axes=draw.one_of([1, 2, 2, draw.between(0, 3)]), cells=24)),
                                       draw.between(-4, 4)], np.diag),
        Function("array", _converted, lambda a, dtype: np.array(a, dtype)), Function("zeros_like", _like, zeros_like),
        Function("ones_like", _like, np.ones_like), Function("empty_like", _like, zeros_like),
        Function("full_like", _full_like, np.full_like), Function("eye", _eye, np.eye),
        Function("identity", lambda draw: [draw.between(0, 6), draw.dtype()], np.identity),
        Function("tri", _eye, np.tri), Function("tril", _matrix, np.tril), Function("triu", _matrix, np.triu),
        Function("diagflat", lambda draw: [draw.array(draw.shape(cells=12)), draw.between(-3, 3)], np.diagflat),
        Function("meshgrid", _vectors, lambda vectors, ij: np.meshgrid(*vectors, indexing="ij" if ij else "xy")),
        Function("indices", lambda draw: [list(draw.shape()), draw.dtype()], np.indices),
        Function("mgrid", _slices, lambda numbers: np.mgrid[_slices_of(numbers)]),
        Function("ogrid", _slices, lambda numbers: np.ogrid[_slices_of(numbers)])]
