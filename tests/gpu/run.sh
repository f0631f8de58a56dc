#!/usr/bin/env bash
# What tests the GPUs of this machine, from build to table:
#   run.sh [BUILD_FOLDER] [PATTERN]
# builds (default build-gpu), then runs the numeric tests, tasks, random programs and applications on 1, 2, 4 and 8 GPUs, as
# many as there are, in one process and one rank a GPU, and a small set under compute-sanitizer. A PATTERN (extended
# regular expression) picks rows of the table. Everything printed is in gpu-tests.log, the table in gpu-tests.table, in
# $OUT or BUILD_FOLDER/gpu-logs. PILUM_RANDOM_COUNT: random programs a row (40). PILUM_NUMPY_CASES: a file that
# tests/numpy/generate.py wrote elsewhere, for a machine without NumPy 2 and SciPy.
# Exit status 0: all passed, 1: a row failed, 77: there is no GPU.
set -uo pipefail
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$source_folder/build-gpu} pattern=${2:-.} random_count=${PILUM_RANDOM_COUNT:-40} cases=${PILUM_NUMPY_CASES:-}
for name in "${!PILUM_@}"; do unset "$name"; done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMIX_MCA_gds=hash

make_target() {  # TARGETS...: quiet, but for a failure
  cmake --build "$build" --target "$@" > "$work/build" 2>&1 || { tail -n 40 "$work/build"; exit 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(-S "$source_folder" -B "$build" -DCMAKE_BUILD_TYPE=Release)
[[ -e $build/CMakeCache.txt ]] || options+=(-G Ninja)
if python=$(command -v python3) && "$python" -c 'import numpy' 2> /dev/null; then options+=(-DPILUM_PYTHON="$python"); fi
cmake "${options[@]}" > "$work/configure" 2>&1 || { tail -n 40 "$work/configure"; exit 1; }
build=$(cd "$build" && pwd)
logs=${OUT:-$build/gpu-logs}
mkdir -p "$logs"
log=$logs/gpu-tests.log table=$logs/gpu-tests.table
: > "$log"
: > "$table"
export PILUM_CACHE_DIR=$build/gpu-kernels  # shared by this script's programs

make_target cuda_check
timeout -k 5 180 "$build/tests/gpu/cuda_check" > "$work/cuda_check" 2>&1
cuda_check_status=$?
gpus=$(grep -c '^GPU [0-9]*: ' "$work/cuda_check")
if ((gpus == 0)); then
  head -n 1 "$work/cuda_check"
  exit 77
fi
make_target jacobi images plaunch spill_check gpu_perf random_program_on_runtime_test random_programs_ranks \
  gpu_task_test gpu_task_unchecked_test task_test run_cases library_check
if [[ ! $cases ]]; then
  cases=$work/cases
  "${python:-python3}" "$source_folder/tests/numpy/generate.py" --count 2400 "$cases" > "$work/drawn" 2>&1 || cat "$work/drawn"
fi

# --- rows of the table

rows=0 failures=0
say() { echo "$*" | tee -a "$table"; }
row() {  # NAME GPUS RANKS COMMAND...: exit status 77 means that it could not be run
  local name=$1 used=$2 ranks=$3 start=$EPOCHREALTIME status result
  shift 3
  [[ "$name, $used GPUs, $ranks ranks" =~ $pattern ]] || return 0
  "$@" > "$work/row" 2>&1 < /dev/null
  status=$?
  case $status in
    0) result=passed ;;
    77) result='not run' ;;
    124 | 137) result=FAILED; echo "(out of time)" >> "$work/row" ;;
    *) result=FAILED; echo "(exit status $status)" >> "$work/row" ;;
  esac
  { echo "=== $name, GPUs $used, ranks $ranks: $result"; cat "$work/row"; } >> "$log"
  say "$(awk -v name="$name" -v used="$used" -v ranks="$ranks" -v result="$result" -v start="$start" \
    -v end="$EPOCHREALTIME" 'BEGIN {printf "%-54s %4s %5s  %-7s %7.1f", name, used, ranks, result, end - start}')"
  rows=$((rows + 1))
  if [[ $result == FAILED ]]; then
    failures=$((failures + 1))
    tail -n 15 "$work/row" | cut -c 1-400 | sed 's/^/    | /'
  fi
}

# --- what rows run

limit=120  # seconds for a program
limited() { timeout -k 5 "$limit" "$@"; }
# Places: where a program runs. COUNT COMMAND...
on_gpus() { local count=$1; shift; PILUM_GPUS=$count limited "$@"; }  # one process
rank_a_gpu() { limited "$build/bin/plaunch" --oversubscribe --gpus 1 --ranks-per-node "$@"; }
two_ranks_on() { limited "$build/bin/plaunch" --oversubscribe --gpus $(($1 / 2)) --ranks-per-node 2 "${@:2}"; }
ranks_on_one_gpu() { CUDA_VISIBLE_DEVICES=$first_gpu limited "$build/bin/plaunch" --oversubscribe --ranks-per-node "$@"; }
ranks_on_all_gpus() {  # without plaunch
  command -v mpirun > /dev/null || return 77
  limited mpirun --bind-to none --oversubscribe -n "$@"
}
first_gpu=${CUDA_VISIBLE_DEVICES:-0}
first_gpu=${first_gpu%%,*}

