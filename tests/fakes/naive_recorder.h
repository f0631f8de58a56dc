// A recorder that computes every operation at once, cell by cell: the oracle of tests, and all the floors below
// numeric/ for those who need a value and no scheduler.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/record/recorder.h"

namespace pilum::fakes {

// Shares no code with what the scheduler does. Stores lie row-major, whole; cells never written are 0. Installs itself
// as this thread's recorder, and leaves when it is destroyed, as a Runtime does. Not for more than one thread.
class NaiveRecorder final : public scheduler::Recorder {
 public:
  NaiveRecorder();
  ~NaiveRecorder() override;
  NaiveRecorder(const NaiveRecorder&) = delete;
  NaiveRecorder& operator=(const NaiveRecorder&) = delete;

  scheduler::StoreRef make_store(const Shape& shape, DType dtype, const char* operation,
                                 std::source_location where) override;
  void record(scheduler::Operation&& operation) override;
  void drop(scheduler::Store& store) noexcept override;
  void join(const scheduler::View& view, const scheduler::StoreRef& other, std::source_location) override;
  void separate(scheduler::Store& other) noexcept override;
  std::vector<std::byte> fetch(const scheduler::View& view, const char* operation, std::source_location where) override;
  void wait(std::source_location) override {}

  // What tests ask.
  struct Recorded {
    std::string name;
    std::source_location where;
    bool is_reshape = false;
    // Of elementwise operations.
    kernel::Op op = kernel::Op::Cast;
    DType compute = DType::Float64;
  };
  const std::vector<Recorded>& recorded() const { return recorded_; }
  std::size_t stores_alive() const { return memory_.size(); }
  std::int64_t cells_fetched() const { return cells_fetched_; }

 private:
  struct Memory {
    scheduler::StoreRef store;
    std::vector<std::byte> bytes;
  };
  struct Access;

  template <class C>
  void compute(const scheduler::Elementwise& elementwise);
  void draw_normal(const scheduler::Elementwise& elementwise);
  template <class C>
  void reduce(const scheduler::Reduction& reduction);
  void run(const scheduler::Elementwise& elementwise);
  void put_together(const scheduler::Elementwise& elementwise);  // complex numbers
  void run(const scheduler::Reduction& reduction);
  void run(const scheduler::Import& import);
  void run(const scheduler::ReshapedCopy& copy);
  void run(const scheduler::TaskCall& call);
  // What is written is there at once in all stores that are joined to it.
  void spread(const scheduler::Store& written, std::size_t but);
  void forget_dropped();
  std::vector<std::byte> read_cells(const scheduler::View& view);
  void write_cells(const scheduler::View& view, const std::vector<std::byte>& cells);

  scheduler::Recorder* before_;
  std::int64_t next_id_ = 0;
  std::map<StoreId, Memory> memory_;
  std::vector<std::pair<scheduler::View, scheduler::View>> joined_;
  std::set<StoreId> dropped_;  // of which others still see each other's writes
  std::vector<Recorded> recorded_;
  std::int64_t cells_fetched_ = 0;
};

}  // namespace pilum::fakes
