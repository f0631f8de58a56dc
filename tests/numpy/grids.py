"""Points counted in grids, windows, functions along lines, cells written by masks, the array API's names."""
import numpy as np

from bounds import WIDE, around
from draw import Array
from function import Function

PLAIN = ["int32", "int64", "float32", "float64"]
FEW = [0.0, 1.0, 2.0, 2.5, -3.0, 5.0]


def _ranges(draw, axes):
    if draw.chance(60):
        return None
    ends = [sorted([float(draw.between(-9, 9)) / 2, float(draw.between(-9, 9)) / 2]) for _ in range(axes)]
    if draw.chance(5):
        ends[0].reverse()
    return [number for pair in ends for number in pair]


def _pairs(ranges):
    return None if ranges is None else list(zip(ranges[::2], ranges[1::2]))


def _edges(draw):
    return Array(np.sort(draw.array((draw.between(2, 5),), dtypes=["float64"], values=FEW).view()))


def _sample(draw):
    axes = draw.between(1, 3)
    shape = (draw.between(0 if draw.chance(5) else 1, 12), axes) if draw.chance(97) else (5,)
    a = draw.array(shape, dtypes=PLAIN, values=FEW)
    bins = [draw.between(0 if draw.chance(2) else 1, 4) for _ in range(axes if draw.chance(97) else axes + 1)]
    weights = draw.array((shape[0],), dtypes=PLAIN, values=[1, 2, 3]) if draw.chance(30) else None
    if draw.chance(30):
        return [a, [_edges(draw) for _ in bins], None, draw.chance(30), weights]
    return [a, bins, _ranges(draw, axes), draw.chance(30), weights]


def _grid(a, bins, ranges, density, weights):
    bins = list(bins)
    if a.ndim != 2 or len(bins) != a.shape[1]:
        raise ValueError("other axes")
    H, edges = np.histogramdd(a, bins, _pairs(ranges), density or None, weights)
    return (H, *edges)


def _grid_bounds(results, a, bins, ranges, density, *_):
    if not density:
        return [(x, x) for x in results]
    if not np.all(np.isfinite(results[0])) or any(np.any(np.diff(x) == 0) for x in results[1:]):
        return "skip"
    H = results[0]
    return [around(H, np.abs(H.astype(WIDE)) * np.finfo(H.dtype).eps * 8, H.dtype), *((x, x) for x in results[1:])]


def _two(draw):
    count = draw.between(1, 12)
    x, y = (draw.array((count if draw.chance(97) else count + 1,), dtypes=PLAIN, values=FEW) for _ in range(2))
    return [x, y, [draw.between(1, 4), draw.between(1, 4)], _ranges(draw, 2), draw.chance(30)]


def _two_grid(x, y, bins, ranges, density):
    H, *edges = np.histogram2d(x, y, list(bins), _pairs(ranges), density or None)
    return (H, *edges)


def _window_bounds(results, m):
    return [around(results[0], np.full(results[0].shape, 4e-16), results[0].dtype)]


LINE_FUNCTIONS = {"sort": np.sort, "max": np.max, "last": lambda x: x[-1], "table": lambda x: np.stack([x, x + x])}


def _applied(draw):
    a = _with_cells(draw, 0 if draw.chance(5) else 1)
    return [a, draw.axis(a.view().ndim), draw.one_of(sorted(LINE_FUNCTIONS))]


def _with_cells(draw, least=1):
    """No lines without cells: what is refused of them is the function's affair."""
    while True:
        a = draw.array(draw.shape(axes=draw.between(least, 3), cells=24), dtypes=["int64", "int32", "float64"],
                       values=[0, 1, 2, 5])
        if a.view().size:
            return a


def _apply(a, axis, name):
    return np.apply_along_axis(LINE_FUNCTIONS[name], axis, a)


def _over(draw):
    a = _with_cells(draw)
    rank = a.view().ndim
    return [a, [draw.between(-rank, rank - 1) for _ in range(draw.between(1, 2))]]


