"""Functions of cells, their operands, and how exact they are."""
import numpy as np
import scipy.special

from bounds import WIDE, around, ulp, within_ulps
from draw import Array, COMPLEX, DTYPES, FLOATS, INTEGERS, RESULTS
from function import Function

BITS = ["bool", *INTEGERS]
PI = 4 * np.arctan(WIDE(1))


def _here(dtype):
    """Whether there is such a dtype here."""
    return dtype.name in RESULTS + COMPLEX


def _widened(function, *operands):
    """NumPy's result; of bools computed as int64 where NumPy's dtype of bools is none that there is here."""
    results = function(*operands)
    first = results[0] if isinstance(results, tuple) else results
    if _here(np.asarray(first).dtype):
        return results
    return function(*[x.astype(np.int64) if getattr(x, "dtype", None) == bool else int(x) if x is True or x is False
                      else x for x in operands])


def _exact(name):
    return lambda *operands: _widened(getattr(np, name), *operands)


def _elementary(name, ulps=1.0, floor=None):
    """NumPy's function in long doubles, of what the operands are in the result's dtype."""
    function = getattr(np, name)

    def bounds(results, *operands):
        dtype = results[0].dtype
        wide = [np.asarray(x).astype(dtype).astype(WIDE) for x in operands]
        value = np.asarray(function(*wide))
        low, high = within_ulps(value, dtype, ulps)
        if floor is not None:  # the result is what is left of larger numbers
            with np.errstate(all="ignore"):
                largest = np.maximum(np.abs(value), floor(*wide))
                low, high = around(value, np.where(np.isfinite(largest), ulp(largest, dtype), 0) * WIDE(1.5), dtype)
        return [(low, high)]

    return bounds


def _special(function, ulps):
    """SciPy's function, in float64, within its own error."""

    def reference(x):
        x = np.asarray(x)
        dtype = x.dtype if x.dtype == np.float32 else np.dtype(np.float64)
        return function(x.astype(np.float64)).astype(dtype)

    def bounds(results, x):
        x, dtype = np.asarray(x), results[0].dtype
        value = np.asarray(function(x.astype(dtype).astype(np.float64)), WIDE)
        error = ulp(value, dtype) * 1.01 + np.abs(value) * WIDE(ulps * 2.0**-52)
        if function is scipy.special.gammaln:
            error = np.maximum(error, WIDE(ulps) * ulp(WIDE(1), dtype))
        return [around(value, np.where(value == 0, 0, error), dtype)]

    return reference, bounds


def _bessel(x):
    """SciPy's, in float64: NumPy's overflows above 709. Of infinities infinity, not nan."""
    dtype, x = np.i0(x).dtype, np.asarray(x, np.float64)
    return np.where(np.isinf(x), np.inf, scipy.special.i0(x)).astype(dtype)


def _bessel_bounds(results, x):
    x, dtype = np.asarray(x, np.float64), results[0].dtype
    value = np.where(np.isinf(x), np.inf, scipy.special.i0(x)).astype(WIDE)
    return [around(value, ulp(value, dtype) * 1.01 + np.abs(value) * WIDE(12 * 2.0**-52), dtype)]


def _either_zero(results, *_):
    """Of 0.0 and -0.0 either is the smaller one."""
    low, high = results[0].copy(), results[0].copy()
    if low.dtype.kind == "f":
        low[low == 0], high[high == 0] = -0.0, 0.0
    return [(low, high)]


def _into(dtypes=None):
    """A target and what goes into it: of its own cells or some of them, or a number."""
    def draw_operands(draw):
        chosen = dtypes(draw) if callable(dtypes) else dtypes
        target, value = draw.operands(2, chosen, numbers=False)
        if draw.chance(60):  # most fit
            value = draw.array(target.view().shape[draw.between(0, target.view().ndim):], dtypes=chosen)
        return [target, draw.number(chosen) if draw.chance(25) else value]
    return draw_operands


def _operands(count, dtypes=None, values=None):
    return lambda draw: draw.operands(count, dtypes, values, numbers=count > 1)


def _powers(draw):
    """No negative exponents of integers, whose result is not said; no exponent of one cell, whose value is not known."""
    a, b = draw.operands(2, FLOATS if draw.chance(60) else DTYPES, numbers=False)
    whole = a.base.dtype.kind != "f" and b.base.dtype.kind != "f"
    if whole:
        np.copyto(b.base, np.abs(b.base % 7).astype(b.base.dtype) if b.base.dtype != bool else b.base)
        return [a, draw.one_of([0, 1, 2, 3, -1])] if draw.chance(30) else [a, b]
    exponents = [2.0, 1.0, 0.5, -1.0, 0.0, 3.0, 2, 3, 0, 1.5]
    return [a, draw.one_of(exponents)] if draw.chance(30) or b.view().size == 1 or 0 in b.view().shape else [a, b]


