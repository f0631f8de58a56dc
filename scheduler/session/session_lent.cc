// Memory that the program lends to arrays, and arrays' memory that it is shown.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "partitioner/block_tiling.h"
#include "partitioner/solver.h"
#include "pilum/error.h"
#include "runtime/base/check.h"
#include "scheduler/memory/read_view.h"
#include "scheduler/memory/view_walk.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kLine = 64;  // blocks begin at a multiple of it, as those of the pools do

std::string place(std::source_location where) {
  return std::string(". Called at ") + where.file_name() + ":" + std::to_string(where.line());
}

int count_long_axes(const Rect& block) {
  int count = 0;
  for (int axis = 0; axis < block.rank; ++axis) count += block.extent(axis) > 1;
  return count;
}

// The array's axes, from the one with the farthest neighbours to the one with the nearest. Axes of one cell come first,
// where they do no harm; but last where no others' neighbours lie side by side.
AxisOrder order_of(const Rect& block, const std::array<std::int64_t, kMaxAxes>& pitch, std::int64_t itemsize) {
  AxisOrder order{};
  bool side_by_side = false;
  for (int axis = 0; axis < block.rank; ++axis)
    side_by_side = side_by_side || (block.extent(axis) > 1 && pitch[static_cast<std::size_t>(axis)] == itemsize);
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::int8_t>(k);
  std::stable_sort(order.begin(), order.begin() + block.rank, [&](std::int8_t a, std::int8_t b) {
    const bool one_a = block.extent(a) < 2, one_b = block.extent(b) < 2;
    if (one_a || one_b) return side_by_side ? one_a && !one_b : one_b && !one_a;
    return pitch[static_cast<std::size_t>(a)] > pitch[static_cast<std::size_t>(b)];
  });
  return order;
}

bool lies_in(const AxisOrder& order, const Rect& block, const std::array<std::int64_t, kMaxAxes>& pitch,
             std::int64_t itemsize) {
  std::int64_t nearest = 0;
  for (int k = block.rank - 1; k >= 0; --k) {
    const int axis = order[static_cast<std::size_t>(k)];
    if (block.extent(axis) < 2) continue;
    const std::int64_t distance = pitch[static_cast<std::size_t>(axis)];
    if (k == block.rank - 1 && distance != itemsize) return false;
    if (distance < nearest) return false;
    nearest = distance;
  }
  return true;
}

// By the store's axes instead of the array's.
template <class Values>
Values reorder(const Values& values, const AxisOrder& order, int rank) {
  Values result = values;
  for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k)
    result[k] = values[static_cast<std::size_t>(order[k])];
  return result;
}

Rect reorder(const Rect& rect, const AxisOrder& order) {
  return {rect.rank, reorder(rect.lo, order, rect.rank), reorder(rect.hi, order, rect.rank)};
}

std::vector<Rect> reordered(const std::vector<Rect>& rects, const AxisOrder& order) {
  std::vector<Rect> result;
  for (const Rect& rect : rects) result.push_back(reorder(rect, order));
  return result;
}

}  // namespace

// What a rank says of its block.
struct Session::Offer {
  std::int64_t rank = 0, dtype = 0;
  std::array<std::int64_t, kMaxAxes> shape{}, lo{}, hi{}, pitch{};
  char trouble[512] = {};
};

std::string Session::find_trouble(const LentBlock& block) const {
  if (!block.trouble.empty() || block.rect.empty()) return block.trouble;
  const bool on_gpus = parts_.machine.kind == machine::ProcessorKind::Gpu;
  if (on_gpus && !block.on_gpu) {
    return "its block is memory of the host, and this Runtime's arrays live on GPUs: copy it to the GPU first, or run "
           "with "
           "PILUM_GPUS=0";
  }
  if (!on_gpus && block.on_gpu) {
    return "its block is memory of a GPU, and this Runtime's arrays live in memory of the host: copy it there first, "
           "or give "
           "the Runtime a GPU (PILUM_GPUS)";
  }
  if (on_gpus && parts_.machine.processors_per_rank > 1) {
    return fmt::format(
        "each rank has {} GPUs, and a block is in the memory of one: start a rank for each GPU (PILUM_GPUS=1)",
        parts_.machine.processors_per_rank);
  }
  return "";
}

