#include "scheduler/direct/direct_window.h"

#include <algorithm>
#include <bit>

#include "scheduler/analyze/small_operation.h"
#include "scheduler/execute/body_run.h"
#include "scheduler/execute/reshape_run.h"
#include "scheduler/plan/chunks.h"
#include "scheduler/plan/merge_axes.h"
#include "scheduler/record/instruction_facts.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

static_assert(kFewPoints <= kLeastFoldChunk);  // a fold is never made in parts

// Cells that the output's points are not read at, of the same store: they are read before any is written.
bool is_spoilt(const View& input, const View& output) {
  if (!(input.store == output.store) || (input.map == output.map && input.shape == output.shape)) return false;
  return overlaps(image(input.map, Rect::of(input.shape)), image(output.map, Rect::of(output.shape)));
}

// Cells with a place each, read and written row-major.
struct Box {
  std::byte* data = nullptr;
  const std::int64_t* pitch = nullptr;  // bytes, by axis
  int rank = 1;
  Extents extent{};
};

// Both have as many cells.
void copy_in_order(const Box& to, const Box& from, std::size_t cell) {
  Reshape copy{{to.data, {}}, {from.data, {}}};
  copy.to_rank = to.rank;
  copy.from_rank = from.rank;
  std::copy_n(to.pitch, to.rank, copy.to.pitch.begin());
  std::copy_n(from.pitch, from.rank, copy.from.pitch.begin());
  copy.to_extent = copy.hi = to.extent;
  copy.from_extent = from.extent;
  copy.itemsize = cell;
  for (std::int64_t chunk = 0; chunk < count_chunks(copy); ++chunk) run_reshape(copy, chunk);
}

// Bytes from one cell to the next along each axis, without gaps.
Extents row_major(std::span<const std::int64_t> extent, std::size_t cell) {
  Extents stride{};
  auto bytes = static_cast<std::int64_t>(cell);
  for (std::size_t axis = extent.size(); axis-- > 0;) {
    stride[axis] = bytes;
    bytes *= extent[axis];
  }
  return stride;
}

bool reads_what_it_writes(const Operation& operation) {
  bool spoilt = false;
  for_each_input(operation,
                 [&](std::size_t, const View& view) { spoilt = spoilt || is_spoilt(view, *operation.output()); });
  return spoilt;
}

// All cells are in one instance, and in no other.
bool lies_together(const ProcessorStore& store) {
  return store.instances.size() == 1 && store.instances[0]->valid.contains(store.tile);
}

}  // namespace

// Along the output's memory, without axes of one point, as place_alone() has it.
DirectWindow::Domain DirectWindow::Domain::along(const View& output) {
  Domain domain;
  domain.to.fill(-1);
  for (int k = 0; k < output.map.store_rank; ++k) {
    const std::int8_t axis = output.map[k].axis;
    if (axis < 0 || output.shape[axis] == 1) continue;
    domain.to[static_cast<std::size_t>(axis)] = static_cast<std::int8_t>(domain.rank);
    domain.extent[static_cast<std::size_t>(domain.rank++)] = output.shape[axis];
  }
  if (domain.rank == 0) domain.extent[static_cast<std::size_t>(domain.rank++)] = 1;
  return domain;
}

DirectWindow::Domain DirectWindow::Domain::of(const Shape& shape) {
  Domain domain;
  domain.rank = std::max(shape.rank(), 1);
  domain.extent[0] = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    domain.to[static_cast<std::size_t>(axis)] = static_cast<std::int8_t>(axis);
    domain.extent[static_cast<std::size_t>(axis)] = shape[axis];
  }
  return domain;
}

DirectWindow::Domain DirectWindow::Domain::kept(const Domain& domain, unsigned reduced_axes) {
  Domain kept = domain;
  std::size_t count = 0;
  for (int axis = 0; axis < domain.rank; ++axis) {
    if (!(reduced_axes >> axis & 1)) kept.to[count++] = static_cast<std::int8_t>(axis);
  }
  return kept;
}

