"""Runs clang-tidy over sources; see tidy.sh, which finds it.

Most of clang-tidy's time goes into the system's headers, so sources of one target are looked at together: a unit includes
some of them, as a unity build does. A unit that does not compile (two sources of it have the same name for two things) is
looked at source by source.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("apps", "include", "launcher", "numeric", "partitioner", "runtime", "scheduler", "tests")
UNIT = 8  # sources
# Units of a run without arguments: because they were changed last, and with those whose turn it is. One takes some 15 to
# 35 s of a core.
NEWEST = 1
MOST = 2

FINDING = re.compile(r"^(/[^:]+):(\d+):(\d+): (warning|error): (.*) \[([\w.,-]+)\]$")


def git(*arguments):
    """Nothing without a history, as in an archive of the sources."""
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def is_ours(name):
    path = ROOT / name
    return (
        name.split("/")[0] in FOLDERS
        and path.suffix in (".cc", ".h")
        and "/fortran/" not in name
        and "/npbench/programs/" not in name  # as their users write them, with the names of their papers
        and path.is_file()
        and not re.search(r"Written by .*generate\.py|^#include <omp\.h>", path.read_text(), re.MULTILINE)  # OpenMP is GCC's
    )


def all_sources():
    """Every source and header, by name."""
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".cc", ".h"))
    return sorted(name for name in (str(path.relative_to(ROOT)) for path in found) if is_ours(name))


def changed_since(commit):
    """Names of what differs, sources or not."""
    return git("diff", "--name-only", commit).splitlines() + git("ls-files", "-o", "--exclude-standard").splitlines()


def sources_of(names):
    """Those of ours, each once, in order."""
    return [name for name in dict.fromkeys(names) if is_ours(name)]


def take(names, commands, units):
    """The first of these names that make so many units."""
    chosen = []
    for name in names:
        if len(units_of([*chosen, name], commands)[0]) > units:
            break
        chosen.append(name)
    return chosen


def share(names, commit):
    """In another order with each commit."""
    return sorted(names, key=lambda name: hashlib.sha256((commit + name).encode()).digest())


def choose(commands):
    """What is not committed, then what the last commits changed; and a share of the rest."""
    history = sources_of(changed_since("HEAD") + git("log", "--name-only", "--format=").splitlines())
    newest = take(history, commands, NEWEST)
    rest = [name for name in all_sources() if name not in newest]
    return take(newest + share(rest, git("rev-parse", "HEAD")), commands, MOST)


def members_of(source):
    """The sources that one of cmake's units includes, of tests or of a unity build; of another source, itself."""
    if source.parent.name not in ("units", "Unity"):
        return [source.resolve()]
    return [(ROOT / name).resolve() for name in re.findall(r'^#include "(.*)"$', source.read_text(), re.MULTILINE)]


