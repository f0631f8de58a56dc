// What instructions touch, byte by byte, and whether a plan orders all that meet: by pointers and extents alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/print/printer.h"
#include "scheduler/record/device_body.h"
#include "scheduler/record/device_call.h"
#include "scheduler/record/host_body.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Bytes from lo on, before hi.
struct Span {
  std::uintptr_t lo = 0, hi = 0;
  bool operator==(const Span&) const = default;
  auto operator<=>(const Span&) const = default;
};

// Disjoint and sorted, once finish() was called.
class Spans {
 public:
  void add(std::uintptr_t lo, std::size_t bytes) {
    if (bytes == 0) return;
    if (!all_.empty() && all_.back().hi == lo) {
      all_.back().hi += bytes;
    } else {
      all_.push_back({lo, lo + bytes});
    }
  }
  // A box of cells.
  void add_box(const void* first, const std::int64_t* pitch, const std::int64_t* extent, int rank, std::size_t size,
               std::int64_t more = 0) {
    const auto axes = static_cast<std::size_t>(rank);
    if (std::any_of(extent, extent + axes, [](std::int64_t count) { return count <= 0; })) return;
    Extents point{};
    while (true) {
      std::int64_t offset = more;
      for (std::size_t a = 0; a < axes; ++a) offset += point[a] * pitch[a];
      add(reinterpret_cast<std::uintptr_t>(first) + static_cast<std::uintptr_t>(offset), size);
      int axis = rank - 1;
      while (axis >= 0 && ++point[static_cast<std::size_t>(axis)] == extent[axis])
        point[static_cast<std::size_t>(axis--)] = 0;
      if (axis < 0) return;
    }
  }
  void finish() {
    std::sort(all_.begin(), all_.end());
    std::vector<Span> merged;
    for (const Span& span : all_) {
      if (!merged.empty() && span.lo <= merged.back().hi)
        merged.back().hi = std::max(merged.back().hi, span.hi);
      else
        merged.push_back(span);
    }
    all_ = std::move(merged);
  }
  bool meets(const Spans& other) const {
    if (all_.empty() || other.all_.empty() || all_.back().hi <= other.all_.front().lo ||
        other.all_.back().hi <= all_.front().lo)
      return false;
    for (auto i = all_.begin(), j = other.all_.begin(); i != all_.end() && j != other.all_.end();) {
      if (i->lo < j->hi && j->lo < i->hi) return true;
      i->hi <= j->hi ? static_cast<void>(++i) : static_cast<void>(++j);
    }
    return false;
  }
  const std::vector<Span>& all() const { return all_; }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Span& span : all_) sum += span.hi - span.lo;
    return sum;
  }

 private:
  std::vector<Span> all_;
};

struct Accesses {
  Spans reads, writes;
  bool conflicts(const Accesses& other) const {
    return writes.meets(other.writes) || writes.meets(other.reads) || reads.meets(other.writes);
  }
};

class AccessesOf {
 public:
  Accesses operator()(const Instruction& instruction) {
    std::visit([this](const auto& what) { add(what); }, instruction.what);
    accesses_.reads.finish();
    accesses_.writes.finish();
    return std::move(accesses_);
  }

