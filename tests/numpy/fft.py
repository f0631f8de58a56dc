"""Fourier transforms."""
import numpy as np

from draw import COMPLEX
from function import Function
from linalg import near


def _norm(draw):
    return draw.one_of(["backward", "ortho", "forward"]) if draw.chance(97) else "unit"


def _cells(draw, real, axes):
    draw.mood = "plain"
    kinds = ["bool", "int32", "int64", "float32", "float64"]
    return draw.array(draw.shape(axes=axes), dtypes=kinds if real else [*kinds, *COMPLEX, *COMPLEX])


def _one(real):
    def drawn(draw):
        a = _cells(draw, real, draw.between(1, 3))
        if real and draw.chance(3):
            a = draw.array(dtypes=COMPLEX)
        n = draw.one_of([None, None, draw.between(1, 9), draw.one_of([0, 16, 30, 31])])
        return [a, n, draw.axis(a.view().ndim), _norm(draw)]

    return drawn


def _several(real, two=False):
    def drawn(draw):
        a = _cells(draw, real, draw.between(2, 3))
        rank = a.view().ndim
        axes = [-2, -1] if two else None
        if draw.chance(50):
            axes = draw.random.sample(range(rank), draw.between(1, rank))
            axes = [axis - rank if draw.chance(40) else axis for axis in axes]
        s = None
        if draw.chance(40):
            s = [draw.between(1, 5) for _ in range(len(axes) if axes else draw.between(1, rank))]
            if not axes:
                axes = list(range(-len(s), 0))
            if draw.chance(4):
                s = s + [2]
        return [a, s, axes, _norm(draw)]

    return drawn


def _near_bounds(results, a, *rest):
    """log n roundings of the sum of all sizes: Higham, Accuracy and Stability, 24."""
    value = results[0]
    if value.size == 0:
        return None
    if a.size == 0:
        return "skip"  # NumPy leaves cells as it found them
    size = float(np.sum(np.abs(a.astype(complex)))) + float(np.max(np.abs(value)))
    return [near(value, np.float64(np.finfo(value.dtype).eps) * 16 * max(size, 1e-9))]


def _frequencies(name, n, d):
    if n < 0:  # of which NumPy's rfftfreq makes no cells
        raise ValueError("frequencies of a negative number")
    return getattr(np.fft, name)(n, d)


def functions():
    table = []
    for name, real in (("fft", False), ("ifft", False), ("rfft", True), ("irfft", False), ("hfft", False), ("ihfft", True)):
        function = getattr(np.fft, name)
        table.append(Function(name, _one(real), lambda a, n, axis, norm, function=function: function(a, n, axis, norm),
                              _near_bounds))
    for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"):
        function = getattr(np.fft, name)
        table.append(Function(name, _several(name.startswith("r"), name.endswith("2")),
                              lambda a, s, axes, norm, function=function: function(a, s, axes, norm), _near_bounds))
    for name in ("fftfreq", "rfftfreq"):
        table.append(Function(name, lambda draw: [draw.between(-1 if draw.chance(5) else 1, 12), draw.one_of([1.0, 0.1, 2.5])],
                              lambda n, d, name=name: _frequencies(name, n, d)))
    for name in ("fftshift", "ifftshift"):
        table.append(Function(name, lambda draw: (lambda a: [a, draw.axes(a.view().ndim)])(draw.array(draw.shape(axes=draw.between(1, 3)))),
                              getattr(np.fft, name)))
    return table
