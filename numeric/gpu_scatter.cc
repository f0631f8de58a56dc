#include "numeric/gpu_scatter.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/gpu_scan.h"
#include "numeric/gpu_scatter_text.h"
#include "numeric/gpu_sort.h"
#include "runtime/base/check.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

std::int64_t extent_of(const BoundStore& store, int axis) {
  return store.hi[u(axis)] - store.lo[u(axis)];
}

std::uint64_t scatter_word(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}
std::uint64_t address_of(const void* data) {
  return reinterpret_cast<std::uint64_t>(data);
}

template <class Word>
struct ScatterWords : std::array<std::uint64_t, static_cast<std::size_t>(kWordCount<Word>)> {
  std::uint64_t& at(Word word, int number = 0) {
    return (*this)[static_cast<std::size_t>(place_of_word(word, number))];
  }
};

constexpr std::int64_t kMostThreads = std::int64_t{1} << 38;  // of a launch
constexpr std::int64_t kLastRows = 4;                         // as many as points, where rows know their last one
constexpr std::int64_t kCountingBlocks = 1024;

// Scratch memory: | keys | order, or the rows' last points | what sorting takes |, of the points that are at once.
struct Shares {
  std::int64_t at_once, rows;
  DType key;
  ScatterWay way = ScatterWay::Sorted;

  Shares(const PickedForm& form, std::int64_t points, std::int64_t row_count, std::int64_t row_cells)
      : at_once(std::min(points, std::clamp<std::int64_t>(kMostThreads / std::max<std::int64_t>(row_cells, 1), 1,
                                                          kScatteredAtOnce))),
        rows(row_count),
        key(rows < std::numeric_limits<std::uint32_t>::max() ? DType::UInt32 : DType::UInt64) {
    if (form.write == PickedWrite::Assign && rows <= kLastRows * at_once) way = ScatterWay::Last;
    if (adds_in_any_order(form))
      way = form.behind == 0 && rows <= kCountedRows ? ScatterWay::Counted : ScatterWay::Added;
  }
  bool sorts() const { return way == ScatterWay::Sorted; }
  int key_bytes() const { return static_cast<int>(itemsize(key)); }
  std::int64_t keys() const { return (at_once * key_bytes() + 7) / 8 * 8; }
  std::int64_t last_words() const { return way == ScatterWay::Last ? (rows + 1) / 2 : 0; }
  std::int64_t order() const { return sorts() ? at_once * 8 : last_words() * 8; }
  std::int64_t bytes() const { return keys() + order() + (sorts() ? order_scratch(key, at_once) : 0); }
};

const std::string& text_of(std::span<const std::int64_t> packed, const ScatterShape& shape, ScatterWay way,
                           bool applies) {
  thread_local std::map<std::tuple<std::vector<std::int64_t>, int, ScatterWay, bool>, std::string> written;
  std::string& text = written[{{packed.begin(), packed.end()}, shape.key_bytes, way, applies}];
  if (text.empty()) text = applies ? apply_text(shape, way) : locate_text(shape, way);
  return text;
}

// One piece's work.
class Scatter {
 public:
  Scatter(std::span<const std::int64_t> packed, const BodyCall& call, const scheduler::DeviceIssue& where)
      : packed_(packed),
        call_(call),
        where_(where),
        shape_(packed),
        points_(count_points()),
        shares_(shape_.form, points_, count_rows(), count_row_cells()) {
    shape_.key_bytes = shares_.key_bytes();
    locate_.at(LocateWord::None) = apply_.at(ApplyWord::None) = scatter_word(count_rows());
    set_locate();
    set_apply();
  }

  void issue() {
    const std::int64_t row = count_row_cells();
    if (points_ == 0 || row == 0) return;
    PILUM_CHECK(shares_.bytes() <= where_.scratch_bytes, "a scatter of {} points in {} bytes", points_,
                where_.scratch_bytes);
    std::byte* const keys = where_.scratch;
    auto* const order = reinterpret_cast<std::int64_t*>(keys + shares_.keys());
    locate_.at(LocateWord::Keys) = apply_.at(ApplyWord::Keys) = address_of(keys);
    apply_.at(ApplyWord::Order) = address_of(order);
    locate_.at(LocateWord::Lasts) = address_of(order);
    scheduler::DeviceIssue behind = where_;
    behind.scratch = keys + shares_.keys() + (shares_.sorts() ? shares_.order() : 0);
    for (std::int64_t first = 0; first < points_; first += shares_.at_once) {
      const std::int64_t count = std::min(shares_.at_once, points_ - first);
      locate_.at(LocateWord::First) = apply_.at(ApplyWord::First) = scatter_word(first);
      locate_.at(LocateWord::Count) = apply_.at(ApplyWord::Count) = scatter_word(count);
      if (shares_.way == ScatterWay::Last) clear_scratch(shares_.last_words(), behind);
      launch(/*applies=*/false, blocks_of(count), locate_);
      if (shares_.sorts()) issue_order(shares_.key, count, keys, order, behind);
      const std::int64_t blocks = blocks_of(count * row);
      launch(/*applies=*/true, shares_.way == ScatterWay::Counted ? std::min(blocks, kCountingBlocks) : blocks, apply_);
    }
  }

 private:
  const BoundStore& array() const { return call_.stores[0]; }
  const BoundStore& values() const { return call_.stores[1]; }

