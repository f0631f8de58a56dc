// Work that is issued later.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "runtime/device/gpu.h"

namespace pilum::device {

// A launch that keeps its words.
class KeptLaunch {
 public:
  explicit KeptLaunch(const GpuLaunch& launch)
      : without_words_{launch.image, launch.grid, launch.block, {}}, words_(launch.words.begin(), launch.words.end()) {}
  // Good as long as this lives.
  GpuLaunch launch() const { return {image(), without_words_.grid, without_words_.block, words_}; }
  const std::shared_ptr<const GpuImage>& image() const { return without_words_.image; }

 private:
  GpuLaunch without_words_;
  std::vector<std::uint64_t> words_;
};

using KeptWork = std::variant<KeptLaunch, GpuLibraryCall>;

// Calls `visit` with the launch, or with the call.
template <class Visit>
void visit_work(const KeptWork& work, const Visit& visit) {
  if (const auto* launch = std::get_if<KeptLaunch>(&work)) return visit(launch->launch());
  visit(std::get<GpuLibraryCall>(work));
}

}  // namespace pilum::device
