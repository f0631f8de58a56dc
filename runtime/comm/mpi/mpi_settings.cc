#include "runtime/comm/mpi/mpi_settings.h"

#include <sys/uio.h>
#include <unistd.h>

#include "runtime/comm/environment.h"

namespace pilum::comm {
namespace {

// Containers often forbid it; Open MPI then fails message by message, with a warning each.
bool may_read_other_processes() {
  char from = 1;
  char to = 0;
  const iovec source{&from, 1};
  const iovec target{&to, 1};
  return ::process_vm_readv(::getpid(), &target, 1, &source, 1, 0) == 1;
}

}  // namespace

void choose_mpi_settings() {
  // openib is abandoned and warns about every device it finds; ofi serves one-sided calls only, and without openib
  // makes MPI_Finalize wait for a second.
  // On one node shared memory carries all, and nothing listens on a network: a stranger's connection to btl/tcp that
  // sends one byte and is held stalls the job.
  prefer_environment("OMPI_MCA_btl", launched_on_one_node() ? "^tcp,usnic,openib,ofi,uct" : "^openib,ofi");
  prefer_environment("OMPI_MCA_btl_base_warn_component_unused", "0");
  prefer_environment("OMPI_MCA_opal_warn_on_missing_libcuda", "0");
  // Whether POSIX shared memory works is tried with a file in /dev/shm, which a rank that is killed then leaves there.
  prefer_environment("OMPI_MCA_shmem", "mmap");
  prefer_environment("OMPI_MCA_mpi_warn_on_fork", "0");  // compilers may be run as processes
  if (!may_read_other_processes()) prefer_environment("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
}

}  // namespace pilum::comm
