#!/usr/bin/env python3
"""Runs programs of which one rank does something else, and judges how the job ends.

  faults.py BUILD --count 300                      real ranks: 2 and 3, over ucx and mpi, by plaunch and by mpirun
  faults.py BUILD --count 5000 --simulated         threads as ranks: thousands a minute
  faults.py BUILD --seed 7 --count 1 --kind stop   a printed seed again; one kind of mutation

Prints a table of kinds and outcomes, and for each bad outcome a command that shows it again. Exit status 1 if there is one.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PER_PROGRAM = 8   # mutations of one program: its kernels are compiled once, its reference runs once
BOUND = 5.0       # seconds from the first call that differs to the job's end
HANG = 14.0       # after these a run is killed

GOOD = ["told", "told_later", "own_error", "named", "stall_told", "no_effect", "sampled"]
BAD = ["incomplete", "sizes", "other", "crash", "late", "hang", "silent_wrong", "unnoticed", "false_alarm"]
STALLS = ("stop", "endless")
ENDINGS = {"throw", "exit", "quick_exit", "kill", "return", "returns_before", "never_starts"}

Run = collections.namedtuple("Run", "status seconds errors seen texts killed")


class Machine:
    """What one program's runs have in common."""

    def __init__(self, dice, simulated):
        self.program = dice.randrange(1, 10**9)
        self.ranks = dice.choice([2, 3])
        self.extent, self.split = dice.choice([(30, 64), (30, 64), (41, 128), (300, 64), (300, 1024), (9001, 4096), (40000, 0)])
        self.two_axes = dice.random() < 0.35
        self.window = dice.choice([0, 0, 1, 3, 20])
        self.transport = "simulated" if simulated else dice.choice(["ucx", "mpi"])
        self.starter = "mpirun" if not simulated and dice.random() < 0.25 else "plaunch"
        self.cores = 2 if dice.random() < 0.2 else 1
        self.plans = dice.choice(["", "", "0", "2"])

    def shape(self):
        return ["--extent", str(self.extent)] + (["--two-axes"] if self.two_axes else [])

    def variables(self):
        variables = {"PILUM_TRANSPORT": self.transport}
        if self.plans:
            variables["PILUM_PLAN_CACHE"] = self.plans
        if self.starter == "mpirun":  # what plaunch sets
            variables.update(PILUM_CPUS=str(self.cores), PILUM_OVERSUBSCRIBE="1", PMIX_MCA_gds="hash")
        if self.split:
            variables["PILUM_SPLIT_BYTES"] = str(self.split)
        if self.window:
            variables["PILUM_WINDOW"] = str(self.window)
        return variables


class Starter:
    """Starts runs of real processes."""

    simulated = False

    def __init__(self, build):
        self.build = build
        self.program = os.path.join(build, "tests/faults/fault_program")
        self.mpirun = shutil.which("mpirun")

    def command(self, machine, mutation, rank, kind, report=None):
        words = [self.program, str(machine.program), str(mutation), str(rank)] + ([kind] if kind else []) + machine.shape()
        if report:
            words += ["--report", report]
        if machine.starter == "mpirun" and self.mpirun:
            return [self.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(machine.ranks)] + words
        return [os.path.join(self.build, "bin/plaunch"), "--ranks-per-node", str(machine.ranks), "--cpus",
                str(machine.cores), "--oversubscribe"] + words

    def shown(self, machine, mutation, rank, kind):
        variables = " ".join(f"{name}={value}" for name, value in machine.variables().items())
        return variables + " " + " ".join(self.command(machine, mutation, rank, kind))

    def run(self, machine, mutation, rank, kind, report):
        environment = {**os.environ, **machine.variables()}
        with open(report + ".out", "wb") as out, open(report + ".err", "wb") as err:
            begin = time.monotonic()
            process = subprocess.Popen(self.command(machine, mutation, rank, kind, report), stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err, env=environment, start_new_session=True)
            try:
                status = process.wait(HANG + (26 if kind in STALLS else 0))
                end, killed = time.monotonic(), False
            except subprocess.TimeoutExpired:
                status, end, killed = 137, time.monotonic(), True
                end_processes(process, report)
        begin = float(read(report + ".mutated") or begin)
        return Run(status, end - begin, read(report + ".err"), read(report + ".out"),
                   [read(f"{report}.{k}") for k in range(machine.ranks)], killed)

    def list(self, machine, first, last, kind):
        words = [self.program, "--list", str(machine.program), f"{first}:{last}"] + ([kind] if kind else []) + machine.shape()
        return parse_list(words)


