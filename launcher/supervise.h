// The small process between the launcher and a rank.
#pragma once

#include <string>

#include "launcher/words.h"

namespace pilum::launcher {

// The hidden first argument of plaunch: plaunch --supervise app args.
inline constexpr const char* kSupervise = "--supervise";

// Where it reports to, a ReportAddress as text: in the environment, for it holds the job's key. Not passed on.
inline constexpr const char* kReportVariable = "PLAUNCH_REPORT";

// Runs `application` as a child, sends its standard error and its exit status to plaunch (report.h), and exits with the
// same status. Signals are passed on. The rank is killed when this process, the launcher above it or plaunch dies.
// Without an answer from plaunch the rank's standard error stays where it was. Returns the exit code.
int supervise(const Words& application);

}  // namespace pilum::launcher
