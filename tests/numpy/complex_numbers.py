"""Complex numbers: their order, what is folded, scanned and correlated of them, and ranges of them."""
import numpy as np

from bounds import WIDE, around
from draw import COMPLEX, FLOATS
from elementwise import PI, complex_around, complex_function, complex_power_bounds, either_sign
from folds import either_zero
from function import Function
from lines import either_complex_zero

CWIDE = np.clongdouble
FEW = [0.0, -0.0, 1.0, 2.0, -3.0, 0.5]  # so that many are equal
FEW_AND_ODD = [*FEW, np.inf, -np.inf]
OTHERS = [*COMPLEX, *COMPLEX, *FLOATS, "int32", "bool"]


def _array(draw, shape=None, nans=1):
    """Few different cells at times, of which so many have a NaN."""
    a = draw.array(shape, dtypes=COMPLEX, values=draw.one_of([FEW, FEW_AND_ODD]) if draw.chance(60) else None)
    cells = a.base.reshape(-1)
    if nans and cells.size and draw.chance(30):
        for _ in range(draw.between(1, nans)):
            cells[draw.random.randrange(cells.size)] = draw.one_of(
                [complex(np.nan, 1), complex(1, np.nan), complex(np.nan, np.nan), complex(np.inf, np.nan)])
    return a


def _joined(ends):
    """Ends of both parts as ends of the numbers."""
    joined = []
    for re, im in zip(*ends):
        cells = np.empty(np.shape(re), np.result_type(np.asarray(re).dtype, np.complex64))
        cells.real, cells.imag = re, im
        joined.append(cells)
    return [tuple(joined)]


def _near(results, value, error):
    """Each part within an error."""
    part = results[0].real.dtype
    value = np.asarray(value)
    return _joined([either_sign(*around(x, error, part)) for x in (value.real, value.imag)])


def _is_tame(cells, part, power=1):
    """Finite, and neither too large nor too small for a product of so many."""
    cells = np.asarray(cells)
    size = np.abs(np.concatenate([cells.real.reshape(-1), cells.imag.reshape(-1)]).astype(WIDE))
    if not np.all(np.isfinite(size)):
        return False
    room = (100 if part == np.float64 else 15) / power
    return not np.any((size > 10**room) | ((size != 0) & (size < 10**-room)))


def _unit(part):
    return WIDE(np.finfo(part).eps) / 2


def _fold(draw):
    a = _array(draw)
    return [a, draw.axes(a.view().ndim), draw.chance(40)]


def _spread(draw):
    return [*_fold(draw), draw.one_of([0, 0, 1])]


def _extremum_bounds(results, a, *_):
    return "skip" if np.count_nonzero(np.isnan(a)) > 1 else either_complex_zero(results)  # by the loop's order


def _sum_bounds(results, a, axes, keepdims, *_):
    part = results[0].real.dtype
    wide = a.astype(results[0].dtype).astype(CWIDE)
    if not _is_tame(wide, part):
        return "skip"
    value = np.sum(wide, axis=axes, keepdims=keepdims)
    size = np.sum(np.abs(wide.real) + np.abs(wide.imag), axis=axes, keepdims=keepdims)
    return _near(results, value, size * _unit(part) * (a.size + 2))


def _mean_bounds(results, a, axes, keepdims, *_):
    part = results[0].real.dtype
    if a.size == 0 or not _is_tame(a, part):
        return None if a.size == 0 else "skip"
    wide = a.astype(CWIDE)
    with np.errstate(all="ignore"):
        count = a.size // max(results[0].size, 1)
        size = np.sum(np.abs(wide.real) + np.abs(wide.imag), axis=axes, keepdims=keepdims) / count
        value = np.sum(wide, axis=axes, keepdims=keepdims) / count
    return _near(results, value, size * _unit(part) * (a.size + 6))


def _product_bounds(results, a, axes, keepdims, *_):
    part = results[0].real.dtype
    if not _is_tame(a, part, max(a.size, 1)):
        return "skip"
    wide = a.astype(CWIDE)
    size = np.prod(np.abs(wide), axis=axes, keepdims=keepdims)
    return _near(results, np.prod(wide, axis=axes, keepdims=keepdims), size * _unit(part) * 4 * (a.size + 1))


