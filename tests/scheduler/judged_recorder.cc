#include "tests/scheduler/judged_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "scheduler/print/printer.h"
#include "scheduler/record/task_launch.h"
#include "tests/kernel/interpreter.h"
#include "tests/partitioner/random_cells.h"

namespace pilum::scheduler {
namespace {

using partitioner::Cell, partitioner::for_each_cell, partitioner::is_inside;

// Where a cell lies in a store's memory, in cells, row-major.
std::int64_t place_of(const Store& store, const Cell& cell) {
  std::int64_t place = 0;
  for (int k = 0; k < store.shape.rank(); ++k) place = place * store.shape[k] + cell[static_cast<std::size_t>(k)];
  return place;
}

Cell displaced(Cell cell, const kernel::Offset& offset) {
  for (std::size_t k = 0; k < cell.size(); ++k) cell[k] += offset[k];
  return cell;
}

// A store's memory as a kernel over a piece gets it.
kernel::BoundArray bind_store(const Store& store, std::byte* memory, const AffineMap& map, const Rect& piece) {
  kernel::BoundArray array{};
  auto pitch = static_cast<std::int64_t>(itemsize(store.dtype));
  for (int k = store.shape.rank() - 1; k >= 0; --k) {
    array.pitch[k] = pitch;
    if (map[k].axis >= 0) array.stride[map[k].axis] = map[k].scale * pitch;
    pitch *= store.shape[k];
  }
  const std::int64_t first =
      place_of(store, partitioner::apply(map, piece.lo)) * static_cast<std::int64_t>(itemsize(store.dtype));
  array.base = reinterpret_cast<char*>(memory) + first;
  return array;
}

}  // namespace

JudgedRecorder::JudgedRecorder(Look look, int processors, std::size_t window)
    : before_(set_current_recorder(this)), look_(look), processors_(processors), window_(window) {}

JudgedRecorder::~JudgedRecorder() {
  static_cast<void>(end_window());
  set_current_recorder(before_);
}

StoreRef JudgedRecorder::make_store(const Shape& shape, DType dtype, const char* operation,
                                    std::source_location where) {
  StoreRef store = naive_.make_store(shape, dtype, operation, where);
  store->recorder = this;
  return store;
}

void JudgedRecorder::record(Operation&& operation) {
  if (operations_.size() >= window_) static_cast<void>(end_window({operation}));
  operations_.push_back(operation);
  if (look_ == Look::Bytes) return;
  for_each_view(operation, [this](const View& view, bool) { static_cast<void>(memory_of(*view.store)); });
  naive_.record(std::move(operation));
}

std::vector<std::byte> JudgedRecorder::fetch(const View& view, const char* operation, std::source_location where) {
  static_cast<void>(end_window());
  return naive_.fetch(view, operation, where);
}

// What the store held before the window's first operation that touches it.
JudgedRecorder::Bytes& JudgedRecorder::memory_of(const Store& store) {
  const auto [found, is_new] = memory_.try_emplace(&store);
  if (!is_new) return found->second;
  const bool is_staged = store.recorder == nullptr;  // of stage_writes()
  found->second = is_staged ? Bytes(static_cast<std::size_t>(store.shape.elements()) * itemsize(store.dtype))
                            : naive_.fetch(whole(StoreRef(const_cast<Store*>(&store))), "judge", {});
  return found->second;
}

JudgedRecorder::Holders& JudgedRecorder::holders_of(const Store& store) {
  const auto [found, is_new] = holders_.try_emplace(&store);
  if (!is_new) return found->second;
  const Tiling& tiling = stores_[static_cast<std::size_t>(store.window_index)].tiling;
  found->second.assign(static_cast<std::size_t>(store.shape.elements()), 0);
  for (int p = 0; p < processors_; ++p) {
    for_each_cell(tiling.tile(p), [&](const Cell& cell) {
      found->second[static_cast<std::size_t>(place_of(store, cell))] |= std::uint64_t{1} << p;
    });
  }
  return found->second;
}

Moved JudgedRecorder::end_window(const std::vector<Operation>& used_later) {
  Moved moved;
  if (operations_.empty()) return moved;
  machine::Machine machine;
  machine.ranks = processors_;
  machine.split_bytes = machine.cache_bytes = 64;
  stores_ = collect_stores(operations_, used_later, machine);
  const std::size_t recorded = stores_.size();
  moved.tasks = fuse(operations_, stores_, machine);
  check_deaths(moved.tasks);
  for (const Task& task : moved.tasks) look_ == Look::Cells ? run(task) : count(task, moved);
  for (std::size_t i = 0; i < recorded; ++i) {
    Store& store = *stores_[i].store;
    if (!stores_[i].dies) {
      if (look_ == Look::Cells) compare(store, moved.tasks);
      std::unique_ptr<StoreState>& state = states_[&store];
      if (!state) state = std::make_unique<StoreState>();
      state->tiling = stores_[i].tiling;
      store.state = state.get();
    }
    store.window_index = -1;
  }
  for (std::size_t i = recorded; i < stores_.size(); ++i) holders_.erase(stores_[i].store);
  operations_.clear();
  stores_.clear();
  memory_.clear();
  return moved;
}

void JudgedRecorder::check_deaths(const std::vector<Task>& tasks) const {
  std::map<const Store*, std::size_t> last;  // task that touches it
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const Argument& read : tasks[i].reads) last[read.store().get()] = i;
    for (const TaskWrite& write : tasks[i].writes) last[write.store().get()] = i;
    for (const Argument& fold : tasks[i].reductions) last[fold.store().get()] = i;
  }
  const std::vector<std::vector<Store*>> deaths = find_deaths(tasks, stores_);
  ASSERT_EQ(deaths.size(), tasks.size());
  std::size_t dead = 0, dying = 0;
  for (std::size_t i = 0; i < deaths.size(); ++i) {
    for (const Store* store : deaths[i]) {
      EXPECT_EQ(last.at(store), i);
      EXPECT_TRUE(stores_[static_cast<std::size_t>(store->window_index)].dies);
      ++dead;
    }
  }
  for (const WindowStore& store : stores_) dying += store.dies && last.contains(store.store);
  EXPECT_EQ(dead, dying);
}