def _two_like(draw):
    shape = draw.shape(cells=16)
    other = draw.shape(cells=16) if draw.chance(20) else shape[draw.between(0, len(shape)):]
    return [draw.array(s, dtypes=PLAIN, values=[1] if draw.chance(70) else [0, 1]) for s in (shape, other)]


def _written(draw):
    a = draw.array(dtypes=["int64", "float64", "float32"])
    shape = a.view().shape
    mask = draw.array(shape[draw.between(0, len(shape)):], dtypes=["bool"]) if draw.chance(70) else None
    value = draw.array(shape[draw.between(0, len(shape)):], dtypes=[a.base.dtype.name]) if draw.chance(60) else 3
    return [a, value, mask]


def _copied(a, value, mask):
    np.copyto(a, value, **({} if mask is None else {"where": mask}))
    return a.copy()


def _squares(draw):
    n = draw.between(1, 4)
    shape = (n,) * 3 if draw.chance(20) else draw.shape(axes=draw.between(1 if draw.chance(5) else 2, 2), cells=24)
    return [draw.array(shape, dtypes=["int64", "float32", "bool"]), draw.one_of([0, 1, True])]


def _filled(a, value):
    np.fill_diagonal(a, value)
    return a.copy()


def _scan(draw):
    a = draw.array(dtypes=["int32", "int64", "bool"])
    return [a, None if draw.chance(30) else draw.axis(a.view().ndim), None, draw.chance(50)]


def functions():
    def of_one(name, reference, least=0):
        return Function(name, lambda draw: [draw.array(draw.shape(axes=draw.between(least, 3), cells=24))], reference)

    table = [Function("histogramdd", _sample, _grid, _grid_bounds),
             Function("histogram2d", _two, _two_grid, lambda results, x, y, *rest: _grid_bounds(results, x, *rest)),
             Function("apply_along_axis", _applied, _apply),
             Function("apply_over_axes", _over, lambda a, axes: np.apply_over_axes(np.sum, a, axes)),
             Function("array_equiv", _two_like, np.array_equiv),
             Function("copyto", _written, _copied),
             Function("fill_diagonal", _squares, _filled),
             Function("piecewise", lambda draw: [draw.array(dtypes=PLAIN, values=FEW)],
                      lambda x: np.piecewise(x, [x < 0, x > 1], [lambda v: -v, 7, lambda v: v * 3])),
             of_one("matrix_transpose", np.matrix_transpose),
             Function("unstack", lambda draw: [a := draw.array(draw.shape(axes=draw.between(1, 3), cells=12)),
                                               draw.axis(a.view().ndim)], lambda a, axis: tuple(np.unstack(a, axis=axis))),
             Function("broadcast_arrays", _two_like, lambda a, b: tuple(np.broadcast_arrays(a, b))),
             Function("concat", lambda draw: [[draw.array((2, 3)), draw.array((2, 3))], draw.axis(2)],
                      lambda arrays, axis: np.concat(arrays, axis)),
             Function("permute_dims", lambda draw: [draw.array((2, 3, 2)), draw.one_of([[0, 1, 2], [2, 0, 1], [-1, 1, 0]])],
                      np.permute_dims)]
    for name in ("cumulative_sum", "cumulative_prod"):
        table.append(Function(name, _scan, lambda a, axis, dtype, first, function=getattr(np, name):
                              function(a, axis=axis, dtype=dtype, include_initial=first)))
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        table.append(Function(name, lambda draw: [draw.between(-1, 12)], getattr(np, name), _window_bounds))
    table.append(Function("kaiser", lambda draw: [draw.between(-1, 30), draw.one_of([0.0, 5.0, 8.6, 14.0, -3.0, 60.0, 300.0])],
                          np.kaiser, lambda results, *_: [around(results[0], np.full(results[0].shape, 4e-15),
                                                                 results[0].dtype)]))
    return table