def _variance(a, axes, keepdims, ddof, root, part):
    """Real; the error of two passes is less than that of the squares of all cells."""
    wide = a.astype(CWIDE)
    count = WIDE(a.size // max(np.sum(wide, axis=axes).size, 1))
    if count - ddof <= 0:
        return "skip"
    middle = np.sum(wide, axis=axes, keepdims=True) / count
    value = np.sum(np.abs(wide - middle) ** 2, axis=axes, keepdims=keepdims) / (count - ddof)
    error = np.sum(np.abs(wide) ** 2, axis=axes, keepdims=keepdims) / (count - ddof) * _unit(part) * 8 * (a.size + 6)
    low, high = np.maximum(value - error, 0), value + error
    if root:
        low, high = np.sqrt(low), np.sqrt(high)
    middle, reach = (low + high) / 2, (high - low) / 2 + high * _unit(part) * 4
    return [around(middle, reach, part)]


def _variance_bounds(root):
    def bounds(results, a, axes, keepdims, ddof):
        part = results[0].dtype
        if a.size == 0:
            return None
        return _variance(a, axes, keepdims, ddof, root, part) if _is_tame(a, part, 2) else "skip"

    return bounds


def _without_nans(number, bounds):
    def changed(results, a, *more):
        return bounds(results, np.where(np.isnan(a), a.dtype.type(number), a), *more)

    return changed


def _of_numbers(bounds):
    """Of lines without NaNs; of an array with some where all of it is folded."""
    def chosen(results, a, axes, keepdims, *more):
        if not np.any(np.isnan(a)):
            return bounds(results, a, axes, keepdims, *more)
        numbers = a[~np.isnan(a)]
        if axes is not None or numbers.size == 0:
            return "skip"
        ends = bounds([results[0].reshape(())], numbers, None, False, *more)
        return ends if ends is None or isinstance(ends, str) else [tuple(np.asarray(x) for x in ends[0])]

    return chosen


def _places(draw):
    a = _array(draw, nans=3)
    return [a, draw.axis(a.view().ndim) if draw.chance(70) else None, draw.chance(40)]


def _middle(draw):
    a = _array(draw)
    axes = draw.axes(a.view().ndim)
    if isinstance(axes, list) and a.view().size == 0:
        axes = axes[0]  # NumPy cannot make one axis of several then
    return [a, axes, draw.chance(40)]


def _nan_median_bounds(results, a, axes, keepdims):
    """Of NaNs alone NumPy gives one of them, or another one; infinities it adds to masked cells."""
    if a.size == 0 or not np.all(np.isfinite(a[~np.isnan(a)])) or np.any(np.isnan(results[0])):
        return "skip"
    return either_complex_zero(results)


def _operands(draw):
    a, b = draw.operands(2, OTHERS, numbers=False)
    if draw.chance(60):
        a, b = (_array(draw, x.view().shape, nans=3) for x in (a, b))
    return [a, b]


def _clipped(draw):
    a, low, high = draw.operands(3, OTHERS, numbers=False)
    if draw.chance(60):
        a, low, high = (_array(draw, x.view().shape, nans=2) for x in (a, low, high))
    return [a, *draw.one_of([(low, high), (low, high), (None, high), (low, None)])]


def _clip_bounds(results, a, *bounds):
    """NumPy's clip compares with a bound by its real part though there is a NaN beside it; its minimum does not."""
    if any(np.any(np.isnan(np.imag(x)) & ~np.isnan(np.real(x))) for x in bounds if x is not None):
        return "skip"
    return either_complex_zero_of_any(results)


def _one(draw):
    """Of sizes that angles and differences have digits for."""
    dtype = draw.one_of(COMPLEX)
    shape = draw.shape()
    parts = [np.array([draw.random.uniform(-4, 4) for _ in range(int(np.prod(shape)))]).reshape(shape) for _ in range(2)]
    a = draw.array(shape, dtype=dtype)
    view = a.view()
    view.real[...], view.imag[...] = parts
    return [a]


def _away_from_zero(function):
    bounds = complex_function(function)

    def checked(results, a):
        return "skip" if np.any(np.abs(results[0]) < 1e-2) or np.any(np.abs(a) > 20) else bounds(results, a)

    return checked


def _sign_bounds(results, a):
    wide = a.astype(CWIDE)
    if not np.all(np.isfinite(wide)) or not _is_tame(a, results[0].real.dtype):
        return "skip"
    size = np.abs(wide)
    with np.errstate(all="ignore"):
        value = np.where(size == 0, 0, wide / size)
    return complex_around(np.asarray(value), results[0].real.dtype, 4.0)


def _scanned(draw):
    a = _array(draw)
    return [a, None if draw.chance(25) else draw.axis(a.view().ndim), None]


def _scan_bounds(name):
    function = np.cumsum if name.endswith("sum") else np.cumprod

    def bounds(results, a, axis, _):
        part = results[0].real.dtype
        if name.startswith("nan"):
            a = np.where(np.isnan(a), a.dtype.type(name.endswith("prod")), a)
        if not _is_tame(a, part, 1 if name.endswith("sum") else max(a.size, 1)):
            return "skip"
        wide = a.astype(CWIDE)
        size = function(np.abs(wide), axis)
        return _near(results, function(wide, axis), size * _unit(part) * 4 * (a.size + 1))

    return bounds


def _two_lines(draw):
    shapes = [draw.shape(axes=1 if draw.chance(95) else 2) for _ in range(2)]
    dtypes = [COMPLEX, OTHERS]
    draw.random.shuffle(dtypes)
    return [*[draw.array(shape, dtypes=kinds) for shape, kinds in zip(shapes, dtypes)],
            draw.one_of(["full", "same", "valid"])]


def _correlation_bounds(function):
    def bounds(results, a, v, mode):
        dtype = results[0].dtype
        part = results[0].real.dtype
        if not (_is_tame(a, part, 2) and _is_tame(v, part, 2)):
            return "skip"
        a, v = a.astype(dtype).astype(CWIDE), v.astype(dtype).astype(CWIDE)
        size = function(np.abs(a), np.abs(v), mode)
        return _near(results, function(a, v, mode), np.abs(size) * _unit(part) * 4 * (min(a.size, v.size) + 1))

    return bounds


def _two_vectors(draw):
    shape = draw.shape(axes=0 if draw.chance(15) else 1)
    other = draw.shape(axes=1) if draw.chance(10) else shape
    return [draw.array(shape, dtypes=COMPLEX), draw.array(other, dtypes=OTHERS)]


def _dot_bounds(results, a, b):
    part = results[0].real.dtype
    if not (_is_tame(a, part, 2) and _is_tame(b, part, 2)):
        return "skip"
    function = np.vdot if getattr(_dot_bounds, "conjugate", False) else np.dot
    size = np.dot(np.abs(a.astype(CWIDE)), np.abs(b.astype(CWIDE)))
    return _near(results, function(a.astype(CWIDE), b.astype(CWIDE)), size * _unit(part) * 4 * (a.size + 1))


def _vdot_bounds(results, a, b):
    return _dot_bounds(results, np.conj(a), b)


def _range(draw):
    def number(real):
        value = complex(draw.between(-20, 20) / 4, 0 if real else draw.between(-20, 20) / 4)
        return value.real if real and draw.chance(50) else value

    start, stop = number(draw.chance(30)), number(draw.chance(20))
    step = draw.one_of([1 + 1j, 0.5 + 0.25j, -1 - 1j, 1j, 1.0, 1 - 1j, 2 + 0.5j, 1 + 0j] + [0j] * draw.chance(5))
    if not any(isinstance(x, complex) for x in (start, stop, step)):
        stop = complex(stop, 3)
    return [start, stop, step, draw.one_of([None, None, np.dtype("complex64"), np.dtype("complex128")] +
                                           [np.dtype("float64")] * draw.chance(10))]


def functions():
    table = []

    def add(name, draw, reference=None, bounds=None):
        table.append(Function(name, draw, reference or getattr(np, name), bounds))

    def folding(function):
        return lambda a, axes, keepdims: function(a, axis=axes, keepdims=keepdims)

    def spread(function):
        return lambda a, axes, keepdims, ddof: function(a, axis=axes, keepdims=keepdims, ddof=ddof)

    for name in ("min", "max", "ptp", "nanmin", "nanmax"):
        add(name, _fold, folding(getattr(np, name)), _extremum_bounds)
    for name in ("argmin", "argmax"):
        add(name, _places, folding(getattr(np, name)))
    for name, bounds in (("sum", _sum_bounds), ("prod", _product_bounds), ("mean", _mean_bounds),
                         ("nansum", _without_nans(0, _sum_bounds)), ("nanprod", _without_nans(1, _product_bounds)),
                         ("nanmean", _of_numbers(_mean_bounds))):
        add(name, _fold, folding(getattr(np, name)), bounds)
    for name in ("any", "all", "count_nonzero"):
        add(name, _fold, folding(getattr(np, name)))
    for name, root in (("var", False), ("std", True)):
        add(name, _spread, spread(getattr(np, name)), _variance_bounds(root))
        add("nan" + name, _spread, spread(getattr(np, "nan" + name)), _of_numbers(_variance_bounds(root)))
    add("median", _middle, folding(np.median), either_complex_zero)
    add("nanmedian", _middle, folding(np.nanmedian), _nan_median_bounds)
    add("unique", lambda draw: [_array(draw, nans=3)], bounds=lambda results, a: "skip" if np.count_nonzero(np.isnan(a)) > 1
        else either_complex_zero(results))
    for name in ("minimum", "maximum", "fmin", "fmax"):
        add(name, _operands, bounds=either_complex_zero_of_any)
    for name in ("less", "less_equal", "greater", "greater_equal"):
        add(name, _operands)
    add("clip", _clipped, bounds=_clip_bounds)
    for name, function in (("expm1", np.expm1), ("log1p", np.log1p), ("sinc", lambda z: np.sin(PI * z) / (PI * z))):
        add(name, _one, bounds=_away_from_zero(function))
    add("sign", lambda draw: [_array(draw)], bounds=_sign_bounds)
    add("reciprocal", lambda draw: [_array(draw, nans=0)],
        bounds=lambda results, a: "skip" if np.any(a == 0) or not _is_tame(a, results[0].real.dtype) else None)
    add("float_power", lambda draw: draw.operands(2, COMPLEX, numbers=False), bounds=complex_power_bounds)
    for name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
        add(name, _scanned, lambda a, axis, dtype, function=getattr(np, name): function(a, axis, dtype),
            _scan_bounds(name))
    for name in ("convolve", "correlate"):
        add(name, _two_lines, bounds=_correlation_bounds(getattr(np, name)))
    add("dot", _two_vectors, bounds=_dot_bounds)
    add("vdot", _two_vectors, bounds=_vdot_bounds)
    add("arange", _range, np.arange)
    return table


def either_complex_zero_of_any(results, *_):
    return either_complex_zero(results) if results[0].dtype.kind == "c" else either_zero(results)
