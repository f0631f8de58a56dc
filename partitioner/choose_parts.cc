#include "partitioner/choose_parts.h"

#include <algorithm>
#include <limits>

namespace pilum::partitioner {
namespace {

class PartsSearch {
 public:
  PartsSearch(const Rect& box, std::int64_t cell_bytes, const std::array<std::int64_t, kMaxAxes>& halo,
              const machine::Machine& machine)
      : box_(box), cell_bytes_(cell_bytes), halo_(halo), machine_(machine) {
    best_.fill(1);
    parts_.fill(1);
  }

  bool search(int processors) {
    try_axis(0, processors);
    return best_cost_ < std::numeric_limits<double>::infinity();
  }
  const std::array<int, kMaxAxes>& best() const { return best_; }

 private:
  void try_axis(int axis, int left) {
    if (axis == box_.rank) {
      if (left == 1 && cost() < best_cost_) {
        best_cost_ = cost();
        best_ = parts_;
      }
      return;
    }
    for (int parts = 1; parts <= left && parts <= box_.extent(axis); ++parts) {
      if (left % parts != 0) continue;
      parts_[static_cast<std::size_t>(axis)] = parts;
      try_axis(axis + 1, left / parts);
    }
    parts_[static_cast<std::size_t>(axis)] = 1;
  }

  // Seconds a sweep a processor spends on its halos; where there are none, outer axes are cut first.
  double cost() const {
    double seconds = 0;
    double tile = static_cast<double>(box_.cells());
    for (int axis = 0; axis < box_.rank; ++axis) tile /= parts_[static_cast<std::size_t>(axis)];
    for (int axis = 0; axis < box_.rank; ++axis) {
      const auto k = static_cast<std::size_t>(axis);
      if (parts_[k] == 1) continue;
      const double extent = static_cast<double>(box_.extent(axis)) / parts_[k];
      const double width = std::max(0.01, static_cast<double>(halo_[k]));
      const double strided = 1.0 + static_cast<double>(axis) / box_.rank;  // packing; no halo: breaks ties
      seconds += strided * (machine_.message_latency +
                            width * tile / extent * static_cast<double>(cell_bytes_) / machine_.message_bandwidth);
    }
    return seconds;
  }

  const Rect& box_;
  std::int64_t cell_bytes_;
  const std::array<std::int64_t, kMaxAxes>& halo_;
  const machine::Machine& machine_;
  std::array<int, kMaxAxes> parts_, best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::array<int, kMaxAxes> choose_parts(const Rect& box, std::int64_t cell_bytes,
                                       const std::array<std::int64_t, kMaxAxes>& halo,
                                       const machine::Machine& machine) {
  // A prime number of processors may fit no grid of a small box: then fewer take part.
  for (int processors = machine.processors(); processors > 1; --processors) {
    PartsSearch search(box, cell_bytes, halo, machine);
    if (search.search(processors)) return search.best();
  }
  std::array<int, kMaxAxes> whole;
  whole.fill(1);
  return whole;
}

}  // namespace pilum::partitioner
