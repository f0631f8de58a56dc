// What the launcher says in the environment, read without touching MPI.
#pragma once

#include <optional>

namespace pilum::comm {

// The number of ranks the launcher started, where it says so (mpirun, MPICH's mpiexec, srun --mpi=pmix).
// SLURM_NTASKS alone is not believed: a plain process inside an allocation sees it too.
[[nodiscard]] std::optional<int> launched_size();

// True where the launcher says so (Open MPI's mpirun, plaunch, srun).
[[nodiscard]] bool launched_on_one_node();

// setenv that leaves alone what the user has set.
void prefer_environment(const char* name, const char* value);

}  // namespace pilum::comm
