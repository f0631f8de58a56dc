#!/bin/sh
# Builds programs as users do, outside of Pilum's own build, and runs them alone and as two ranks:
#   outside.sh SOURCES BUILD FOLDER CC CXX [FC]
# With FC the Fortran program, else the C one; the headers in C11, C17 and C++ too.
set -eu
sources=$1 build=$2 folder=$3/outside cc=$4 cxx=$5 fc=${6:-}
link="-L$build/lib -lpilum -Wl,-rpath,$build/lib"
strict="-Wall -Wextra -pedantic -Werror -I$sources/include"
mkdir -p "$folder"
cd "$folder"

run() {
  PILUM_CPUS=2 "./$1" > "$1.alone"
  grep -q '^ranks 1: all is well$' "$1.alone"
  PILUM_CPUS=1 PILUM_OVERSUBSCRIBE=1 "$build/bin/plaunch" --ranks-per-node 2 "./$1" > "$1.ranks"
  grep -q '^ranks 2: all is well$' "$1.ranks"
}

if [ -n "$fc" ]; then
  # The module as source: each compiler has its own format of .mod files.
  $fc -I"$sources/numeric/c_interface/fortran" -O1 -c "$sources/numeric/c_interface/fortran/pilum.f90" -o module.o
  $cc -std=c11 $strict -c "$sources/numeric/c_interface/fortran/cells.c" -o cells.o
  $fc -I"$sources/numeric/c_interface/fortran" "$sources/tests/c_interface/every_function.F90" module.o cells.o $link \
    -o fortran_program
  run fortran_program
  exit
fi
printf '#include <pilum/c.h>\n#include <pilum/c.h>\nint main(void) { return pilum_live_arrays() != 0; }\n' > header.c
for standard in c11 c17; do $cc -std=$standard $strict header.c $link -o header; done
cp header.c header.cc
sed 's/\(int main(\)void/\1/' header.c > header.cc
for standard in c++17 c++20; do $cxx -std=$standard $strict header.cc $link -o header; done
./header
if command -v clang-19 > /dev/null; then
  for program in every_function tasks; do clang-19 -std=c11 $strict -fsyntax-only "$sources/tests/c_interface/$program.c"; done
fi
$cc -std=c11 $strict "$sources/tests/c_interface/every_function.c" $link -lm -o c_program
run c_program
