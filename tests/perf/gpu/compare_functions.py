#!/usr/bin/env python3
"""What CuPy takes on a GPU for what tests/perf/scans/scans_perf and apps/black_scholes do: milliseconds, medians.

    compare_functions.py [CELLS]
"""
import statistics
import sys
import time

import cupy
from cupyx.scipy.special import erfc

CELLS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000_000
ROUNDS = 7


def report(name, function):
    """Times the call with the wait for it, after some that compile."""
    wait = cupy.cuda.Device().synchronize
    for _ in range(3):
        function()
    wait()
    figures = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function()
        wait()
        figures.append((time.perf_counter() - start) * 1e3)
    print(f"{name:<34}{statistics.median(figures):9.3f} ms  ({min(figures):.3f} .. {max(figures):.3f})", flush=True)


def normal_distribution(x):
    return 0.5 * erfc(x * -(0.5**0.5))


def price(spot, strike, years, volatility, rate=0.02):
    deviation = volatility * cupy.sqrt(years)
    growth = cupy.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years
    d1 = growth / deviation
    d2 = d1 - deviation
    discounted = strike * cupy.exp(-rate * years)
    call = spot * normal_distribution(d1) - discounted * normal_distribution(d2)
    put = discounted * normal_distribution(-d2) - spot * normal_distribution(-d1)
    return call, put, float(call.mean())


def main():
    random = cupy.random.default_rng(1)
    line = random.random(CELLS)
    mask = line < 0.5
    report("copy", line.copy)
    report("cumsum", lambda: cupy.cumsum(line))
    report("argmax", lambda: cupy.argmax(line))
    report("a[mask], half of the cells", lambda: line[mask])
    report("flatnonzero(mask)", lambda: cupy.flatnonzero(mask))
    report("sort", lambda: cupy.sort(line))
    half, numbers = line.astype(cupy.float32), random.integers(0, 1_000_000, CELLS)
    report("sort, float32", lambda: cupy.sort(half))
    report("sort, int64 below a million", lambda: cupy.sort(numbers))
    report("argsort", lambda: cupy.argsort(line))
    side = int(CELLS**0.5)
    square, short_lines = line[: side * side].reshape(side, side), line[: CELLS // 1000 * 1000].reshape(-1, 1000)
    report("sort of a square along axis 0", lambda: cupy.sort(square, 0))
    report("sort of a square along axis 1", lambda: cupy.sort(square, 1))
    report("sort of lines of 1000", lambda: cupy.sort(short_lines))
    report("median", lambda: cupy.median(line))
    market = [random.random(CELLS) * (high - low) + low for low, high in ((10, 50), (5, 60), (0.25, 4))]
    report("black_scholes, with the mean call", lambda: price(*market, 0.2))


main()
