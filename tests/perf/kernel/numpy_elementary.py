"""The functions of elementary_perf.cc by NumPy and SciPy, of as many cells: numpy_elementary.py [ROUNDS] [FUNCTION ...].
Nanoseconds a cell in float64 and float32, medians; what a call costs that has one cell is taken off."""
import statistics
import sys
import time

import numpy as np
import scipy.special

CELLS = 1024
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
OTHERS = {"erf": scipy.special.erf, "erfc": scipy.special.erfc, "gamma": scipy.special.gamma,
          "log_gamma": scipy.special.gammaln}
NAMES = ("exp log exp2 expm1 log2 log10 log1p cbrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh "
         "arctanh erf erfc gamma log_gamma power hypot arctan2 logaddexp logaddexp2").split()


def nanoseconds(function, arguments, out):
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(400):
            function(*arguments, out=out)
        times.append((time.perf_counter_ns() - start) / 400)
    return statistics.median(times)


for name in sys.argv[2:] or NAMES:
    function = OTHERS.get(name) or getattr(np, name)
    line = []
    for dtype in (np.float64, np.float32):
        low, high = (1.05, 9.0) if name == "arccosh" else (0.05, 0.95)
        rng = np.random.default_rng(1)
        arguments = [rng.uniform(low, high, CELLS).astype(dtype) for _ in range(function.nin)]
        out = np.empty(CELLS, dtype)
        call = nanoseconds(function, [a[:1] for a in arguments], out[:1])
        line.append((nanoseconds(function, arguments, out) - call) / CELLS)
    print(f"{name:<12} {line[0]:7.3f} {line[1]:7.3f}")