 private:
  void add(const Copy& copy) {
    accesses_.reads.add_box(copy.from.data, copy.from.pitch.data(), copy.extent.data(), copy.rank, copy.itemsize);
    accesses_.writes.add_box(copy.to.data, copy.to.pitch.data(), copy.extent.data(), copy.rank, copy.itemsize);
  }
  void add(const Send& send) {
    accesses_.reads.add(reinterpret_cast<std::uintptr_t>(send.data), send.bytes);
    add_flag(send.flag);
  }
  void add(const Receive& receive) {
    accesses_.writes.add(reinterpret_cast<std::uintptr_t>(receive.data), receive.bytes);
    add_flag(receive.flag);
  }
  void add(const Taken& taken) { add_flag(taken.flag); }
  void add_flag(const std::byte* flag) {
    if (flag) accesses_.writes.add(reinterpret_cast<std::uintptr_t>(flag), sizeof(std::uint32_t));
  }
  void add(const FoldParts& fold) {
    std::int64_t cells = fold.part_count;
    for (int a = 0; a < fold.rank; ++a) cells *= fold.extent[static_cast<std::size_t>(a)];
    const std::size_t size = itemsize(fold.dtype);
    accesses_.reads.add(reinterpret_cast<std::uintptr_t>(fold.parts), static_cast<std::size_t>(cells) * size);
    accesses_.writes.add_box(fold.to.data, fold.to.pitch.data(), fold.extent.data(), fold.rank, size);
  }
  void add(const Reshape& reshape) {
    const auto to_rank = static_cast<std::size_t>(reshape.to_rank),
               from_rank = static_cast<std::size_t>(reshape.from_rank);
    Extents point = reshape.lo;
    while (true) {
      std::int64_t number = 0, to = 0, from = 0;
      for (std::size_t a = 0; a < to_rank; ++a) {
        number = number * reshape.to_extent[a] + point[a];
        to += point[a] * reshape.to.pitch[a];
      }
      for (std::size_t a = from_rank; a-- > 0; number /= reshape.from_extent[a])
        from += number % reshape.from_extent[a] * reshape.from.pitch[a];
      const auto at = [](const std::byte* data, std::int64_t offset) {
        return reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(offset);
      };
      accesses_.reads.add(at(reshape.from.data, from), reshape.itemsize);
      accesses_.writes.add(at(reshape.to.data, to), reshape.itemsize);
      std::size_t a = to_rank;
      while (a > 0 && ++point[a - 1] == reshape.hi[a - 1]) {
        point[a - 1] = reshape.lo[a - 1];
        --a;
      }
      if (a == 0) return;
    }
  }
  void add(const Launch& launch) {
    if (const HostBody* body = launch.body<HostBody>()) return add_body(launch, *body);
    if (const DeviceBody* body = launch.body<DeviceBody>()) return add_body(launch, *body);
    if (const HostBody* call = launch.body<DeviceCall>()) return add_body(launch, *call);
    std::vector<Extents> chunks;  // first points of the chunks, in the box
    for_each_chunk(launch, [&](const Extents& first) { chunks.push_back(first); });
    for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
      const kernel::BoundArray& array = launch.arrays[i];
      const std::size_t size = itemsize(launch.kernel()->kernel->arrays[i].dtype);
      if (launch.kernel()->kernel->arrays[i].access == kernel::Access::Read) {
        for (const kernel::Node& node : launch.kernel()->kernel->nodes) {
          if (node.op != kernel::Op::Load || node.argument != static_cast<int>(i)) continue;
          std::int64_t offset = 0;
          for (std::size_t k = 0; k < kMaxAxes; ++k) offset += node.offset[k] * array.pitch[k];
          accesses_.reads.add_box(array.base, array.stride, launch.extent.data(), launch.rank, size, offset);
        }
        continue;
      }
      const std::int64_t step = launch.chunk_step.empty() ? 0 : launch.chunk_step[i];
      if (step == 0) {
        accesses_.writes.add_box(array.base, array.stride, launch.extent.data(), launch.rank, size);
        continue;
      }
      for (std::size_t c = 0; c < chunks.size(); ++c) {  // a partial result for each
        accesses_.writes.add_box(array.base, array.stride, launch.chunk.data(), launch.rank, size,
                                 step * static_cast<std::int64_t>(c));
      }
    }
  }
  // By the hull of what the footprints say of the piece.
  void add_body(const Launch& launch, const DeviceBody& body) {
    std::size_t i = 0;
    for (const kernel::BodyParameter& parameter : body.body->gpu->parameters) {
      if (parameter.kind != kernel::BodyParameter::Kind::Array) continue;
      const kernel::BoundArray& array = launch.arrays[i];
      Extents extent{};
      std::int64_t first = 0;
      for (std::size_t k = 0; k < body.ranges[i].size(); ++k) {
        extent[k] = body.ranges[i][k].hi - body.ranges[i][k].lo;
        first += body.ranges[i][k].lo * array.stride[k];
      }
      const bool folds = parameter.access == kernel::Access::Reduce;
      Spans& spans = parameter.access == kernel::Access::Read ? accesses_.reads : accesses_.writes;
      for (std::int64_t part = 0; part < (folds ? body.parts : 1); ++part)
        spans.add_box(array.base, array.stride, extent.data(), parameter.rank, itemsize(parameter.dtype),
                      first + part * launch.chunk_step[i]);
      ++i;
    }
  }
  void add_body(const Launch& launch, const HostBody& body) {
    std::int64_t parts = 0;
    for_each_chunk(launch, [&](const Extents&) { ++parts; });
    for (std::size_t i = 0; i < body.footprints.size(); ++i) {
      const Footprint& footprint = body.footprints[i];
      const kernel::BoundArray& array = launch.arrays[i];
      const std::size_t size = itemsize(footprint.dtype);
      if (footprint.access == kernel::Access::Reduce) {
        const Rect all = Rect::of(footprint.shape);
        for (std::int64_t part = 0; part < parts; ++part)
          accesses_.writes.add_box(array.base, array.stride, all.hi.data(), all.rank, size,
                                   part * launch.chunk_step[i]);
        continue;
      }
      const Rect box = body.boxes[i].rank > 0 ? body.boxes[i] : footprint.box(launch.points);
      Extents extent{};
      std::int64_t first = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k) {
        extent[k] = box.hi[k] - box.lo[k];
        first += box.lo[k] * array.stride[k];
      }
      Spans& spans = footprint.access == kernel::Access::Read ? accesses_.reads : accesses_.writes;
      spans.add_box(array.base, array.stride, extent.data(), box.rank, size, first);
    }
  }
  template <class Visit>
  static void for_each_chunk(const Launch& launch, Visit visit) {
    Extents first{};
    while (true) {
      visit(first);
      int axis = launch.rank - 1;
      for (; axis >= 0; --axis) {
        const auto a = static_cast<std::size_t>(axis);
        first[a] += launch.chunk[a];
        if (first[a] < launch.extent[a]) break;
        first[a] = 0;
      }
      if (axis < 0) return;
    }
  }
  void add(const Allocate&) {}
  void add(const Free&) {}
  void add(const HostCall&) {}
  void add(const ReplayedPlan&) {}

  Accesses accesses_;
};