bool DirectWindow::find_places(std::span<const Operation> operations, const std::vector<Operation>& later) {
  const bool found = collect_places(operations, later);
  if (!found) forget_places();
  return found;
}

// In memory that the recording thread reaches.
bool DirectWindow::is_on_host(const ProcessorStore& store) const {
  const MemoryBook* staging = planner_.rank().staging;
  return lies_together(store) && (!staging || store.instances[0]->block->book == staging);
}

// So are the others' copies of what all of the rank's processors have; of what one has they have none.
bool DirectWindow::is_here(const StoreState& state) const {
  return std::ranges::all_of(state.local, [this](const ProcessorStore& local) {
    return local.tile.empty() ? local.instances.empty() : is_on_host(local);
  });
}

bool DirectWindow::has_left_gpus() const {
  return std::ranges::any_of(places_, [this](const Place& place) {
    return place.store->state && place.store->shape.elements() > kFewPoints && is_here(*place.store->state);
  });
}

bool DirectWindow::needs_memory() const {
  return std::ranges::any_of(places_, [this](const Place& place) {
    return place.is_kept && !(place.store->state && is_here(*place.store->state));
  });
}

void DirectWindow::make_memory(Plan& plan) {
  try {
    for (const Place& place : places_) {
      if (!place.is_kept) continue;
      Store& store = *place.store;
      if (!store.state) planner_.state_of(StoreRef(&store), tiling_of(store));
      if (is_here(*store.state)) continue;
      planner_.bring_to_host(store, plan);
      store.to_host = false;
    }
  } catch (...) {
    forget_places();
    throw;
  }
}

void DirectWindow::forget_places() {
  for (const Place& place : places_) place.store->window_index = -1;
  places_.clear();
}

bool DirectWindow::collect_places(std::span<const Operation> operations, const std::vector<Operation>& later) {
  for (std::size_t number = 0; number < operations.size(); ++number) {
    const Operation& operation = operations[number];
    if (!is_small(operation)) return false;
    if (!operation.elementwise() && reads_what_it_writes(operation)) return false;
    bool fits = true;
    for_each_view(operation, [&](const View& view, bool write) { fits = fits && use(view, write, number); });
    if (!fits) return false;
  }
  for (const Operation& operation : later) {
    for_each_view(operation, [this](const View& view, bool) {
      const int index = view.store->window_index;
      if (index >= 0) places_[static_cast<std::size_t>(index)].is_kept = true;
    });
  }
  return true;
}

// Of a new store that the solver would not cut.
partitioner::Tiling DirectWindow::tiling_of(const Store& store) const {
  const Rect all = Rect::of(store.shape);
  const machine::Machine& machine = planner_.rank().machine;
  return machine.ranks > 1 || machine.processors() == 1 || store.replicate || store.shape.rank() == 0
             ? Tiling::replicated(all)
             : Tiling::on_one(all);
}

// True where the store is not cut, nor lies in memory that is not to be left.
bool DirectWindow::may_run_with(const Store& store) const {
  if (store.resting || store.guards > 0) return false;
  const PlanningRank& rank = planner_.rank();
  if (!store.state) {
    const bool is_cut = store.split_axes || (store.large && !store.gathered);
    if (rank.machine.processors() > 1 && is_cut) return false;
    return store.handles > 0 || store.shape.elements() <= kFewPoints;
  }
  const StoreState& state = *store.state;
  if (!state.is_whole(rank.machine.ranks)) return false;
  bool is_lent = false;
  for (const ProcessorStore& local : state.local) {
    for (const auto& instance : local.instances) is_lent = is_lent || instance->block->book == rank.lent;
  }
  return !is_lent && (!rank.staging || store.to_host || store.shape.elements() <= kFewPoints || is_here(state));
}

