"""check_outputs.py PROGRAM PAGE: what a page shows below its examples is what they print.

PROGRAM has the page's examples (extract_examples.py). A block without a language that follows an example and shows windows
of tasks is compared with PILUM_PRINT=tasks: its lines must come in this order, others may come between them.
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
    """(example, lines) of every block of tasks below an example."""
    text, names = page.read_text(), {line: name for name, line, _ in examples_of(page)}
    example = None
    for match in BLOCKS.finditer(text):
        if match[1] == "cpp":
            example = names.get(text.count("\n", 0, match.start(2)) + 1)
        elif match[1] == "" and example and re.search(r"^window \d+: \d+ task", match[2], re.MULTILINE):
            yield example, [line for line in PLACE.sub("", match[2]).splitlines() if not line.startswith("$")]
            example = None


def first_missing(lines, printed):
    """The first line that does not come after those before it."""
    rest = iter(printed)
    return next((line for line in lines if line not in rest), None)


def main():
    program, page = sys.argv[1], pathlib.Path(sys.argv[2])
    environment = dict(os.environ, PILUM_PRINT="tasks", PILUM_CPUS="1", PILUM_GPUS="0")
    faults = compared = 0
    for example, lines in shown_below(page):
        run = subprocess.run([program, example], env=environment, capture_output=True, text=True, timeout=60)
        printed = PLACE.sub("", run.stderr).splitlines()
        compared += 1
        missing = first_missing(lines, printed) if run.returncode == 0 else run.stderr
        if missing is not None:
            faults += 1
            print(f"{example}: not printed, or not in this order: {missing}\n" + "\n".join(printed))
    print(f"{compared} outputs compared, {faults} differ")
    return 1 if faults or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
