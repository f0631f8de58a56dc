#include "scheduler/analyze/group.h"

#include <algorithm>

#include "runtime/base/check.h"
#include "scheduler/analyze/beyond_parts.h"
#include "scheduler/analyze/planes.h"
#include "scheduler/analyze/point_value.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kFarthestOffset = 8;  // views farther apart are separate arguments
// Arrays that are read or written in memory; more are slower than a second pass.
constexpr std::size_t kMaxStreams = 24;
// With values of the window, which stay in registers unless somebody keeps them: a lattice Boltzmann step of nine
// populations has 140, of 178 operations, with walls 170 of 215.
constexpr std::size_t kMaxArrays = 640;
constexpr int kMaxOperations = 640;

// The displacement of `map` from `base` where they differ by nothing else, and by little.
bool displacement(const AffineMap& base, const AffineMap& map, Point& offset) {
  offset = Point{base.store_rank};
  for (int k = 0; k < base.store_rank; ++k) {
    if (base[k].axis != map[k].axis || base[k].scale != map[k].scale) return false;
    offset[k] = map[k].offset - base[k].offset;
    if (offset[k] < -kFarthestOffset || offset[k] > kFarthestOffset) return false;
  }
  return true;
}

kernel::Offset to_kernel(const Point& offset) {
  kernel::Offset small{};
  for (std::size_t k = 0; k < static_cast<std::size_t>(offset.rank); ++k) {
    small[k] = static_cast<std::int8_t>(offset.x[k]);
  }
  return small;
}

// Each point writes a cell of both, in memory side by side, columns of short rows say: two passes would take all lines
// of it twice.
bool lie_side_by_side(const Store& store, const AffineMap& a, const AffineMap& b) {
  constexpr std::int64_t kNear = 256;  // bytes
  std::int64_t distance = 0, step = static_cast<std::int64_t>(itemsize(store.dtype));
  for (int k = store.shape.rank() - 1; k >= 0; --k) {
    if (a[k].axis != b[k].axis || a[k].scale != b[k].scale) return false;
    if (a[k].offset != b[k].offset && a[k].axis >= 0) return false;
    distance += step * std::abs(a[k].offset - b[k].offset);
    step *= store.shape[k];
  }
  return distance > 0 && distance <= kNear;
}

// Fields that share an array (planes.h).
bool are_of_planes(const Store& store, const AffineMap& a, const AffineMap& b) {
  if (store.shape.rank() < 2 || store.shape[0] > kMostPlanes) return false;
  for (int k = 1; k < store.shape.rank(); ++k) {
    if (!(a[k] == b[k])) return false;
  }
  return a[0].axis < 0 && b[0].axis < 0 && a[0].offset != b[0].offset;
}

// Where the operation reads beyond arrays.
void add_cuts(const PlacedOperation& placed, BeyondCuts& cuts) {
  for_each_input(*placed.operation, [&](std::size_t place, const View& view) {
    cuts.add(view.store->shape, placed.inputs[place], placed.domain);
  });
}

Unfused unfused_kind_of(const Operation& operation) {
  if (operation.launch()) return Unfused::Task;
  return std::holds_alternative<Import>(operation.what) ? Unfused::Import : Unfused::Reshape;
}

}  // namespace

Group::Group(const PlacedOperation& first) : first_(first.operation), builder_(first.domain.rank) {
  task_.domain = first.domain;
  task_.distribution = first.distribution;
  opaque_ = !first.operation->elementwise() && !first.operation->reduction();
  if (first.is_part) part_ = image(first.output, first.domain);
  if (!opaque_) writes_.reserve(2);  // most often a value that stays in a register, and where it goes
  join(first);
}

const Group::Write* Group::find_write(const Store* store) const {
  for (const Write& write : writes_) {
    if (write.write.store().get() == store) return &write;
  }
  return nullptr;
}

const Group::Write* Group::find_write(const Store* store, const AffineMap& map) const {
  for (const Write& write : writes_) {
    if (write.write.store().get() == store && write.write.view.map == map) return &write;
  }
  return nullptr;
}