class Simulation:
    """Starts runs of simulated ranks; each thread of this program has a process that forks them."""

    simulated = True

    def __init__(self, build):
        self.program = os.path.join(build, "tests/faults/simulated_faults")
        self.own = threading.local()

    def line(self, machine, mutation, rank, kind, report):
        return " ".join([str(int(HANG)), str(machine.ranks), str(machine.split), str(machine.window), str(machine.program),
                         str(mutation), str(rank)] + ([kind] if kind else []) + machine.shape() + ["--report", report])

    def shown(self, machine, mutation, rank, kind):
        return f"echo {self.line(machine, mutation, rank, kind, '/tmp/fault')} | {self.program}; cat /tmp/fault.err"

    def run(self, machine, mutation, rank, kind, report):
        if not hasattr(self.own, "process"):
            self.own.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.own.process.stdin.write(self.line(machine, mutation, rank, kind, report) + "\n")
        self.own.process.stdin.flush()
        status, seconds = self.own.process.stdout.readline().split()
        return Run(int(status), float(seconds), read(report + ".err"), read(report + ".out"),
                   [read(f"{report}.{k}") for k in range(machine.ranks)], status == "137")

    def list(self, machine, first, last, kind):
        return parse_list([self.program, "--list", str(machine.program), f"{first}:{last}"] + ([kind] if kind else []) +
                          machine.shape())


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def parse_list(words):
    output = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def end_processes(process, report):
    """The starter first, which ends its ranks; then what still runs with this report's name on its command line."""
    process.terminate()
    try:
        process.wait(6)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (report + "\0").encode() in read_bytes(f"/proc/{entry}/cmdline"):
            os.kill(int(entry), signal.SIGKILL)


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def judge(run, reference, mutation, rank, kind):
    """One of GOOD or BAD."""
    differs = "first" in mutation or kind in ENDINGS or kind == "setting"
    errors = run.errors
    if kind in STALLS:  # that is reported, and lasts unless --stall-abort ends it
        return "stall_told" if re.search(rf"rank {rank}\b.*(recorded no operation|last call|stall|does not answer)", errors) else "hang"
    if run.killed:
        return "hang"
    if run.status == 0 and mutation.get("sampled"):
        return "sampled"
    if run.status == 0:
        if run.texts != reference.texts:
            return "silent_wrong"
        return "unnoticed" if differs else "no_effect"
    if not differs:
        return "false_alarm"
    if run.seconds > BOUND:
        return "late"
    if re.search(r"different calls|diverge", errors):
        return judge_divergence(errors, mutation, rank)
    if kind == "setting":
        return "told" if mutation["setting"] in errors and f"rank {rank}" in errors else "other"
    if re.search(r"Segmentation|terminate called|PILUM_CHECK|internal error|signal (6|11)\b", errors) or run.status in (134, 139):
        return "crash"
    if kind in ENDINGS and re.search(rf"rank {rank}\b|Process name: \[\[\d+,1\],{rank}\]", errors):
        return "named"
    if re.search(rf"rank {rank}( \(mutated\))?: (uncaught exception: )?\[.*Called at \S*run\.cc:\d+", errors):
        return "own_error"
    if re.search(r"bytes|size|truncat", errors, re.IGNORECASE):
        return "sizes"
    return "other"


def judge_divergence(errors, mutation, rank):
    """Complete: a number, two ranks, and a source line for each, or that one of them has come to its end."""
    lines = [int(line) for line in re.findall(r"run\.cc:(\d+)", errors)]
    ends = re.search(r"~Runtime|the end|has ended|returned|left", errors)
    ranks = set(re.findall(r"rank (\d+)", errors))
    if not re.search(r"number \d+", errors) or len(ranks) < 2 or len(lines) < (1 if ends else 2):
        return "incomplete"
    if "lines" not in mutation:
        return "told"
    # "…run.cc:193 on rank 0": the changed rank's line is its first other call's, the others' is that of the call in its place.
    theirs, own = mutation["lines"]
    said = {int(who): int(line) for line, who in re.findall(r"run\.cc:(\d+) on rank (\d+)", errors)}
    is_first = all(line == (own if who == rank else theirs) for who, line in said.items()) if said else {theirs, own} & set(lines)
    return "told" if is_first else "told_later"


