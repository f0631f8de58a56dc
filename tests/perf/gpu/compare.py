#!/usr/bin/env python3
"""What others reach on jacobi 16384² of float64, on one GPU: effective GB/s at 16 bytes a point, medians.

    compare.py [POINTS_ALONG_AN_AXIS]

A line each for CuPy (slices, cupy.fuse, a kernel written by hand), JAX jit and PyTorch compile, where installed; first
a device-to-device copy, read and written.
"""
import functools
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
ROUNDS, SWEEPS = 5, 20


def report(name, sweep, wait, bytes_a_sweep=16.0 * SIZE * SIZE):
    """Times sweeps, after some that compile."""
    for _ in range(3):
        sweep()
    wait()
    figures = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(SWEEPS):
            sweep()
        wait()
        figures.append(bytes_a_sweep * SWEEPS / (time.perf_counter() - start) * 1e-9)
    print(f"{name:<32}{statistics.median(figures):8.0f} GB/s  ({min(figures):.0f} .. {max(figures):.0f})", flush=True)


def fill(grid):
    grid[:, 0] = grid[:, -1] = grid[-1, :] = -273.15
    grid[0, :] = 40.0
    return grid


def views(grid):
    return grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[1:-1, 2:], grid[1:-1, :-2], grid[2:, 1:-1]


def run_cupy():
    import cupy

    wait = cupy.cuda.Device().synchronize
    source, target = (cupy.ones(1 << 27) for _ in range(2))
    report("copy (CuPy)", lambda: cupy.copyto(target, source), wait, 2.0 * source.nbytes)
    del source, target

    grid = fill(cupy.zeros((SIZE + 2, SIZE + 2)))
    center, north, east, west, south = views(grid)

    def slices():
        average = center + north + east + west + south
        center[:] = 0.2 * average

    report("CuPy, slices", slices, wait)

    @cupy.fuse()
    def mean(center, north, east, west, south):
        return 0.2 * (center + north + east + west + south)

    def fused():
        center[:] = mean(center, north, east, west, south)

    report("CuPy, fused", fused, wait)

    kernel = cupy.RawKernel(
        r"""
        extern "C" __global__ void sweep(const double* from, double* to, int width) {
          const int column = blockIdx.x * blockDim.x + threadIdx.x + 1, row = blockIdx.y * blockDim.y + threadIdx.y + 1;
          if (column >= width - 1 || row >= width - 1) return;
          const long long at = (long long)row * width + column;
          to[at] = 0.2 * (from[at] + from[at - width] + from[at + 1] + from[at - 1] + from[at + width]);
        }""",
        "sweep",
    )
    grids = [grid, grid.copy()]
    blocks = ((SIZE + 63) // 64, (SIZE + 3) // 4)

    def by_hand():
        kernel(blocks, (64, 4), (grids[0], grids[1], SIZE + 2))
        grids.reverse()

    report("CuPy, a kernel written by hand", by_hand, wait)


def run_jax():
    import jax

    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() != "gpu":
        raise ImportError("without GPUs")
    import numpy

    @functools.partial(jax.jit, donate_argnums=0)
    def sweep(grid):
        center, north, east, west, south = views(grid)
        return grid.at[1:-1, 1:-1].set(0.2 * (center + north + east + west + south))

    state = [jax.numpy.asarray(fill(numpy.zeros((SIZE + 2, SIZE + 2))))]

    def step():
        state[0] = sweep(state[0])

    report("JAX, jit", step, lambda: state[0].block_until_ready())


def run_torch():
    import torch

    if not torch.cuda.is_available():
        raise ImportError("without GPUs")
    grid = fill(torch.zeros((SIZE + 2, SIZE + 2), dtype=torch.float64, device="cuda"))

    @torch.compile
    def sweep(grid):
        center, north, east, west, south = views(grid)
        center.copy_(0.2 * (center + north + east + west + south))

    report("PyTorch, compile", lambda: sweep(grid), torch.cuda.synchronize)


if __name__ == "__main__":
    for name, run in (("CuPy", run_cupy), ("JAX", run_jax), ("PyTorch", run_torch)):
        try:
            run()
        except ImportError as error:
            print(f"{name}: not installed ({error})", flush=True)
        except Exception as error:  # the others go on
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)