// Every rank's, by a message from each to each: divergence and stalls are noticed as for data.
std::vector<Session::Offer> Session::exchange_offers(const Offer& mine, const char* operation,
                                                     std::source_location where) {
  const auto ranks = static_cast<std::size_t>(parts_.machine.ranks);
  const auto all = std::make_shared<std::vector<Offer>>(ranks, mine);
  if (ranks == 1) return *all;
  if (!executes())
    throw RuntimeError(fmt::format("[{}] a session that only plans has no other ranks{}", operation, place(where)));
  offers_ = all;
  auto plan = std::make_unique<Plan>();
  plan->window = next_window_++;
  plan->first = InstructionId{next_instruction_};
  const auto add = [&](auto message) { plan->instructions.push_back({std::move(message), {}, 0, operation, where}); };
  for (int peer = 0; peer < parts_.machine.ranks; ++peer) {
    if (peer == rank()) continue;
    const comm::Tag tag{static_cast<std::uint32_t>(plan->window), 0};
    add(Receive{peer, tag, reinterpret_cast<std::byte*>(&(*all)[static_cast<std::size_t>(peer)]), sizeof(Offer),
                StoreId{-1}});
    add(Send{peer, tag, reinterpret_cast<const std::byte*>(&(*all)[static_cast<std::size_t>(rank())]), sizeof(Offer),
             StoreId{-1}});
  }
  submit(std::move(plan));
  executor_.wait();
  offers_ = nullptr;
  return *all;
}

Session::LentStore Session::lend(const LentBlock& block, const Shape& shape, DType dtype, const char* operation,
                                 std::source_location where) {
  executor_.check();
  watch_->called(operation, where);
  run_all({WindowEnd::Why::Called, {operation, where}});
  settle_lent();
  Offer mine;
  mine.rank = shape.rank();
  mine.dtype = static_cast<std::int64_t>(dtype);
  std::copy(shape.begin(), shape.end(), mine.shape.begin());
  mine.lo = block.rect.lo;
  mine.hi = block.rect.hi;
  mine.pitch = block.pitch;
  find_trouble(block).copy(mine.trouble, sizeof mine.trouble - 1);
  const std::vector<Offer> all = exchange_offers(mine, operation, where);

  const auto refuse = [&](const std::string& text) {
    throw ValueError(fmt::format("[{}] {}{}", operation, text, place(where)));
  };
  std::vector<Rect> blocks;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Offer& offer = all[rank];
    if (offer.trouble[0]) refuse(all.size() > 1 ? fmt::format("rank {}: {}", rank, offer.trouble) : offer.trouble);
    if (offer.rank != all[0].rank || offer.shape != all[0].shape || offer.dtype != all[0].dtype) {
      const auto text = [](const Offer& of) {
        return to_string(Shape(std::span(of.shape).first(static_cast<std::size_t>(of.rank)))) + " " +
               name(static_cast<DType>(of.dtype));
      };
      refuse(fmt::format(
          "rank 0 says {} and rank {} says {}: all ranks must give the same shape and dtype, those of the whole array",
          text(all[0]), rank, text(offer)));
    }
    blocks.push_back({static_cast<int>(offer.rank), offer.lo, offer.hi});
  }
  const auto as_given = partitioner::tile_blocks(Rect::of(shape), blocks, parts_.machine.processors_per_rank);
  if (const auto* fault = std::get_if<std::string>(&as_given)) refuse(*fault);
  if (block.has_stream) executor_.wait_for_program(block.stream);
  // One order of the axes for all: that of a block which tells it.
  const auto tells_less = [](const Rect& a, const Rect& b) {
    return std::pair(count_long_axes(a), a.cells()) < std::pair(count_long_axes(b), b.cells());
  };
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  const auto teller =
      static_cast<std::size_t>(std::max_element(blocks.begin(), blocks.end(), tells_less) - blocks.begin());
  const AxisOrder order = order_of(blocks[teller], all[teller].pitch, size);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (blocks[rank].empty() || lies_in(order, blocks[rank], all[rank].pitch, size)) continue;
    const auto strides = [&](std::size_t of) {
      std::string text = fmt::format("rank {} has the strides (", of);
      for (int axis = 0; axis < shape.rank(); ++axis)
        text += fmt::format("{}{}", axis ? ", " : "", all[of].pitch[static_cast<std::size_t>(axis)] / size);
      return text + ")";
    };
    refuse(
        fmt::format("{}{}: along one axis, the same on all ranks, neighbours must lie side by side (stride 1), and all "
                    "ranks' strides "
                    "must fall in one order of the axes, as row-major or column-major",
                    rank == teller ? "" : strides(teller) + ", ", strides(rank)));
  }
  const auto tiling = partitioner::tile_blocks(reorder(Rect::of(shape), order), reordered(blocks, order),
                                               parts_.machine.processors_per_rank);
  PILUM_CHECK(std::holds_alternative<partitioner::Tiling>(tiling), "blocks tile the array {}", to_string(shape));
  Shape extents = shape;
  for (int k = 0; k < shape.rank(); ++k) extents[k] = shape[order[static_cast<std::size_t>(k)]];
  LentBlock ordered = block;
  ordered.rect = reorder(blocks[static_cast<std::size_t>(rank())], order);
  ordered.pitch = reorder(block.pitch, order, shape.rank());
  if (shape.rank() > 0)
    ordered.pitch[static_cast<std::size_t>(shape.rank()) - 1] = size;  // as it is, but where that has one cell
  LentStore lent{add_store(extents, dtype, operation, where), order};
  adopt(lent.store, ordered, std::get<partitioner::Tiling>(tiling));
  lent_stores_.emplace_back(lent.store);
  return lent;
}