// A store of the window.
bool DirectWindow::use(const View& view, bool write, std::size_t number) {
  Store& store = *view.store;
  if (store.window_index < 0) {
    if (!may_run_with(store)) return false;
    store.window_index = static_cast<int>(places_.size());
    places_.push_back({&store, nullptr, {}, number, store.state != nullptr || store.handles > 0 || store.replicate});
  }
  Place& place = places_[static_cast<std::size_t>(store.window_index)];
  place.last_use = number;
  place.is_written = place.is_written || write;
  return true;
}

// The other processors of the rank have what was written, too.
void DirectWindow::tell_others(const Place& place) {
  const std::vector<ProcessorStore>& local = place.store->state->local;
  const Rect all = Rect::of(place.store->shape);
  const Domain cells = Domain::of(place.store->shape);
  for (std::size_t p = 1; p < local.size(); ++p) {
    if (local[p].tile.empty()) continue;
    const Instance& to = *local[p].instances[0];
    copy_in_order({to.address(all.lo), to.pitch.data(), cells.rank, cells.extent},
                  {place.origin, place.pitch.data(), cells.rank, cells.extent}, itemsize(place.store->dtype));
  }
}

void DirectWindow::run(std::span<const Operation> operations) {
  has_begun_ = true;
  for (Place& place : places_) {
    if (!place.is_kept) continue;
    const Instance& instance = *place.store->state->local[0].instances[0];
    place.origin = instance.address({});
    place.pitch = instance.pitch;
  }
  try {
    for (std::size_t number = 0; number < operations.size(); ++number) {
      const Operation& operation = operations[number];
      running_ = &operation;
      std::visit([&](const auto& kind) { run(operation, kind); }, operation.what);
      for_each_view(operation, [&](const View& view, bool) {
        Place& place = places_[static_cast<std::size_t>(view.store->window_index)];
        if (place.is_kept || place.last_use != number || !place.origin) return;
        give_back(place.origin, place.room);
        place.origin = nullptr;
      });
    }
  } catch (...) {
    forget_places();
    throw;
  }
  for (const Place& place : places_) {
    if (!place.is_kept || !place.is_written) continue;
    place.store->state->asked = false;  // as on ranks that planned it
    tell_others(place);
  }
  forget_places();
  has_begun_ = false;
}

void DirectWindow::run(const Operation& operation, const Elementwise& elementwise) {
  if (elementwise.output.shape.elements() == 0) return;
  const Domain domain = Domain::along(elementwise.output);
  SingleForm form(operation, domain.rank, elementwise.op == kernel::Op::Index ? domain.axis_of(elementwise.axis) : 0);
  std::array<kernel::BoundArray, Operands::kMax + 1> arrays;
  std::array<std::pair<std::byte*, std::size_t>, Operands::kMax> aside;  // and how large each is
  std::size_t array_count = 0, aside_count = 0;
  for (std::size_t i = 0; i < elementwise.inputs.size(); ++i) {
    if (!elementwise.inputs[i].is_view()) continue;
    const View& view = elementwise.inputs[i].view;
    kernel::BoundArray& array = arrays[array_count++];
    form.set_input(i, bind(*view.store, view.map, domain, kernel::Access::Read, array));
    if (!is_spoilt(view, elementwise.output)) continue;
    std::size_t room = 0;
    array = copy_aside(array, domain, itemsize(view.store->dtype), room);
    aside[aside_count++] = {reinterpret_cast<std::byte*>(array.base), room};
  }
  form.set_output(
      bind(*elementwise.output.store, elementwise.output.map, domain, kernel::Access::Write, arrays[array_count++]));
  const SingleKernel& kernel = kernels_.get(form, operation);
  std::array<std::uint64_t, Operands::kMax> scalars;
  std::size_t scalar_count = 0;
  for (std::size_t i = 0; i < elementwise.inputs.size(); ++i) {
    const Operand& input = elementwise.inputs[i];
    if (!input.is_view()) scalars[scalar_count++] = cast(input.scalar, kernel.scalar_dtypes[i]).bits;
  }
  call(kernel, domain, std::span(arrays.data(), array_count), scalars.data(), !kernel.uses_index);
  for (std::size_t i = 0; i < aside_count; ++i) give_back(aside[i].first, aside[i].second);
}

