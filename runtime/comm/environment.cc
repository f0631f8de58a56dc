#include "runtime/comm/environment.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "runtime/comm/communicator.h"

namespace pilum::comm {
namespace {

std::optional<int> read_count(const char* name, int lowest = 1) {
  const char* text = std::getenv(name);
  if (!text) return std::nullopt;
  int count = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), count);
  if (error != std::errc() || *end || count < lowest) return std::nullopt;
  return count;
}

}  // namespace

std::optional<int> launched_size() {
  if (const auto size = read_count("OMPI_COMM_WORLD_SIZE")) return size;    // Open MPI's mpirun
  if (const auto size = read_count("PMI_SIZE")) return size;                // MPICH's and Intel's mpiexec
  if (std::getenv("PMIX_RANK")) return read_count("SLURM_STEP_NUM_TASKS");  // srun --mpi=pmix
  return std::nullopt;
}

bool launched_on_one_node() {
  if (const auto size = read_count("OMPI_COMM_WORLD_SIZE")) return size == read_count("OMPI_COMM_WORLD_LOCAL_SIZE");
  return std::getenv("PMIX_RANK") && read_count("SLURM_STEP_NUM_NODES") == 1;
}

std::optional<int> launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const auto rank = read_count(name, 0)) return rank;
  }
  return std::nullopt;
}

bool is_multi_rank() {
  if (const auto size = launched_size()) return *size > 1;
  return std::getenv("PMIX_RANK") != nullptr;  // started by a launcher that does not say how many
}

void prefer_environment(const char* name, const char* value) {
  ::setenv(name, value, /*overwrite=*/0);
}

}  // namespace pilum::comm
