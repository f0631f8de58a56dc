#!/usr/bin/env python3
"""Every function of the public headers is in docs/numpy.md, and every one that NumPy can judge is in the suite:
covered.py SOURCES RUN_CASES."""
import pathlib
import re
import subprocess
import sys

HEADERS = "bins.h creation.h fft.h functions.h linalg.h manipulation.h math.h polynomials.h scan.h sets.h sort.h statistics.h windows.h".split()
# Of what these have nothing is drawn: it has tests of its own (tests/numeric/io_test.cc).
NOT_DRAWN = ["io.h"]
# Words for others, and what no call of NumPy's is like.
SAME = {"all_cells": "all"}


def declared(text):
    """Names of functions at the left margin, outside of `detail`."""
    text = re.sub(r"namespace detail \{.*?\n\}  // namespace detail", "", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    found = re.findall(r"^(?:PILUM_API |inline )*(?:Array|bool|std::pair<Array, Array>|std::vector<Array>|QR|SVD|Unique|Eigen|LeastSquares) (\w+)\(", text,
                       re.M)
    return {SAME.get(name, name) for name in found} - {"operator"}


def main():
    sources, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    names = set()
    folder = sources / "include/pilum"
    for path in sorted(folder.glob("*.h")):
        if path.name in HEADERS or path.name.split("_")[0] in ("creation", "manipulation", "statistics"):
            names |= declared(path.read_text())
    of_page = set(names)
    for name in NOT_DRAWN:
        of_page |= set(re.findall(r"^PILUM_API (?:Array|void) (\w+)\(", (folder / name).read_text(), re.M))
    page = (sources / "docs/numpy.md").read_text()
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", page))))
    called = set(subprocess.run([program, "--functions"], capture_output=True, text=True, check=True).stdout.split())
    sys.path.insert(0, str(sources / "tests/numpy"))
    lost = [f"docs/numpy.md does not name {name}" for name in sorted(of_page - words)]
    lost += [f"tests/numpy calls no {name}" for name in sorted(names - called)]
    try:
        from functions import all_functions
        drawn = {function.name for function in all_functions()}
        lost += [f"tests/numpy draws no {name}" for name in sorted(called - drawn)]
        lost += [f"tests/numpy draws {name}, which it cannot call" for name in sorted(drawn - called)]
    except ImportError as error:
        print(f"what is drawn is not looked at: {error}")
    if len(names) < 100:
        lost.append(f"only {len(names)} functions were found in the headers")
    print(*lost or [f"{len(names)} functions"], sep="\n")
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main())
