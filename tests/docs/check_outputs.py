"""check_outputs.py PROGRAM PAGE: what a page shows below its examples is what they print.

PROGRAM has the page's examples (extract_examples.py). A block without a language that follows an example and shows windows
of tasks is compared with PILUM_PRINT=tasks, one of groups with PILUM_PRINT=fusion: its lines must come in this order, others
may come between them. In a block of groups program.cc:3 is the example's third line.
"""
import os
import pathlib
import re
import subprocess
import sys

from extract_examples import examples_of

BLOCKS = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"  # .*$", re.MULTILINE)  # the program's name and line


def shown_below(page):
    """(example, its first line in the page, what is printed, lines) of every block of tasks or groups below an example."""
    text, names = page.read_text(), {line: name for name, line, _ in examples_of(page)}
    example = first = None
    for match in BLOCKS.finditer(text):
        if match[1] == "cpp":
            first = text.count("\n", 0, match.start(2)) + 1
            example = names.get(first)
        elif match[1] == "" and example and (kind := re.search(r"^window \d+: \d+ (task|group)", match[2], re.MULTILINE)):
            stage = {"task": "tasks", "group": "fusion"}[kind[1]]
            yield example, first, stage, [line for line in PLACE.sub("", match[2]).splitlines() if not line.startswith("$")]
            example = None


def first_missing(lines, printed):
    """The first line that does not come after those before it."""
    rest = iter(printed)
    return next((line for line in lines if line not in rest), None)


def as_program(text, page, first):
    """Places in the page as places in a program of the example alone."""
    return re.sub(re.escape(page) + r":(\d+)", lambda place: f"program.cc:{int(place[1]) - first + 1}", text)


def main():
    program, page = sys.argv[1], pathlib.Path(sys.argv[2])
    faults = compared = 0
    for example, first, stage, lines in shown_below(page):
        environment = dict(os.environ, PILUM_PRINT=stage, PILUM_CPUS="1", PILUM_GPUS="0")
        run = subprocess.run([program, example], env=environment, capture_output=True, text=True, timeout=60)
        printed = as_program(PLACE.sub("", run.stderr), page.name, first).splitlines()
        compared += 1
        missing = first_missing(lines, printed) if run.returncode == 0 else run.stderr
        if missing is not None:
            faults += 1
            print(f"{example}: not printed, or not in this order: {missing}\n" + "\n".join(printed))
    print(f"{compared} outputs compared, {faults} differ")
    return 1 if faults or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
