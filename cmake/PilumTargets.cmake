# One target per folder; it links only the steps of the stair below it.
#   pilum_library(NAME SOURCES a.cc ... LINKS pilum_base ... [SEPARATE])
# SEPARATE: sources that have helpers of the same names, and are no unit even in a unity build.
# They are static, for the tests; libpilum (PilumLibrary.cmake) is made of the same objects.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Its sloppiness is what it takes to keep what is compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# GCC collects garbage whenever its heap has grown by some tens of megabytes: a tenth of the time to compile what is large.
# With a heap that few sources fill it does not, and needs half as much memory again.
set(PILUM_ROOMY_COMPILER $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>)

add_library(pilum_options INTERFACE)
target_compile_options(pilum_options INTERFACE -Wall -Wextra
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-missing-field-initializers>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(pilum_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # false alarms on std::string (GCC bug 105651)
endif()
target_include_directories(pilum_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
# Whether a linker links what throws: some installations of GCC have a C++ library that gold does not find.
include(CheckCXXSourceCompiles)
function(check_linker name result)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=${name})
  check_cxx_source_compiles("#include <stdexcept>\nint main(int n, char**) { if (n > 9) throw std::invalid_argument(\"\"); }" ${result})
endfunction()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  check_linker(gold PILUM_HAS_GOLD)
endif()

if(PILUM_SANITIZE)
  # A null pointer that is used, or an object's end that is overrun, stops the address sanitizer as well; looking before
  # every use, there and for alignment and dynamic types, takes a third of the time to compile. What else is found ends the
  # program, so that no code is made for how it would go on: a sixth of it.
  add_compile_options(-fsanitize=${PILUM_SANITIZE} -fno-sanitize=null,alignment,object-size,vptr
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer $<$<BOOL:${PILUM_SANITIZE_LINES}>:-g1> ${PILUM_ROOMY_COMPILER})
  add_link_options(-fsanitize=${PILUM_SANITIZE} -rdynamic
    # Each check has a table of addresses. In a program that may lie anywhere these are two million to relocate at every
    # start, and every test is a start: 0.11 s; 0.07 s where the linker has them settled.
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  check_linker(lld PILUM_HAS_LLD)
  if(PILUM_HAS_LLD)
    add_link_options(-fuse-ld=lld)  # in a seventh of the time
  elseif(PILUM_HAS_GOLD)
    # In half the time. Of a shared library it gets thread-local words wrong whose place is settled when it is loaded (gold
    # 1.16: garbage is read).
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=gold>)
  endif()
  add_compile_definitions(PILUM_SANITIZE="${PILUM_SANITIZE}")
endif()

# What looks for another file at run time finds it by the way from one to the other, which is the same in the build folder,
# in the prefix, and wherever that is moved to: bin/plaunch, lib/libpilum.so and, loaded while a program runs, lib/pilum/*.so.
file(RELATIVE_PATH PILUM_PLUGINS_FROM_PROGRAMS ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/pilum)
set(PILUM_PROGRAM_FOLDER ${PROJECT_BINARY_DIR}/bin)
cmake_path(SET PILUM_PLUGIN_FOLDER NORMALIZE ${PILUM_PROGRAM_FOLDER}/${PILUM_PLUGINS_FROM_PROGRAMS})
cmake_path(GET PILUM_PLUGIN_FOLDER PARENT_PATH PILUM_LIBRARY_FOLDER)

# The files to compile in place of these sources: each includes up to eight of them, for what they include takes most of
# the time, and what it makes of the compiler's. A source with settings of its own stays alone. Not by CMAKE_UNITY_BUILD,
# which includes them by absolute paths: those are in the texts of checks.
# ccache knows a file again in the same place: a second build may share the files of a first (PILUM_UNITS_FOLDER).
set(PILUM_UNITS_FOLDER "" CACHE PATH "Where files that include several sources are written; empty: in the build folder")
mark_as_advanced(PILUM_UNITS_FOLDER)
function(pilum_units result name)
  set(folder ${PROJECT_BINARY_DIR}/units)
  if(PILUM_UNITS_FOLDER)
    set(folder ${PILUM_UNITS_FOLDER})
  endif()
  set(units)
  set(together)
  foreach(source ${ARGN})
    set(own_settings)
    foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES SKIP_UNITY_BUILD_INCLUSION)
      get_source_file_property(setting ${source} ${property})
      if(setting)
        set(own_settings TRUE)
      endif()
    endforeach()
    if(own_settings OR NOT source MATCHES "[.]cc$")
      list(APPEND units ${source})
    else()
      list(APPEND together ${source})
    endif()
  endforeach()
  set(text)
  set(members 0)
  set(number 0)
  list(LENGTH together left)
  foreach(source ${together})
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND text "#include \"${source}\"\n")
    math(EXPR members "${members} + 1")
    math(EXPR left "${left} - 1")
    if(members EQUAL 8 OR left EQUAL 0)
      set(unit ${folder}/${name}_${number}.cc)
      math(EXPR number "${number} + 1")
      file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
      list(APPEND units ${unit})
      set(text)
      set(members 0)
    endif()
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