bool Group::writes_store(const Store* store) const {
  return find_write(store) ||
         std::any_of(reductions_.begin(), reductions_.end(),
                     [store](const Accumulation& reduction) { return reduction.reduction.store().get() == store; });
}

bool Group::reads_store(const Store* store) const {
  return std::any_of(reads_.begin(), reads_.end(),
                     [store](const Argument& read) { return read.store().get() == store; });
}

// A value written here would be needed at another point than where it was written. Of a store that is written through
// several maps, `p(all, 0) += …; p(all, 1) += …`, no two write the same cell.
std::optional<Hindrance> Group::conflict(const Store* store, const AffineMap& map) const {
  if (!writes_store(store) || find_write(store, map)) return std::nullopt;
  if (!find_write(store)) return Hindrance::NeedsWholeFold;
  const bool apart = std::all_of(writes_.begin(), writes_.end(), [&](const Write& write) {
    const AffineMap& written = write.write.view.map;
    return write.write.store().get() != store || lie_side_by_side(*store, written, map) ||
           are_of_planes(*store, written, map);
  });
  return apart ? std::nullopt : std::optional(Hindrance::ReadsElsewhere);
}

std::optional<Hindrance> Group::hindrance_beyond(const PlacedOperation& placed) const {
  if (!placed.reads_beyond && cuts_.empty()) return std::nullopt;
  if (folds_whole_ || (placed.operation->reduction() && !placed.sums_in_parts)) return Hindrance::FoldsBeyond;
  if (!placed.reads_beyond) return std::nullopt;
  BeyondCuts cuts = cuts_;
  add_cuts(placed, cuts);
  return cuts.parts() > kMostParts ? std::optional(Hindrance::TooManyParts) : std::nullopt;
}

template <class Found>
void Group::for_each_hindrance(const PlacedOperation& placed, int more, Found found) const {
  const Operation& operation = *placed.operation;
  if (opaque_) return void(found(Hindrance::GroupNotFused, nullptr));
  const Reduction* reduction = operation.reduction();
  if (!operation.elementwise() && !reduction) return void(found(Hindrance::NotFused, nullptr));
  const std::size_t streams = reads_.size() + writes_.size() + reductions_.size() + 4 - fresh_writes_;
  const std::size_t arrays = streams + fresh_writes_ + static_cast<std::size_t>(more);
  if (!(placed.domain == task_.domain) && !found(Hindrance::OtherShape, nullptr)) return;
  if (task_.operations + more >= kMaxOperations && !found(Hindrance::TooManyOperations, nullptr)) return;
  if (arrays > kMaxArrays && !found(Hindrance::TooManyArrays, nullptr)) return;
  if (streams > kMaxStreams && !found(Hindrance::TooManyStreams, nullptr)) return;
  const std::optional<Hindrance> beyond = hindrance_beyond(placed);
  bool goes_on = !beyond || found(*beyond, nullptr);
  for_each_input(operation, [&](std::size_t place, const View& view) {
    if (!goes_on) return;
    const std::optional<Hindrance> hindrance = conflict(view.store.get(), placed.inputs[place]);
    goes_on = !hindrance || found(*hindrance, view.store.get());
  });
  if (!goes_on) return;
  const Store* output = operation.output()->store.get();
  if (conflict(output, placed.output) && !found(Hindrance::WritesElsewhere, output)) return;
  if (reduction) {
    if (reads_store(output) && !found(Hindrance::FoldsIntoRead, output)) return;
    if (task_.reduced_axes != 0 && task_.reduced_axes != reduction->reduced_axes &&
        !found(Hindrance::OtherAxes, nullptr))
      return;
  }
  if (placed.line != line_ && placed.line >= 0 && line_ >= 0 && !found(Hindrance::OtherLine, output)) return;
  if (placed.domain == task_.domain && !(placed.distribution == task_.distribution))
    found(Hindrance::OtherTiling, nullptr);
}

bool Group::can_join(const PlacedOperation& placed, int more) const {
  bool can = true;
  for_each_hindrance(placed, more, [&can](Hindrance, const Store*) { return can = false; });
  return can;
}

