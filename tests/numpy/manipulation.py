"""Arrays of other shapes, with other axes, put together and taken apart."""
import numpy as np

from draw import Array, DTYPES
from folds import sum_bounds
from function import Function


def _one(draw):
    return [draw.array()]


def _with_axis(draw):
    a = draw.array()
    return [a, draw.axis(a.view().ndim)]


def _with_two_axes(draw):
    a = draw.array()
    return [a, draw.axis(a.view().ndim), draw.axis(a.view().ndim)]


def _with_axes(draw):
    a = draw.array()
    return [a, draw.axes(a.view().ndim)]


def _transposed(draw):
    a = draw.array()
    rank = a.view().ndim
    order = draw.random.sample(range(rank), rank)
    order = [axis - rank if draw.chance(30) else axis for axis in order]
    if rank and draw.chance(4):
        order[0] = order[-1]
    return [a, order or None if draw.chance(80) else None]


def _squeezed(draw):
    shape = [1 if draw.chance(50) else extent for extent in draw.shape()]
    a = draw.array(shape)
    ones = [axis for axis, extent in enumerate(shape) if extent == 1]
    if draw.chance(40) or not ones:
        return [a, None]
    return [a, draw.random.sample(ones, draw.between(1, len(ones)))] if draw.chance(70) else [a, draw.axis(len(shape))]


def _expanded(draw):
    a = draw.array()
    return [a, draw.axis(a.view().ndim + 1)]


def _reshaped(draw):
    a = draw.array()
    cells, shape = a.view().size, []
    while cells > 1 and len(shape) < 5 and draw.chance(80):
        part = draw.one_of([n for n in range(1, cells + 1) if cells % n == 0])
        shape.append(part)
        cells //= part
    shape.append(cells)
    if draw.chance(30):
        shape.insert(draw.between(0, len(shape)), 1)
    if draw.chance(30):
        shape[draw.between(0, len(shape) - 1)] = -1
    if draw.chance(3):
        shape[0] = 13
    return [a, shape]


def _broadcast(draw):
    shape = draw.shape()
    part = tuple(1 if draw.chance(30) else extent for extent in shape[draw.between(0, len(shape)):])
    return [draw.array(part), list(shape) if draw.chance(96) else [*shape, 3]]


def _cast(draw):
    dtype = draw.dtype()
    whole = dtype.kind != "f"
    return [draw.array(values=[0, 1, -1, 2, 100, -7, 0.0, 1.5, -2.5] if whole else None), dtype]


def _several(draw, along=None, same=False):
    """Arrays that agree but along one axis."""
    shape = list(draw.shape(axes=draw.between(0 if draw.chance(10) else 1, 3)))
    dtypes = [draw.one_of(DTYPES)] if draw.chance(50) else DTYPES
    along = (draw.between(0, len(shape) - 1) if shape else 0) if along is None else along
    arrays = []
    for _ in range(draw.between(0 if draw.chance(3) else 1, 4)):
        extents = list(shape)
        if not same and along < len(extents):
            extents[along] = draw.one_of([0, 1, 2, 3])
        if extents and draw.chance(2):
            extents[-1] += 1
        arrays.append(draw.array(extents, dtypes=dtypes))
    return arrays, len(shape), along


def _concatenated(draw):
    arrays, rank, along = _several(draw)
    return [arrays, draw.axis(rank) if draw.chance(4) else along - (rank if draw.chance(40) else 0)]


def _stacked(draw):
    arrays, rank, _ = _several(draw, same=True)
    return [arrays, draw.axis(rank + 1)]


def _list(along):
    return lambda draw: [_several(draw, along)[0]]


def _rolled(draw):
    a = draw.array()
    rank = a.view().ndim
    if draw.chance(30):
        return [a, draw.between(-15, 15), None]
    if rank and draw.chance(40):
        axes = [draw.axis(rank) for _ in range(draw.between(1, rank))]
        return [a, [draw.between(-9, 9) for _ in axes], axes]
    return [a, draw.between(-15, 15), draw.axis(rank)]


def _differences(draw):
    a = draw.array()
    return [a, draw.between(-1 if draw.chance(5) else 0, 3), draw.axis(a.view().ndim)]


def _turned(draw):
    a = draw.array(draw.shape(axes=draw.between(2, 4)) if draw.chance(95) else None)
    return [a, draw.between(-5, 5), draw.axis(a.view().ndim), draw.axis(a.view().ndim)]


def _parts(draw, axis=None):
    a = draw.array()
    rank = a.view().ndim
    along = draw.axis(rank) if axis is None else axis(rank)
    extent = a.view().shape[along] if -rank <= along < rank else 1
    parts = [n for n in range(1, extent + 1) if extent % n == 0]
    return a, along, draw.one_of(parts or [1]) if draw.chance(90) else draw.between(0, 5)