// All cells, row-major.
void DirectWindow::run(const Operation&, const Import& import) {
  if (import.cells->empty()) return;
  const Domain cells = Domain::of(import.output.shape);
  const kernel::BoundArray to = bind(import.output);
  const std::size_t cell = itemsize(import.output.store->dtype);
  const Extents pitch = row_major(cells.extents(), cell);
  std::size_t room = 0;
  std::byte* const data = take(import.cells->size(), room);
  std::copy(import.cells->begin(), import.cells->end(), data);
  copy_in_order({reinterpret_cast<std::byte*>(to.base), to.stride, cells.rank, cells.extent},
                {data, pitch.data(), cells.rank, cells.extent}, cell);
  give_back(data, room);
}

void DirectWindow::run(const Operation&, const ReshapedCopy& copy) {
  if (copy.input.shape.elements() == 0) return;
  const Domain output = Domain::of(copy.output.shape), input = Domain::of(copy.input.shape);
  const kernel::BoundArray to = bind(copy.output), from = bind(copy.input);
  copy_in_order({reinterpret_cast<std::byte*>(to.base), to.stride, output.rank, output.extent},
                {reinterpret_cast<std::byte*>(from.base), from.stride, input.rank, input.extent},
                itemsize(copy.output.store->dtype));
}

void DirectWindow::run(const Operation&, const TaskCall& task) {
  const TaskLaunch& what = *task.launch;
  if (what.domain.empty()) return;
  Launch launch;
  launch.points = what.domain;
  launch.rank = what.domain.rank;
  for (int axis = 0; axis < launch.rank; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    launch.lo[a] = what.domain.lo[a];
    launch.extent[a] = launch.chunk[a] = what.domain.extent(axis);
  }
  const std::span<const std::uint64_t> words = task.scalars.words();
  launch.scalars = std::make_shared<const std::vector<std::uint64_t>>(words.begin(), words.end());
  HostBody body;
  body.body = what.body;
  body.boxes.resize(what.arguments.size());
  for (const Argument& argument : what.arguments) {
    body.footprints.push_back(argument.footprint);
    launch.arrays.push_back(bind(argument.view));
  }
  launch.chunk_step.assign(launch.arrays.size(), 0);
  run_body(launch, body, 0);
}

void DirectWindow::run(const Operation& operation, const Reduction& reduction) {
  const Domain domain = Domain::of(reduction.input.shape), kept = Domain::kept(domain, reduction.reduced_axes);
  SingleForm form(operation, domain.rank, 0);
  std::array<kernel::BoundArray, 2> arrays;
  form.set_input(0, bind(*reduction.input.store, reduction.input.map, domain, kernel::Access::Read, arrays[0]));
  form.set_output(bind(*reduction.output.store, reduction.output.map, kept, kernel::Access::Reduce, arrays[1]));
  call(kernels_.get(form, operation), domain, arrays, nullptr, /*merges=*/false);
}

void DirectWindow::call(const SingleKernel& kernel, const Domain& domain, std::span<kernel::BoundArray> arrays,
                        const std::uint64_t* scalars, bool merges) {
  kernel::KernelCall call{};
  std::copy_n(domain.extent.begin(), domain.rank, call.extent);
  if (merges) merge_axes(std::span(call.extent, static_cast<std::size_t>(domain.rank)), arrays);
  call.arrays = arrays.data();
  call.scalars = scalars;
  kernel.compiled->function()(&call);
}