// The operation of the group that a hindrance is about.
const Operation* Group::find_cause(Hindrance hindrance, const Store* store) const {
  if (hindrance == Hindrance::GroupNotFused) return first_;
  if (hindrance == Hindrance::OtherAxes) return reductions_.back().by;
  const Write* write = store ? find_write(store) : nullptr;
  if (write) return write->by;
  for (const Accumulation& reduction : reductions_) {
    if (reduction.reduction.store().get() == store) return reduction.by;
  }
  return nullptr;
}

std::vector<Refusal> Group::refusals_of(const PlacedOperation& placed, int more) const {
  std::vector<Refusal> refusals;
  for_each_hindrance(placed, more, [&](Hindrance hindrance, const Store* store) {
    Refusal refusal{hindrance, {placed.operation->name, placed.operation->where}, placed.is_part};
    if (const Operation* cause = find_cause(hindrance, store)) refusal.cause = {cause->name, cause->where};
    for (int axis = 0; axis < placed.domain.rank; ++axis) refusal.refused_shape.push_back(placed.domain.extent(axis));
    for (int axis = 0; axis < task_.domain.rank; ++axis) refusal.group_shape.push_back(task_.domain.extent(axis));
    if (hindrance == Hindrance::TooManyParts) refusal.most = static_cast<int>(kMostParts);
    if (hindrance == Hindrance::TooManyOperations) refusal.most = kMaxOperations;
    if (hindrance == Hindrance::TooManyStreams) refusal.most = static_cast<int>(kMaxStreams);
    if (hindrance == Hindrance::TooManyArrays) refusal.most = static_cast<int>(kMaxArrays);
    if (hindrance == Hindrance::NotFused) refusal.unfused = unfused_kind_of(*placed.operation);
    if (hindrance == Hindrance::GroupNotFused) refusal.unfused = unfused_kind_of(*first_);
    refusals.push_back(refusal);
    return true;
  });
  return refusals;
}

bool Group::writes_cells(const Store* store, const Rect& cells) const {
  if (opaque_) return writes_store(store);
  if (!find_write(store)) return writes_store(store);
  return std::any_of(writes_.begin(), writes_.end(), [&](const Write& write) {
    return write.write.store().get() == store && overlaps(image(write.write.view.map, task_.domain), cells);
  });
}

bool Group::reads_cells(const Store* store, const Rect& cells) const {
  return std::any_of(reads_.begin(), reads_.end(), [&](const Argument& read) {
    if (read.store().get() != store) return false;
    return opaque_ || overlaps(reached_cells(read.hull(task_.domain), store->shape), cells);
  });
}

bool Group::has_at_hand(const PlacedOperation& placed) const {
  bool has_some = has_input_of(placed);
  for_each_input(*placed.operation, [&](std::size_t place, const View& view) {
    has_some = has_some || reads_cells(view.store.get(), image(placed.inputs[place], placed.domain));
  });
  return has_some;
}

bool Group::has_input_of(const PlacedOperation& placed) const {
  bool has_some = false;
  for_each_input(*placed.operation, [&](std::size_t place, const View& view) {
    has_some = has_some || find_write(view.store.get(), placed.inputs[place]);
  });
  return has_some;
}

bool Group::depends(const PlacedOperation& placed) const {
  bool depends = false;
  for_each_view(*placed.operation, [&](const View& view, bool write) {
    const Store* store = view.store.get();
    if (depends || (!writes_store(store) && !(write && reads_store(store)))) return;
    const bool whole = placed.operation->launch() != nullptr;
    const Rect cells = whole ? Rect::of(store->shape) : reached_cells(view);
    depends = writes_cells(store, cells) || (write && reads_cells(store, cells));
  });
  return depends;
}

kernel::ValueId Group::load(const StoreRef& store, const AffineMap& map) {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    Argument& read = reads_[i];
    Point offset;
    if (!(read.store() == store) || !displacement(read.view.map, map, offset)) continue;
    auto& offsets = std::get<Offsets>(read.footprint.cells);
    if (joins_apart_ && std::ranges::find(offsets.at, offset) == offsets.at.end()) continue;
    offsets.add(offset);
    return builder_.load(static_cast<int>(i), to_kernel(offset));
  }
  reads_.push_back(kernel_argument(store, map, kernel::Access::Read));
  builder_.add_array(array_argument(*store, map, task_.domain.rank, kernel::Access::Read));
  return builder_.load(static_cast<int>(reads_.size()) - 1);
}