def _power_bounds(results, a, b):
    if results[0].dtype.kind != "f":
        return None
    dtype = results[0].dtype
    if not isinstance(b, np.ndarray) and b in (2, 1, 0.5, -1):
        return None
    if isinstance(b, np.ndarray) and np.any(np.isin(b, [0.5])) and np.any(np.isin(a, [-np.inf, 0.0])):
        return "skip"
    x, y = np.asarray(a).astype(dtype).astype(WIDE), np.asarray(b).astype(dtype).astype(WIDE)
    return [within_ulps(np.asarray(np.power(x, y)), dtype)]


def _clip(draw):
    a, low, high = draw.operands(3, numbers=False)
    return [a, low, high] if draw.chance(50) else [a, draw.between(-9, 3), draw.number(["float64"])]


def _reciprocal(x):
    """The integer 0 has 0: docs/numpy.md."""
    result = _widened(np.reciprocal, x)
    if result.dtype.kind != "f":
        result = np.where(x == 0, 0, result).astype(result.dtype)
    return result


def _sinc(results, x):
    """By what is left of the next whole number, which is exact."""
    dtype = results[0].dtype
    x = np.asarray(x).astype(dtype).astype(WIDE)
    nearest = np.rint(x)
    with np.errstate(all="ignore"):
        turned = np.where(np.fmod(nearest, 2) == 0, 1, -1) * np.sin(PI * (x - nearest))
        value = np.where(x == 0, 1, np.where(np.isfinite(x), turned / (PI * x), np.nan))
    return [either_sign(*within_ulps(value, dtype))]


def either_sign(low, high):
    """A zero of either sign."""
    zero = (low == 0) & (high == 0)
    return np.where(zero, -0.0, low), np.where(zero, 0.0, high)


def _inside(results, a, decimals):
    """An integer that is rounded beyond its dtype is the processor's, as a cast is."""
    if results[0].dtype.kind == "i" and decimals < 0:
        info = np.iinfo(results[0].dtype)
        if np.any(np.abs(a.astype(WIDE)) > info.max - 10 ** -decimals):
            return "skip"
    return None


def _of_integers(name):
    """gcd and lcm of two bools, which NumPy refuses, are int8, those of the numbers 0 and 1: docs/numpy.md."""
    function = getattr(np, name)

    def reference(a, b):
        if np.asarray(a).dtype == bool and np.asarray(b).dtype == bool:
            a, b = np.asarray(a).astype(np.int8), np.asarray(b).astype(np.int8)
        return function(a, b)

    return reference


def _close(draw):
    a, b = draw.operands(2)
    if draw.chance(40):  # close in fact
        dtype = draw.one_of(FLOATS)
        cells = draw.cells(draw.shape(), dtype)
        a, b = Array(cells), Array(np.asarray(cells * (1 + 1e-9 * draw.between(0, 20000)), dtype))
    return [a, b, 1e-5, 1e-8, draw.chance(50)]


def _same_arrays(draw):
    a = draw.array()
    if draw.chance(50):
        return [a, type(a)(a.base.copy(), a.steps)]
    return [a, draw.array(a.view().shape if draw.chance(70) else None)]


def _in_place(function):
    def call(target, value):
        function(target, value)
        return target.copy()

    return call


def _product(a, b):
    """As NumPy's loops say; those for vectors round the second product with the sum (fma), on some processors."""
    dtype = np.result_type(a, b)
    if dtype.kind != "c":
        return np.multiply(a, b)
    a, b = np.asarray(a).astype(dtype), np.asarray(b).astype(dtype)
    parts = a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real
    result = np.empty(parts[0].shape, dtype)
    result.real, result.imag = parts
    return result


def _size_bounds(results, a):
    wide = np.asarray(a)
    return [within_ulps(np.hypot(wide.real.astype(WIDE), wide.imag.astype(WIDE)), results[0].dtype)]


def _angle_bounds(results, a, deg):
    x = np.asarray(a)
    dtype = results[0].dtype
    value = np.arctan2(x.imag.astype(dtype).astype(WIDE), x.real.astype(dtype).astype(WIDE))
    if not deg:
        return [within_ulps(value, dtype)]
    degrees = value * (180 / PI)  # of what the angle was rounded to
    error = ulp(degrees, dtype) + ulp(value, dtype) * (180 / PI)
    return [around(degrees, np.where(value == 0, WIDE(0), error), dtype)]


def complex_around(value, part, ulps):
    """Each part within so many units of the last place of the size."""
    error = ulp(np.abs(value), part) * WIDE(ulps)
    ends = []
    for re, im in zip(around(value.real, error, part), around(value.imag, error, part)):
        cells = np.empty(value.shape, np.result_type(part, np.complex64))
        cells.real, cells.imag = re, im
        ends.append(cells)
    return [tuple(ends)]


