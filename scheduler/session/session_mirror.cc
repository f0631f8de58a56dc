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

// A loop over cells: since this line read a mirror and all ranks were known to be there, nothing but mirrors was read.
// Its cells are shown unconfirmed: a message for each would take longer than all else that such a loop does.
bool Session::goes_on_reading(std::source_location where) {
  if (watch_->last_call().number != last_mirrored_) reading_lines_.clear();
  const bool is_known = std::ranges::any_of(reading_lines_, [&where](const std::source_location& one) {
    return one.line() == where.line() && one.column() == where.column() && one.file_name() == where.file_name();
  });
  if (!is_known) reading_lines_.push_back(where);
  return is_known;
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
