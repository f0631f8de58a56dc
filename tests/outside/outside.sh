#!/usr/bin/env bash
# Links Pilum as people outside do, in a scratch folder: outside.sh CASE. tests/outside/CMakeLists.txt sets OUTSIDE_*.
#
#   install          what was built, into $scratch/prefix, where the next five find it
#   find_package     the program and the project of README.md, and a larger one
#   moved_prefix     the same from a prefix that was moved after it was installed
#   pkg_config       the compiler alone
#   exported         what libpilum.so shows is what the headers declare
#   private          no header and no link line asks for what Pilum itself is made with
#   add_subdirectory a project with the sources in it, shared
#   fetch_content    the same by FetchContent, static; and what that installs
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_folder=$OUTSIDE_SOURCE build=$OUTSIDE_BUILD scratch=$OUTSIDE_SCRATCH cmake=$OUTSIDE_CMAKE cxx=$OUTSIDE_CXX
libdir=$OUTSIDE_LIBDIR case=$1
prefix=$scratch/prefix
work=$scratch/$case
export PILUM_CACHE_DIR=$work/kernel-cache  # empty: every kernel is compiled
unset LD_LIBRARY_PATH PILUM_JIT_PLUGIN PILUM_COMPILER

fail() { printf '%s: %s\n' "$case" "$*" >&2; exit 1; }
expect() { [[ $2 == "$3" ]] || fail "$1: '$3' is wanted, and it is '$2'"; }
fresh() { rm -rf "$work" && mkdir -p "$work" && cd "$work"; }

configure() {  # SOURCE BUILD ARGUMENTS...
  local from=$1 to=$2
  shift 2
  "$cmake" --fresh -G Ninja -S "$from" -B "$to" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release "$@" > configured 2>&1 ||
    { cat configured; fail "it does not configure"; }
}
make_targets() {  # BUILD TARGETS...
  "$cmake" --build "$1" --parallel 2 --target "${@:2}" > built 2>&1 || { cat built; fail "it does not build"; }
}

