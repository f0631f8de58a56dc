#include "scheduler/plan/picked_steps.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

namespace pilum::scheduler {
namespace {

using detail::BodyCall;
using detail::BoundStore;

template <class T>
T* memory(const BodyCall& call, int number) {
  return static_cast<T*>(call.stores[number].first);
}

std::int64_t chunk_of(const BodyCall& call) {
  return call.piece.lo(0);
}

// Points of a box that follow one another row-major; `first` is the number of the first one.
struct Chunk {
  Rect points;
  std::int64_t first = 0;
};

// Cut along the outermost axis that can be cut.
Chunk find_chunk(const PickedPoints& all, std::int64_t number) {
  Chunk chunk{all.points, 0};
  int axis = 0;
  while (axis + 1 < all.points.rank && all.points.extent(axis) == 1) ++axis;
  const std::int64_t extent = all.points.extent(axis), begin = extent * number / all.chunks;
  chunk.points.lo[u(axis)] = all.points.lo[u(axis)] + begin;
  chunk.points.hi[u(axis)] = all.points.lo[u(axis)] + extent * (number + 1) / all.chunks;
  chunk.first = begin;
  for (int inner = axis + 1; inner < all.points.rank; ++inner) chunk.first *= all.points.extent(inner);
  return chunk;
}

// Calls visit(strip) for boxes of at most `most` points, which follow one another row-major.
template <class Visit>
void for_each_strip(const Rect& points, std::int64_t most, const Visit& visit) {
  if (points.empty()) return;
  int along = points.rank - 1;  // the innermost axis that has more than one point
  while (along > 0 && points.extent(along) == 1) --along;
  Rect strip = points;
  for (int axis = 0; axis < along; ++axis) strip.hi[u(axis)] = strip.lo[u(axis)] + 1;
  for (;;) {
    for (std::int64_t begin = points.lo[u(along)]; begin < points.hi[u(along)]; begin += most) {
      strip.lo[u(along)] = begin;
      strip.hi[u(along)] = std::min(begin + most, points.hi[u(along)]);
      visit(strip);
    }
    int axis = along - 1;
    for (; axis >= 0; --axis) {
      if (++strip.lo[u(axis)] < points.hi[u(axis)]) break;
      strip.lo[u(axis)] = points.lo[u(axis)];
    }
    if (axis < 0) return;
    for (int outer = 0; outer < along; ++outer) strip.hi[u(outer)] = strip.lo[u(outer)] + 1;
  }
}

// Calls visit(address of a run) for the runs of a row, in order.
template <class Visit>
void for_each_run(const RowShape& row, std::byte* first, const Visit& visit) {
  if (row.rank == 0) return visit(first);
  std::array<std::int64_t, kMaxAxes> at{};
  std::byte* run = first;
  for (;;) {
    visit(run);
    int axis = row.rank - 1;
    for (; axis >= 0; --axis) {
      run += row.pitch[u(axis)];
      if (++at[u(axis)] < row.extent[u(axis)]) break;
      run -= row.extent[u(axis)] * row.pitch[u(axis)];
      at[u(axis)] = 0;
    }
    if (axis < 0) return;
  }
}

// Calls visit(copy), where copy(to, from) copies a row's run: cells of usual sizes by one move.
template <class Visit>
void with_copy(const RowShape& row, const Visit& visit) {
  const auto fixed = [&visit]<std::size_t size>(std::integral_constant<std::size_t, size>) {
    visit([](std::byte* to, const std::byte* from) { std::memcpy(to, from, size); });
  };
  switch (row.run) {
    case 1: return fixed(std::integral_constant<std::size_t, 1>());
    case 2: return fixed(std::integral_constant<std::size_t, 2>());
    case 4: return fixed(std::integral_constant<std::size_t, 4>());
    case 8: return fixed(std::integral_constant<std::size_t, 8>());
    case 16: return fixed(std::integral_constant<std::size_t, 16>());
    default:
      visit([bytes = static_cast<std::size_t>(row.run)](std::byte* to, const std::byte* from) {
        std::memcpy(to, from, bytes);
      });
  }
}

// Calls visit(Place()) with the type of requests.
template <class Visit>
void with_place(std::int64_t bytes, const Visit& visit) {
  if (bytes == 4) return visit(std::uint32_t{});
  visit(std::int64_t{});
}

// The cell of a place in an owner's memory.
template <class Step>
std::byte* cell_at(const Step& step, std::byte* cells, std::int64_t place) {
  for (int axis = step.axes - 1; axis > 0; --axis) {
    cells += place % step.extent[u(axis)] * step.pitch[u(axis)];
    place /= step.extent[u(axis)];
  }
  return cells + place * step.pitch[0];
}

template <class Place>
void answer(const AnswerStep& step, const BodyCall& call) {
  const auto* const range = memory<const std::int64_t>(call, 0);
  const auto* const requests = memory<const Place>(call, 1);
  std::byte* const cells = memory<std::byte>(call, 2);
  const std::int64_t begin = range[0] + range[1] * chunk_of(call) / step.chunks;
  const std::int64_t end = range[0] + range[1] * (chunk_of(call) + 1) / step.chunks;
  std::byte* to = memory<std::byte>(call, 3) + begin * step.row.bytes;
  with_copy(step.row, [&](const auto& copy) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::byte* const from = cell_at(step, cells, static_cast<std::int64_t>(requests[i]));
      for_each_run(step.row, from, [&](const std::byte* run) {
        copy(to, run);
        to += step.row.run;
      });
    }
  });
}

