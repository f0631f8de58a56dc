"""Times of the programs of apps/ and of their NumPy versions, run in turn: ratios of medians as a table.

compare.py BUILD_FOLDER PYTHON [--runs 5] [--small] [NAME...]     PYTHON has NumPy and SciPy
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess

# name: (options of the program, arguments of numpy_apps.py) for arrays of some 100 MB
LARGE = {
    "black_scholes": ("-n 12500000 -i 3", "12500000 3"),
    "cavity": ("-n 3600 -i 2 --sweeps 10", "3600 2 10"),
    "channel": ("-n 3600 -i 2 --sweeps 10", "3600 2 10"),
    "conjugate_gradient": ("-n 3600 -i 10", "3600 10"),
    "gray_scott": ("-n 3600 -i 10", "3600 10"),
    "hidden_layer": ("-n 12500000 -i 3", "12500000 3"),
    "kmeans": ("-n 1600000 -d 8 -k 8 -i 3", "1600000 3 8 8"),
    "logistic_regression": ("-n 400000 -f 32 -i 20", "400000 20 32"),
    "lstm": ("-b 4096 -f 256 -n 768 -i 3", "768 3 4096 256"),
    "mandelbrot": ("-n 3600 -i 20", "3600 20"),
    "monte_carlo_pi": ("-n 12500000 -i 3", "12500000 3"),
    "nbody": ("-n 3600 -i 2", "3600 2"),
}
SMALL = {
    "black_scholes": ("-n 1000 -i 1000", "1000 1000"),
    "cavity": ("-n 41 -i 50", "41 50"),
    "channel": ("-n 41 -i 50", "41 50"),
    "conjugate_gradient": ("-n 64 -i 1000", "64 1000"),
    "gray_scott": ("-n 64 -i 1000", "64 1000"),
    "hidden_layer": ("-n 1000 -i 1000", "1000 1000"),
    "kmeans": ("-n 1000 -d 2 -k 8 -i 200", "1000 200 2 8"),
    "logistic_regression": ("-n 1000 -f 8 -i 1000", "1000 1000 8"),
    "lstm": ("-b 8 -f 16 -n 32 -i 500", "32 500 8 16"),
    "mandelbrot": ("-n 50 -i 500", "50 500"),
    "monte_carlo_pi": ("-n 1000 -i 1000", "1000 1000"),
    "nbody": ("-n 50 -i 300", "50 300"),
}


def seconds(command, environment):
    told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"Elapsed Time: ([\d.]+) ms", told)[1]) / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("python")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="arrays that caches hold, many iterations")
    arguments = parser.parse_args()
    programs = SMALL if arguments.small else LARGE
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    script = pathlib.Path(__file__).parent / "numpy_apps.py"
    print("| program | Pilum | NumPy | NumPy's time over Pilum's | pairs, least .. most |\n|---|---|---|---|---|")
    for name in arguments.names or programs:
        ours, theirs = programs[name]
        commands = ([arguments.build / "apps" / name, *ours.split()], [arguments.python, script, name, *theirs.split()])
        seconds(commands[0], environment)  # so that its kernels are in the cache
        times = [[seconds(command, environment) for command in commands] for _ in range(arguments.runs)]
        ratios = sorted(b / a for a, b in times)
        pilum, numpy = (statistics.median(column) for column in zip(*times))
        print(f"| `{name} {ours}` | {pilum:.3g} s | {numpy:.3g} s | {numpy / pilum:.2f} × | {ratios[0]:.2f} .. {ratios[-1]:.2f} |",
              flush=True)


if __name__ == "__main__":
    main()
