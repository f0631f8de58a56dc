# Tests that run as several ranks on this machine, under mpirun.
#   pilum_rank_test(comm.contract comm_rank_test RANKS 1 2 3 4 TRANSPORTS ucx mpi
#                   [ARGS ...] [TIMEOUT seconds] [ENVIRONMENT NAME=value ...])
# registers comm.contract.ucx.1, comm.contract.ucx.2, ... The program finds its transport in PILUM_TRANSPORT.
# One at a time: ranks that wait for each other suffer most from sharing cores; and first, for what runs beside them has
# the time for which they wait: alone at the end, which is where tests of several processors go by themselves, they leave
# cores idle. Sanitizers see two ranks and three, where
# more numbers are asked for.
include_guard(DIRECTORY)

set(PILUM_MPIRUN_FLAGS --allow-run-as-root --oversubscribe --bind-to none
    CACHE STRING "What mpirun needs to run any number of ranks on this machine")

# What the sanitizers should not say about other people's libraries.
set(PILUM_RANK_ENVIRONMENT "PMIX_MCA_gds=hash")
if(PILUM_SANITIZE)
  set(suppressions ${CMAKE_CURRENT_LIST_DIR}/../suppressions)
  cmake_path(NORMAL_PATH suppressions)
  list(APPEND PILUM_RANK_ENVIRONMENT
    "UCX_MEM_EVENTS=no"  # UCX patches malloc and mmap, as the sanitizers do
    "TSAN_OPTIONS=suppressions=${suppressions}/tsan.supp:halt_on_error=1:second_deadlock_stack=1"
    "LSAN_OPTIONS=suppressions=${suppressions}/lsan.supp:print_suppressions=0"
    # Without fast_unwind_on_malloc=0, leaks cannot be traced to the libraries that lsan.supp names. The interception
    # takes thread-local data of a loaded library that lies by chance 16 bytes into a page for that of an old glibc, and
    # the search for leaks then crashes (github.com/google/sanitizers/issues/1322, up to GCC 13). So in the asan preset.
    "ASAN_OPTIONS=fast_unwind_on_malloc=0:intercept_tls_get_addr=0"
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
endif()

# What measures: nothing runs beside it.
function(pilum_run_alone)
  foreach(test ${ARGN})
    if(TEST ${test})
      set_tests_properties(${test} PROPERTIES RUN_SERIAL TRUE)
    endif()
  endforeach()
endfunction()

function(pilum_rank_test name target)
  cmake_parse_arguments(ARG "" "TIMEOUT" "RANKS;TRANSPORTS;ARGS;ENVIRONMENT" ${ARGN})
  if(NOT MPIEXEC_EXECUTABLE)
    message(STATUS "tests: ${name} is left out, there is no mpirun")
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  list(LENGTH ARG_RANKS numbers)
  if(PILUM_SANITIZE AND numbers GREATER 2)
    set(ARG_RANKS 2 3)
  endif()
  foreach(transport ${ARG_TRANSPORTS})
    foreach(ranks ${ARG_RANKS})
      set(test ${name}.${transport}.${ranks})
      add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} ${PILUM_MPIRUN_FLAGS} -n ${ranks} $<TARGET_FILE:${target}>
                                    ${ARG_ARGS})
      set_tests_properties(${test} PROPERTIES
        TIMEOUT ${ARG_TIMEOUT}
        PROCESSORS ${ranks}
        COST 1000
        RESOURCE_LOCK pilum_ranks
        LABELS ranks
        ENVIRONMENT "PILUM_TRANSPORT=${transport};${PILUM_RANK_ENVIRONMENT};${ARG_ENVIRONMENT}")
    endforeach()
  endforeach()
endfunction()
