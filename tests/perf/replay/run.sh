#!/usr/bin/env bash
# Tasks of the runtime beside the same patterns as plain MPI, in turn, on two cores of this machine; medians and spread of
# ROUNDS (default 9), as a markdown table. Then what a first run of a small jacobi takes, and an idle rank.
#   run.sh [BUILD_FOLDER] [ROUNDS]
set -uo pipefail
source_folder=$(cd "$(dirname "$0")/../../.." && pwd)
build=$(cd "${1:-$source_folder/build}" && pwd) || exit 1
rounds=${2:-9}
for name in "${!PILUM_@}"; do unset "$name"; done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMIX_MCA_gds=hash
for program in apps/metg apps/metg_mpi apps/jacobi; do
  [[ -x $build/$program ]] || { echo "run.sh: $build/$program is not built" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mpi() { mpirun --oversubscribe --bind-to none -n 2 "$@"; }
granularity() {  # of metg's JSON line, in microseconds
  sed -n 's/.*"metg": \([0-9.e+-]*\).*/\1/p' | awk '{printf "%.4f\n", $1 * 1e6}'
}
median() { sort -g | awk '{v[NR] = $1} END {printf "%.3f (%.3f .. %.3f)", v[int((NR + 1) / 2)], v[1], v[NR]}'; }
ratios() { paste "$1" "$2" | awk '$2 > 0 {printf "%.4f\n", $1 / $2}'; }

echo '| METG(50 %), µs | MPI, 2 ranks | one process, 2 cores | ratio | asked | 2 ranks of a core | ratio | asked |'
echo '|---|---|---|---|---|---|---|---|'
row() {  # NAME ASKED ASKED OPTIONS...
  local name=$1 one=$2 ranks=$3
  shift 3
  rm -f "$work"/{mpi,one,ranks}
  for ((round = 0; round < rounds; ++round)); do
    mpi "$build/apps/metg_mpi" "$@" --metg --json | granularity >> "$work/mpi"
    PILUM_CPUS=2 "$build/apps/metg" "$@" --metg --json | granularity >> "$work/one"
    PILUM_CPUS=1 mpi "$build/apps/metg" "$@" --metg --json | granularity >> "$work/ranks"
  done
  echo "| $name | $(median < "$work/mpi") | $(median < "$work/one") | $(ratios "$work/one" "$work/mpi" | median) | $one |" \
       "$(median < "$work/ranks") | $(ratios "$work/ranks" "$work/mpi" | median) | $ranks |"
}
row 'stencil_1d, width 2' '≤ 2' '≤ 3' --pattern stencil_1d --width 2
row 'nearest, radix 5, width 8' '≤ 3' '≤ 3' --pattern nearest --radix 5 --width 8

for ((round = 0; round < rounds; ++round)); do
  PILUM_CPUS=1 "$build/apps/jacobi" -n 100 -i 100 | sed -n 's/^Elapsed Time: \([0-9.]*\) ms$/\1/p'
done > "$work/jacobi"
echo
echo "jacobi -n 100 -i 100 on one core, a fresh process: $(median < "$work/jacobi") ms (asked: ≤ 1)"