def _split(draw):
    a, axis, parts = _parts(draw)
    return [a, parts if draw.chance(50) else [draw.between(-6, 8) for _ in range(draw.between(1, 4))], axis]


def _nearly_split(draw):
    a, axis, _ = _parts(draw)
    return [a, draw.between(0 if draw.chance(5) else 1, 6), axis]


def _split_along(axis):
    def drawn(draw):
        a, _, parts = _parts(draw, axis)
        return [a, parts]

    return drawn


def _tiled(draw):
    return [draw.array(draw.shape(cells=12)), [draw.between(-1 if draw.chance(3) else 0 if draw.chance(10) else 1, 3)
                                               for _ in range(draw.between(1, 4))]]


def _repeated(draw):
    a = draw.array(draw.shape(cells=20))
    axis = draw.axis(a.view().ndim) if draw.chance(70) else None
    if draw.chance(40):
        rank = a.view().ndim
        parts = a.view().size if axis is None else a.view().shape[axis] if -rank <= axis < rank else 1
        counts = [draw.between(-1 if draw.chance(1) else 0, 3) for _ in range(parts + draw.chance(4))]
        return [a, Array(np.array(counts, draw.one_of(["int64", "int32", "uint8"]) if min(counts, default=0) >= 0 else "int64")), axis]
    return [a, draw.between(-1 if draw.chance(3) else 0, 4), axis]


def _windows(draw):
    a = draw.array(draw.shape(cells=30))
    shape = a.view().shape
    axes = None if draw.chance(50) else [draw.axis(len(shape)) for _ in range(draw.between(1, 2))]
    along = range(len(shape)) if axes is None else axes
    window = [draw.between(-1 if draw.chance(1) else 0 if draw.chance(4) else 1,
                           max(1, shape[k] if -len(shape) <= k < len(shape) else 1)) for k in along]
    return [a, window + [1] * draw.chance(3), axes]


def _seen(a, window, axes):
    return np.lib.stride_tricks.sliding_window_view(a, window, axes)


def _not_backwards(results, a, counts, *_):
    """NumPy takes a negative count where there is no cell to repeat."""
    return "skip" if np.any(np.asarray(counts) < 0) else None


def _appended(draw):
    arrays, rank, along = _several(draw)
    arrays = (arrays + [draw.array(), draw.array()])[:2]
    return [*arrays, None if draw.chance(30) else along]


def _padded(draw):
    a = draw.array(draw.shape(axes=draw.between(1, 3), cells=20))
    mode = draw.one_of(["constant", "edge", "wrap", "reflect", "symmetric", "maximum", "minimum"])
    if mode in ("maximum", "minimum"):  # of zeros of both signs either is right
        a = draw.array(draw.shape(axes=draw.between(1, 3), cells=20), dtypes=["bool", "int8", "uint16", "int32", "int64"])
    pairs = 1 if draw.chance(30) else a.view().ndim
    if draw.chance(3):
        pairs += 1
    widths = [draw.between(-1 if draw.chance(1) else 0, 4) for _ in range(2 * pairs)]
    return [a, widths, mode, draw.one_of([0, 1, True])]


def _pad(a, widths, mode, value):
    pairs = [widths[k:k + 2] for k in range(0, len(widths), 2)]
    return np.pad(a, pairs, mode, **({"constant_values": value} if mode == "constant" else {}))


def _padded_with(draw):
    """With the options of a mode: pairs of values, cells that count, odd mirror images. Whole numbers, which are exact."""
    mode = draw.one_of(["constant", "linear_ramp", "reflect", "symmetric", "maximum", "minimum", "mean", "median"])
    whole = ["int32", "int64", "uint16"]  # zeros of both signs stand in other places
    a = draw.array(draw.shape(axes=draw.between(1, 3), cells=20),
                   dtypes=["float64"] if mode in ("linear_ramp", "mean", "median") else whole)
    rank = a.view().ndim
    widths = [draw.between(0, 7) for _ in range(2 * rank)]
    pairs = draw.one_of([1, rank])
    option = [draw.between(1, 5) for _ in range(2 * pairs)]
    return [a, widths, mode, option]


def _pad_with(a, widths, mode, option):
    pairs = [widths[k:k + 2] for k in range(0, len(widths), 2)]
    values = [option[k:k + 2] for k in range(0, len(option), 2)]
    names = {"constant": "constant_values", "linear_ramp": "end_values"}
    if mode in ("reflect", "symmetric"):
        return np.pad(a, pairs, mode, reflect_type="odd")
    return np.pad(a, pairs, mode, **{names.get(mode, "stat_length"): values})


