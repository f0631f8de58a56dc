// Windows whose tasks are run, point by point, beside the operations that they were made of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "scheduler/analyze/fuser.h"
#include "scheduler/memory/store_state.h"
#include "tests/fakes/naive_recorder.h"

namespace pilum::scheduler {

// What the tasks of a window move, counted cell by cell.
struct Moved {
  std::int64_t read = 0, written = 0;  // bytes of different cells that tasks load and store, task by task
  std::int64_t received = 0;           // bytes of cells that a processor loads and has not got
  std::vector<Task> tasks;
  std::int64_t bytes() const { return read + written; }
};

// This thread's recorder while it lives; it must outlive the arrays.
//
// Cells: each operation is computed at once by the naive recorder. At the end of a window its tasks are run by an
// interpreter of kernels, piece by piece, on what the stores held before it; what somebody still holds must have the
// same bits then, none of a kernel's addresses may leave its store (which the address sanitizer sees), and what dies
// must die after the last task that touches it. Bytes: nothing is computed, what would move is counted; each processor
// must write its own cells.
class JudgedRecorder final : public Recorder {
 public:
  enum class Look { Cells, Bytes };
  explicit JudgedRecorder(Look look, int processors = 1, std::size_t window = 1000000);
  ~JudgedRecorder() override;

  StoreRef make_store(const Shape& shape, DType dtype, const char* operation, std::source_location where) override;
  void record(Operation&& operation) override;
  void drop(Store&) noexcept override {}
  std::vector<std::byte> fetch(const View& view, const char* operation, std::source_location where) override;
  void wait(std::source_location) override { static_cast<void>(end_window()); }

  // Judges the tasks of what is recorded so far.
  Moved end_window(const std::vector<Operation>& used_later = {});

 private:
  using Bytes = std::vector<std::byte>;
  // By cell of a store: the processors that have its value, as bits.
  using Holders = std::vector<std::uint64_t>;

  Bytes& memory_of(const Store& store);
  Holders& holders_of(const Store& store);
  std::vector<Rect> pieces_of(const Task& task) const;
  void run(const Task& task);
  void run_kernel(const Task& task, const std::vector<Rect>& pieces);
  void run_body(const Task& task);
  void run_import(const Task& task);
  void run_reshape(const Task& task);
  void check_deaths(const std::vector<Task>& tasks) const;
  void compare(const Store& store, const std::vector<Task>& tasks);
  void count(const Task& task, Moved& moved);
  void write(const Task& task, int processor, const Store& store, const AffineMap& map, const Rect& piece);

  fakes::NaiveRecorder naive_;
  Recorder* before_;
  const Look look_;
  const int processors_;
  const std::size_t window_;
  std::vector<Operation> operations_;
  std::vector<WindowStore> stores_;
  std::map<const Store*, Bytes> memory_;  // as the tasks leave it
  std::map<const Store*, Holders> holders_;
  std::map<const Store*, std::unique_ptr<StoreState>> states_;  // of stores that an earlier window left
};

}  // namespace pilum::scheduler