function(pilum_library name)
  cmake_parse_arguments(ARG "SEPARATE" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  set(sources ${ARG_SOURCES})
  if(CMAKE_UNITY_BUILD AND NOT ARG_SEPARATE)
    pilum_units(sources ${name} ${ARG_SOURCES})
  endif()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES PILUM_SOURCES "${ARG_SOURCES}")  # as they are named, also in units
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  target_link_libraries(${name} PUBLIC pilum_options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  pilum_precompile(${name} ${sources})
endfunction()

# What most sources include is read once for a folder on the floors of scheduler/ and numeric/, and once for those below:
# without optimisation that is a third of the time to compile. Not by GCC, nor where sources are to show that they include
# what they need.
function(pilum_precompile name)
  if(NOT CMAKE_UNITY_BUILD OR NOT PILUM_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    return()
  endif()
  set(headers pilum_base_headers)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/(scheduler|numeric)(/|$)")
    set(headers pilum_scheduler_headers)
  endif()
  if(NOT TARGET ${headers})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${headers}.cc CONTENT "\n")
    add_library(${headers} STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${headers}.cc)
    set_target_properties(${headers} PROPERTIES UNITY_BUILD OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${headers} PRIVATE -fno-semantic-interposition)
    target_link_libraries(${headers} PRIVATE pilum_options pilum_public spdlog::spdlog)
    target_precompile_headers(${headers} PRIVATE
      <algorithm> <array> <atomic> <chrono> <complex> <condition_variable> <deque> <functional> <map> <memory> <mutex>
      <optional> <set> <span> <sstream> <string> <thread> <unordered_map> <variant> <vector>
      ${PROJECT_SOURCE_DIR}/runtime/base/check.h ${PROJECT_SOURCE_DIR}/runtime/base/log.h)
    if(headers STREQUAL pilum_scheduler_headers)
      target_precompile_headers(${headers} PRIVATE ${PROJECT_SOURCE_DIR}/scheduler/record/task_launch.h
        ${PROJECT_SOURCE_DIR}/scheduler/record/plan.h ${PROJECT_SOURCE_DIR}/runtime/machine/machine.h)
    endif()
  endif()
  foreach(source ${ARGN})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(options)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  target_precompile_headers(${name} REUSE_FROM ${headers})
endfunction()

# A program with GoogleTest.
#   pilum_test_program(NAME SOURCES a_test.cc ... LINKS pilum_...)
function(pilum_test_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(PILUM_UNITY_TESTS)
    pilum_units(ARG_SOURCES ${name} ${ARG_SOURCES})
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(${name} PRIVATE pilum_options ${ARG_LINKS} GTest::gtest GTest::gmock)
  target_precompile_headers(${name} REUSE_FROM pilum_test_headers)
endfunction()

# A GoogleTest program, registered test by test with ctest.
#   pilum_test(NAME SOURCES a_test.cc ... LINKS pilum_... [TIMEOUT seconds] [SINGLE_THREADED] [LONG])
# What may take longer is begun earlier. What is single-threaded is not made for the thread sanitizer. Long ones, to make
# or to run, go through what others go through with more and other programs: sanitizers see them where
# PILUM_SANITIZE_LONG says so.
function(pilum_test name)
  cmake_parse_arguments(ARG "SINGLE_THREADED;LONG" "TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(ARG_SINGLE_THREADED AND PILUM_SANITIZE STREQUAL thread)
    return()
  endif()
  if(ARG_LONG AND PILUM_SANITIZE AND NOT PILUM_SANITIZE_LONG)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  pilum_test_program(${name} SOURCES ${ARG_SOURCES} LINKS ${ARG_LINKS} GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT})
endfunction()
