#!/usr/bin/env bash
# Sets Pilum up on a fresh Debian 12 or Ubuntu 24.04, and runs it. May be run again at any time.
#
#   ./quickstart.sh         packages, build, and Jacobi's stencil on all cores
#   ./quickstart.sh test    packages, NumPy, build, and every test; under the address and thread sanitizers those
#                           that are not long, with PILUM_TEST_THOROUGH=1 these too
#
# Touches the system's packages and the folders build*/ here, nothing else.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

needed=(g++ cmake ninja-build ccache pkg-config libopenmpi-dev openmpi-bin libucx-dev libhwloc-dev libspdlog-dev
        libcli11-dev libgtest-dev libgmock-dev libbenchmark-dev python3-numpy)
# Kernels are compiled in-process with clang as a library; without it, by the system's compiler. The Fortran module and its
# example are built where there is a compiler for them. OpenBLAS multiplies matrices and has LAPACK, FFTW transforms, Highway sorts. libpng writes applications' pictures.
wished=(libclang-19-dev llvm-19-dev clang-19 gfortran libopenblas-dev libfftw3-double3 libfftw3-single3 libhwy-dev libpng-dev)
# MPFR has the exact values of elementary functions for the tests. clang-format and clang-tidy are
# of one version, for others break lines elsewhere and find other things; without them the tests of the sources' format and
# of what clang-tidy finds are skipped.
wished_by_tests=(libmpfr-dev clang-format-19 clang-tidy-19 libclang-rt-19-dev lld-19 python3-venv)
# NumPy judges what functions give, SciPy some of them; in a virtual environment, for the system's may be older.
numpy=(numpy==2.4.6 scipy==1.17.1)

# A compiler cache that is in use already serves here too; otherwise it stays in the build folder.
[[ -n ${CCACHE_DIR:-} || -d ${HOME:-/nowhere}/.cache/ccache || -d ${HOME:-/nowhere}/.ccache ]] || export CCACHE_DIR=$PWD/build/ccache

say() { printf '\n== %s\n' "$*"; }

usage() {
  printf 'usage: ./quickstart.sh [test]\n  (nothing)  set up, build, and run the Jacobi stencil on all cores\n'
  printf '  test       set up, build, and run every test\n'
}

missing_of() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

available_of() {
  local package
  for package in "$@"; do
    [[ -z $(apt-cache madison "$package" 2>/dev/null) ]] || echo "$package"
  done
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    echo "quickstart: packages are missing, and installing them takes root or sudo: $*" >&2
    exit 1
  fi
}

install_packages() {
  if ! command -v dpkg-query > /dev/null; then
    echo "quickstart: this is neither Debian nor Ubuntu; install the like of: ${needed[*]} ${wished[*]}" >&2
    return
  fi
  local missing wished_missing
  missing=$(missing_of "${needed[@]}")
  wished_missing=$(missing_of "${wished[@]}")
  # One missing for lack of a source was reported before; ask the network only if something needed is not there.
  [[ -z $missing && -z $(available_of $wished_missing) ]] && { say "packages: all are there"; return; }
  [[ -z $missing ]] || as_root apt-get update -q
  missing="$missing $(available_of $wished_missing)"
  say "packages: installing" $missing
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
  wished_missing=$(missing_of "${wished[@]}")
  [[ -z $wished_missing ]] || say "packages:" $wished_missing "cannot be had here:" \
    "without clang's libraries kernels are compiled by g++, without clang it is not checked what locks guard, without gfortran there is no Fortran module, without OpenBLAS products of matrices are slower and there is no np::linalg, without FFTW no np::fft on cores, without Highway sorts on cores are slower, without libpng no application writes pictures, without MPFR no test says how exact elementary functions are, without libclang-rt the sanitizers are GCC's, without lld they are linked slowly, without clang-format the sources' format is not checked, without clang-tidy nothing is looked for in them"
}