def _pad_bounds(results, a, widths, mode, option):
    """Means are sums, which NumPy adds up in an order of its own; each axis has those of the one before."""
    padded = results[0]
    if mode != "mean" or padded.size == 0:
        return None
    spare = a.ndim * np.finfo(float).eps * max(a.shape) * np.max(np.abs(a[np.isfinite(a)]), initial=0.0)
    return [(padded - spare, padded + spare)]


def _sloped(draw):
    a = draw.array()
    rank = a.view().ndim
    axis = None if rank > 0 and draw.chance(50) else draw.axis(rank)
    return [a, draw.one_of([1.0, 0.5, 2.0, 0.1, 3.0]), axis]


def _gradient(a, spacing, axis):
    """Along one axis, or all; of an array without axes, which NumPy gives back as no arrays at all."""
    if a.ndim == 0:
        raise ValueError("no axis")
    return np.gradient(a, spacing, axis=axis)


def _integrated(draw):
    a = draw.array()
    shape, axis = a.view().shape, draw.axis(a.view().ndim)
    if draw.chance(50) or not -len(shape) <= axis < len(shape):
        return [a, draw.one_of([1.0, 0.5, 2.0, 0.1]), axis]
    places = (shape[axis],) if draw.chance(60) else shape
    if draw.chance(4):
        places = (*places[:-1], places[-1] + 2)
    return [a, draw.array(places, values=[0, 1, 2, 3, 0.5, 7]), axis]


def _area(a, x, axis):
    return np.trapezoid(a, x, axis=axis) if isinstance(x, np.ndarray) else np.trapezoid(a, None, x, axis)


def _area_bounds(results, a, dx, axis):
    along = axis % a.ndim
    if isinstance(dx, np.ndarray):
        line = dx.ndim == 1
        dx = np.diff(dx, axis=0 if line else axis)
        dx = dx.reshape([-1 if k == along else 1 for k in range(a.ndim)]) if line else dx
    low, high = [np.take(a, range(*ends), axis=along) for ends in ((0, max(a.shape[along] - 1, 0)),
                                                                  (min(1, a.shape[along]), a.shape[along]))]
    with np.errstate(all="ignore"):
        terms = dx * (high + low) / 2.0
    return sum_bounds(results, np.asarray(terms), along, False)


def functions():
    table = [Function(name, _one, getattr(np, name), view=True) for name in ("flipud", "fliplr")]
    table += [Function("flip", _with_axes, np.flip, view=True), Function("transpose", _transposed, np.transpose, view=True),
              Function("squeeze", _squeezed, np.squeeze, view=True),
              Function("expand_dims", _expanded, np.expand_dims, view=True),
              Function("swapaxes", _with_two_axes, np.swapaxes, view=True),
              Function("moveaxis", _with_two_axes, np.moveaxis, view=True), Function("ravel", _one, np.ravel),
              Function("reshape", _reshaped, np.reshape), Function("broadcast_to", _broadcast, np.broadcast_to),
              Function("copy", _one, np.copy, view=True), Function("astype", _cast, lambda a, dtype: a.astype(dtype)),
              Function("concatenate", _concatenated, np.concatenate), Function("stack", _stacked, np.stack),
              Function("vstack", _list(0), np.vstack),
              Function("hstack", _list(1), np.hstack), Function("roll", _rolled, np.roll),
              Function("diff", _differences, np.diff)]
    table += [Function(name, _one, getattr(np, name), view=True) for name in ("atleast_1d", "atleast_2d", "atleast_3d")]
    table += [Function("rot90", _turned, lambda a, k, *axes: np.rot90(a, k, axes), view=True),
              Function("flatten", _one, lambda a: a.flatten(), view=True),
              Function("split", _split, np.split, view=True), Function("array_split", _nearly_split, np.array_split),
              Function("hsplit", _split_along(lambda rank: min(rank - 1, 1)), np.hsplit),
              Function("vsplit", _split_along(lambda rank: 0), np.vsplit),
              Function("dsplit", _split_along(lambda rank: min(rank - 1, 2)), np.dsplit),
              Function("tile", _tiled, np.tile, _not_backwards, view=True), Function("repeat", _repeated, np.repeat, _not_backwards, view=True),
              Function("resize", lambda draw: [draw.array(), list(draw.shape())], np.resize),
              Function("append", _appended, np.append), Function("dstack", _list(2), np.dstack),
              Function("column_stack", _list(1), np.column_stack), Function("pad", _padded, _pad),
              Function("pad_with", _padded_with, _pad_with, _pad_bounds),
              Function("sliding_window_view", _windows, _seen),
              Function("gradient", _sloped, _gradient), Function("trapezoid", _integrated, _area, _area_bounds)]
    return table
