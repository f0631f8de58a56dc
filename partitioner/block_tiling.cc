#include "partitioner/block_tiling.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace pilum::partitioner {
namespace {

using Cuts = std::vector<std::int64_t>;  // where parts begin, relative to the box

// Tilings are compared by value: equal tables are one. They stay: a tiling may be kept by anybody.
const std::int64_t* intern(const Cuts& cuts) {
  static std::mutex mutex;
  static auto* const tables = new std::set<Cuts>;
  const std::lock_guard lock(mutex);
  return tables->insert(cuts).first->data();
}

AxisTiling make_axis(const Cuts& cuts, int stride, std::int64_t lo, std::int64_t extent) {
  AxisTiling axis{static_cast<std::int32_t>(cuts.size()), stride, extent, lo, 1};
  bool even = true;
  for (std::size_t i = 1; i < cuts.size(); ++i) even = even && axis.cut(static_cast<std::int64_t>(i)) == lo + cuts[i];
  if (!even) {
    axis.range = 0;
    axis.table = intern(cuts);
  }
  return axis;
}

// Each part again in `pieces`.
Cuts refine(const Cuts& cuts, std::int64_t extent, int pieces) {
  Cuts finer;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::int64_t end = i + 1 < cuts.size() ? cuts[i + 1] : extent;
    for (int piece = 0; piece < pieces; ++piece) finer.push_back(cuts[i] + (end - cuts[i]) * piece / pieces);
  }
  return finer;
}

std::string name_of(std::size_t rank, const Rect& block) {
  return "rank " + std::to_string(rank) + " has " + to_string(block);
}

// Blocks outside, overlapping, or too few; "" where they cover the box.
std::string find_fault(const Rect& box, std::span<const Rect> blocks) {
  std::int64_t cells = 0;
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    if (blocks[rank].empty()) continue;
    if (!box.contains(blocks[rank]))
      return name_of(rank, blocks[rank]) + ", which reaches beyond the array, " + to_string(box);
    cells += blocks[rank].cells();
    for (std::size_t other = 0; other < rank; ++other) {
      if (blocks[other].empty() || !overlaps(blocks[other], blocks[rank])) continue;
      return name_of(other, blocks[other]) + " and " + name_of(rank, blocks[rank]) + ": both have " +
             to_string(intersect(blocks[other], blocks[rank])) + ", and each cell belongs to one rank";
    }
  }
  if (cells == box.cells()) return "";
  std::string text = "the blocks have " + std::to_string(cells) + " of the " + std::to_string(box.cells()) +
                     " cells of " + to_string(box) + ":";
  constexpr std::size_t kShown = 8;
  for (std::size_t rank = 0; rank < std::min(kShown, blocks.size()); ++rank)
    text += (rank ? ", " : " ") + name_of(rank, blocks[rank]);
  if (blocks.size() > kShown) text += ", and so on";
  return text;
}