// Which of an owner's places are a chunk's: each has its share, so that no two update one cell.
struct PlaceShare {
  std::int64_t begin = 0, count = 1;
  template <class Step>
  PlaceShare(const Step& step, std::int64_t chunk) {
    for (int axis = 0; axis < step.axes; ++axis) count *= step.extent[u(axis)];
    begin = count * chunk / step.chunks;
    count = count * (chunk + 1) / step.chunks - begin;
  }
  bool contains(std::int64_t place) const {
    return static_cast<std::uint64_t>(place - begin) < static_cast<std::uint64_t>(count);
  }
};

// Cells and values that are updated some hundred at a time.
class PendingUpdates {
 public:
  explicit PendingUpdates(const CellUpdates& combine) : combine_(combine) {}
  ~PendingUpdates() { flush(); }
  PendingUpdates(const PendingUpdates&) = delete;
  PendingUpdates& operator=(const PendingUpdates&) = delete;
  // Counts where `is_wanted`: without a branch.
  void add(void* cell, const void* value, bool is_wanted) {
    cells_[count_] = cell;
    values_[count_] = value;
    count_ += is_wanted;
    if (count_ == kMost) flush();
  }

  void flush() {
    combine_.each(cells_.data(), values_.data(), static_cast<std::int64_t>(count_));
    count_ = 0;
  }

 private:
  static constexpr std::size_t kMost = 256;
  const CellUpdates& combine_;
  std::size_t count_ = 0;
  std::array<void*, kMost> cells_;
  std::array<const void*, kMost> values_;
};

template <class Place>
void update(const UpdateStep& step, const BodyCall& call) {
  const auto* const range = memory<const std::int64_t>(call, 0);
  const auto* const requests = memory<const Place>(call, 1);
  std::byte* const cells = memory<std::byte>(call, 2);
  const std::byte* const rows = memory<const std::byte>(call, 3);
  const PlaceShare share(step, chunk_of(call));
  if (step.row.bytes == step.itemsize) {
    PendingUpdates updates(step.body->combine);
    for (std::int64_t i = range[0]; i < range[0] + range[1]; ++i) {
      const auto place = static_cast<std::int64_t>(requests[i]);
      updates.add(cell_at(step, cells, place), rows + i * step.itemsize, share.contains(place));
    }
    return;
  }
  const std::int64_t count = step.row.run / step.itemsize;
  for (std::int64_t i = range[0]; i < range[0] + range[1]; ++i) {
    const auto place = static_cast<std::int64_t>(requests[i]);
    if (!share.contains(place)) continue;
    const std::byte* from = rows + i * step.row.bytes;
    for_each_run(step.row, cell_at(step, cells, place), [&](std::byte* run) {
      step.body->combine.row(run, from, count);
      from += step.row.run;
    });
  }
}

