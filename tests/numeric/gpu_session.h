// A session of this thread's on emulated GPUs, which says what they were called for.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {

// Of one rank.
class GpuSession {
 public:
  explicit GpuSession(fakes::SimulatedRanks machine) {
    machine.gpus = true;
    auto parts = fakes::make_simulated_parts(machine, std::move(comm::make_simulated_network(1, machine.seed)[0]));
    for (const auto& gpu : parts.gpus) gpus_.push_back(static_cast<fakes::EmulatedGpu*>(gpu.get()));
    session_.emplace(std::move(parts));
    outer_ = scheduler::set_current_recorder(&*session_);
  }
  ~GpuSession() {
    session_->finish();
    scheduler::set_current_recorder(outer_);
  }
  scheduler::Session& session() { return *session_; }
  long products() const { return sum_of(&fakes::EmulatedCounts::products); }
  long transforms() const { return sum_of(&fakes::EmulatedCounts::transforms); }
  long lapacks() const { return sum_of(&fakes::EmulatedCounts::lapacks); }
  long graphs() const { return sum_of(&fakes::EmulatedCounts::graphs); }

 private:
  long sum_of(long fakes::EmulatedCounts::* count) const {
    long sum = 0;
    for (const fakes::EmulatedGpu* gpu : gpus_) sum += gpu->counts().*count;
    return sum;
  }

  std::vector<fakes::EmulatedGpu*> gpus_;
  std::optional<scheduler::Session> session_;
  scheduler::Recorder* outer_ = nullptr;
};

}  // namespace pilum
