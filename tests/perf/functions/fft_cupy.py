"""The rows of fft_perf by CuPy: fft_cupy.py [N] [ROUNDS]"""
import statistics
import sys
import time

import cupy as np

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
for name, step in STEPS.items():
    times = []
    for number in range(rounds + 3):
        np.cuda.runtime.deviceSynchronize()
        start = time.perf_counter()
        step()
        np.cuda.runtime.deviceSynchronize()
        if number >= 3:
            times.append(1e3 * (time.perf_counter() - start))
    print(f"{name:22} {statistics.median(times):9.3f} ms ({min(times):.3f} to {max(times):.3f})")
