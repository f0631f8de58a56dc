"""The rows of picked_perf by CuPy: picked_cupy.py [POINTS] [CELLS] [ROUNDS]"""
import sys

import cupy as np
import cupyx

from by_cupy import tell_times

points = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
cells = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 9
rng = np.random.default_rng(1)
at, few = rng.integers(0, cells, points), rng.integers(0, 100, points)
values, row = rng.random(points), at[: points // 16]
rows, srt = rng.random((points // 16, 16)), np.sort(rng.random(cells))
line, table, image, written = np.zeros(cells), np.zeros((cells, 16)), np.zeros((1024, 1024)), np.zeros(cells)
counts = np.zeros(cells, dtype=np.uint64)  # CuPy adds to no int64
y, x = at % 1024, (at * 7) % 1024


def assign():
    written[at] = values


STEPS = {
    "add_at": lambda: cupyx.scatter_add(line, at, values),
    "add_at integers": lambda: cupyx.scatter_add(counts, at, 1),
    "add_at rows": lambda: cupyx.scatter_add(table, row, rows),
    "add_at pairs": lambda: cupyx.scatter_add(image, (y, x), values),
    "assign": assign,
    "take": lambda: np.take(values, at),
    "bincount": lambda: np.bincount(few),
    "bincount weights": lambda: np.bincount(few, values),
    "histogram": lambda: np.histogram(values, 100, range=(0, 1)),
    "searchsorted": lambda: np.searchsorted(srt, values),
    "interp": lambda: np.interp(values, srt, line),
}
tell_times(STEPS, rounds)
