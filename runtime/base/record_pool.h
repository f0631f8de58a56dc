// Memory of records that come and go by the hundred in each step of a program.
#pragma once

#include <cstddef>
#include <new>

namespace pilum {

// Blocks of one size, for a class's operator new and delete. What a thread gives is kept for what it takes next, up to
// `kMost` of them; the rest, and all at the thread's end, goes to the heap. A block may be given by another thread than
// took it. Under a sanitizer all of it is the heap's, so that it sees what is used too late.
template <class Record>
class RecordPool {
 public:
  static constexpr std::size_t kMost = 1024;

  [[nodiscard]] static void* take() {
    if (void* kept = take_kept()) return kept;
    return ::operator new(sizeof(Record));
  }
  // Null: there is no memory.
  [[nodiscard]] static void* try_take() noexcept {
    if (void* kept = take_kept()) return kept;
    return ::operator new(sizeof(Record), std::nothrow);
  }
  static void give(void* block) noexcept {
    if (!is_open()) return ::operator delete(block);
    kept_.first = new (block) Free{kept_.first};
    ++kept_.count;
  }
  // Of this thread.
  static std::size_t count() noexcept { return kept_.count; }

 private:
  struct Free {
    Free* next;
  };
  static_assert(sizeof(Record) >= sizeof(Free) && alignof(Record) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  enum class State : unsigned char { New, Open, Closed };
  // Trivial, so that it is reached without a guard, and after the thread's destructors too.
  struct Kept {
    Free* first;
    std::size_t count;
    State state;
  };
  struct Closer {
    ~Closer() {
      kept_.state = State::Closed;
      while (kept_.first) ::operator delete(take_kept());
    }
  };

  static void* take_kept() noexcept {
    Free* const block = kept_.first;
    if (!block) return nullptr;
    kept_.first = block->next;
    --kept_.count;
    return block;
  }
  static bool is_open() noexcept {
#ifdef PILUM_SANITIZE
    return false;
#else
    if (kept_.count >= kMost) return false;
    if (kept_.state == State::New) [[unlikely]] {
      static thread_local const Closer closer;
      kept_.state = State::Open;
    }
    return kept_.state == State::Open;
#endif
  }

  // NOLINTNEXTLINE(readability-identifier-naming): a member
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local Kept kept_{};
};

}  // namespace pilum
