#!/usr/bin/env bash
# A stranger (nobody) plants kernels where root's program keeps its own; the program must not load them. And runs that are
# killed leave nothing that the next run does not remove.
#   stranger_test.sh BUILD_FOLDER PLANT_PROGRAM PLANTED_KERNEL
# Exits with 77 where it cannot be two users.
set -uo pipefail
build=$1 plant=$2 planted=$3
jacobi=$build/apps/jacobi
skip() { echo "skipped: $*"; exit 77; }
failures=0
fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }

((EUID == 0)) || skip "only root can be two users"
command -v setpriv > /dev/null || skip "there is no setpriv"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
as_nobody test -x "$jacobi" || skip "nobody cannot reach $build"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 1777 "$work"
mkdir -m 1777 "$work/tmp"
for name in "${!PILUM_@}"; do unset "$name"; done
# Of a compiler that makes shared objects, whose code runs when they are loaded.
export TMPDIR=$work/tmp PILUM_COMPILER=c++ PILUM_CPUS=1 CCACHE_DISABLE=1 PLANTED_SAYS=$work/said
run() { "$@" "$jacobi" -n 20 -i 2 --checksum; }
result_of() { sed -n '/[Cc]hecksum/p' "$1"; }

PILUM_CACHE_DIR=$work/clean run env > "$work/right" || fail "root's first run"
[[ -n $(result_of "$work/right") ]] || fail "no checksum to compare"

# What nobody's program keeps is replaced by nobody's code, under the right names and seals.
PILUM_CACHE_DIR=$work/theirs run as_nobody > "$work/out" || fail "nobody's first run"
as_nobody "$plant" "$planted" "$work"/theirs/*.kernel || fail "nothing was planted"
PILUM_CACHE_DIR=$work/theirs run as_nobody > "$work/out" 2>&1
[[ $(sort -u "$work/said" 2> /dev/null) == 'user 65534' ]] || fail "planted code does not run at all: nothing is proved"
rm -f "$work/said"

# NAME OF A FOLDER, WHAT IS SAID OF IT
expect_refusal() {
  local before after
  before=$(ls -la "$1" && cat "$1"/*.kernel | cksum)
  PILUM_CACHE_DIR=$1 run timeout 60 > "$work/out" 2> "$work/err" || fail "$1: exit status $?: $(cat "$work/err")"
  [[ ! -e $work/said ]] || fail "$1: planted code ran as $(sort -u "$work/said")"
  rm -f "$work/said"
  [[ $(result_of "$work/out") == "$(result_of "$work/right")" ]] || fail "$1: another result: $(cat "$work/out")"
  [[ $(grep -c 'cannot use the cache folder' "$work/err") == 1 ]] || fail "$1: not told once: $(cat "$work/err")"
  grep -q "$2" "$work/err" || fail "$1: the warning does not say '$2': $(cat "$work/err")"
  after=$(ls -la "$1" && cat "$1"/*.kernel | cksum)
  [[ $before == "$after" ]] || fail "$1 has changed: $before, $after"
  [[ -z $(ls -A "$TMPDIR") ]] || fail "$1: left in TMPDIR: $(ls -A "$TMPDIR")"
}
expect_refusal "$work/theirs" 'belongs to user 65534, and user 0 runs this'
for mode in 0777 1777 0770 2775; do
  mkdir "$work/mode$mode"
  chown 0:65534 "$work/mode$mode"
  chmod $mode "$work/mode$mode"
  as_nobody cp "$work"/theirs/*.kernel "$work/mode$mode" || fail "nothing was planted in mode$mode"
  expect_refusal "$work/mode$mode" "can be written by others (mode $mode)"
done
as_nobody ln -s "$work/clean" "$work/link"
expect_refusal "$work/link" "link' belongs to user 65534"

# As `sudo -E`: HOME is nobody's.
as_nobody mkdir -p "$work/home/.cache/pilum"
as_nobody cp "$work"/theirs/*.kernel "$work/home/.cache/pilum"
(unset XDG_CACHE_HOME; HOME=$work/home run env) > "$work/out" 2> "$work/err" || fail "HOME of nobody: $(cat "$work/err")"
[[ ! -e $work/said ]] || fail "HOME of nobody: planted code ran"

# Root's folder is not nobody's.
PILUM_CACHE_DIR=$work/clean run as_nobody > "$work/out" 2> "$work/err" || fail "nobody, root's folder: $(cat "$work/err")"
grep -q "clean'" "$work/err" || fail "nobody is not told that root's folder is not used: $(cat "$work/err")"

# Killed at any time.
for ((kill = 0; kill < 8; ++kill)); do
  rm -f "$work"/killed/*.kernel
  PILUM_CACHE_DIR=$work/killed run timeout -s KILL "0.0$((kill * 12 + 5))" > /dev/null 2>&1
done
rm -f "$work"/killed/*.kernel
sleep 0.5  # compilers outlive who called them
PILUM_CACHE_DIR=$work/killed run env > "$work/out" || fail "after the killed runs"
[[ -z $(ls -A "$work/killed" | grep -v '\.kernel$') ]] || fail "killed runs left $(ls -AR "$work/killed")"
[[ -z $(ls -A "$TMPDIR") ]] || fail "killed runs left in TMPDIR $(ls -A "$TMPDIR")"

((failures == 0)) && echo 'passed'
exit $((failures > 0))
