// A store: a logical n-D array. It owns no memory; the scheduler keeps where its cells are.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <source_location>
#include <utility>

#include "pilum/dtype.h"
#include "pilum/shape.h"
#include "runtime/base/ids.h"
#include "runtime/base/record_pool.h"

namespace pilum::scheduler {

struct Alias;
struct ArrayKind;
struct TrueCells;
class Recorder;
class StoreState;

// How far apart neighbours along each axis lie, in cells.
using Strides = std::array<std::int64_t, kMaxAxes>;

// Whether nobody holds a store on any of several ranks: each knows its own names. What they have agreed on, of large
// new ones (session_ends.cc).
enum class NamesEnded : std::uint8_t { Unknown, No, Yes };

// Made by Recorder::make_store. Counts are plain numbers: stores are recorded, held and dropped on one thread.
struct Store {
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() {
    if (previous) previous->next = next;
    if (next) next->previous = previous;
    delete[] resting;
  }
  static void* operator new(std::size_t) { return RecordPool<Store>::take(); }
  static void* operator new(std::size_t, const std::nothrow_t&) noexcept { return RecordPool<Store>::try_take(); }
  static void operator delete(void* block) noexcept { RecordPool<Store>::give(block); }
  StoreId id;
  Shape shape;
  DType dtype = DType::Float64;
  const char* operation = "";  // the call that made it, for messages
  std::source_location where;
  Recorder* recorder = nullptr;            // null once its runtime has ended
  int handles = 0;                         // user handles; at 0 its value is nobody's
  NamesEnded ended = NamesEnded::Unknown;  // whether it is so on all of several ranks
  int references = 0;                      // everything that keeps this struct alive
  int guards = 0;                          // while there are any, its cells are the program's (Session::lock)
  bool replicate = false;                  // the value is wanted on every processor
  std::uint32_t small_uses = 0;            // of late, by operations on few points (Session::note_uses)
  bool to_host = false;                    // for them: it may go from a GPU's memory to the host's
  ArrayKind* kind = nullptr;               // of a large one that may be cut, or of what it is made of; or it has none
  bool large = false;                      // it is cut for its size, where there are several processors
  bool gathered = false;                   // it lies whole as its kind does, or is to, and may be cut again
  bool cut_pays = false;                   // it is to be cut again
  bool lies_apart = false;                 // it is no reason to cut it that what it is computed from is cut
  std::uint8_t field_axes = 0;   // so many of its first axes count the fields of points: it is cut along others
  std::uint8_t split_axes = 0;   // bit k: tasks write it point by point along axis k: it is cut there, however small
  std::uint64_t digest = 0;      // of id, shape and dtype: what all ranks find alike (call_digest.h)
  std::uint64_t touched = 0;     // by which recorded operation last, counted from 1 (PeriodFinder); 0: by none
  std::uint64_t seen_whole = 0;  // the same, by which last that saw it along all of its axes
  std::uint64_t places = 0;      // a bit each of those where it was seen since then, by their hash
  std::shared_ptr<const TrueCells> true_cells;  // how many are, if counted since it was last written; numeric/'s
  bool stays = false;     // a plan that pins it changed where it lies, so that places are of keys (window_key.h)
  int window_index = -1;  // its row in the window being analysed
  std::unique_ptr<const Strides>
      numpy_strides;       // as its cells would lie in NumPy's memory; null: row-major in the array's shape; numeric/'s
  Alias* alias = nullptr;  // of one whose cells are another store's too, in another shape (aliases.h)
  Store* next_dropped = nullptr;  // the recorder's list of what nobody holds any more
  Store* previous = nullptr;      // the recorder's list of what lives
  Store* next = nullptr;
  StoreState* state = nullptr;   // where its cells are; the scheduler's, null until a plan touches it
  std::byte* resting = nullptr;  // instead of it, the same in few bytes (resting.h)
};

// It is seen at ever other places: rows of a history, minibatches. As all ranks know.
inline bool roams(const Store& store) {
  constexpr int kManyPlaces = 8;
  return std::popcount(store.places) > kManyPlaces;
}

// As the program made it: there the axes of fields come last.
inline Shape array_shape(const Store& store) {
  Shape shape;
  for (int axis = 0; axis < store.shape.rank(); ++axis)
    shape.push_back(store.shape[(axis + store.field_axes) % store.shape.rank()]);
  return shape;
}

// Of all its cells.
inline std::int64_t bytes_of(const Store& store) {
  return store.shape.elements() * static_cast<std::int64_t>(itemsize(store.dtype));
}

// Keeps a Store alive as a record; the scheduler's own references.
class StoreRef {
 public:
  StoreRef() = default;
  explicit StoreRef(Store* store) : store_(store) {
    if (store_) ++store_->references;
  }
  StoreRef(const StoreRef& other) : StoreRef(other.store_) {}
  StoreRef(StoreRef&& other) noexcept : store_(std::exchange(other.store_, nullptr)) {}
  StoreRef& operator=(StoreRef other) noexcept {
    std::swap(store_, other.store_);
    return *this;
  }
  ~StoreRef() {
    if (store_ && --store_->references == 0) delete store_;
  }
  Store* operator->() const { return store_; }
  Store& operator*() const { return *store_; }
  Store* get() const { return store_; }
  explicit operator bool() const { return store_ != nullptr; }
  bool operator==(const StoreRef& other) const { return store_ == other.store_; }

 private:
  Store* store_ = nullptr;
};

}  // namespace pilum::scheduler
