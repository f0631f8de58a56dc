// What an emulated GPU's streams have to do.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "runtime/device/gpu.h"
#include "tests/fakes/emulated_kernel.h"

namespace pilum::fakes {

// The highest number reached, by stream; shared with those that wait for it, whom the GPU may leave behind.
using Reached = std::array<std::int64_t, device::kStreams.size()>;

struct LaunchWork {
  std::shared_ptr<const device::GpuImage> image;
  EmulatedLaunch launch{};
  std::vector<std::uint64_t> words;
};
struct ProductWork {
  device::GpuProduct product;
};
struct TransformWork {
  device::GpuTransform transform;
  std::byte *from, *to, *work;
};
struct LapackWork {
  device::GpuLapack lapack;
  device::GpuLapackCells cells;
};
struct EventWork {
  device::Event event;
};
struct WaitWork {
  std::shared_ptr<const Reached> of;
  device::Event event;
};
struct TimeWork {
  std::shared_ptr<std::int64_t> time;  // 0: not yet
};
class EmulatedStreams;
struct GraphNode {
  EmulatedStreams* gpu;
  std::variant<LaunchWork, device::GpuCopy, device::GpuFlag, ProductWork, TransformWork> work;
  std::vector<int> after;
};
struct GraphWork {
  std::vector<GraphNode> nodes;
  std::vector<bool> done;  // once it runs
  std::vector<std::size_t> left;
  std::optional<std::size_t> held_up_by;  // a flag that is not raised yet
  bool may_await_flag() const {
    return std::ranges::any_of(left, [this](std::size_t node) {
      const auto* flag = std::get_if<device::GpuFlag>(&nodes[node].work);
      return flag && flag->waits;
    });
  }
};
struct ProgramWait {  // for so many works of a program's stream
  std::shared_ptr<const std::int64_t> done;
  std::int64_t count;
};
using Work = std::variant<LaunchWork, device::GpuCopy, device::GpuFlag, ProductWork, TransformWork, LapackWork,
                          GraphWork, EventWork, WaitWork, ProgramWait, TimeWork>;

inline std::uint32_t& value_of(const device::GpuFlag& flag) {
  return *reinterpret_cast<std::uint32_t*>(flag.flag);
}

inline std::size_t index(device::Stream stream) {
  return static_cast<std::size_t>(stream);
}

inline bool has_reached(const Reached& reached, const device::Event& event) {
  return reached[index(event.stream)] >= event.number;
}

}  // namespace pilum::fakes
