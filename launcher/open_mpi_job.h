// The number by which Open MPI knows a job that plaunch starts.
#pragma once

#include <cstdint>

namespace pilum::launcher {

// Of the process that starts it: another number for another process, 0 to 2^31 - 1. Bit 15 is always clear. Open MPI 4
// (opal's "sentinel" of a process that it has not talked to) keeps 15 bits of a number's lower half, and ranks of a job
// that has bit 15 would look for each other under another job's name.
constexpr std::uint32_t open_mpi_job_number(std::uint32_t process) {
  constexpr std::uint32_t kLow = 0x7fff;
  return (process & ~kLow) << 1 | (process & kLow);
}

}  // namespace pilum::launcher