# The page's blocks ```cmake and ```cpp of the section, as files.
take_from_readme() {  # FOLDER
  mkdir -p "$1"
  awk -v folder="$1" '
    /^## / { inside = /^## Use it in your own code/ }
    inside && /^```/ { file = /^```cmake/ ? "CMakeLists.txt" : /^```cpp/ ? "hello.cc" : ""; next }
    inside && file { print > (folder "/" file) }' "$source_folder/README.md"
  [[ -s $1/CMakeLists.txt && -s $1/hello.cc ]] || fail "README.md has no project and program to be used in your own code"
}

# The program of the page: by itself, with the compiler that came with Pilum, and on two ranks.
run_hello() {  # PROGRAM PLAUNCH
  expect "hello" "$("$1")" 3.14159
  if [[ $OUTSIDE_CLANG == 1 ]]; then
    rm -rf "$PILUM_CACHE_DIR"
    expect "hello, with the plug-in" "$(PILUM_COMPILER=clang PATH=/usr/bin:/bin "$1")" 3.14159
  fi
  if [[ $OUTSIDE_MPI == 1 ]]; then
    expect "hello, two ranks" "$("$2" --ranks-per-node 2 --cpus 1 --oversubscribe "$1")" 3.14159
  fi
}

# The larger one says what it loaded: nothing but what lies in the prefix.
run_tour() {  # PROGRAM PREFIX LIBRARIES...
  local said wanted=""
  said=$("$1") || fail "tour: $said"
  [[ $said == *"version $OUTSIDE_VERSION"* ]] || fail "tour is of another version: $said"
  local library
  for library in "${@:3}"; do
    [[ $library != *jit_clang* || $OUTSIDE_CLANG == 1 ]] && wanted+="loaded $2/$library"$'\n'
  done
  expect "what tour loads" "$(grep '^loaded' <<< "$said" | sort)" "$(printf '%s' "$wanted" | sort)"
  if [[ $OUTSIDE_MPI == 1 && -n ${plaunch:-} ]]; then
    said=$("$plaunch" --ranks-per-node 2 --cpus 1 --oversubscribe "$1") || fail "tour, two ranks: $said"
    [[ $said == *"ranks 2"* ]] || fail "tour does not run on two ranks: $said"
  fi
}

build_against() {  # PREFIX
  take_from_readme readme
  local project
  for project in readme "$here/program"; do
    configure "$project" "$(basename "$project")-build" -DCMAKE_PREFIX_PATH="$1" "${@:2}"
    make_targets "$(basename "$project")-build" all
  done
  plaunch=$1/bin/plaunch
  run_hello readme-build/hello "$plaunch"
}

names_no_folder() {  # PREFIX FOLDERS...
  local text
  text=$(grep -rIlF "${@:2}" "$1/$libdir/cmake" "$1/$libdir/pkgconfig" "$1/include") && fail "a folder's name stands in $text"
  local binary
  for binary in "$1"/bin/plaunch "$1/$libdir"/libpilum.so "$1/$libdir"/pilum/*.so; do
    [[ ! -e $binary ]] || ! readelf -d "$binary" | grep -E 'R(UN)?PATH' | grep -F "${@:2}" || fail "$binary looks into these folders"
  done
}

install_into() { "$cmake" --install "$build" --prefix "$1" > installed 2>&1 || { cat installed; fail "it does not install"; }; }

shared_parts=("$libdir/libpilum.so.$OUTSIDE_VERSION" "$libdir/pilum/libpilum_jit_clang.so")

case $case in
  install)
    rm -rf "$prefix"
    fresh
    install_into "$prefix"
    [[ -f $prefix/share/doc/Pilum/LICENSE ]] || fail "there is no licence"
    expect "plaunch --version" "$("$prefix/bin/plaunch" --version | cut -d' ' -f1,2)" "plaunch $OUTSIDE_VERSION"
    ;;
  find_package)
    fresh
    build_against "$prefix"
    run_tour program-build/tour "$prefix" "${shared_parts[@]}"
    if (configure "$here/program" newer-build -DCMAKE_PREFIX_PATH="$prefix" -DWANTED=0.3) > /dev/null 2>&1; then
      fail "version 0.3 was asked for, and $OUTSIDE_VERSION taken"
    fi
    ;;
  moved_prefix)
    fresh
    install_into "$work/before"
    mkdir elsewhere
    mv before "elsewhere/after moving"
    moved="$work/elsewhere/after moving"
    names_no_folder "$moved" -e "$work" -e "$build"
    build_against "$moved"
    run_tour program-build/tour "$moved" "${shared_parts[@]}"
    ;;
  pkg_config)
    fresh
    export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
    take_from_readme readme
    expect "its version" "$(pkg-config --modversion pilum)" "$OUTSIDE_VERSION"
    "$cxx" -std=c++20 -O2 readme/hello.cc $(pkg-config --cflags --libs pilum) -Wl,-rpath,"$(pkg-config --variable=libdir pilum)" -o hello
    run_hello ./hello "$prefix/bin/plaunch"
    ;;
  exported)
    python3 -B "$here/exported.py" "$prefix/$libdir/libpilum.so" "$prefix/include/pilum"
    expect "soname" "$(readelf -d "$prefix/$libdir/libpilum.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" "libpilum.so.${OUTSIDE_VERSION%.*}"
    ;;
  private)
    fresh
    # The standard library's headers have no folder in their names and no .h at their ends.
    # pilum/mpi.h is for programs of MPI's.
    foreign=$(find "$prefix"/include/pilum -name '*.h' | grep -v '/mpi\.h$' | xargs grep -hE '^ *# *include' | grep -vE '<[a-z_]+>|<std[a-z]+\.h>|"pilum/(detail/)?[a-z_]+\.h"') && fail "installed headers include $foreign"
    links=$(grep -rE '\b(MPI|UCX|HWLOC|hwloc|spdlog|fmt|CLI11|hwy)\b|find_dependency|INTERFACE_LINK_LIBRARIES' "$prefix/$libdir/cmake" | grep -v 'INTERFACE_LINK_LIBRARIES "Pilum::pilum"$') && fail "the package asks for $links"
    expect "pkg-config --libs" "$(PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig pkg-config --static --libs pilum | xargs)" \
      "-L$prefix/$libdir/pkgconfig/../../$libdir -lpilum"
    # As strict as a project may be, and by clang too where there is one.
    for compiler in "$cxx" clang++-19; do  # clang from 16 on
      command -v "$compiler" > /dev/null || continue
      echo '#include <pilum/pilum.h>' | "$compiler" -std=c++20 -fsyntax-only -fvisibility=hidden -Wall -Wextra -Wpedantic \
        -Werror -I"$prefix/include" -x c++ - || fail "$compiler does not take the headers"
    done
    ;;
  add_subdirectory | fetch_content)
    # Its build folder stands beside Pilum's own, and is kept, so that ninja finds what was compiled before; ccache finds
    # what Pilum's own build compiled, the same sources together.
    fresh
    tree=$build-outside-$case
    take_from_readme readme
    kind=(-DHOW=$case -DPILUM_SOURCE="$source_folder" -DHELLO="$work/readme/hello.cc"
      -DCMAKE_UNITY_BUILD="$OUTSIDE_UNITY" -DPILUM_UNITS_FOLDER="$build/units")
    [[ $case == add_subdirectory ]] || kind+=(-DBUILD_SHARED_LIBS=OFF -DGIVEN=BUILD_SHARED_LIBS -DPILUM_INSTALL=ON)
    configure "$here/subproject" "$tree" "${kind[@]}"
    make_targets "$tree" all
    plaunch=$(find "$tree" -name plaunch -type f -perm -u+x)
    run_hello "$tree/hello" "$plaunch"
    if [[ $case == fetch_content ]]; then
      build=$tree install_into "$work/static"
      names_no_folder "$work/static" -e "$work" -e "$tree"
      build_against "$work/static" -DPART=STATIC
      run_tour program-build/tour "$work/static" "$libdir/pilum/libpilum_jit_clang.so"
      export PKG_CONFIG_PATH=$work/static/$libdir/pkgconfig
      "$cxx" -std=c++20 -O2 readme/hello.cc $(pkg-config --cflags --libs pilum) -o hello
      run_hello ./hello "$work/static/bin/plaunch"
    fi
    ;;
  *) fail "no such case" ;;
esac
