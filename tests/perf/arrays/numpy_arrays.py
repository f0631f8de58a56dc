"""Runs arrays_perf and the same by NumPy, in turn: NumPy's time over Pilum's.

numpy_arrays.py ARRAYS_PERF [CELLS] [ROUNDS] [RUNS]     by a Python that has NumPy
"""
import re
import statistics
import subprocess
import sys
import time

import numpy as np

program = sys.argv[1]
cells = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000_000
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
runs = int(sys.argv[4]) if len(sys.argv) > 4 else 3

rng = np.random.default_rng(1)
a = rng.random(cells)
mask = a < 0.5
target = np.zeros(cells)
STEPS = {
    "mask read": lambda: a[mask],
    "normal": lambda: rng.standard_normal(out=target),
    "sort": lambda: np.sort(a),
}


def by_numpy(step):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


ratios = {name: [] for name in STEPS}
for run in range(runs):
    told = subprocess.run([program, str(cells), str(rounds)], check=True, capture_output=True, text=True).stdout
    print(told, end="")
    for name, step in STEPS.items():
        ours = float(re.search(rf"^{name} +([\d.]+) ms", told, re.M)[1])
        theirs = by_numpy(step)
        ratios[name].append(theirs / ours)
        print(f"{name:28} NumPy {theirs:9.2f} ms, {theirs / ours:.2f} x Pilum's")
for name, found in ratios.items():
    print(f"{name:28} {statistics.median(found):.2f} x NumPy's speed ({min(found):.2f} to {max(found):.2f})")