class Commands:
    """How each source is compiled."""

    def __init__(self, build):
        self.flags = {}
        self.users = {}  # of a header: the sources that include it
        for entry in json.loads((build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            words = words[: words.index("-o")] + words[words.index("-o") + 2 :]
            words = [word for word in words if word not in ("-c", entry["file"])]
            for source in members_of(pathlib.Path(entry["directory"], entry["file"])):
                name = str(source.relative_to(ROOT)) if source.is_relative_to(ROOT) else ""
                if not is_ours(name):
                    continue
                self.flags.setdefault(name, (entry["directory"], tuple(words)))
                for included in re.findall(r'^#include ["<]([^">]*)[">]', source.read_text(), re.MULTILINE):
                    self.users.setdefault("include/" * included.startswith("pilum/") + included, []).append(name)

    def of(self, name):
        """A header is compiled as a source that includes it is."""
        if name.endswith(".cc"):
            return self.flags.get(name)
        users = self.users.get(name, []) or [user for user in self.flags if user.split("/")[0] == name.split("/")[0]]
        return self.flags[min(users)] if users else None


def units_of(names, commands):
    """Lists of sources that are compiled alike, tests apart (they have checks of their own), and those that this build
    does not compile."""
    alike, absent = {}, []
    for name in sorted(names):
        if any(user in names for user in commands.users.get(name, [])):
            continue  # a header is looked at with a source that includes it
        flags = commands.of(name)
        if flags:
            alike.setdefault((flags, name.startswith("tests/")), []).append(name)
        else:
            absent.append(name)
    units = []
    for (flags, _), members in alike.items():
        units += [(flags, members[at : at + UNIT]) for at in range(0, len(members), UNIT)]
    return units, absent


class Tidy:
    def __init__(self, program, folder, extra):
        self.program, self.folder, self.extra = program, folder, extra
        shutil.copy(ROOT / ".clang-tidy", folder)  # as in the tree: that of tests inherits that of the folder above

    def look_at(self, number, unit):
        """What is found in a unit: {place and check: text}."""
        (directory, words), members = unit
        text = self.run(f"unit{number}", directory, words, members)
        if "[clang-diagnostic-error]" in text and len(members) > 1:
            text = "".join(
                self.run(f"unit{number}_{at}", directory, words, [member]) for at, member in enumerate(members)
            )
        return findings_of(text)

    def run(self, label, directory, words, members):
        place = self.folder / label
        place.mkdir(exist_ok=True)
        source = place / "unit.cc"
        source.write_text("".join(f'#include "{ROOT / name}"\n' for name in members))
        command = [*words, "-Wno-ignored-gch", "-c", str(source)]  # a precompiled header of another compiler
        entry = {"directory": directory, "file": str(source), "arguments": command}
        (place / "compile_commands.json").write_text(json.dumps([entry]))
        if members[0].startswith("tests/"):
            shutil.copy(ROOT / "tests" / ".clang-tidy", place)
        done = subprocess.run(
            [self.program, "--quiet", "-p", str(place), *self.extra, str(source)],
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 1):
            return f"{source}:1:1: error: clang-tidy ends with {done.returncode}: {done.stderr[-2000:]} [clang-tidy]\n"
        return done.stdout


def findings_of(text):
    found, key = {}, None
    for line in text.splitlines():
        match = FINDING.match(line)
        if match and match[4] == "warning" and not pathlib.Path(match[1]).is_relative_to(ROOT):
            key = None  # what a library's header makes of itself; an error is one of ours
        elif match:
            path = match[1].removeprefix(str(ROOT) + "/")
            key = (path, int(match[2]), int(match[3]), match[6])
            line = f"{path}:{match[2]}:{match[3]}: {match[5]} [{match[6]}]"
            found[key] = []
        if key:
            found[key].append(line)
    return {key: "\n".join(lines) for key, lines in found.items()}


def main():
    parser = argparse.ArgumentParser(prog="tidy.sh", description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="every source")
    which.add_argument("--since", metavar="COMMIT", help="what differs from COMMIT")
    parser.add_argument("files", nargs="*", metavar="FILE", help="these, or those in these folders")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where compile_commands.json is")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--checks", help="as clang-tidy's: instead of the project's own list")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()

    commands = Commands(options.build)
    if options.files:
        asked = tuple(str(pathlib.Path(file).resolve().relative_to(ROOT)) for file in options.files)
        names = [name for name in all_sources() if name in asked or name.startswith(tuple(each + "/" for each in asked))]
        if not names:
            parser.error(f"there is no source among {' '.join(options.files)}")
    elif options.all:
        names = all_sources()
    elif options.since:
        if not git("rev-parse", "--verify", options.since + "^{commit}"):
            parser.error(f"there is no commit {options.since}")
        names = sources_of(changed_since(options.since))
    else:
        names = choose(commands)

    units, absent = units_of(names, commands)
    extra = [f"--checks={options.checks}"] if options.checks else []
    found = {}
    with (
        tempfile.TemporaryDirectory(prefix="tidy", dir=options.build) as folder,  # its own: several may run at once
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
    ):
        tidy = Tidy(options.program, pathlib.Path(folder).resolve(), extra)
        for result in pool.map(lambda numbered: tidy.look_at(*numbered), enumerate(units)):
            for key, text in sorted(result.items()):
                if key not in found:  # in a header, of another unit too
                    print(text, flush=True)
            found.update(result)
    print(f"{len(names) - len(absent)} sources in {len(units)} units, {len(found)} findings", end="")
    print(f"; not in this build: {' '.join(absent)}" if absent else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