void JudgedRecorder::compare(const Store& store, const std::vector<Task>& tasks) {
  if (memory_of(store) == naive_.fetch(whole(StoreRef(const_cast<Store*>(&store))), "judge", {})) return;
  ADD_FAILURE() << "s" << store.id.value << " of " << store.shape << " has other cells on " << processors_
                << " processors";
  for (const Operation& operation : operations_) std::cerr << to_text(operation) << "\n";
  for (const Task& task : tasks) std::cerr << to_text(task) << "\n";
}

std::vector<Rect> JudgedRecorder::pieces_of(const Task& task) const {
  std::vector<Rect> pieces;
  std::int64_t points = 0;
  for (int p = 0; p < processors_; ++p) {
    pieces.push_back(task.distribution.tile(p));
    EXPECT_TRUE(task.domain.contains(pieces.back())) << to_text(task);
    points += pieces.back().cells();
  }
  if (task.distribution.is_replicated()) {
    EXPECT_EQ(points, task.domain.cells() * processors_) << to_text(task);
  } else {
    EXPECT_EQ(points, task.domain.cells()) << to_text(task);
  }
  return pieces;
}

void JudgedRecorder::run(const Task& task) {
  if (std::holds_alternative<ImportedCells>(task.computation)) return run_import(task);
  if (std::holds_alternative<ReshapedCells>(task.computation)) return run_reshape(task);
  if (task.launch()) return run_body(task);
  run_kernel(task, pieces_of(task));
}

// Folds over the whole domain at once: how parts of them come together is no matter of tasks.
void JudgedRecorder::run_kernel(const Task& task, const std::vector<Rect>& pieces) {
  std::map<const Store*, Bytes> before;
  for (const Argument& read : task.reads) before.try_emplace(read.store().get(), memory_of(*read.store()));
  const bool at_once = task.distribution.is_replicated() || !task.reductions.empty();
  for (const Rect& piece : at_once ? std::vector<Rect>{task.domain} : pieces) {
    if (piece.empty()) continue;
    std::vector<kernel::BoundArray> arrays;
    for (const Argument& read : task.reads)
      arrays.push_back(bind_store(*read.store(), before.at(read.store().get()).data(), read.map(), piece));
    for (const TaskWrite& write : task.writes) {
      if (write.kept)
        arrays.push_back(bind_store(*write.store(), memory_of(*write.store()).data(), write.map(), piece));
    }
    for (const Argument& fold : task.reductions)
      arrays.push_back(bind_store(*fold.store(), memory_of(*fold.store()).data(), fold.map(), piece));
    ASSERT_EQ(arrays.size(), task.kernel()->arrays.size()) << to_text(task);
    kernel::KernelCall call{};
    for (int axis = 0; axis < piece.rank; ++axis) {
      call.lo[axis] = piece.lo[static_cast<std::size_t>(axis)];
      call.extent[axis] = piece.extent(axis);
    }
    call.arrays = arrays.data();
    call.scalars = task.scalars.data();
    kernel::test::interpret(*task.kernel(), call);
  }
}

