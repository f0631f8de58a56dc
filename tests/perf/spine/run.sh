#!/usr/bin/env bash
# The figures that take several processes, as ratios of interleaved runs; medians of ROUNDS (default 9):
#   run.sh [BUILD_FOLDER] [ROUNDS]
# Two ranks against one with the same cores, 8192²; start to end of jacobi -n 100, without and with cached kernels.
set -euo pipefail
build=$(cd "${1:-build}" && pwd) rounds=${2:-9}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PILUM_CACHE_DIR=$work/kernels

elapsed() {  # PLAUNCH_OPTIONS...: milliseconds that jacobi measures
  "$build/bin/plaunch" "$@" jacobi -n 8192 -i 30 2>/dev/null | sed -n 's/^Elapsed Time: \([0-9.]*\) ms$/\1/p'
}
seconds() {  # COMMAND...: wall time of a process
  local start end
  start=$(date +%s.%N)
  "$@" > /dev/null
  end=$(date +%s.%N)
  echo "$end - $start" | bc -l 2>/dev/null || python3 -c "print($end - $start)"
}
summary() {  # NAME ASKED FILE: median (least .. most)
  sort -g "$3" | awk -v name="$1" -v asked="$2" '{v[NR] = $1} END {
    printf "%-52s %9.3f      (%.3f .. %.3f)  asked: %s\n", name, v[int((NR + 1) / 2)], v[1], v[NR], asked}'
}

elapsed --cpus 2 > /dev/null
for ((i = 0; i < rounds; ++i)); do
  one=$(elapsed --cpus 2)
  two=$(elapsed --cpus 1 --ranks-per-node 2)
  awk "BEGIN {print $one / $two}" >> "$work/ranks"
  two=$(elapsed --cpus 1 --ranks-per-node 2 --transport mpi)
  awk "BEGIN {print $one / $two}" >> "$work/ranks_mpi"
  rm -rf "$PILUM_CACHE_DIR"
  seconds "$build/apps/jacobi" -n 100 >> "$work/cold"
  seconds "$build/apps/jacobi" -n 100 >> "$work/warm"
done
summary "two ranks (ucx), speed / one rank, same cores" ">= 0.95" "$work/ranks"
summary "two ranks (mpi), speed / one rank, same cores" "-" "$work/ranks_mpi"
summary "jacobi -n 100, start to end, no kernel cached, s" "<= 0.4" "$work/cold"
summary "jacobi -n 100, start to end, all cached, s" "<= 0.1" "$work/warm"