// A block of memory for each processor's tile, which begins at a line: the way from there to the first cell is the
// instance's, and plans that were made for another way are not taken for it.
void Session::adopt(const StoreRef& store, const LentBlock& block, const partitioner::Tiling& tiling) {
  std::vector<std::unique_ptr<Instance>> instances;
  for (int p = 0; p < parts_.machine.processors_per_rank; ++p) {
    auto& instance = instances.emplace_back();
    const Rect tile = intersect(tiling.tile(rank() * parts_.machine.processors_per_rank + p), block.rect);
    if (tile.empty()) continue;
    std::byte* first = block.data;
    std::int64_t bytes = static_cast<std::int64_t>(itemsize(store->dtype));
    for (std::size_t k = 0; k < static_cast<std::size_t>(tile.rank); ++k) {
      first += (tile.lo[k] - block.rect.lo[k]) * block.pitch[k];
      bytes += (tile.hi[k] - tile.lo[k] - 1) * block.pitch[k];
    }
    const auto ahead = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) % kLine);
    const auto size = static_cast<std::size_t>(bytes + ahead);
    Block* memory = lent_->adopt(first - ahead, size, size);
    memory->owner = block.owner;
    instance = std::make_unique<Instance>(Instance{memory, tile, block.pitch, ahead, partitioner::Region(tile)});
  }
  planner_->adopt(store, tiling, std::move(instances));
}

// Lent memory gets its cells' values; what nobody has a handle on any more goes back to its owner.
void Session::settle_lent() {
  if (lent_stores_.empty()) return;
  auto plan = std::make_unique<Plan>();
  plan->window = next_window_;  // others may have no such plan: it has no messages
  plan->first = InstructionId{next_instruction_};
  for (const Handle& handle : lent_stores_) planner_->bring_home(*handle.store(), *plan);
  std::erase_if(lent_stores_, [](const Handle& handle) { return handle.store()->handles == 1; });
  release_dropped(*plan);
  printer_->print_plan(*plan);
  if (on_plan_) on_plan_(*plan);
  submit(std::move(plan));
  wait_for_executor();
  lent_->trim();
}

// Cuts a store that nothing has been recorded with.
void Session::place_alone(const StoreRef& store) {
  partitioner::SolverWindow window;
  window.stores.push_back({Rect::of(store->shape), static_cast<std::int64_t>(itemsize(store->dtype)), store->replicate,
                           store->split_axes, std::nullopt, store->field_axes});
  partitioner::solve(window, parts_.machine);
  planner_->state_of(store, *window.stores[0].tiling);
}

void Session::refuse_guarded(const View& view, const char* operation, std::source_location where) const {
  if (view.store->guards == 0) return;
  throw RuntimeError(
      fmt::format("[{}] the array of shape {} is locked by the program: destroy what local() returned first{}",
                  operation, to_string(view.store->shape), place(where)));
}