// Calls visit(address in the array of the first point's, bytes from point to point, how many) for strips of points, of
// which the array has `pitch` bytes along each axis.
template <class Visit>
void for_each_strip_in(std::byte* array, const Rect& all, const Rect& points, const Extents& pitch,
                       const Visit& visit) {
  for_each_strip(points, points.cells(), [&](const Rect& strip) {
    std::byte* at = array;
    std::int64_t along = 0;
    for (int axis = 0; axis < strip.rank; ++axis) {
      at += (strip.lo[u(axis)] - all.lo[u(axis)]) * pitch[u(axis)];
      if (strip.extent(axis) > 1) along = pitch[u(axis)];  // a strip has more than one point along one axis
    }
    visit(at, along, strip.cells());
  });
}

// Calls copy_rows(copy, run in the array, the same in the rows' memory) for the runs of the points' rows.
template <class Step, class Copy>
void for_each_row(const Step& step, const BodyCall& call, const Copy& copy_rows) {
  const Chunk chunk = find_chunk(step.points, chunk_of(call));
  const auto* const numbers = memory<const std::int64_t>(call, 0) + chunk.first;
  std::byte* const rows = memory<std::byte>(call, 1);
  std::byte* const array = memory<std::byte>(call, 2);
  for (const PointRows& part : step.parts) {
    const std::int64_t* number = numbers;
    with_copy(part.row, [&](const auto& copy) {
      const auto copy_strip = [&](std::byte* at, std::int64_t along, std::int64_t count) {
        for (; count > 0; --count, at += along) {
          const std::int64_t request = *number++;
          if (request < 0) continue;
          std::byte* row = rows + part.from + request * part.row.bytes;
          for_each_run(part.row, at, [&](std::byte* run) {
            copy_rows(copy, run, row);
            row += part.row.run;
          });
        }
      };
      for_each_strip_in(array + part.at, step.points.points, chunk.points, step.pitch, copy_strip);
    });
  }
}

}  // namespace

int ChosenAxes::groups() const {
  int product = 1;
  for (const Axis& axis : axes) product *= axis.parts();
  return product;
}

RowShape RowShape::of(int rank, const Extents& extent, const Extents& pitch, std::int64_t itemsize) {
  RowShape row{0, {}, {}, itemsize, itemsize};
  int outer = rank;
  for (int axis = rank - 1; axis >= 0; --axis) {
    row.bytes *= extent[u(axis)];
    if (axis + 1 != outer) continue;
    if (extent[u(axis)] != 1 && pitch[u(axis)] != row.run) continue;
    row.run *= extent[u(axis)];
    outer = axis;
  }
  for (int axis = 0; axis < outer; ++axis) {
    if (extent[u(axis)] == 1) continue;
    row.extent[u(row.rank)] = extent[u(axis)];
    row.pitch[u(row.rank++)] = pitch[u(axis)];
  }
  return row;
}

void LocateStep::run(const BodyCall& call) const {
  constexpr std::int64_t kStrip = 1024;  // points whose coordinates stay in the cache
  const int groups = chosen->groups();
  const Chunk chunk = find_chunk(points, chunk_of(call));
  auto* place = memory<std::int64_t>(call, 0) + chunk.first;
  auto* group = memory<std::int64_t>(call, 1) + chunk.first;
  std::int64_t* const counts = memory<std::int64_t>(call, 2) + chunk_of(call) * groups;
  std::fill_n(counts, groups, 0);
  std::vector<BoundStore> bound = stores;
  for (std::size_t i = 2; i < bound.size(); ++i) {
    bound[i].first =
        memory<std::byte>(call, static_cast<int>(i) + 1) + reinterpret_cast<std::intptr_t>(stores[i].first);
  }
  std::vector<std::int64_t> coordinates(static_cast<std::size_t>(std::min(kStrip, chunk.points.cells()) * view_rank));
  for_each_strip(chunk.points, kStrip, [&](const Rect& strip) {
    body->locate({Piece(strip.rank, strip.lo, strip.hi), bound.data(), call.scalars}, coordinates.data());
    const std::int64_t* at = coordinates.data();
    std::int64_t left = strip.cells();
    if (const ChosenAxes::Axis& only = chosen->axes[0]; chosen->axes.size() == 1 && only.view_axis >= 0) {
      for (at += only.view_axis; left > 0; --left, at += view_rank) {
        const std::int64_t cell = only.offset + only.scale * *at;
        const auto part = static_cast<std::size_t>(only.part_of(cell));
        ++counts[part];
        *group++ = static_cast<std::int64_t>(part);
        *place++ = cell - only.starts[part];
      }
    }
    for (; left > 0; --left, at += view_rank) {
      std::int64_t number = 0, among = 0;
      for (const ChosenAxes::Axis& axis : chosen->axes) {
        const std::int64_t cell = axis.offset + (axis.view_axis < 0 ? 0 : axis.scale * at[axis.view_axis]);
        const auto part = static_cast<std::size_t>(axis.part_of(cell));
        number = number * axis.parts() + static_cast<std::int64_t>(part);
        among = among * (axis.starts[part + 1] - axis.starts[part]) + cell - axis.starts[part];
      }
      ++counts[number];
      *group++ = number;
      *place++ = among;
    }
  });
}

