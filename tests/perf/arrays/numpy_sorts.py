"""Runs sorts_perf, and each of its rows by NumPy: NumPy's time over Pilum's, of the least times of so many rounds.

numpy_sorts.py SORTS_PERF [ROUNDS] [MOST_CELLS]     by a Python that has NumPy
"""
import subprocess
import sys
import time

import numpy as np

program = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
most = sys.argv[3] if len(sys.argv) > 3 else "10000000"


def cells_of(kind, count, dtype):
    rng = np.random.default_rng(1)
    spread = {1: 100, 2: 30000}.get(np.dtype(dtype).itemsize, 1e9)

    def random():
        return (rng.random(count) * spread).astype(dtype)

    if kind == "sorted":
        return np.sort(random())
    if kind == "reversed":
        return np.sort(random())[::-1].copy()
    if kind == "few":
        return np.floor(rng.random(count) * 5).astype(dtype)
    if kind == "constant":
        return np.full(count, 7).astype(dtype)
    return random()


def time_of(function, a, axis):
    step = getattr(np, function)
    repeats = max(1, 100_000 // a.size)
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        for _ in range(repeats):
            step(a, axis=axis)
        times.append(1e6 * (time.perf_counter() - start) / repeats)
    return min(times[1:])


with subprocess.Popen([program, str(rounds), most], stdout=subprocess.PIPE, text=True) as told:
    for row in told.stdout:
        function, dtype, cells, lines, axis, kind, least, _ = row.split()
        a = cells_of(kind, int(cells) * int(lines), dtype)
        if int(lines) > 1:
            a = a.reshape(int(lines), int(cells))
            if int(axis) == 0:
                a = a.T.copy()
        theirs = time_of(function, a, int(axis))
        print(f"{function:8} {dtype:8} {cells:>9} x {lines:>5} axis {axis:>2} {kind:9} {float(least):12.2f} us; "
              f"NumPy {theirs:12.2f} us: {theirs / float(least):.2f}", flush=True)
