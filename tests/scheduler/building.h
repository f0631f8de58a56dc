// A plan in the making, instruction by instruction.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {

// A builder on a plan of its own, and a store that instances of the test's make are of.
class Building {
 public:
  explicit Building(const PlannedMachine& machine = {}, int rank = 0)
      : planned(machine, rank), plan(planned.begin_plan()), builder(planned.rank(), plan, {}) {
    store.id = StoreId{5};
    store.dtype = DType::Float64;
    store.shape = Shape({100, 100});
  }
  // Row-major, `pad` cells after each row.
  Instance instance(const Rect& rect, std::int64_t pad = 0, int processor = 0) {
    Instance made;
    made.rect = rect;
    std::int64_t bytes = 8;
    for (int axis = rect.rank - 1; axis >= 0; --axis) {
      made.pitch[static_cast<std::size_t>(axis)] = bytes;
      bytes *= rect.extent(axis) + (axis == rect.rank - 1 ? pad : 0);
    }
    made.block = builder.allocate(static_cast<std::size_t>(bytes), processor, store.id);
    made.valid = Region(rect);
    return made;
  }
  ProcessorStore holding(std::vector<Instance> instances) {
    ProcessorStore local;
    for (Instance& one : instances) local.instances.push_back(std::make_unique<Instance>(std::move(one)));
    return local;
  }
  // Texts of instructions from `first` on, but for their numbers.
  std::vector<std::string> texts(std::size_t first = 0) const {
    std::vector<std::string> all;
    for (std::size_t i = first; i < plan.instructions.size(); ++i)
      all.push_back(to_text(plan.instructions[i], InstructionId{static_cast<std::int64_t>(i)}));
    return all;
  }
  // Bytes of the block that instructions write.
  std::size_t written_in(const Block& block) const {
    Spans written;
    const auto lo = reinterpret_cast<std::uintptr_t>(block.data), hi = lo + block.bytes;
    for (const Instruction& instruction : plan.instructions) {
      const Accesses accesses = accesses_of(instruction);
      for (const Span& span : accesses.writes.all())
        if (span.lo >= lo && span.hi <= hi) written.add(span.lo, span.hi - span.lo);
    }
    written.finish();
    return written.bytes();
  }
  const Instruction& last() const { return plan.instructions.back(); }

  PlannedRank planned;
  Plan plan;
  PlanBuilder builder;
  Store store;
};

}  // namespace pilum::scheduler