def complex_function(function, ulps=8.0):
    """Where all is finite, and angles have digits in long doubles: the kernels' tests have the special values."""
    largest = 1e3 if function is np.exp2 else 1e15

    def bounds(results, *arguments):
        wide = [np.asarray(a).astype(np.clongdouble) for a in arguments]
        value, part = np.asarray(function(*wide)), results[0].real.dtype
        if not all(np.all(np.isfinite(x)) for x in (*wide, value)) or any(np.any(np.abs(x) > largest) for x in wide):
            return "skip"
        if np.any(np.abs(value) > WIDE(np.finfo(part).max) / 4):
            return "skip"
        return complex_around(value, part, ulps)

    return bounds


def complex_power_bounds(results, a, b):
    """The error of exp(b log(a)) is that of its exponent."""
    a, b = np.asarray(a).astype(np.clongdouble), np.asarray(b).astype(np.clongdouble)
    part = results[0].real.dtype
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))) or np.any(a == 0):
        return "skip"
    exponent = b * np.log(a)
    value = np.asarray(np.exp(exponent))
    size = np.abs(value)
    if not np.all(np.isfinite(value)) or np.any(size > WIDE(np.finfo(part).max) / 4) or np.any(size < 1e-25):
        return "skip"
    return complex_around(value, part, 16 + 8 * np.abs(exponent))


def _of_complex_numbers(add):
    some = [*COMPLEX, *FLOATS, "int32"]
    for name in ("sqrt exp log sin cos sinh cosh tan tanh arcsin arccos arctan arcsinh arccosh arctanh exp2 log2 "
                 "log10").split():
        add(name, _operands(1, COMPLEX), bounds=complex_function(getattr(np, name)))
    add("power", lambda draw: draw.operands(2, COMPLEX, numbers=False), bounds=complex_power_bounds)
    for name in "rint nan_to_num".split():
        add(name, _operands(1, COMPLEX) if name == "rint" else lambda draw: [draw.array(dtypes=COMPLEX), 0.0, None, None],
            lambda a, *more, name=name: np.asarray(getattr(np, name)(a)))
    for name in ("round", "around"):
        add(name, lambda draw: [draw.array(dtypes=COMPLEX), draw.between(-3, 5)], lambda a, places: np.round(a, places),
            lambda results, *_: "skip" if not np.all(np.isfinite(results[0])) else None)
    for name in "real imag conj conjugate".split():
        add(name, _operands(1, [*COMPLEX, *DTYPES]), lambda a, name=name: np.array(getattr(np, name)(a)))
    add("angle", lambda draw: [draw.array(dtypes=some), draw.chance(50)], lambda a, deg: np.asarray(np.angle(a, deg)),
        _angle_bounds)
    for name in "negative positive isnan isinf isfinite logical_not".split():
        add(name, _operands(1, COMPLEX))
    for name in ("abs", "absolute"):
        add(name, _operands(1, COMPLEX), bounds=_size_bounds)
    add("square", _operands(1, COMPLEX), lambda a: _product(a, a))
    for name in "add subtract divide equal not_equal logical_and logical_or logical_xor".split():
        add(name, lambda draw: draw.operands(2, some, numbers=False))
    add("multiply", lambda draw: draw.operands(2, some, numbers=False), _product)
    add("where", lambda draw: [draw.array(dtypes=["bool"]), *draw.operands(2, some, numbers=False)])
    add("array_equal", lambda draw: [draw.array(dtypes=COMPLEX), draw.array(dtypes=some)])