// The cell of an array at the point.
kernel::ValueId Group::cell_value(const StoreRef& store, const AffineMap& map, DType as) {
  const Write* write = find_write(store.get(), map);
  return builder_.cast(write ? write->value : load(store, map), as);
}

// The kernel's number of an input that is one; those of one name are one.
int Group::scalar_argument(const PlacedOperation& placed, std::size_t place, DType as) {
  const Operand& input = std::get<Elementwise>(placed.operation->what).inputs[place];
  for (std::size_t i = 0; i < scalar_names_.size(); ++i) {
    if (input.name != 0 && scalar_names_[i] == input.name && task_.scalar_sources[i].as == as)
      return static_cast<int>(i);
  }
  task_.scalars.push_back(cast(input.scalar, as).bits);
  task_.scalar_sources.push_back({placed.number, static_cast<int>(place), as});
  scalar_names_.push_back(input.name);
  return builder_.add_scalar(as);
}

kernel::ValueId Group::compute(const PlacedOperation& placed, const Elementwise& elementwise) {
  const auto input_value = [&](std::size_t place, DType as) {
    const Operand& input = elementwise.inputs[place];
    if (input.is_view()) return cell_value(input.view.store, placed.inputs[place], as);
    const DType part = detail::part_of(as);  // a real number, where complex ones are computed with
    if (elementwise.inputs[place].name == Operand::kConstant)
      return builder_.cast(builder_.constant(cast(elementwise.inputs[place].scalar, part)), as);
    return builder_.cast(builder_.argument(scalar_argument(placed, place, part)), as);
  };
  return add_point_value(builder_, elementwise, placed.axis, input_value);
}

void Group::join(const PlacedOperation& placed, bool apart) {
  joins_apart_ = apart;
  stage_ = std::max(stage_, placed.stage);
  if (placed.line >= 0) line_ = placed.line;
  ++task_.operations;
  task_.name = placed.operation->name;
  task_.where = placed.operation->where;
  if (placed.reads_beyond) add_cuts(placed, cuts_);
  folds_whole_ = folds_whole_ || (placed.operation->reduction() && !placed.sums_in_parts);
  std::visit([&](const auto& kind) { add(placed, kind); }, placed.operation->what);
}

void Group::add(const PlacedOperation& placed, const Elementwise& elementwise) {
  const StoreRef& output = elementwise.output.store;
  const kernel::ValueId value = builder_.cast(compute(placed, elementwise), output->dtype);
  for (Write& write : writes_) {
    if (!(write.write.store() == output) || !(write.write.view.map == placed.output)) continue;
    write.value = value;
    write.by = placed.operation;
    return;
  }
  writes_.push_back(
      {TaskWrite{kernel_argument(output, placed.output, kernel::Access::Write)}, value, placed.operation});
  fresh_writes_ += placed.fresh ? 1 : 0;
}

void Group::add(const PlacedOperation& placed, const Reduction& reduction) {
  const StoreRef& output = reduction.output.store;
  reductions_.push_back({kernel_argument(output, placed.output, kernel::Access::Reduce),
                         cell_value(reduction.input.store, placed.inputs[0], output->dtype), placed.operation});
  reductions_.back().reduction.footprint.fold = reduction.fold;
  task_.reduced_axes = reduction.reduced_axes;
}

void Group::add(const PlacedOperation& placed, const Import& import) {
  task_.computation = ImportedCells{import.cells};
  writes_.push_back(
      {TaskWrite{kernel_argument(import.output.store, placed.output, kernel::Access::Write)}, -1, placed.operation});
}

void Group::add(const PlacedOperation& placed, const ReshapedCopy& copy) {
  task_.computation = ReshapedCells();
  Argument& read = reads_.emplace_back(kernel_argument(copy.input.store, copy.input.map, kernel::Access::Read));
  read.view.shape = copy.input.shape;
  read.view.map.view_rank = std::max(copy.input.map.view_rank, 1);
  writes_.push_back(
      {TaskWrite{kernel_argument(copy.output.store, placed.output, kernel::Access::Write)}, -1, placed.operation});
}

