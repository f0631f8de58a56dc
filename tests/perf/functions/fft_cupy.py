"""The rows of fft_perf by CuPy: fft_cupy.py [N] [ROUNDS]"""
import sys

import cupy as np

from by_cupy import tell_times

n = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
real = np.random.default_rng(1).random((n, n))
numbers = real * (1 - 1j)
line, half = numbers.reshape(-1), np.fft.rfft(real)
STEPS = {
    "fft rows": lambda: np.fft.fft(numbers),
    "fft columns": lambda: np.fft.fft(numbers, axis=0),
    "fft2": lambda: np.fft.fft2(numbers),
    "rfft rows": lambda: np.fft.rfft(real),
    "irfft rows": lambda: np.fft.irfft(half),
    "fft of one line": lambda: np.fft.fft(line),
    "spectral derivative": lambda: np.fft.ifft(np.fft.fft(numbers) * (1j * np.fft.fftfreq(n))).real,
}
tell_times(STEPS, rounds)