// Different cells of each store that all pieces load and store, and those that a piece loads and its processor lacks.
void JudgedRecorder::count(const Task& task, Moved& moved) {
  ASSERT_TRUE(task.kernel()) << "only operations of cells and folds are counted";
  const std::vector<Rect> pieces = pieces_of(task);
  std::map<const Store*, std::vector<bool>> loaded;  // by cell
  for (const kernel::Node& node : task.kernel()->nodes) {
    if (node.op != kernel::Op::Load) continue;
    const Argument& read = task.reads[static_cast<std::size_t>(node.argument)];
    const auto size = static_cast<std::int64_t>(itemsize(read.store()->dtype));
    Holders& holders = holders_of(*read.store());
    std::vector<bool>& seen = loaded[read.store().get()];
    seen.resize(holders.size());
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      for_each_cell(pieces[p], [&](const Cell& point) {
        const Cell cell = displaced(partitioner::apply(read.map(), point), node.offset);
        ASSERT_TRUE(is_inside(Rect::of(read.store()->shape), cell)) << to_text(task);
        const auto place = static_cast<std::size_t>(place_of(*read.store(), cell));
        if (!seen[place]) moved.read += size;
        seen[place] = true;
        if (!(holders[place] >> p & 1)) moved.received += size;
        holders[place] |= std::uint64_t{1} << p;
      });
    }
  }
  for (const TaskWrite& write : task.writes) {
    if (!write.kept) continue;
    moved.written += task.domain.cells() * static_cast<std::int64_t>(itemsize(write.store()->dtype));
    for (std::size_t p = 0; p < pieces.size(); ++p)
      this->write(task, static_cast<int>(p), *write.store(), write.map(), pieces[p]);
  }
  for (const Argument& fold : task.reductions) {
    moved.written += fold.store()->shape.elements() * static_cast<std::int64_t>(itemsize(fold.store()->dtype));
    for (std::uint64_t& have : holders_of(*fold.store())) have = ~std::uint64_t{0};
  }
}

// Who computes a cell is its owner, and the only one to have it then; or all compute it.
void JudgedRecorder::write(const Task& task, int processor, const Store& store, const AffineMap& map,
                           const Rect& piece) {
  const Tiling& tiling = stores_[static_cast<std::size_t>(store.window_index)].tiling;
  const std::uint64_t own = std::uint64_t{1} << processor;
  Holders& holders = holders_of(store);
  for_each_cell(piece, [&](const Cell& point) {
    const Cell cell = partitioner::apply(map, point);
    ASSERT_TRUE(is_inside(tiling.tile(processor), cell)) << "processor " << processor << "\n" << to_text(task);
    holders[static_cast<std::size_t>(place_of(store, cell))] = tiling.is_replicated() ? ~std::uint64_t{0} : own;
  });
}

void JudgedRecorder::run_import(const Task& task) {
  const Store& store = *task.writes[0].store();
  const std::size_t size = itemsize(store.dtype);
  std::size_t next = 0;
  for_each_cell(task.domain, [&](const Cell& point) {
    const auto place = static_cast<std::size_t>(place_of(store, partitioner::apply(task.writes[0].map(), point)));
    std::memcpy(memory_of(store).data() + place * size,
                std::get<ImportedCells>(task.computation).bytes->data() + size * next++, size);
  });
}

void JudgedRecorder::run_reshape(const Task& task) {
  const Argument& read = task.reads[0];
  const Store& from = *read.store();
  const Store& to = *task.writes[0].store();
  const std::size_t size = itemsize(to.dtype);
  Bytes cells;
  for_each_cell(Rect::of(read.view.shape), [&](const Cell& point) {
    const std::byte* cell =
        memory_of(from).data() + static_cast<std::size_t>(place_of(from, partitioner::apply(read.map(), point))) * size;
    cells.insert(cells.end(), cell, cell + size);
  });
  std::size_t next = 0;
  for_each_cell(task.domain, [&](const Cell& point) {
    const auto place = static_cast<std::size_t>(place_of(to, partitioner::apply(task.writes[0].map(), point)));
    std::memcpy(memory_of(to).data() + place * size, cells.data() + size * next++, size);
  });
}

// One call for the whole domain; folds of users' bodies are not drawn here.
void JudgedRecorder::run_body(const Task& task) {
  std::vector<detail::BoundStore> bound;
  std::vector<Bytes> before;
  before.reserve(task.launch()->arguments.size());
  for (const Argument& argument : task.launch()->arguments) {
    const Store& store = *argument.view.store;
    const bool reads = argument.footprint.access == kernel::Access::Read;
    std::byte* const memory = reads ? before.emplace_back(memory_of(store)).data() : memory_of(store).data();
    const Rect box = argument.footprint.box(task.domain);
    const kernel::BoundArray array = bind_store(store, memory, argument.view.map, box);
    detail::BoundStore& one = bound.emplace_back();
    one.first = array.base;
    one.lo = box.lo;
    one.hi = box.hi;
    for (std::size_t k = 0; k < static_cast<std::size_t>(box.rank); ++k)
      one.stride[k] = array.stride[k] / static_cast<std::int64_t>(itemsize(store.dtype));
  }
  task.launch()->body->run(
      {Piece(task.domain.rank, task.domain.lo, task.domain.hi), bound.data(), task.scalars.data()});
}

}  // namespace pilum::scheduler
