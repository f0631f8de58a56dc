// Where NVIDIA's libraries may be that are loaded at run time.
#pragma once

#include <string>
#include <vector>

namespace pilum {

// Folders, the user's wish first: below CUDA_HOME and CUDA_PATH, those of LD_LIBRARY_PATH, then `others`, and where the
// Toolkit is most often. They need not be there.
[[nodiscard]] std::vector<std::string> find_cuda_folders(const std::vector<std::string>& others);

}  // namespace pilum
