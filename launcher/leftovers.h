// What Open MPI leaves in the file system when its processes are killed.
#pragma once

#include <sys/types.h>

#include <string>

namespace pilum::launcher {

// The shared memory that the rank of this environment (mpirun's) has made for others to write to; of a rank that has
// ended. mpirun does it too, unless it was killed.
void remove_shared_memory_of_rank();
// The session folder of an mpirun that was killed.
void remove_session_folder(pid_t mpirun);

// "vader_segment.node.0.2f1a0001.3": host, user, job and rank as Open MPI 4 puts them together. Empty without a job.
std::string segment_name(const std::string& host, unsigned user, const char* job, const char* rank);

}  // namespace pilum::launcher
