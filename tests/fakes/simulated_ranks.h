// Whole runtimes for tests: many ranks in one process, and planning without executing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "scheduler/session/session.h"

namespace pilum::fakes {

struct SimulatedRanks {
  int ranks = 1;
  int processors_per_rank = 1;
  std::int64_t split_bytes = 64;  // small, so that small arrays are cut
  std::uint64_t seed = 1;         // of the network: messages arrive late and out of order
  int window = 0;                 // operations; 0: the default
  int workers = 0;                // threads a rank, beside the recording one
  int first_core = 0;             // of two, on which they are pinned
  std::int64_t cache_bytes = 32 << 20;
  int plan_cache = -1;              // plans kept; -1: the default
  bool first_rank_forgets = false;  // the first rank keeps one plan, whatever the others keep
  // Processors are emulated GPUs, which run streams in any order that the marks allow (emulated_gpu.h).
  bool gpus = false;
  bool messages_from_gpus = false;       // the network takes GPUs' memory
  double memory_bandwidth = 20e9;        // bytes/s a processor: what passes over arrays are taken to cost
  std::int64_t message_bytes = 2 << 20;  // of GPUs through the host: larger messages go in pieces
  double message_latency = 2e-6;         // s; 0: asking for cells one by one costs no more than its bytes
  double message_bandwidth = 8e9;        // bytes/s
  int direct_after = 0;                  // Config::direct_after
  int graph_after = 1;                   // times that a plan was found again before it is a graph; 0: never
  bool peers = true;                     // GPUs reach each other's memory
  bool multiplies = true;                // GPUs multiply matrices
  bool transforms = true;                // and lines, by Fourier
  bool factorizes = true;                // and have LAPACK, where this machine has
  bool captures = true;                  // graphs take products and transforms
  bool share = false;                    // and ranks each other's GPUs'
  std::int64_t mail_bytes = 192 << 10;   // then, where a rank has one GPU: of its boxes; 0: no mail
  std::int64_t gpu_memory = 0;           // bytes a GPU has for arrays; 0: enough
  std::int64_t memory = 0;               // bytes a rank has for arrays; 0: enough
  bool interpret = false;                // no kernel is compiled (interpreting_jit.h)
  std::string print;                     // stages that are printed
  bool show_stats = false;
  bool shares_cores = false;  // ranks give their core away whenever they wait
};

// What one of its ranks is made of.
[[nodiscard]] scheduler::SessionParts make_simulated_parts(const SimulatedRanks& machine,
                                                           std::unique_ptr<comm::Communicator> communicator);

// Runs the program as every rank, a thread each, over one simulated network, with real kernels and real memory. Its
// arrays live on that thread's session. Rethrows the first exception of a rank.
void run_on_simulated_ranks(const SimulatedRanks& machine, const std::function<void(scheduler::Session&)>& program);

// A session that plans as rank `rank` of the machine and executes nothing; installed on this thread while it lives.
class PlanningSession {
 public:
  PlanningSession(const SimulatedRanks& machine, int rank);
  ~PlanningSession();
  scheduler::Session& session() { return *session_; }
  // Analyses what is recorded; the plans since the last call, in one.
  scheduler::Plan take_plan();

 private:
  std::unique_ptr<scheduler::Session> session_;
  scheduler::Recorder* outer_;
  scheduler::Plan plan_;
};

}  // namespace pilum::fakes
