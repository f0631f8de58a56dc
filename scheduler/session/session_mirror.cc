// Arrays that a program reads cell by cell: each of them is a message from its owner, or a copy from a GPU, and a wait.
#include <algorithm>

#include "scheduler/memory/read_view.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr int kFewReads = 16;
constexpr std::int64_t kFewCells = 64;            // of a read that is one
constexpr std::int64_t kBytesOfRead = 256 << 10;  // that are brought here in the time that one read takes, about
constexpr std::int64_t kMostMirrored = 64 << 20;

}  // namespace

// The store's cells, row-major, where it is read so: from the time on at which reading on has taken as long as bringing
// all of it here. Null: it is to be read as others are. A function of the recorded calls: all ranks read alike.
std::vector<std::byte>* Session::find_mirror(const View& view, const char* operation, std::source_location where) {
  const Store& store = *view.store;
  if ((parts_.machine.processors() == 1 && !staging_) || !executes()) return nullptr;
  auto mirror =
      std::ranges::find_if(mirrors_, [&store](const Mirror& one) { return one.store == &store && one.id == store.id; });
  if (mirror != mirrors_.end() && !mirror->cells.empty()) return &mirror->cells;
  const std::int64_t bytes = bytes_of(store);
  if (view.shape.elements() > kFewCells || store.shape.elements() <= kFewCells || bytes > kMostMirrored) return nullptr;
  if (std::ranges::any_of(lent_stores_, [&store](const Handle& handle) { return handle.store().get() == &store; }))
    return nullptr;
  if (mirror == mirrors_.end()) {
    mirror = mirrors_.begin() + static_cast<std::ptrdiff_t>(next_mirror_++ % mirrors_.size());
    *mirror = {&store, store.id, 0, {}};
  }
  if (++mirror->reads < kFewReads + bytes / kBytesOfRead) return nullptr;
  const StoreRef held = view.store;
  mirror->cells = fetch(whole(held), operation, where);
  return &mirror->cells;
}

void Session::note_written(const Operation& operation) {
  for_each_view(operation, [this](const View& view, bool write) {
    if (write) forget_mirror(*view.store);
  });
}

void Session::forget_mirror(const Store& store) noexcept {
  for (Mirror& mirror : mirrors_) {
    if (mirror.store == &store) mirror = {};
  }
}

}  // namespace pilum::scheduler