void NumberStep::run(const BodyCall& call) const {
  auto* const counts = memory<std::int64_t>(call, 0);
  auto* range = memory<std::int64_t>(call, 1);
  std::int64_t next = 0;
  for (int group = 0; group < groups; ++group) {
    *range++ = next;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      std::int64_t& count = counts[chunk * groups + group];
      next += std::exchange(count, next);
    }
    *range = next - range[-1];
    ++range;
  }
}

void RequestStep::run(const BodyCall& call) const {
  const Chunk chunk = find_chunk(points, chunk_of(call));
  const auto* const place = memory<const std::int64_t>(call, 0) + chunk.first;
  auto* const group = memory<std::int64_t>(call, 1) + chunk.first;
  auto* const next = memory<std::int64_t>(call, 2) + chunk_of(call) * groups;
  const std::int64_t count = chunk.points.cells();
  with_place(place_bytes, [&]<class Place>(Place) {
    auto* const requests = memory<Place>(call, 3);
    for (std::int64_t i = 0; i < count; ++i) {
      if (group[i] == own) {
        group[i] = -1;
        continue;
      }
      const std::int64_t number = next[group[i]]++;
      requests[number] = static_cast<Place>(place[i]);
      group[i] = number;
    }
  });
}

void AnswerStep::run(const BodyCall& call) const {
  with_place(place_bytes, [&]<class Place>(Place) { answer<Place>(*this, call); });
}

void PlaceStep::run(const BodyCall& call) const {
  for_each_row(*this, call, [](const auto& copy, std::byte* run, const std::byte* row) { copy(run, row); });
}

void CollectStep::run(const BodyCall& call) const {
  for_each_row(*this, call, [](const auto& copy, const std::byte* run, std::byte* row) { copy(row, run); });
}

void UpdateOwnStep::run(const BodyCall& call) const {
  const auto* number = memory<const std::int64_t>(call, 0);
  const auto* place = memory<const std::int64_t>(call, 1);
  std::byte* const cells = memory<std::byte>(call, 2);
  constexpr std::int64_t kBlock = 256;  // of which all are mostly one processor's, or none
  const PlaceShare share(*this, chunk_of(call));
  PendingUpdates updates(body->combine);
  const auto update_block = [&](const std::byte* value, std::int64_t along, std::int64_t count) {
    bool all = axes == 1;
    for (std::int64_t i = 0; i < count; ++i) all &= number[i] < 0 && share.contains(place[i]);
    if (all) {
      updates.flush();
      return body->combine.at(cells, pitch[0], place, value, along, count);
    }
    for (std::int64_t i = 0; i < count; ++i, value += along)
      updates.add(cell_at(*this, cells, place[i]), value, number[i] < 0 && share.contains(place[i]));
  };
  for_each_strip_in(memory<std::byte>(call, 3), points, points, value_pitch,
                    [&](const std::byte* value, std::int64_t along, std::int64_t count) {
                      for (std::int64_t done = 0; done < count; done += kBlock) {
                        const std::int64_t some = std::min(kBlock, count - done);
                        update_block(value + done * along, along, some);
                        number += some;
                        place += some;
                      }
                    });
}

void UpdateStep::run(const BodyCall& call) const {
  with_place(place_bytes, [&]<class Place>(Place) { update<Place>(*this, call); });
}

}  // namespace pilum::scheduler
