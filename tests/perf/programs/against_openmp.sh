#!/usr/bin/env bash
# The programs of programs.h on two cores beside the same loops by hand with OpenMP: a table of markdown, a row each.
# Run it alone on a quiet machine:
#   against_openmp.sh [ROUNDS] [BUILD_FOLDER]
# Medians (least .. most) of ROUNDS (default 9), programs, loops and copies in turn; a round takes ten steps, and 20 ms,
# at least. Fails where a program and its loops by hand do not compute the same.
set -euo pipefail
rounds=${1:-9} build=$(cd "${2:-build}" && pwd)
export PILUM_CPUS=2 PILUM_GPUS=0
unset OMP_NUM_THREADS OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY GOMP_SPINCOUNT GOMP_CPU_AFFINITY

programs=(
  "jacobi 4096" "fdtd 4096" "gray_scott 4096" "rolled 4096" "heat 256" "conjugate_gradient 4096" "cavity 2048"
  "shallow_water 4096" "burgers 4096" "multigrid 4096"
  "cavity 41" "gray_scott 256" "fdtd 200" "conjugate_gradient 128" "heat 40"
)
echo "| program | ms a step | of a copy's speed | by hand, ms a step | against OpenMP |"
echo "|---|---|---|---|---|"
step='([0-9.]+ ms a step \([^)]+\))' copy="of a copy's speed ([0-9.]+)"
by_hand='against OpenMP ([0-9.]+ \([0-9. ]+); ([0-9.]+ ms, [a-z]+ stores)\)'
failed=0
for program in "${programs[@]}"; do
  # shellcheck disable=SC2086
  line=$("$build/tests/perf/programs/programs_perf" $program "$rounds") || failed=1
  if [[ $line =~ ^([a-z_]+)\ +([0-9]+)\ +$step,\ $copy,\ $by_hand$ ]]; then
    part=("${BASH_REMATCH[@]}")
    power=² && [[ ${part[1]} == heat ]] && power=³
    echo "| \`${part[1]}\` ${part[2]}$power | ${part[3]/ ms a step/} | ${part[4]} | ${part[6]} | ${part[5]}) |"
  else
    echo "against_openmp.sh: of $program there are no loops by hand to be seen: $line" >&2
    failed=1
  fi
done
exit $failed