// The cell of the domain's first point, and the way to its others; and as what a kernel sees them.
kernel::ArrayArgument DirectWindow::bind(const Store& store, const partitioner::AffineMap& map, const Domain& domain,
                                         kernel::Access access, kernel::BoundArray& array) {
  kernel::ArrayArgument argument{store.dtype, access, kernel::Inner::Broadcast,
                                 static_cast<std::int8_t>(map.store_rank)};
  if (access == kernel::Access::Write) argument.inner = kernel::Inner::Strided;  // one point, where nothing moves it
  Place& place = place_of(store);
  std::fill_n(array.stride, domain.rank, 0);
  std::int64_t offset = 0;
  for (int k = 0; k < map.store_rank; ++k) {
    const std::int64_t pitch = place.pitch[static_cast<std::size_t>(k)];
    const partitioner::AxisMap& along = map[k];
    offset += along.offset * pitch;
    array.pitch[k] = pitch;
    const int axis = along.axis < 0 ? -1 : domain.axis_of(along.axis);
    if (axis < 0) continue;
    array.stride[axis] = along.scale * pitch;
    if (axis == domain.rank - 1)
      argument.inner = k == map.store_rank - 1 && along.scale == 1 ? kernel::Inner::Contiguous : kernel::Inner::Strided;
    if (axis == domain.rank - 2 && along.scale == 1) argument.row = static_cast<std::int8_t>(k);
  }
  array.base = reinterpret_cast<char*>(place.origin + offset);
  return argument;
}

// The same of a view's own points.
kernel::BoundArray DirectWindow::bind(const View& view) {
  kernel::BoundArray array{};
  static_cast<void>(bind(*view.store, view.map, Domain::of(view.shape), kernel::Access::Read, array));
  return array;
}

DirectWindow::Place& DirectWindow::place_of(const Store& store) {
  Place& place = places_[static_cast<std::size_t>(store.window_index)];
  if (!place.origin) get_room(place);
  return place;
}

// A copy of the cells that the points see, in memory of the window's, row-major.
kernel::BoundArray DirectWindow::copy_aside(const kernel::BoundArray& array, const Domain& domain, std::size_t cell,
                                            std::size_t& room) {
  Box from{reinterpret_cast<std::byte*>(array.base), array.stride, domain.rank, domain.extent};
  std::size_t bytes = cell;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.rank); ++axis) {
    if (array.stride[axis] == 0) from.extent[axis] = 1;
    bytes *= static_cast<std::size_t>(from.extent[axis]);
  }
  const Extents pitch = row_major(std::span(from.extent.data(), static_cast<std::size_t>(domain.rank)), cell);
  std::byte* const data = take(bytes, room);
  copy_in_order({data, pitch.data(), domain.rank, from.extent}, from, cell);
  kernel::BoundArray aside = array;
  aside.base = reinterpret_cast<char*>(data);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(domain.rank); ++axis)
    aside.stride[axis] = array.stride[axis] == 0 ? 0 : pitch[axis];
  return aside;
}

// Memory for a value of the window's, row-major.
void DirectWindow::get_room(Place& place) {
  const std::size_t cell = itemsize(place.store->dtype);
  place.pitch = row_major(std::span(place.store->shape.begin(), place.store->shape.end()), cell);
  place.origin = take(static_cast<std::size_t>(place.store->shape.elements()) * cell, place.room);
}

std::byte* DirectWindow::take(std::size_t bytes, std::size_t& room) {
  constexpr std::size_t kLeast = 64;  // a vector; memory of `new` is aligned to 16
  room = static_cast<std::size_t>(std::bit_width(std::max(bytes, kLeast) - 1));
  std::vector<std::byte*>& free = free_[room];
  if (free.empty()) {
    memory_.push_back(std::make_unique<std::byte[]>(std::size_t{1} << room));
    return memory_.back().get();
  }
  std::byte* const data = free.back();
  free.pop_back();
  return data;
}

void DirectWindow::give_back(std::byte* data, std::size_t room) {
  free_[room].push_back(data);
}

}  // namespace pilum::scheduler