void Group::add(const PlacedOperation& placed, const TaskCall& call) {
  task_.computation = call.launch;
  const std::span<const std::uint64_t> words = call.scalars.words();
  task_.scalars.assign(words.begin(), words.end());
  for (std::size_t word = 0; word < words.size(); ++word)
    task_.scalar_sources.push_back({placed.number, static_cast<int>(word), DType::Int64});
  for (const Argument& argument : call.launch->arguments) {
    switch (argument.footprint.access) {
      case kernel::Access::Read: {
        Argument& read = reads_.emplace_back(argument);
        if (auto* asked = std::get_if<AskedCells>(&read.footprint.cells))
          asked->known = std::make_shared<std::map<Rect, Region>>();
        break;
      }
      case kernel::Access::Reduce: reductions_.push_back({argument, -1, placed.operation}); break;
      case kernel::Access::Write:
      case kernel::Access::ReadWrite: writes_.push_back({TaskWrite{argument}, -1, placed.operation}); break;
    }
  }
}

void Group::mark_loads(std::vector<WindowStore>& stores) const {
  const auto mark = [&](const StoreRef& store, const Rect& cells) {
    WindowStore& window = stores[place_of(*store)];
    if (window.dies) window.loaded.push_back(cells);
  };
  for (const Argument& read : reads_)
    mark(read.store(), opaque_ ? Rect::of(read.store()->shape) : read.hull(task_.domain));
  if (!opaque_) return;
  for (const Write& write : writes_) mark(write.write.store(), Rect::of(write.write.store()->shape));
}

std::vector<Call> Group::held_values(const std::vector<WindowStore>& stores,
                                     std::span<const std::unique_ptr<Group>> groups) const {
  std::vector<Call> held;
  for (const Write& write : writes_) {
    const Store* store = write.write.store().get();
    const WindowStore& window = stores[place_of(*store)];
    // A number is no array to save.
    if (window.dies || store->handles == 0 || store->state || store->shape.elements() == 1) continue;
    const auto uses = [&](const std::unique_ptr<Group>& group) {
      return group->reads_store(store) || (group.get() != this && group->writes_store(store));
    };
    if (std::none_of(groups.begin(), groups.end(), uses)) held.push_back({write.by->name, write.by->where});
  }
  return held;
}

Task Group::finish(const std::vector<WindowStore>& stores) {
  for (const Argument& read : reads_)
    PILUM_CHECK(opaque_ || Rect::of(read.store()->shape).contains(read.hull(task_.domain)),
                "{} reads cells outside of an array", task_.name);
  task_.writes.reserve(writes_.size());
  task_.reductions.reserve(reductions_.size());
  for (Write& write : writes_) {
    const Store& store = *write.write.store();
    const WindowStore& window = stores[place_of(store)];
    const Rect cells = image(write.write.map(), task_.domain);
    write.write.kept = opaque_ || !window.dies || store.state ||
                       std::any_of(window.loaded.begin(), window.loaded.end(),
                                   [&](const Rect& loaded) { return overlaps(loaded, cells); });
    if (write.write.kept && !opaque_) {
      builder_.store(
          builder_.add_array(array_argument(store, write.write.view.map, task_.domain.rank, kernel::Access::Write)),
          write.value);
    }
    task_.writes.push_back(std::move(write.write));
  }
  for (Accumulation& reduction : reductions_) {
    const Store& store = *reduction.reduction.store();
    if (!opaque_) {
      const int array = builder_.add_array(
          array_argument(store, reduction.reduction.view.map, task_.domain.rank, kernel::Access::Reduce));
      builder_.accumulate(array, reduction.value, reduction.reduction.footprint.fold, task_.reduced_axes);
    }
    task_.reductions.push_back(std::move(reduction.reduction));
  }
  task_.reads = std::move(reads_);
  if (!opaque_) task_.computation = std::make_shared<const kernel::Kernel>(builder_.finish());
  return std::move(task_);
}

}  // namespace pilum::scheduler