declare -A checksums=()  # of the host, by size and dtype
jacobi_checksums() {
  local size dtype text
  for size in 1 2 3 7 100 1001; do
    for dtype in float64 float32; do
      text=$(PILUM_GPUS=0 limited "$build/apps/jacobi" -n $size -i 20 --dtype $dtype --check --checksum 2>&1)
      echo "$text"
      checksums[$size $dtype]=$(grep '^Checksum: ' <<< "$text") || return 1
    done
  done
}
jacobi_agrees() {  # PLACE COUNT: with a serial loop, and with the host; small arrays are cut too
  local limit=60 what text faults=0
  fault() { echo "FAULT: jacobi -n ${what% *} of ${what#* }: $*"; faults=$((faults + 1)); }
  for what in "${!checksums[@]}"; do
    text=$(PILUM_SPLIT_BYTES=64 "$@" "$build/apps/jacobi" -n "${what% *}" -i 20 --dtype "${what#* }" --check --checksum 2>&1) ||
      fault "ended with exit status $?"
    echo "$text"
    grep -qx 'Largest difference: 0' <<< "$text" || fault 'the loop has other values'
    grep -qFx "${checksums[$what]}" <<< "$text" || fault "the host has ${checksums[$what]}"
  done
  return $((faults > 0))
}
images_agree() {  # PLACE COUNT
  local text
  text=$(PILUM_SPLIT_BYTES=64 "$@" "$build/apps/images" 2>&1) || echo "exit status $?"
  echo "$text"
  grep -qx 'Sum of plane 0: 2073600' <<< "$text" && grep -qx 'Sum of plane 1: 0' <<< "$text"
}
numeric_programs() {  # GPUS
  local limit=400 status
  PILUM_SPLIT_BYTES=4096 on_gpus "$1" "$build/tests/numeric/random_program_on_runtime_test" > "$work/numeric" 2>&1
  status=$?
  cat "$work/numeric"
  if ((status == 0)) && grep -q SKIPPED "$work/numeric"; then return 77; fi
  return $status
}
numpy_cases() {  # PLACE COUNT: what NumPy gives, eight processes at a time, for most of it is compiling
  local limit=300 part pids=() failed=0
  [[ -e $cases ]] || return 77
  for part in 0 1 2 3 4 5 6 7; do
    PILUM_GPU_MEMORY=$((2 << 30)) PILUM_SPLIT_BYTES=64 "$@" "$build/tests/numpy/run_cases" "$cases" --part $part --parts 8 \
      > "$work/part$part" 2>&1 &
    pids+=($!)
  done
  for part in 0 1 2 3 4 5 6 7; do wait "${pids[$part]}" || failed=1; cat "$work/part$part"; done
  return $failed
}
random_programs() {  # PLACE COUNT; small arrays are cut too
  local limit=300
  PILUM_RANDOM_COUNT=$random_count PILUM_SPLIT_BYTES=64 "$@" "$build/tests/random/random_programs_ranks"
}
late_gpus() {  # PLACE COUNT: each GPU lags behind at random, so what only happens to be in order has wrong cells
  local limit=300
  PILUM_TEST_GPU_DELAY=500 PILUM_RANDOM_COUNT=$random_count PILUM_SPLIT_BYTES=64 "$@" "$build/tests/random/random_programs_ranks"
}
tasks() {  # PLACE COUNT: users' bodies, with checks and without, then among those that run on the host
  local limit=200 test
  for test in gpu_task_test gpu_task_unchecked_test; do
    PILUM_TEST_REAL_GPUS=1 PILUM_SPLIT_BYTES=64 "$@" "$build/tests/numeric/$test" --gtest_filter=-*DeathTest* || return
  done
  PILUM_TEST_REAL_GPUS=1 PILUM_SPLIT_BYTES=64 "$@" "$build/tests/numeric/task_test" --gtest_filter='*RandomLaunches*'
}
wrong_index() {  # in a process of its own: it ends
  PILUM_TEST_REAL_GPUS=1 on_gpus "$1" "$build/tests/numeric/gpu_task_test" --gtest_filter=*DeathTest*
}
spills() {  # PLACE COUNT: arrays of three times what the GPUs may give
  local limit=200
  PILUM_GPU_MEMORY=$((64 << 20)) PILUM_SHOW_STATS=1 "$@" "$build/tests/gpu/spill_check" $((200 * $2))
}
library() {  # PLACE COUNT: products, scans and transforms, which the library issues itself, against loops on the host
  local limit=300
  PILUM_SPLIT_BYTES=4096 "$@" "$build/tests/gpu/library_check"
}
cuda_kernels() {  # GPUS: it is not the host that computes
  PILUM_PRINT=kernels on_gpus "$1" "$build/apps/jacobi" -n 100 -i 3 2>&1 | tee "$work/kernels"
  grep -q __global__ "$work/kernels"
}
sanitized() {  # TOOL COMMAND...
  local limit=240 programs=2
  [[ $1 == racecheck ]] && programs=1
  [[ $sanitizer ]] || { echo 'there is no compute-sanitizer'; return 77; }
  PILUM_RANDOM_COUNT=$programs PILUM_SPLIT_BYTES=64 on_gpus 1 "$sanitizer" --tool "$1" --error-exitcode 9 "${@:2}"
}
sanitized_tasks() {  # TOOL
  PILUM_TEST_REAL_GPUS=1 sanitized "$1" "$build/tests/numeric/gpu_task_unchecked_test" --gtest_filter=-*DeathTest*
}
sanitizer=$(command -v compute-sanitizer ||
  ls /usr/local/cuda*/bin/compute-sanitizer /opt/nvidia/*/compute-sanitizer 2> /dev/null | head -n 1)

# --- the table

say "$(printf '%-54s %4s %5s  %-7s %7s' what GPUs ranks result seconds)"
calls_of_devices() { cat "$work/cuda_check"; return $cuda_check_status; }
row "every call to a device, and what it costs" "$gpus" 1 calls_of_devices
row "the machine and the choices made" "$gpus" 1 \
  limited "$build/bin/plaunch" --show-config "$build/apps/jacobi" -n 10 -i 1
row "jacobi on the host: checksums for the others" 0 1 jacobi_checksums
((${#checksums[@]})) || jacobi_checksums > /dev/null
for count in 1 2 4 8; do
  ((count <= gpus)) || break
  row "kernels are CUDA's" $count 1 cuda_kernels $count
  row "jacobi, 6 sizes, float64 and float32" $count 1 jacobi_agrees on_gpus $count
  row "images" $count 1 images_agree on_gpus $count
  row "numeric programs against NumPy" $count 1 numeric_programs $count
  row "cases that NumPy judged" $count 1 numpy_cases on_gpus $count
  row "products, scans, transforms, factors" $count 1 library on_gpus $count
  row "random programs" $count 1 random_programs on_gpus $count
  row "random programs, GPUs late at random" $count 1 late_gpus on_gpus $count
  row "tasks with bodies for GPUs" $count 1 tasks on_gpus $count
  row "a wrong index in one" $count 1 wrong_index $count
  row "arrays of three times the memory" $count 1 spills on_gpus $count
  row "jacobi, a rank a GPU" $count $count jacobi_agrees rank_a_gpu $count
  row "images, a rank a GPU" $count $count images_agree rank_a_gpu $count
  row "random programs, a rank a GPU" $count $count random_programs rank_a_gpu $count
  row "products, scans, transforms, factors, a rank a GPU" $count $count library rank_a_gpu $count
  row "tasks with bodies for GPUs, a rank a GPU" $count $count tasks rank_a_gpu $count
  row "arrays of three times the memory, a rank a GPU" $count $count spills rank_a_gpu $count
  ((count < 4)) && continue
  row "jacobi, two ranks share the GPUs out" $count 2 jacobi_agrees two_ranks_on $count
  row "random programs, two ranks share the GPUs out" $count 2 random_programs two_ranks_on $count
done
for ranks in 2 4; do
  row "jacobi, ranks that share a GPU" 1 $ranks jacobi_agrees ranks_on_one_gpu $ranks
  row "random programs, ranks that share a GPU" 1 $ranks random_programs ranks_on_one_gpu $ranks
  row "random programs under mpirun" "$gpus" $ranks random_programs ranks_on_all_gpus $ranks
done
for tool in memcheck racecheck; do
  row "$tool: jacobi" 1 1 sanitized $tool "$build/apps/jacobi" -n 100 -i 3
  row "$tool: images" 1 1 sanitized $tool "$build/apps/images"
  row "$tool: sums, exp, transposed copy" 1 1 sanitized $tool "$build/tests/perf/gpu/gpu_perf" 1 64
  row "$tool: tasks" 1 1 sanitized_tasks $tool
  row "$tool: random programs" 1 1 sanitized $tool "$build/tests/random/random_programs_ranks"
done

grep '^GPU [0-9]*: ' "$work/cuda_check" | tee -a "$table"
say "$rows rows, $failures failed; commit $(git -C "$source_folder" rev-parse --short HEAD 2> /dev/null || echo unknown)"
exit $((failures > 0))
