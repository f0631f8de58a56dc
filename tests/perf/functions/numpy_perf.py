"""The draws of random_perf.cc by NumPy, into an array that there is: numpy_perf.py [CELLS] [ROUNDS]"""
import sys
import time

import numpy as np

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
rng = np.random.default_rng(1)
target = np.zeros(cells)


def measure(name, step):
    least = 1e300
    for _ in range(rounds):
        start = time.perf_counter()
        step()
        least = min(least, time.perf_counter() - start)
    print(f"{name:<22} {1e9 * least / cells:7.3f} ns a cell, {1e3 * least:9.3f} ms")


measure("target[:] = 1", lambda: target.fill(1))
measure("random", lambda: rng.random(out=target))
measure("standard_normal", lambda: rng.standard_normal(out=target))
measure("normal", lambda: rng.normal(0, 1, cells))
measure("standard_exponential", lambda: rng.standard_exponential(out=target))
measure("integers(0, 10)", lambda: rng.integers(0, 10, cells))