# Where PyPI cannot be reached the system's NumPy 2 judges, if it has one; the tests say which they use.
make_virtual_environment() {
  local folder=$PWD/build/venv wanted="import importlib.metadata as m, sys
sys.exit(any(m.version(p) != v for p, v in (a.split('==') for a in sys.argv[1:])))"
  "$folder/bin/python3" -c "$wanted" "${numpy[@]}" 2> /dev/null && { say "python: ${numpy[*]} in build/venv"; return; }
  say "python: installing ${numpy[*]} into build/venv"
  rm -rf "$folder"
  if /usr/bin/python3 -m venv "$folder" &&
    "$folder/bin/python3" -m pip install -q --disable-pip-version-check --only-binary :all: "${numpy[@]}"; then
    return
  fi
  rm -rf "$folder"
  if /usr/bin/python3 -c 'import numpy, sys; sys.exit(int(numpy.__version__.split(".")[0]) < 2)' 2> /dev/null; then
    say "python: ${numpy[*]} cannot be had here: the system's NumPy judges instead"
  else
    say "python: ${numpy[*]} cannot be had here, AND THE SYSTEM HAS NO NUMPY 2: THE TESTS THAT COMPARE WITH NUMPY ARE SKIPPED"
  fi
}

# The thread sanitizer of older compilers cannot live with the address randomisation of newer kernels.
plainly() {  # PRESET COMMAND...
  local preset=$1
  shift
  if [[ $preset == tsan ]] && setarch "$(uname -m)" -R true 2> /dev/null; then
    setarch "$(uname -m)" -R "$@"
  else
    "$@"
  fi
}

can_sanitize() {  # COMPILER: its runtime is there, and programs that have it run
  local program=build/sanitized_program
  mkdir -p build
  echo 'int main() { return 0; }' | "$1" -x c++ -fsanitize=address,undefined -o $program - 2> /dev/null && $program &&
    echo 'int main() { return 0; }' | "$1" -x c++ -fsanitize=thread -o $program - 2> /dev/null && plainly tsan $program
}

# Eight sources at a time: all at once takes half as long that way, a single one that is worked on longer.
build() {  # PRESET [BUILD-PRESET]
  local options=(-DCMAKE_UNITY_BUILD=ON) told
  # A report names functions; cmake --preset asan, or tsan, by hand gives it lines too.
  [[ $1 == release ]] || options+=(-DPILUM_SANITIZE_LINES=OFF)
  [[ ${PILUM_TEST_THOROUGH:-0} == 0 ]] || options+=(-DPILUM_SANITIZE_LONG=ON)
  # Clang's take half of the time of GCC's, to compile and to run; and another compiler finds other things.
  if [[ $1 != release ]] && can_sanitize clang++-19; then
    options+=(-DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19)
    grep -qs '^CMAKE_CXX_COMPILER:.*clang' "build-$1/CMakeCache.txt" || options+=(--fresh)  # a cache is of one compiler
  fi
  say "build: $1 (cmake --preset $1 ${options[*]}; cmake --build --preset ${2:-$1})"
  told=$(cmake --preset "$1" "${options[@]}" 2>&1) || { printf '%s\n' "$told"; return 1; }
  plainly "$1" cmake --build --preset "${2:-$1}"
}

run_stencil() {
  say "run: build/bin/plaunch jacobi -n 4000 -i 100"
  PILUM_CACHE_DIR=$PWD/build/kernel-cache build/bin/plaunch --show-config jacobi -n 4000 -i 100
}

# The sanitizers first, the release build last, so that its summary is the last word. All run even if one fails; then what
# failed is said again at the end, for logs are read from there.
run_tests() {
  local failed=() preset
  for preset in asan tsan release; do
    if ! build "$preset"; then
      failed+=("$preset (build)")
      continue
    fi
    say "test: $preset (ctest --preset $preset)"
    plainly "$preset" ctest --preset "$preset" || failed+=("$preset")
  done
  ((${#failed[@]})) || return 0
  for preset in "${failed[@]}"; do
    say "FAILED: $preset"
    failures_of "$preset"
  done
  return 1
}

# The names of the tests that failed, and the end of what each printed.
failures_of() {  # PRESET
  local folder=build-$1 name
  [[ $1 != release ]] || folder=build
  [[ -f $folder/Testing/Temporary/LastTestsFailed.log ]] || return 0
  while IFS=: read -r _ name; do
    echo "-- $name"
    sed -n "/ Testing: ${name//\//.}\$/,/^<end of output>/p" "$folder/Testing/Temporary/LastTest.log" | tail -n 60
  done < "$folder/Testing/Temporary/LastTestsFailed.log"
}

case "$#:${1:-}" in
  0:) install_packages; build release programs; run_stencil ;;
  1:test) wished+=("${wished_by_tests[@]}"); install_packages; make_virtual_environment; run_tests ;;
  1:-h | 1:--help) usage ;;
  *) usage >&2; exit 2 ;;
esac
