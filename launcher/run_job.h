// Runs a job to its end.
#pragma once

#include "launcher/job.h"

namespace pilum::launcher {

// Starts the job's processes, passes standard error through without the launcher's banners, and gives the exit code:
// 0, or that of the first rank that failed (128 + the signal that killed it), said in one line. Standard input and
// output are the application's. Nothing it started outlives the call, or this process.
int run_job(const Job& job);

}  // namespace pilum::launcher
