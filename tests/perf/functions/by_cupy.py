"""Milliseconds of steps by CuPy: the median of some rounds, the least and the most."""
import statistics
import time

import cupy


def tell_times(steps, rounds):
    for name, step in steps.items():
        times = []
        for number in range(-3, rounds):  # at first kernels are compiled
            cupy.cuda.runtime.deviceSynchronize()
            start = time.perf_counter()
            step()
            cupy.cuda.runtime.deviceSynchronize()
            if number >= 0:
                times.append(1e3 * (time.perf_counter() - start))
        print(f"{name:22} {statistics.median(times):9.3f} ms ({min(times):.3f} to {max(times):.3f})")
