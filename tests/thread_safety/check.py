#!/usr/bin/env python3
"""Whether what locks guard is touched with them held: check.py SOURCES BUILD.

Has clang look at every source of the rooms below, compiled as the build compiles them, and refuses what
-Wthread-safety reports, and members of the standard library's mutexes, which clang does not see through. Then at
locks.cc beside this file, which has a mistake of each kind: each must be refused.
Without clang 19 the exit status is 77, "skipped", but for CI, where it is a failure.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOMS = ["runtime/comm/", "runtime/device/", "scheduler/execute/"]
CHECKS = ["-fsyntax-only", "-Wthread-safety", "-Wthread-safety-beta", "-Werror=thread-safety",
          "-Werror=thread-safety-beta", "-Wno-unknown-warning-option", "-Qunused-arguments"]
MISTAKES = 10
TOGETHER = 8  # sources that clang reads as one: what they include takes most of its time
PLAIN = re.compile(r"\bstd::(recursive_|timed_|shared_)?(mutex|condition_variable\w*|lock_guard|unique_lock|scoped_lock|shared_lock)\b")


def find_clang():
    for name in [os.environ.get("PILUM_CLANG", ""), "clang++-19", "clang++"]:
        path = shutil.which(name) if name else None
        if path and "version 19." in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
            return path
    return None


def flags_of(entry):
    """What a compiler of the build is told, but for what it writes, its warnings and what only g++ knows."""
    words = shlex.split(entry["command"]) if "command" in entry else entry["arguments"]
    start = next(i for i, word in enumerate(words) if re.fullmatch(r"(.*-)?(c|g|clang)\+\+(-[\d.]+)?", os.path.basename(word)))
    flags, skip = [], False
    for word in words[start + 1:]:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT", "-MQ"):
            skip = True
        elif word in ("-c", "-MD", "-MMD", "-fpch-preprocess", entry["file"]) or word.startswith("-W"):
            pass
        else:
            flags.append(word)
    return flags


def members_of(path, root):
    """The sources of one of a unity build's units, cmake's or ours; of another source, itself."""
    if path.parent.name not in ("units", "Unity"):
        return [path.resolve()]
    return [(root / name).resolve() for name in re.findall(r'^#include "(.*)"$', path.read_text(), re.MULTILINE)]


def check(clang, flags, source, folder):
    """What clang refuses of it; empty: nothing."""
    run = subprocess.run([clang, *flags, *CHECKS, str(source)], capture_output=True, text=True, cwd=folder)
    return "" if run.returncode == 0 else run.stderr or f"clang ended with {run.returncode}"


def groups_of(entries):
    """Sources that are compiled alike, up to TOGETHER of them a group."""
    alike = {}
    for path, entry in entries.items():
        alike.setdefault((entry["directory"], *flags_of(entry)), []).append(path)
    return [(folder, flags, paths[start:start + TOGETHER])
            for (folder, *flags), paths in alike.items() for start in range(0, len(paths), TOGETHER)]


def check_together(clang, flags, paths, folder):
    """What clang refuses of them. Where it refuses the whole, each is looked at by itself: names may have clashed."""
    with tempfile.TemporaryDirectory() as place:
        unit = Path(place, "unit.cc")
        unit.write_text("".join(f'#include "{path}"\n' for path in paths))
        if not check(clang, flags, unit, folder):
            return ""
    return "\n".join(filter(None, (check(clang, flags, path, folder) for path in paths)))


def main():
    root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    clang = find_clang()
    if not clang:
        print("there is no clang++-19, so what locks guard is not checked: install clang-19, as ./quickstart.sh does")
        return 1 if os.environ.get("CI") else 77
    commands = build / "compile_commands.json"
    entries = {}
    for entry in json.loads(commands.read_text()):
        for path in members_of(Path(entry["directory"], entry["file"]), root):
            if path.is_relative_to(root) and str(path.relative_to(root)).startswith(tuple(ROOMS)):
                entries.setdefault(path, entry)
    faults = [f"no source of {room} is in {commands}" for room in ROOMS
              if not any(str(path.relative_to(root)).startswith(room) for path in entries)]
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if PLAIN.search(line.split("//")[0]):
                    faults.append(f"{path.relative_to(root)}:{number}: clang does not see this lock: "
                                  f"take those of runtime/base/mutex.h")
    locks = Path(__file__).resolve().parent / "locks.cc"
    own = ["-x", "c++", "-std=c++20", f"-I{root}", f"-I{root / 'include'}"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        sources = [pool.submit(check_together, clang, flags, paths, folder)
                   for folder, flags, paths in groups_of(entries)]
        mistakes = {number: pool.submit(check, clang, [*own, f"-DMISTAKE={number}"], locks, root)
                    for number in range(MISTAKES + 1)}
    faults += [result.result() for result in sources if result.result()]
    if mistakes[0].result():
        faults.append("locks.cc has no mistake, and is refused:\n" + mistakes[0].result())
    for number in range(1, MISTAKES + 1):
        said = mistakes[number].result()
        if "-Wthread-safety" not in said or said.count("error:") < 1:
            faults.append(f"mistake {number} of locks.cc is not refused: {said or 'clang says nothing'}")
    print("\n".join(faults) if faults else
          f"{len(entries)} sources are as their locks say, {MISTAKES} mistakes are refused")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
