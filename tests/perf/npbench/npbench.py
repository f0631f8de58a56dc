"""NPBench's programs by Pilum and by NumPy (or CuPy) on the same arrays: what both compute is compared, then their times.

npbench.py NPBENCH_PERF [--large] [--size N] [--rounds 5] [--cold] [--cupy] [--launch "plaunch --ranks-per-node 2"] [NAME...]
Ratios are the other's median time over Pilum's; exit status 1 where a result differs.
"""
import argparse
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import programs_field
import programs_linear

PROGRAMS = {**programs_linear.PROGRAMS, **programs_field.PROGRAMS}
SIZES = {**programs_linear.SIZES, **programs_field.SIZES}


def write_inputs(folder, inputs):
    with open(folder / "numbers.txt", "w") as numbers:
        for name, value in inputs.items():
            if isinstance(value, np.ndarray):
                np.save(folder / f"in_{name}.npy", value)
            else:
                numbers.write(f"{name} {value!r}\n")


def by_pilum(program, name, folder, rounds, warm, launch):
    told = subprocess.run([*shlex.split(launch), program, name, folder, str(rounds), str(warm)], capture_output=True, text=True)
    if told.returncode:
        return None, f"exit {told.returncode}: {told.stderr.strip()[-600:]}"
    outputs = {file.stem[4:]: np.load(file) for file in folder.glob("out_*.npy")}
    return (float(re.search(r"([\d.]+) ms", told.stdout)[1]), outputs), told.stderr.strip()


def by_arrays(xp, run, inputs, rounds):
    """Milliseconds (median) and results of the last round; a round works on copies."""
    def wait():
        if xp is not np:
            xp.cuda.Device().synchronize()

    times, outputs = [], None
    for _ in range(rounds + 1):
        own = {name: xp.array(value) if isinstance(value, np.ndarray) else value for name, value in inputs.items()}
        wait()
        start = time.perf_counter()
        outputs = run(xp, own)
        wait()
        times.append(1e3 * (time.perf_counter() - start))
    if xp is not np:
        outputs = {name: xp.asnumpy(value) for name, value in outputs.items()}
    return statistics.median(times[1:]), outputs


def difference(mine, other):
    """Why two results are not alike, or nothing."""
    if mine.keys() != other.keys():
        return f"outputs {sorted(mine)} are not {sorted(other)}"
    for name, value in other.items():
        value = np.asarray(value)
        if mine[name].shape != value.shape:
            return f"{name}: shape {mine[name].shape}, not {value.shape}"
        if mine[name].dtype != value.dtype:
            return f"{name}: dtype {mine[name].dtype}, not {value.dtype}"
        is_float = value.dtype.kind in "fc"
        tolerance = 1e-4 if value.dtype in (np.float32, np.complex64) else 1e-8
        scale = np.max(np.abs(value), initial=0) if is_float else 0
        if not np.allclose(mine[name], value, rtol=tolerance if is_float else 0, atol=tolerance * scale if is_float else 0, equal_nan=True):
            return f"{name}: differs by {np.max(np.abs(mine[name] - value))} of {scale}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--size", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cold", action="store_true", help="the first time that Pilum's process runs the program")
    parser.add_argument("--cupy", action="store_true")
    parser.add_argument("--launch", default="")
    arguments = parser.parse_args()
    xp = np
    if arguments.cupy:
        import cupy
        xp = cupy
    print(f"seed {arguments.seed}")
    failed = 0
    for name in arguments.names or sorted(PROGRAMS):
        make, run = PROGRAMS[name]
        size = arguments.size or SIZES[name][1 if arguments.large else 0]
        inputs = make(np.random.default_rng(arguments.seed), size)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write_inputs(folder, inputs)
            mine, told = by_pilum(arguments.program, name, folder, 1 if arguments.cold else arguments.rounds,
                                  0 if arguments.cold else 2, arguments.launch)
        if mine is None:
            print(f"{name:24} {size:8}  FAILED {told}", flush=True)
            failed += 1
            continue
        try:
            other_time, other = by_arrays(xp, run, inputs, arguments.rounds)
        except Exception as error:  # what CuPy lacks: Pilum's time alone
            print(f"{name:24} {size:8} {mine[0]:10.3f} ms  (the other: {type(error).__name__}: {error})", flush=True)
            continue
        wrong = difference(mine[1], other)
        failed += wrong is not None
        print(f"{name:24} {size:8} {mine[0]:10.3f} ms {other_time:10.3f} ms {other_time / mine[0]:8.2f} x"
              f"{'' if wrong is None else '  WRONG ' + wrong}{'  ' + told if told else ''}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
