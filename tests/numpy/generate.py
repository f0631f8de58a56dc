#!/usr/bin/env python3
"""Draws calls of NumPy's functions, and writes them with what NumPy gives: generate.py [--seed S] [--count N] FILE.

Ends with 77, "skipped", where there is no NumPy 2 or no SciPy.
"""
import argparse
import os
import random
import sys

try:
    import numpy
    import scipy.special  # noqa: F401
    if int(numpy.__version__.split(".")[0]) < 2:
        raise ImportError(f"NumPy is {numpy.__version__}")
except ImportError as error:
    sys.argv[1:] and os.path.exists(sys.argv[-1]) and os.remove(sys.argv[-1])
    print(f"SKIPPED: the functions are NOT compared with NumPy 2: {error}.\n"
          "quickstart.sh test makes a virtual environment with it where PyPI can be reached.")
    sys.exit(77)

import write
from functions import all_functions


SEED = 20261123  # a run judges what was changed; other seeds are for nights: PILUM_NUMPY_SEED


def draw(seed, number, table):
    function = table[number % len(table)]
    for attempt in range(20):
        case = function.draw_case(random.Random(f"{seed}:{number}:{attempt}"))
        if case is not None:
            return function.name, *case
    return None


def draw_many(task):
    seed, numbers = task
    table, lines = all_functions(), []
    with numpy.errstate(all="ignore"):
        for number in numbers:
            try:
                case = draw(seed, number, table)
            except Exception as error:
                raise RuntimeError(f"case {number}, {table[number % len(table)].name}") from error
            if case is not None:
                lines.append(write.case(number, *case))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(os.environ.get("PILUM_NUMPY_SEED") or SEED))
    parser.add_argument("--count", type=int, default=int(os.environ.get("PILUM_NUMPY_COUNT") or 20_000))
    parser.add_argument("--case", type=int, help="this one alone")
    parser.add_argument("--function", help="this one alone")
    parser.add_argument("file")
    options = parser.parse_args()
    numbers = range(options.count) if options.case is None else [options.case]
    if options.function:
        names = [function.name for function in all_functions()]
        numbers = [number for number in numbers if names[number % len(names)] == options.function]
    tasks = [(options.seed, numbers[k::8]) for k in range(8)]
    if len(numbers) > 1000:
        import multiprocessing
        with multiprocessing.Pool(2) as pool:
            parts = pool.map(draw_many, tasks)
    else:
        parts = map(draw_many, tasks)
    with open(options.file + ".new", "w") as file:
        file.write(f"seed {options.seed}\n" + "".join(part + "\n" for part in parts if part) + "end\n")
    os.replace(options.file + ".new", options.file)
    print(f"NumPy {numpy.__version__}, seed {options.seed}, {len(numbers)} cases")


if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")
    sys.exit(main())
