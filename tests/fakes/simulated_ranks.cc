#include "tests/fakes/simulated_ranks.h"

#include <bit>
#include <exception>
#include <mutex>
#include <thread>

#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/interpreting_jit.h"

namespace pilum::fakes {
namespace {

machine::Machine machine_of(const SimulatedRanks& simulated) {
  machine::Machine machine;
  machine.ranks = simulated.ranks;
  machine.processors_per_rank = simulated.processors_per_rank;
  machine.cores = machine.processors() * (simulated.workers + 1);
  machine.split_bytes = simulated.split_bytes;
  machine.message_bytes = simulated.message_bytes;
  machine.cache_bytes = simulated.cache_bytes;
  machine.memory_bandwidth = simulated.memory_bandwidth;
  machine.message_latency = simulated.message_latency;
  machine.message_bandwidth = simulated.message_bandwidth;
  if (simulated.gpus) machine.kind = machine::ProcessorKind::Gpu;
  if (simulated.gpus && std::popcount(simulated.seed) % 2)
    machine.message_latency = 0;  // no piece is too small for edges of its own
  return machine;
}

// Kernels outlive the runs: they are compiled once a process.
std::shared_ptr<jit::Jit> shared_jit() {
  static const std::shared_ptr<jit::Jit> jit = [] {
    jit::JitOptions options;
    options.threads = 2;
#ifdef PILUM_SANITIZE
    options.sanitize = PILUM_SANITIZE;
#endif
    return std::shared_ptr<jit::Jit>(jit::make_jit(options));
  }();
  return jit;
}

std::shared_ptr<jit::DeviceJit> shared_device_jit() {
  static const std::shared_ptr<jit::DeviceJit> jit = [] {
    jit::DeviceJitOptions options;
    options.threads = 2;
    return std::shared_ptr<jit::DeviceJit>(jit::make_device_jit(make_emulated_compiler(), options));
  }();
  return jit;
}

void add_gpus(scheduler::SessionParts& parts, const SimulatedRanks& machine) {
  for (int p = 0; p < machine.processors_per_rank; ++p) {
    EmulatedGpuOptions options;
    options.ordinal = p;
    options.seed = machine.seed + static_cast<std::uint64_t>(p);
    options.peers = machine.peers;
    options.multiplies = machine.multiplies;
    options.transforms = machine.transforms;
    options.factorizes = machine.factorizes;
    options.captures = machine.captures;
    parts.gpus.push_back(make_emulated_gpu(options));
  }
  parts.processors.resize(1);
  parts.share_gpu_memory = machine.share;
  parts.gpu_memory_limit = machine.gpu_memory;
  parts.device_jit = shared_device_jit();
}

bool has_mail(const SimulatedRanks& machine) {
  return machine.gpus && machine.share && machine.ranks > 1 && machine.processors_per_rank == 1 &&
         machine.mail_bytes > 0;
}

// Knows its rank; nothing is sent.
class SilentCommunicator final : public comm::Communicator {
 public:
  SilentCommunicator(int rank, int size) : rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return "silent"; }
  comm::Request send(int, comm::Tag, std::span<const std::byte>) override { return comm::kDoneRequest; }
  comm::Request receive(int, comm::Tag, std::span<std::byte>) override { return comm::kDoneRequest; }
  bool test(comm::Request) override { return true; }
  bool progress() override { return false; }
  void send_control(int, std::span<const std::byte>) override {}
  std::optional<comm::ControlMessage> poll_control() override { return std::nullopt; }
  void barrier() override {}
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override { return {bytes.begin(), bytes.end()}; }
  void finalize() override {}
  [[noreturn]] void abort(int status) override { std::exit(status); }

 private:
  int rank_, size_;
};

}  // namespace

scheduler::SessionParts make_simulated_parts(const SimulatedRanks& machine,
                                             std::unique_ptr<comm::Communicator> communicator) {
  scheduler::SessionParts parts;
  parts.config.window = machine.window;
  parts.config.plan_cache = machine.plan_cache;
  parts.config.graph_after = machine.graph_after;
  parts.config.direct_after = machine.direct_after;
  parts.config.print = machine.print;
  parts.config.show_stats = machine.show_stats;
  parts.messages_from_gpus = machine.messages_from_gpus;
  parts.machine = machine_of(machine);
  parts.processors.resize(static_cast<std::size_t>(machine.processors_per_rank));
  for (machine::Processor& processor : parts.processors) {
    for (int worker = 0; worker <= machine.workers; ++worker)
      processor.cores.push_back(machine.first_core + worker % 2);
  }
  if (machine.first_rank_forgets && communicator->rank() == 0) parts.config.plan_cache = 1;
  parts.communicator = std::move(communicator);
  parts.memory_limit = machine.memory;
  parts.total_memory = machine.memory * machine.ranks;
  parts.shares_cores = machine.shares_cores;
  parts.jit = machine.interpret ? interpreting_jit() : shared_jit();
  if (machine.gpus) add_gpus(parts, machine);
  if (has_mail(machine))
    parts.mail = scheduler::open_mailboxes(*parts.communicator, *parts.gpus.front(), {}, machine.mail_bytes);
  return parts;
}

void run_on_simulated_ranks(const SimulatedRanks& machine, const std::function<void(scheduler::Session&)>& program) {
  // Made by this thread, whose end waits for what ranks' threads compile then, LLVM's statics too (exit_gate.h).
  if (!machine.interpret) static_cast<void>(shared_jit());
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](std::unique_ptr<comm::Communicator> communicator) {
    scheduler::Session session(make_simulated_parts(machine, std::move(communicator)));
    scheduler::Recorder* const outer = scheduler::set_current_recorder(&session);
    try {
      program(session);
      session.finish();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
    scheduler::set_current_recorder(outer);
  };
  std::vector<std::thread> threads;
  for (auto& communicator : comm::make_simulated_network(machine.ranks, machine.seed)) {
    threads.emplace_back(run, std::move(communicator));
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

PlanningSession::PlanningSession(const SimulatedRanks& machine, int rank) {
  scheduler::SessionParts parts;
  parts.mode = scheduler::SessionMode::PlanOnly;
  parts.config.window = machine.window;
  parts.config.print = machine.print;
  parts.config.direct_after = machine.direct_after;
  parts.messages_from_gpus = machine.messages_from_gpus;
  parts.machine = machine_of(machine);
  parts.processors.resize(static_cast<std::size_t>(machine.processors_per_rank));
  parts.communicator = std::make_unique<SilentCommunicator>(rank, machine.ranks);
  parts.share_gpu_memory = machine.share;
  if (has_mail(machine)) parts.mail.box_bytes = scheduler::box_bytes_of(machine.mail_bytes, machine.ranks);
  session_ = std::make_unique<scheduler::Session>(std::move(parts));
  session_->set_on_plan([this](const scheduler::Plan& plan) {
    if (plan_.instructions.empty()) plan_.first = plan.first;
    plan_.window = plan.window;
    plan_.instructions.insert(plan_.instructions.end(), plan.instructions.begin(), plan.instructions.end());
  });
  outer_ = scheduler::set_current_recorder(session_.get());
}

PlanningSession::~PlanningSession() {
  scheduler::set_current_recorder(outer_);
}

scheduler::Plan PlanningSession::take_plan() {
  session_->flush();
  return std::exchange(plan_, scheduler::Plan());
}

}  // namespace pilum::fakes