  std::int64_t count_points() const {
    std::int64_t points = 1;
    for (int axis = 0; axis < shape_.lead(); ++axis) points *= std::max<std::int64_t>(extent_of(values(), axis), 0);
    return points;
  }
  std::int64_t count_rows() const {
    std::int64_t rows = 1;
    for (int axis = 0; axis < shape_.form.rank; ++axis) {
      if (!shape_.is_of_row(axis)) rows *= extent_of(array(), axis);
    }
    return rows;
  }
  std::int64_t count_row_cells() const {
    std::int64_t cells = 1;
    for (int axis = shape_.lead(); axis < shape_.form.points_rank; ++axis)
      cells *= std::max<std::int64_t>(extent_of(values(), axis), 0);
    return cells;
  }

  void set_locate() {
    const PickedForm& form = shape_.form;
    locate_.at(LocateWord::Report) = address_of(where_.report);
    locate_.at(LocateWord::Task) = address_of(where_.task);
    locate_.at(LocateWord::File) = address_of(where_.file);
    locate_.at(LocateWord::Line) = where_.line;
    for (int axis = 0; axis < shape_.lead(); ++axis) {
      locate_.at(LocateWord::PointExtents, axis) = scatter_word(extent_of(values(), axis));
      locate_.at(LocateWord::PointLo, axis) = scatter_word(values().lo[u(axis)]);
    }
    int indices = form.numbered ? 1 : 0;
    for (int axis = 0; axis < form.rank; ++axis) {
      locate_.at(LocateWord::PieceLo, axis) = scatter_word(array().lo[u(axis)]);
      locate_.at(LocateWord::PieceHi, axis) = scatter_word(array().hi[u(axis)]);
      locate_.at(LocateWord::Extents, axis) = call_.scalars[u(axis)];
      if (!form.numbered) indices = std::max(indices, -form.follows[u(axis)]);
    }
    for (int k = 0; k < indices; ++k) {
      const BoundStore& index = call_.stores[2 + k];
      locate_.at(LocateWord::Indices, k) =
          address_of(static_cast<const std::int64_t*>(index.first) + cells_to(index, values().lo, form.points_rank));
      for (int axis = 0; axis < shape_.lead(); ++axis)
        locate_.at(LocateWord::Steps, kMaxAxes * k + axis) = scatter_word(index.stride[u(axis)]);
    }
  }

  void set_apply() {
    const PickedForm& form = shape_.form;
    apply_.at(ApplyWord::Array) = address_of(array().first);
    apply_.at(ApplyWord::Values) = address_of(values().first);
    for (int axis = 0; axis < shape_.lead(); ++axis) {
      apply_.at(ApplyWord::PointExtents, axis) = scatter_word(extent_of(values(), axis));
      apply_.at(ApplyWord::ValueSteps, axis) = scatter_word(values().stride[u(axis)]);
    }
    for (int behind = 0; behind < form.behind; ++behind) {
      const int axis = shape_.lead() + behind;
      apply_.at(ApplyWord::RowExtents, behind) = scatter_word(extent_of(values(), axis));
      apply_.at(ApplyWord::RowValueSteps, behind) = scatter_word(values().stride[u(axis)]);
    }
    apply_.at(ApplyWord::RowCells) = scatter_word(count_row_cells());
    int keyed = 0;
    for (int axis = 0; axis < form.rank; ++axis) {
      const std::uint64_t step = scatter_word(array().stride[u(axis)]);
      if (shape_.is_of_row(axis)) {
        apply_.at(ApplyWord::RowSteps, form.follows[u(axis)] - shape_.lead()) = step;
        continue;
      }
      apply_.at(ApplyWord::PieceExtents, keyed) = scatter_word(extent_of(array(), axis));
      apply_.at(ApplyWord::PieceSteps, keyed++) = step;
    }
  }

  static std::int64_t blocks_of(std::int64_t threads) { return (threads + kScatterThreads - 1) / kScatterThreads; }
  void launch(bool applies, std::int64_t blocks, std::span<const std::uint64_t> words) const {
    where_.launch({where_.jit.get(text_of(packed_, shape_, shares_.way, applies))->image(),
                   {static_cast<std::uint32_t>(blocks), 1, 1},
                   {static_cast<std::uint32_t>(kScatterThreads), 1, 1},
                   words});
  }

  std::span<const std::int64_t> packed_;
  const BodyCall& call_;
  const scheduler::DeviceIssue& where_;
  ScatterShape shape_;
  std::int64_t points_;
  Shares shares_;
  ScatterWords<LocateWord> locate_{};
  ScatterWords<ApplyWord> apply_{};
};

}  // namespace

bool scatters_on_gpu(DType dtype, PickedWrite write) {
  return write == PickedWrite::Assign || dtype != DType::Float16;
}

void issue_scatter(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  Scatter(form, call, where).issue();
}

std::int64_t scatter_scratch(std::span<const std::int64_t> packed, const scheduler::TaskLaunch& launch,
                             const Rect& points) {
  const ScatterShape shape(packed);
  const PickedForm& form = shape.form;
  const Shape& of_values = launch.arguments[1].footprint.shape;
  std::array<std::int64_t, kMaxAxes> extents{};
  for (int axis = 0; axis < shape.lead(); ++axis) extents[u(axis)] = of_values[axis];
  std::int64_t rows = 1, row_cells = 1;
  for (int axis = 0; axis < form.rank; ++axis) {
    (shape.is_of_row(axis) ? row_cells : rows) *= points.extent(axis);
    if (shape.is_of_row(axis)) continue;
    if (!form.numbered && form.follows[u(axis)] >= 0) extents[u(form.follows[u(axis)])] = points.extent(axis);
  }
  std::int64_t count = 1;
  for (int axis = 0; axis < shape.lead(); ++axis) count *= extents[u(axis)];
  return Shares(form, count, rows, row_cells).bytes();
}

}  // namespace pilum::numeric
