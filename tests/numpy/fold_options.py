"""Folds with options: initial, where, dtype."""
import numpy as np

from bounds import WIDE, around
from draw import DTYPES
from folds import either_zero
from function import Function


def _drawn(name):
    def drawn(draw):
        if draw.mood in ("special", "wide"):
            draw.mood = "plain"
        a = draw.array()
        shape, kind = a.view().shape, a.base.dtype.kind
        mask = initial = dtype = None
        if draw.chance(50):
            mask = draw.array(shape[draw.between(0, len(shape)):], dtypes=DTYPES if draw.chance(3) else ["bool"])
        if name in ("sum", "prod", "min", "max") or draw.chance(3):
            initial = draw.one_of([None, None, 0, 1, 2, -3 if kind != "b" else 1])
            if name in ("min", "max") and mask is not None and draw.chance(90):
                initial = initial or 1
            if kind == "b" and initial is not None and name in ("min", "max"):
                initial = bool(initial)
        if name in ("sum", "prod", "mean") and draw.chance(50):
            narrow = ["int8", "uint8", "int16", "bool"] if kind in "bi" else []
            dtype = np.dtype(draw.one_of(["float64", "float32", *narrow, "int64" if kind != "f" else "float64"]))
            if dtype.kind in "bu" and initial is not None:
                initial = min(abs(initial), 1)
        return [a, draw.axes(len(shape)), draw.chance(40), initial, mask, dtype]

    return drawn


def _called(name):
    def call(a, axes, keepdims, initial, mask, dtype):
        given = {"initial": initial, "where": mask, "dtype": dtype}
        return getattr(np, name)(a, axis=axes, keepdims=keepdims, **{k: x for k, x in given.items() if x is not None})

    return call


def _may_overflow(cells, mask, dtype):
    """Whether a product of some of the cells is beyond what the dtype holds."""
    cells = cells if mask is None else cells[np.broadcast_to(mask, cells.shape)]
    sizes = np.abs(np.log10(np.abs(cells[np.isfinite(cells) & (cells != 0)])))
    return np.sum(sizes) > (30 if dtype != np.float16 else 4)


def _bounds(name):
    def bounds(results, a, axes, keepdims, initial, mask, dtype):
        if name in ("min", "max"):
            return either_zero(results)
        if results[0].dtype.kind != "f" or name in ("any", "all"):
            return None
        unit = np.finfo(results[0].dtype).eps
        with np.errstate(all="ignore"):
            wide = a.astype(results[0].dtype).astype(WIDE)
            value, size = (np.asarray(_called(name)(x, axes, keepdims, initial if k == 0 else initial and abs(initial),
                                                    mask, None)) for k, x in enumerate((wide, np.abs(wide))))
            if name == "prod" and _may_overflow(wide, mask, results[0].dtype):
                return "skip"  # some order overflows, or comes to 0
        low, high = around(value, np.where(np.isfinite(size), size, 0) * unit * (a.size + 3), results[0].dtype)
        zero = (size == 0) & (value == 0)  # of either sign: where the fold began
        return [(np.where(zero, -0.0, low), np.where(zero, 0.0, high))]

    return bounds


def _spread(draw):
    """Of plain numbers, a few of them NaN."""
    draw.mood = "plain"
    values = [0, 1, 2.5, -3, 4, np.nan] if draw.chance(40) else None
    a = draw.array(dtypes=["int32", "int64", "bool", "float32", "float64", "complex128"], values=values)
    shape = a.view().shape
    mask = draw.array(shape[draw.between(0, len(shape)):], dtypes=DTYPES if draw.chance(3) else ["bool"])
    kind = a.base.dtype.kind
    dtype = np.dtype(draw.one_of(["float32", "float64"])) if kind != "c" and draw.chance(30) else None
    return [a, draw.axes(len(shape)), draw.chance(40), mask if draw.chance(75) else None, dtype, draw.one_of([0, 0, 1, 2])]


def _spread_called(name):
    def call(a, axes, keepdims, mask, dtype, ddof):
        given = {"where": mask, "dtype": dtype, "ddof": None if name == "nanmean" else ddof}
        return getattr(np, name)(a, axis=axes, keepdims=keepdims, **{k: x for k, x in given.items() if x is not None})

    return call


def _spread_bounds(results, a, *_):
    """Cells are of a size below 20: what roundings of sums and squares of them may lead to, generously."""
    value, unit = results[0], np.finfo(results[0].dtype).eps
    error = np.sqrt(unit * (a.size + 8) * 800) if unit > 1e-10 else 1e-6 * np.ones(value.shape)
    ends = []
    for sign in (-1, 1):
        moved = value + sign * (error if value.dtype.kind == "f" else error * (1 + 1j))
        ends.append(np.where(np.isfinite(value), moved, value))
    return [tuple(ends)]


def _nan_spread_bounds(results, a, *_):
    """NumPy keeps distances to the mean in the array's dtype, whatever dtype it is told."""
    if a.dtype != np.float32:
        return _spread_bounds(results, a)
    low, high = _spread_bounds([x.astype(np.float32) for x in results], a)[0]
    return [(low.astype(results[0].dtype), high.astype(results[0].dtype))]


def _nan_extremum(name):
    def drawn(draw):
        a, axes, keepdims, initial, mask, _ = _drawn("min")(draw)
        if draw.chance(50):
            a = draw.array(dtypes=["float16", "float32", "float64", "complex128"], values=[0, 1, 2.5, -3, np.nan])
            axes = draw.axes(a.view().ndim)
            mask = draw.array(a.view().shape, dtypes=["bool"]) if draw.chance(60) else None
            initial = draw.one_of([None, 0, 2, -7, np.nan]) if mask is None or draw.chance(5) else draw.one_of([1.5, np.nan, -4])
        return [a, axes, keepdims, initial, mask, None]

    def call(a, axes, keepdims, initial, mask, dtype):
        return _called("nan" + name)(a, axes, keepdims, initial, mask, None)

    return Function("nan" + name + "_with_options", drawn, call, lambda results, *_: either_zero(results))


def _nan_total(name):
    def drawn(draw):
        a, axes, keepdims, initial, mask, dtype = _drawn("sum")(draw)
        if a.base.dtype.kind == "f" and draw.chance(50):
            a = draw.array(dtypes=["float32", "float64"], values=[0, 1, 2.5, -3, np.nan])
            axes = draw.axes(a.view().ndim)
            mask = draw.array(a.view().shape, dtypes=["bool"]) if draw.chance(60) else None
            dtype = None
        return [a, axes, keepdims, initial, mask, dtype]

    def bounds(results, a, axes, keepdims, initial, mask, dtype):
        if a.dtype.kind == "f":
            a = np.where(np.isnan(a), a.dtype.type(0 if name == "sum" else 1), a)
        return _bounds(name)(results, a, axes, keepdims, initial, mask, dtype)

    return Function("nan" + name + "_with_options", drawn, _called("nan" + name), bounds)


def functions():
    table = [Function(name + "_with_options", _drawn(name), _called(name), _bounds(name))
             for name in ("sum", "prod", "min", "max", "mean", "any", "all")]
    table += [Function(name + "_with_options", _spread, _spread_called(name), _spread_bounds)
              for name in ("var", "std", "nanmean")]
    table += [Function(name + "_with_options", _spread, _spread_called(name), _nan_spread_bounds)
              for name in ("nanvar", "nanstd")]
    return [*table, _nan_total("sum"), _nan_total("prod"), _nan_extremum("min"), _nan_extremum("max")]