inline Accesses accesses_of(const Instruction& instruction) {
  return AccessesOf()(instruction);
}

// A plan's order: which instruction comes after which, by whatever way.
class Order {
 public:
  // By item: what it comes after, all of it before it.
  explicit Order(const std::vector<std::vector<int>>& predecessors) : after_(predecessors.size()) {
    for (std::size_t i = 0; i < predecessors.size(); ++i) {
      after_[i].resize(i, false);
      for (const int direct : predecessors[i]) {
        const auto j = static_cast<std::size_t>(direct);
        after_[i][j] = true;
        for (std::size_t k = 0; k < j; ++k) after_[i][k] = after_[i][k] || after_[j][k];
      }
    }
  }
  bool is_after(std::size_t later, std::size_t earlier) const { return after_[later][earlier]; }

 private:
  std::vector<std::vector<bool>> after_;
};

// Of instructions from `first` on: by number, those of them that they come after. What came before is done.
inline std::vector<std::vector<int>> befores_of(const std::vector<Instruction>& instructions, InstructionId first) {
  std::vector<std::vector<int>> predecessors;
  for (const Instruction& instruction : instructions) {
    std::vector<int>& list = predecessors.emplace_back();
    for (const InstructionId id : instruction.after)
      if (id >= first) list.push_back(static_cast<int>(id.value - first.value));
  }
  return predecessors;
}

// Pairs that touch a byte, one of them writing.
struct Conflicts {
  std::size_t ordered = 0;
  std::vector<std::string> races;  // the others
};

inline Conflicts find_conflicts(const std::vector<Instruction>& instructions,
                                const std::vector<std::vector<int>>& predecessors) {
  const Order order(predecessors);
  std::vector<Accesses> accesses;
  Conflicts conflicts;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    accesses.push_back(accesses_of(instructions[i]));
    for (std::size_t j = 0; j < i; ++j) {
      if (!accesses[i].conflicts(accesses[j])) continue;
      if (order.is_after(i, j)) {
        ++conflicts.ordered;
        continue;
      }
      conflicts.races.push_back(to_text(instructions[j], InstructionId{static_cast<std::int64_t>(j)}) + " | " +
                                to_text(instructions[i], InstructionId{static_cast<std::int64_t>(i)}));
    }
  }
  return conflicts;
}
inline Conflicts find_conflicts(const Plan& plan) {
  return find_conflicts(plan.instructions, befores_of(plan.instructions, plan.first));
}

}  // namespace pilum::scheduler
