// Puts an image into files of a cache folder, with the trailer that fits: plant_kernel IMAGE FILE...
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/jit/digest.h"

int main(int argc, char** argv) {
  using pilum::jit::Digest;
  std::ostringstream bytes;
  if (argc > 1) bytes << std::ifstream(argv[1], std::ios::binary).rdbuf();
  const std::string image = bytes.str();
  if (argc < 3 || image.empty()) return 2;
  const Digest content = pilum::jit::digest(image);
  for (int i = 2; i < argc; ++i) {
    const std::string digits = std::filesystem::path(argv[i]).stem();
    const Digest seal{content.high ^ std::stoull(digits.substr(0, 16), nullptr, 16),
                      content.low ^ std::stoull(digits.substr(16), nullptr, 16)};
    std::ofstream file(argv[i], std::ios::binary);
    file << image << "PILUMSO1" << std::string(reinterpret_cast<const char*>(&seal), sizeof seal) << std::flush;
    if (!file) return 1;
  }
  return 0;
}
