// Arrays that a program reads cell by cell: each of them is a message from its owner, or a copy from a GPU, and a wait.
#include <algorithm>

#include "scheduler/memory/read_view.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr int kFewReads = 16;
constexpr std::int64_t kFewCells = 64;            // of a read that is one
constexpr std::int64_t kBytesOfRead = 256 << 10;  // that are brought here in the time that one read takes, about
constexpr std::int64_t kMostMirrored = 256 << 20;

}  // namespace

// The store's cells, row-major, where it is read so: from the time on at which reading on has taken as long as bringing
// all of it here. Null: it is to be read as others are. A function of the recorded calls: all ranks read alike.
const std::vector<std::byte>* Session::find_mirror(const View& view, const char* operation,
                                                   std::source_location where) {
  const Store& store = *view.store;
  if ((parts_.machine.processors() == 1 && !staging_) || guards_ > 0 || !executes()) return nullptr;
  if (mirror_.store == &store && mirror_.id == store.id && !mirror_.cells.empty()) return &mirror_.cells;
  const std::int64_t bytes = store.shape.elements() * static_cast<std::int64_t>(itemsize(store.dtype));
  if (view.shape.elements() > kFewCells || store.shape.elements() <= kFewCells || bytes > kMostMirrored) return nullptr;
  if (std::ranges::any_of(lent_stores_, [&store](const Handle& handle) { return handle.store().get() == &store; }))
    return nullptr;
  if (mirror_.store != &store || mirror_.id != store.id) mirror_ = {&store, store.id, 0, {}};
  if (++mirror_.reads < kFewReads + bytes / kBytesOfRead) return nullptr;
  const StoreRef held = view.store;
  std::vector<std::byte> cells = fetch(whole(held), operation, where);
  mirror_ = {&store, store.id, 0, std::move(cells)};
  return &mirror_.cells;
}

void Session::note_written(const Operation& operation) {
  for_each_view(operation, [this](const View& view, bool write) {
    if (write && view.store.get() == mirror_.store) mirror_ = {};
  });
}

}  // namespace pilum::scheduler