class Table:
    def __init__(self):
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.kinds = collections.Counter()
        self.printed = []   # rank 0 showed what the program does not print
        self.bad = []
        self.slowest = 0.0

    def add(self, kind, outcome, run, shown, what, printed_wrong):
        with self.lock:
            self.kinds[kind] += 1
            self.counts[kind, outcome] += 1
            if outcome in ("told", "told_later"):
                self.slowest = max(self.slowest, run.seconds)
            if printed_wrong:
                self.printed.append((kind, what, shown))
            if outcome in BAD:
                self.bad.append((outcome, kind, what, shown, run))
                last = (run.errors.strip().splitlines() or [""])[-1]
                print(f"{outcome}: {kind}: {what}\n    {shown}\n    status {run.status} after {run.seconds:.1f} s: {last[:300]}",
                      flush=True)

    def text(self):
        outcomes = [outcome for outcome in GOOD + BAD if any(self.counts[kind, outcome] for kind in self.kinds)]
        rows = ["| mutation | runs | " + " | ".join(outcomes) + " |", "|---" * (len(outcomes) + 2) + "|"]
        for kind in sorted(self.kinds):
            cells = [str(self.counts[kind, outcome] or "") for outcome in outcomes]
            rows.append(f"| {kind} | {self.kinds[kind]} | " + " | ".join(cells) + " |")
        sums = [sum(self.counts[kind, outcome] for kind in self.kinds) for outcome in outcomes]
        rows.append(f"| **all** | {sum(self.kinds.values())} | " + " | ".join(map(str, sums)) + " |")
        return "\n".join(rows)


def run_program(starter, machine, rounds, kind, seed, folder, table):
    reference_path = os.path.join(folder, f"{seed}.reference")
    reference = starter.run(machine, 0, 0, "", reference_path)
    ended = "late" if reference.seconds > BOUND else "no_effect"  # programs of some 200 small calls take milliseconds
    table.add("none", ended if reference.status == 0 else "false_alarm", reference, starter.shown(machine, 0, 0, ""),
              "nothing is changed", False)
    if reference.status != 0:
        return
    dice = random.Random(seed)
    first = dice.randrange(1, 10**9)
    for mutation in starter.list(machine, first, first + rounds - 1, kind):
        rank = dice.randrange(machine.ranks)
        drawn = mutation["kind"]
        is_as_before = drawn == "setting" and machine.variables().get(mutation["setting"]) == mutation["value"]
        if drawn == "none" or is_as_before:
            continue
        report = os.path.join(folder, f"{seed}.{mutation['mutation']}")
        run = starter.run(machine, mutation["mutation"], rank, kind, report)
        outcome = judge(run, reference, mutation, rank, drawn)
        # What is sampled is allowed to be missed, and then all of the output follows from other bytes.
        missed = outcome in ("silent_wrong", "unnoticed", "sampled")
        printed_wrong = not missed and not reference.seen.startswith(run.seen)
        table.add(drawn, outcome, run, starter.shown(machine, mutation["mutation"], rank, kind), mutation["what"], printed_wrong)
        for name in os.listdir(folder):
            if name.startswith(os.path.basename(report)):
                os.unlink(os.path.join(folder, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("PILUM_FAULTS_SEED", "0")))
    parser.add_argument("--kind", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--until", type=float, default=0, help="no program is begun after so many seconds")
    arguments = parser.parse_args()
    seed = arguments.seed or random.SystemRandom().randrange(1, 10**6)
    print(f"seed {seed}, {arguments.count} mutations", flush=True)
    build = os.path.abspath(arguments.build)
    starter = Simulation(build) if arguments.simulated else Starter(build)
    table = Table()
    begin = time.monotonic()
    # Programs, with how many mutations each has.
    each = 1 if arguments.kind in STALLS else PER_PROGRAM
    todo = [(seed + k, min(each, arguments.count - k * each)) for k in range((arguments.count + each - 1) // each)]
    todo.reverse()
    lock = threading.Lock()
    failures = []

    def work(folder):
        while True:
            with lock:
                if not todo or (arguments.until and time.monotonic() - begin > arguments.until):
                    return
                own_seed, rounds = todo.pop()
            try:
                machine = Machine(random.Random(own_seed), arguments.simulated)
                run_program(starter, machine, rounds, arguments.kind, own_seed, folder, table)
            except Exception as error:  # a mistake of this program
                failures.append(f"seed {own_seed}: {error!r}")

    with tempfile.TemporaryDirectory(prefix="pilum-faults-") as folder:
        threads = [threading.Thread(target=work, args=(folder,)) for _ in range(arguments.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(table.text())
    left = sum(rounds for _, rounds in todo)
    print(f"{time.monotonic() - begin:.0f} s; slowest told divergence {table.slowest:.2f} s; {len(table.printed)} runs printed "
          f"what the program does not; {left} mutations not begun")
    for kind, what, shown in table.printed[:10]:
        print(f"printed wrong: {kind}: {what}\n    {shown}")
    for failure in failures:
        print("driver:", failure)
    return 1 if table.bad or table.printed or failures or left else 0


if __name__ == "__main__":
    sys.exit(main())
