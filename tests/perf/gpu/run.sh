#!/usr/bin/env bash
# Figures on the GPUs of this machine, 1, 2, 4 and 8 as many as there are; medians of ROUNDS (default 5) interleaved runs:
#   run.sh [BUILD_FOLDER] [ROUNDS]
# On one GPU, beside a device-to-device copy (gpu_perf), and what others reach (compare.py, with what Python has); then how
# jacobi scales, as one process and as one rank a GPU, as a markdown table. Times are those that jacobi prints. The table
# is in gpu-perf.md too, in $OUT or BUILD_FOLDER. Exit status 77: there is no GPU.
set -uo pipefail
source_folder=$(cd "$(dirname "$0")/../../.." && pwd)
build=${1:-$source_folder/build-gpu} rounds=${2:-5}
for name in "${!PILUM_@}"; do unset "$name"; done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMIX_MCA_gds=hash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  [[ -e $build/CMakeCache.txt ]] || cmake -S "$source_folder" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release
  cmake --build "$build" --target gpu_perf jacobi plaunch
} > "$work/build" 2>&1 || { tail -n 40 "$work/build"; exit 1; }
build=$(cd "$build" && pwd)
report=${OUT:-$build}/gpu-perf.md
export PILUM_CACHE_DIR=$build/gpu-kernels

PILUM_GPUS=1 timeout -k 5 200 "$build/tests/perf/gpu/gpu_perf" "$rounds" > "$work/one" 2>&1
status=$?
cat "$work/one"
((status == 77)) && exit 77
gpus=$(sed -n 's/^.*, [0-9]* of \([0-9]*\) used;.*/\1/p' "$work/one")
[[ $gpus ]] || exit 1
[[ $(command -v python3) ]] && timeout -k 5 240 python3 "$source_folder/tests/perf/gpu/compare.py" 2>&1 | tee "$work/others"

# --- scaling

size_of() {  # CASE GPUS: inner points along an axis; weak: as many points a GPU
  awk -v gpus="$2" -v side="${1#* }" -v weak="$([[ $1 == weak* ]] && echo 1)" \
    'BEGIN {printf "%.0f", weak ? side * sqrt(gpus) : side}'
}
elapsed() {  # CASE PLACE GPUS: milliseconds, or nothing
  local options=(-n "$(size_of "$1" "$3")") program=("$build/apps/jacobi")
  case $1 in
    strong*) options+=(--dtype float32 -i 1000) ;;
    sweep*) options+=(--dtype float32 -i 2000 -w 20) ;;
    weak*) options+=(-i 200) ;;
    small*) options+=(-i 100) ;;
  esac
  if [[ $2 == ranks ]]; then
    program=("$build/bin/plaunch" --oversubscribe --gpus 1 --ranks-per-node "$3" "${program[@]}")
  else
    program=(env PILUM_GPUS="$3" "${program[@]}")
  fi
  timeout -k 5 100 "${program[@]}" "${options[@]}" 2>> "$work/errors" | sed -n 's/^Elapsed Time: \([0-9.]*\) ms$/\1/p'
}
asked() {  # CASE PLACE GPUS
  case "$1, $2, $3" in
    'strong 16384, '*', 8') echo '≥ 7.5 ×, ≤ 100 ms' ;;
    'sweep 2048, '*', 8') echo '≤ 15 µs' ;;
    'weak 16384, process, 8') echo '≥ 0.97' ;;
    'weak 16384, ranks, 8') echo '≥ 0.95' ;;
    'small 100, process, 1') echo '≤ 1 ms' ;;
  esac
}
places() {  # CASE: places and GPUs
  echo process 1
  [[ $1 == small* ]] && return
  for count in 2 4 8; do
    ((count <= gpus)) && printf '%s\n' "process $count" "ranks $count"
  done
}
line() {  # CASE PLACE GPUS: a line of the table; the ratio is the median of the rounds'
  local text kind
  case $1 in
    strong*) text="float32 ${1#* }², 1000 sweeps, ms" kind='%.2f ×' ;;
    sweep*) text="float32 ${1#* }², a sweep, µs" kind='%.2f ×' ;;  # 2000 sweeps: ms / 2 are µs
    weak*) text="float64 ${1#* }² a GPU, 200 sweeps, ms" kind='%.3f' ;;
    small*) text="float64 ${1#* }², 100 sweeps, ms" kind='%.2f ×' ;;
  esac
  paste "$work/$1 process 1" "$work/$1 $2 $3" | awk -F '\t' -v text="$text" -v kind="$kind" -v place="$2" -v gpus="$3" \
    -v asked="$(asked "$@")" -v scale="$([[ $1 == sweep* ]] && echo 0.5 || echo 1)" '
    function sort(list, n,   i, j, t) {
      for (i = 2; i <= n; ++i) for (j = i; j > 1 && list[j - 1] > list[j]; --j) {t = list[j]; list[j] = list[j - 1]; list[j - 1] = t}
    }
    $2 != "" {times[++n] = $2 * scale; if ($1 != "") ratios[++m] = $1 / $2}
    END {
      sort(times, n); sort(ratios, m)
      place = place == "ranks" ? "a rank a GPU" : "one process"
      if (n == 0) {printf "| %s | %d | %s | failed | | | %s |\n", text, gpus, place, asked; exit}
      printf "| %s | %d | %s | %.3f | %.3f .. %.3f | " kind " | %s |\n", text, gpus, place, times[int((n + 1) / 2)],
        times[1], times[n], ratios[int((m + 1) / 2)], asked
    }'
}

cases=('small 100' 'sweep 2048' 'strong 16384' 'weak 16384')
for ((round = 0; round <= rounds; ++round)); do  # the first one fills the cache of kernels
  for case in "${cases[@]}"; do
    while read -r place count; do
      time=$(elapsed "$case" "$place" "$count" < /dev/null)
      ((round > 0)) && echo "$time" >> "$work/$case $place $count"
    done < <(places "$case")
  done
done
{
  echo "commit $(git -C "$source_folder" rev-parse --short HEAD 2> /dev/null || echo unknown), $(date +%F), medians of $rounds"
  echo
  sed 's/^/    /' "$work/one"
  [[ -e $work/others ]] && echo && sed 's/^/    /' "$work/others"
  echo
  echo '| jacobi | GPUs | as | median | least .. most | against 1 GPU | asked |'
  echo '|---|---|---|---|---|---|---|'
  for case in "${cases[@]}"; do
    while read -r place count; do line "$case" "$place" "$count"; done < <(places "$case")
  done
} > "$report"
sed -n '/^| jacobi/,$p' "$report"
sort "$work/errors" | uniq -c | sort -rn | head -n 10
exit $((status != 0))
