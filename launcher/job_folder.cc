#include "launcher/job_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <filesystem>

#include "pilum/error.h"

namespace pilum::launcher {

JobFolder::JobFolder() {
  for (const char* place : {"/dev/shm", "/tmp"}) {
    std::string name = std::string(place) + "/plaunch-XXXXXX";
    if (!mkdtemp(name.data())) continue;  // for its owner alone, whatever the umask
    path_ = name;
    return;
  }
  throw RuntimeError(std::string("no folder for what ranks share could be made in /dev/shm or /tmp: ") +
                     strerror(errno));
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace pilum::launcher
