#!/usr/bin/env bash
# Ranks of which there are more than cores: over UCX a step takes no longer than four times what it takes over MPI, whose
# waiting gives cores away by itself. (It took thirty times as long.)
#   shared_cores.sh PLAUNCH PROGRAMS_PERF
set -euo pipefail
milliseconds() {
  "$1" --ranks-per-node 3 --cpus 1 --oversubscribe --transport "$3" "$2" gray_scott 256 3 | awk '{ print $3 }'
}
cores=$(nproc)
((cores < 3)) || { echo "three ranks have a core each of $cores"; exit 77; }
for attempt in 1 2 3; do
  ucx=$(milliseconds "$1" "$2" ucx)
  mpi=$(milliseconds "$1" "$2" mpi)
  echo "ucx $ucx ms a step, mpi $mpi"
  if awk -v ucx="$ucx" -v mpi="$mpi" 'BEGIN { exit !(ucx < 4 * mpi) }'; then exit 0; fi
done
exit 1