// The grid that the blocks' first cells span.
class Grid {
 public:
  Grid(const Rect& box, std::span<const Rect> blocks)
      : box_(box), blocks_(blocks), cuts_(static_cast<std::size_t>(box.rank)) {
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      std::set<std::int64_t> places{0};
      for (const Rect& block : blocks) {
        if (!block.empty()) places.insert(block.lo[k] - box.lo[k]);
      }
      cuts_[k].assign(places.begin(), places.end());
    }
  }

  std::optional<Tiling> tile(int processors_per_rank) {
    const auto cut_axes = std::count_if(cuts_.begin(), cuts_.end(), [](const Cuts& cuts) { return cuts.size() > 1; });
    std::optional<Tiling> found;
    if (find_strides()) found = make(processors_per_rank);
    if (found && fits(*found, processors_per_rank)) return found;
    if (cut_axes > 1) return std::nullopt;
    if (!keep_empty_parts()) return std::nullopt;
    found = make(processors_per_rank);
    return fits(*found, processors_per_rank) ? found : std::nullopt;
  }

 private:
  // An axis' stride is the rank whose block is the second along it and the first along all others.
  bool find_strides() {
    strides_.assign(cuts_.size(), 0);
    count_ = 1;
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      if (cuts_[k].size() < 2) continue;
      count_ *= static_cast<int>(cuts_[k].size());
      for (std::size_t rank = 0; rank < blocks_.size() && strides_[k] == 0; ++rank) {
        bool is_second = !blocks_[rank].empty();
        for (std::size_t j = 0; j < cuts_.size(); ++j)
          is_second = is_second && blocks_[rank].lo[j] - box_.lo[j] == (j == k ? cuts_[j][1] : 0);
        if (is_second) strides_[k] = static_cast<int>(rank);
      }
      if (strides_[k] == 0) return false;
    }
    return count_ <= static_cast<int>(blocks_.size());
  }

  // One axis, a part a rank: those without cells lie between their neighbours.
  bool keep_empty_parts() {
    std::size_t axis = 0;
    for (std::size_t k = 0; k < cuts_.size(); ++k) axis = cuts_[k].size() > 1 ? k : axis;
    if (cuts_.empty()) return false;
    Cuts& cuts = cuts_[axis];
    cuts.assign(blocks_.size(), box_.extent(static_cast<int>(axis)));
    for (std::size_t rank = blocks_.size(); rank-- > 0;) {
      if (!blocks_[rank].empty())
        cuts[rank] = blocks_[rank].lo[axis] - box_.lo[axis];
      else if (rank + 1 < cuts.size())
        cuts[rank] = cuts[rank + 1];
    }
    cuts[0] = 0;
    strides_.assign(cuts_.size(), 0);
    strides_[axis] = 1;
    count_ = static_cast<int>(blocks_.size());
    return std::is_sorted(cuts.begin(), cuts.end());
  }

  Tiling make(int processors_per_rank) const {
    std::array<AxisTiling, kMaxAxes> axes{};
    // The axis whose neighbours are ranks that follow one another is cut further; where none is cut, the longest.
    std::size_t fastest = 0;
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      if (box_.extent(static_cast<int>(k)) > box_.extent(static_cast<int>(fastest))) fastest = k;
    }
    for (std::size_t k = 0; k < cuts_.size(); ++k) fastest = strides_[k] == 1 ? k : fastest;
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      const std::int64_t extent = box_.extent(static_cast<int>(k));
      if (k == fastest && processors_per_rank > 1) {
        axes[k] = make_axis(refine(cuts_[k], extent, processors_per_rank), 1, box_.lo[k], extent);
      } else if (cuts_[k].size() > 1) {
        axes[k] = make_axis(cuts_[k], strides_[k] * processors_per_rank, box_.lo[k], extent);
      }
    }
    return Tiling::cut(box_, axes, count_ * processors_per_rank);
  }

  bool fits(const Tiling& tiling, int processors_per_rank) const {
    for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
      Rect all = box_;
      all.hi = all.lo;
      for (int p = 0; p < processors_per_rank; ++p)
        all = hull(all, tiling.tile(static_cast<int>(rank) * processors_per_rank + p));
      if (blocks_[rank].empty() ? !all.empty() : all != blocks_[rank]) return false;
    }
    return true;
  }

  const Rect& box_;
  std::span<const Rect> blocks_;
  std::vector<Cuts> cuts_;
  std::vector<int> strides_;
  int count_ = 1;
};

}  // namespace

std::variant<Tiling, std::string> tile_blocks(const Rect& box, std::span<const Rect> blocks, int processors_per_rank) {
  if (processors_per_rank * blocks.size() == 1 && blocks.front() == box) return Tiling::replicated(box);
  std::int64_t cells = 0;
  for (const Rect& block : blocks) cells += block.empty() ? 0 : block.cells();
  if (cells == box.cells()) {
    if (const auto tiling = Grid(box, blocks).tile(processors_per_rank)) return *tiling;
  }
  if (std::string fault = find_fault(box, blocks); !fault.empty()) return fault;
  std::string text =
      "the blocks cover the array, but not as a grid of straight cuts whose parts the ranks number by a fixed order of "
      "the "
      "axes:";
  constexpr std::size_t kShown = 8;
  for (std::size_t rank = 0; rank < std::min(kShown, blocks.size()); ++rank)
    text += (rank ? ", " : " ") + name_of(rank, blocks[rank]);
  return text + (blocks.size() > kShown ? ", and so on" : "");
}

}  // namespace pilum::partitioner