std::vector<LocalCells> Session::lock(const View& view, const LocalRequest& request, const char* operation,
                                      std::source_location where) {
  executor_.check();
  if (guards_ > 0 && request.write) refuse_guarded(view, operation, where);
  request.write ? aliases_.before_write(*view.store) : aliases_.before_read(*view.store);
  watch_->called(operation, where);
  if (request.write) forget_mirror(*view.store);
  // A stream waits for what is recorded, and the host only until it is issued.
  const bool by_stream = request.has_stream && !parts_.gpus.empty();
  if (by_stream) {
    flush({WindowEnd::Why::Called, {operation, where}});
  } else {
    run_for(view, {WindowEnd::Why::Called, {operation, where}});
  }
  if (view.store->resting) planner_->wake(*view.store);
  const bool has_cells = view.shape.elements() > 0;
  if (has_cells && !view.store->state) place_alone(view.store);
  if (has_cells && request.write && parts_.machine.processors() > 1 && view.store->state->tiling.is_replicated()) {
    throw ValueError(fmt::format(
        "[{}] the array of shape {} is small, and each of {} processors has a copy of it: read it, and write it "
        "by an operation; or split smaller arrays too (PILUM_SPLIT_BYTES){}",
        operation, to_string(view.store->shape), parts_.machine.processors(), place(where)));
  }
  std::vector<LocalCells> cells;
  if (has_cells) {
    auto plan = std::make_unique<Plan>();
    plan->window = next_window_;
    plan->first = InstructionId{next_instruction_};
    const StateSnapshots before = take_snapshots({&view.store, 1});
    begin_undoable();
    try {
      plan_lock(view, request.write, cells, *plan);
    } catch (const std::exception& error) {
      undo(before);
      if (!undone_ && !failed()) fail_for_good(error.what());
      throw;
    }
    end_undoable();
    submit(std::move(plan));
    if (executes() && !by_stream) executor_.wait();
  }
  if (executes() && by_stream) executor_.make_program_wait(request.stream);
  ++view.store->guards;
  ++guards_;
  return cells;
}

void Session::plan_lock(const View& view, bool write, std::vector<LocalCells>& cells, Plan& plan) {
  Store& store = *view.store;
  StoreState& state = *store.state;
  planner_->bring_home(store, plan);
  partitioner::AffineMap map = view.map;
  map.view_rank = std::max(map.view_rank, 1);
  const Rect domain = view.shape.rank() ? Rect::of(view.shape) : Rect::of({0}, {1});
  const bool everywhere = state.tiling.is_replicated();
  std::vector<Instance*> written(state.local.size(), nullptr);
  std::vector<Rect> own(state.local.size(), Rect{store.shape.rank()});
  for (std::size_t p = 0; p < (everywhere ? 1 : state.local.size()); ++p) {
    const Rect tile = state.local[p].tile;
    const Rect box = tile.empty() ? tile : partitioner::preimage(map, tile, domain);
    if (tile.empty() || box.empty()) continue;
    // All of the tile, whatever the view: the next one who asks finds it there, and nothing moves.
    const Instance& instance = *(written[p] = &planner_->get_local(store, static_cast<int>(p), tile, plan));
    own[p] = partitioner::image(map, box);
    const ViewWalk walk(instance, map);
    LocalCells& local = cells.emplace_back();
    local.box = box;
    local.box.rank = view.shape.rank();
    if (local.box.rank == 0) local.box.lo[0] = local.box.hi[0] = 0;
    local.first = walk.at(box.lo, map.view_rank);
    local.stride = walk.stride;
    local.on_gpu = !parts_.gpus.empty() && instance.block->book != staging_;
    if (local.on_gpu) local.device = parts_.gpus[p]->info().ordinal;
  }
  if (write) planner_->note_written(store, written, own, partitioner::image(map, domain), plan);
}

void Session::unlock(Store& store, const LocalRequest& request) noexcept {
  --store.guards;
  --guards_;
  if (!request.has_stream || parts_.gpus.empty()) return;
  try {
    executor_.wait_for_program(request.stream);
  } catch (...) {
    executor_.fail(std::current_exception());
  }
}

}  // namespace pilum::scheduler