def functions():
    table = []

    def add(name, draw, reference=None, bounds=None, **more):
        table.append(Function(name, draw, reference or _exact(name), bounds, **more))

    for name in ("abs absolute ceil fabs fix floor negative positive rint sign signbit sqrt square trunc isfinite isinf "
                 "isnan isneginf isposinf logical_not modf frexp").split():
        add(name, _operands(1, INTEGERS + FLOATS if name in ("fix", "isneginf", "isposinf", "trunc") else None))
    for name in ("invert", "bitwise_not", "bitwise_invert"):
        add(name, _operands(1))
    add("bitwise_count", _operands(1, [*RESULTS, *COMPLEX]))
    for name in ("isreal", "iscomplex"):
        add(name, _operands(1, [*DTYPES, *COMPLEX, *COMPLEX], [0.0, 1.0, -2.5, -0.0, np.nan, np.inf]))
    add("i0", _operands(1, values=[0.0, -0.0, 0.5, 1.0, 3.0, 7.75, 8.0, -8.25, 40.0, -300.0, 705.5, 720.0, np.nan, np.inf]),
        _bessel, _bessel_bounds)
    add("reciprocal", _operands(1), _reciprocal)
    for name in ("arccos arccosh arcsin arcsinh arctan arctanh acos acosh asin asinh atan atanh cbrt cos cosh deg2rad "
                 "degrees exp exp2 expm1 log log10 log1p log2 rad2deg radians sin sinh tan tanh").split():
        add(name, _operands(1), bounds=_elementary(name, 2.0 if name[:3] in ("deg", "rad") else 1.0))
    add("sinc", _operands(1), bounds=_sinc)
    for name, function, ulps in (("erf", scipy.special.erf, 4), ("erfc", scipy.special.erfc, 40),
                                 ("gamma", scipy.special.gamma, 40), ("lgamma", scipy.special.gammaln, 40)):
        reference, bounds = _special(function, ulps)
        add(name, _operands(1, values=None if name[:3] == "erf" else SPECIAL_ARGUMENTS), reference, bounds)
    for name in ("add subtract multiply divide true_divide remainder mod floor_divide fmod divmod heaviside copysign nextafter fmax "
                 "fmin maximum minimum equal not_equal less less_equal greater greater_equal logical_and logical_or "
                 "logical_xor").split():
        add(name, _operands(2), bounds=_either_zero if name[:4] in ("fmax", "fmin", "maxi", "mini") else None)
    for name in ("bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift gcd "
                 "lcm").split():
        add(name, lambda draw: draw.operands(2, BITS if draw.chance(90) else None),
            _of_integers(name) if name in ("gcd", "lcm") else None)
    add("ldexp", lambda draw: [draw.operands(1, FLOATS)[0], draw.between(-1080, 1080) if draw.chance(50)
                               else draw.array((1,), dtypes=INTEGERS, values=range(-70, 70))])
    for name in ("hypot", "arctan2", "atan2"):
        add(name, _operands(2), bounds=_elementary(name))
    for name in ("logaddexp", "logaddexp2"):
        add(name, _operands(2), bounds=_elementary(name, floor=lambda x, y: np.maximum(np.abs(x), np.abs(y))))
    for name in ("power", "pow"):
        add(name, _powers, bounds=_power_bounds)
    add("float_power", lambda draw: draw.operands(2, FLOATS, numbers=False), bounds=_power_bounds)
    add("clip", _clip, _exact("clip"), _either_zero)
    add("where", lambda draw: draw.operands(3, numbers=False) if draw.chance(60) else
        [draw.array(dtypes=["bool"]), draw.array(), draw.number(["float64"])])
    for name in ("round", "around"):
        add(name, lambda draw: [draw.array(dtypes=INTEGERS + FLOATS), draw.between(-3, 5)], bounds=_inside)
    add("nan_to_num", lambda draw: [draw.array(), draw.one_of([0.0, 1.5]), draw.one_of([None, 9.0]),
                                    draw.one_of([None, -9.0])], lambda *a: np.nan_to_num(a[0], True, *a[1:]))
    add("isclose", _close, lambda a, b, *more: np.isclose(a, b, *more))
    add("allclose", _close, lambda a, b, *more: np.allclose(a, b, *more))
    add("array_equal", _same_arrays)

    symbols = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "remainder", "&": "bitwise_and",
               "|": "bitwise_or", "^": "bitwise_xor", "<<": "left_shift", ">>": "right_shift", "==": "equal",
               "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
    for symbol, name in symbols.items():
        add("operator" + symbol, _operands(2, BITS if symbol in "&|^<<>>" and symbol not in "<>" else None), _exact(name))
    for symbol in ("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="):
        name = {"+": "__iadd__", "-": "__isub__", "*": "__imul__", "/": "__itruediv__", "%": "__imod__",
                "&": "__iand__", "|": "__ior__", "^": "__ixor__", "<<": "__ilshift__", ">>": "__irshift__"}[symbol[:-1]]
        add("operator" + symbol, _into(BITS if symbol[0] in "&|^<>" else None),
            _in_place(lambda target, value, name=name: getattr(target, name)(value)))
    add("operator=", _into(lambda draw: FLOATS if draw.chance(50) else BITS),
        _in_place(lambda target, value: target.__setitem__(Ellipsis, value)))
    add("operator~", _operands(1), _exact("invert"))
    add("operator!", lambda draw: [draw.array()], _exact("logical_not"))
    add("unary+", _operands(1), _exact("positive"))
    add("unary-", _operands(1), _exact("negative"))
    _of_complex_numbers(add)
    return table


SPECIAL_ARGUMENTS = [0.0, -0.0, 0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 20.5, -0.5, -1.5, -2.25, -1.0, -2.0, np.nan, np.inf,
                     0.125, 30.0, 1.4616]
