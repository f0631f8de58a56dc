// The streams of an emulated GPU, and what runs on them.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "pilum/error.h"
#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/emulated_image.h"
#include "tests/fakes/emulated_work.h"

namespace pilum::fakes {

// Works are queued by stream; World::step() chooses the next of any GPU's. What fails is kept, and every later call
// throws it. Every member needs the world's mutex.
class EmulatedStreams {
 public:
  explicit EmulatedStreams(const EmulatedGpuOptions& options) : options_(options), random_(options.seed) {}

  static LaunchWork work_of(const device::GpuLaunch& launch);
  // For World::step().
  bool may_run(device::Stream stream) const;
  bool awaits_flag() const;
  void run_next(device::Stream stream);

 protected:
  ~EmulatedStreams() = default;

  RuntimeError error(const std::string& call, const std::string& what) const;
  void fail(const std::string& what);
  void check(const char* call) const;
  void issue(device::Stream stream, Work work);
  bool may_await_flag() const;
  bool idle() const;
  void unload() { images_.clear(); }
  void step_by_chance();
  // A flag may be another thread's to raise: it is waited for without the mutex.
  void drain();
  const char* find_trouble(const device::GpuCopy& copy) const;
  const char* find_trouble(const device::GpuProduct& product) const;
  const char* find_trouble(const TransformWork& work) const;
  const char* find_trouble(const LapackWork& work) const;

  const EmulatedGpuOptions options_;
  std::mt19937_64 random_;
  std::shared_ptr<Reached> reached_ = std::make_shared<Reached>();
  bool given_up_ = false;  // see give_up_flags()
  EmulatedCounts counts_;

 private:
  void run(const ProductWork& work);
  void run(const TransformWork& work);
  void run(const LapackWork& work);
  void run(const LaunchWork& work);
  void run(const device::GpuCopy& copy);
  void run(const device::GpuFlag& flag);
  // Until the next node waits for a flag: what would be ready beside it may have to wait with it.
  void run(GraphWork& graph);
  static std::vector<std::size_t> ready_nodes(const GraphWork& graph);
  static bool may_go_on(const GraphWork& graph);
  bool may_pass(const device::GpuFlag& flag) const { return !flag.waits || given_up_ || value_of(flag) == 1; }
  void run(const EventWork& work) { (*reached_)[index(work.event.stream)] = work.event.number; }
  void run(const WaitWork&) {}
  void run(const ProgramWait&) {}
  void run(const TimeWork& work);
  // Null, with the failure kept, for what is no emulated compiler's image.
  EmulatedEntry find_entry(const std::shared_ptr<const device::GpuImage>& image);

  std::array<std::deque<Work>, device::kStreams.size()> queues_;
  std::unordered_map<const device::GpuImage*, std::unique_ptr<EmulatedImage>> images_;
  std::string failure_;
};

}  // namespace pilum::fakes
