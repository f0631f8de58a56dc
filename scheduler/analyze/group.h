// A task while it grows: the fuser's working state.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/kernel/ir/builder.h"
#include "scheduler/analyze/beyond.h"
#include "scheduler/analyze/placed_operation.h"
#include "scheduler/analyze/window.h"
#include "scheduler/record/fusion_notes.h"
#include "scheduler/record/task.h"

namespace pilum::scheduler {

// Operations over one domain that will be one kernel. Values written in the group are read from registers.
class Group {
 public:
  explicit Group(const PlacedOperation& first);

  // True where it began with a part of an operation that is cut, and that wrote these cells.
  bool has_part(const Rect& cells) const { return part_ == cells; }
  // True when the operation may become part of this kernel: same domain and distribution, no neighbour of a value
  // written here, room for more.
  bool can_join(const PlacedOperation& placed) const { return can_join(placed, 0); }
  // The same with `more` operations that would join before it.
  bool can_join(const PlacedOperation& placed, int more) const;
  // All that keeps it out: by the rules of can_join(), of which there is one text.
  [[nodiscard]] std::vector<Refusal> refusals_of(const PlacedOperation& placed, int more) const;
  // True when the operation must run after this group, or may not run before it.
  bool depends(const PlacedOperation& placed) const;
  bool reads_store(const Store* store) const;
  // Some of its inputs are values that the group has made at these points.
  bool has_input_of(const PlacedOperation& placed) const;
  // Or it reads some of their cells.
  bool has_at_hand(const PlacedOperation& placed) const;
  bool is_opaque() const { return opaque_; }
  // Apart: neighbours of what the group reads are arrays of their own to the kernel.
  void join(const PlacedOperation& placed, bool apart = false);
  int stage() const { return stage_; }  // the latest of its operations'
  std::size_t folds() const { return reductions_.size(); }
  const BeyondCuts& cuts() const { return cuts_; }  // where it reads beyond: then it is cut before it is a task
  // Its values that the program holds and that none of these groups reads.
  [[nodiscard]] std::vector<Call> held_values(const std::vector<WindowStore>& stores,
                                              std::span<const std::unique_ptr<Group>> groups) const;
  // Marks the stores whose cells it wants from memory.
  void mark_loads(std::vector<WindowStore>& stores) const;
  // The task; `stores` says which values are wanted in memory. The group is spent.
  [[nodiscard]] Task finish(const std::vector<WindowStore>& stores);

 private:
  struct Write {
    TaskWrite write;
    kernel::ValueId value;
    const Operation* by;  // the last one
  };
  struct Accumulation {
    Argument reduction;
    kernel::ValueId value;
    const Operation* by;
  };

  void add(const PlacedOperation& placed, const Elementwise& elementwise);
  void add(const PlacedOperation& placed, const Reduction& reduction);
  void add(const PlacedOperation& placed, const Import& import);
  void add(const PlacedOperation& placed, const ReshapedCopy& copy);
  void add(const PlacedOperation& placed, const TaskCall& call);
  const Write* find_write(const Store* store) const;  // the first
  const Write* find_write(const Store* store, const AffineMap& map) const;
  bool writes_store(const Store* store) const;
  bool writes_cells(const Store* store, const Rect& cells) const;
  bool reads_cells(const Store* store, const Rect& cells) const;
  std::optional<Hindrance> conflict(const Store* store, const AffineMap& map) const;
  // Calls found(hindrance, the store that it is about or null) for what keeps the operation out, until that is false.
  // What keeps the operation out because it, or the group, reads beyond arrays.
  std::optional<Hindrance> hindrance_beyond(const PlacedOperation& placed) const;
  template <class Found>
  void for_each_hindrance(const PlacedOperation& placed, int more, Found found) const;
  const Operation* find_cause(Hindrance hindrance, const Store* store) const;
  kernel::ValueId cell_value(const StoreRef& store, const AffineMap& map, DType as);
  kernel::ValueId load(const StoreRef& store, const AffineMap& map);
  kernel::ValueId compute(const PlacedOperation& placed, const Elementwise& elementwise);
  int scalar_argument(const PlacedOperation& placed, std::size_t place, DType as);

  Task task_;
  const Operation* first_;
  Rect part_;  // the cells that it wrote, where it was one of parts; else of rank 0
  int stage_ = 0;
  bool opaque_ = false;  // an import, a reshape, a user's task: nothing joins
  kernel::Builder builder_;
  std::vector<std::uint32_t> scalar_names_;  // one a scalar
  std::vector<Argument> reads_;
  std::vector<Write> writes_;
  bool joins_apart_ = false;  // what joins now
  std::int8_t line_ = PlacedOperation::kNoLine;
  std::size_t fresh_writes_ = 0;  // of stores that most likely stay in registers
  std::vector<Accumulation> reductions_;
  BeyondCuts cuts_;
  bool folds_whole_ = false;  // some fold cannot be cut
};

}  // namespace pilum::scheduler
