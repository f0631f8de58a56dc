#include "scheduler/executor.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "scheduler/gpu_instruction.h"
#include "scheduler/instruction_job.h"
#include "scheduler/printer.h"

namespace pilum::scheduler {

namespace {

std::string explain_failure(const char* name, std::string what, const char* file, std::uint64_t line) {
  if (what.ends_with('.')) what.pop_back();
  return std::string("[") + name + "] " + what + ". Recorded at " + file + ":" + std::to_string(line);
}

}  // namespace

std::string Executor::explain(const Instruction& instruction, std::string what) {
  return explain_failure(instruction.name, std::move(what), instruction.where.file_name(), instruction.where.line());
}

const char* Executor::category(const Instruction& instruction) {
  if (std::holds_alternative<Launch>(instruction.what)) return "kernel";
  return std::holds_alternative<Copy>(instruction.what) ? "copy" : "host";
}

// An instruction on a lane. Its node outlives it: nodes are dropped when they are done.
class Executor::InstructionJob : public device::Job {
 public:
  InstructionJob(Executor& executor, Node* node) : executor_(executor), node_(node) {}
  std::int64_t chunks() const override { return count_chunks(*node_->instruction); }
  void run(std::int64_t chunk) override { executor_.run_chunk(*node_->instruction, chunk); }
  void done() override { executor_.complete(node_); }
  std::string label() const override { return node_->instruction->name; }

 private:
  Executor& executor_;
  Node* node_;
};

Executor::~Executor() = default;

void Executor::count(const Instruction& instruction) {
  profile::Counters& counters = profile_.counters;
  if (const auto* again = std::get_if<PlayedAgain>(&instruction.what)) count(again->run->replay().totals());
  if (std::holds_alternative<Launch>(instruction.what)) counters.launches.add();
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) {
    counters.copies.add();
    counters.bytes_copied.add(copy->bytes());
  }
  if (const auto* send = std::get_if<Send>(&instruction.what)) {
    counters.messages_sent.add();
    counters.bytes_sent.add(static_cast<std::int64_t>(send->bytes));
  }
  if (const auto* receive = std::get_if<Receive>(&instruction.what)) {
    counters.messages_received.add();
    counters.bytes_received.add(static_cast<std::int64_t>(receive->bytes));
  }
  counters.edges.add(static_cast<std::int64_t>(instruction.after.size()));
}

void Executor::set_gpus(std::vector<device::Gpu*> gpus, jit::DeviceJit* jit) {
  gpus_ = std::move(gpus);
  device_jit_ = jit;
  gpu_streams_.resize(gpus_.size() * device::kStreams.size());
  for (GpuStream& stream : gpu_streams_) stream.waited.assign(gpu_streams_.size(), 0);
}

void Executor::submit(std::unique_ptr<const Plan> plan) {
  if (plan->instructions.empty()) return;
  std::vector<Node*> ready;
  {
    const std::lock_guard lock(graph_);
    std::int64_t id = plan->first.value;
    if (nodes_.empty()) first_ = id;
    PILUM_CHECK(first_ + static_cast<std::int64_t>(nodes_.size()) == id, "plan {} starts at {}", plan->window, id);
    std::vector<Node*> for_gpus;
    for (const Instruction& instruction : plan->instructions) {
      count(instruction);
      Node& node = nodes_.emplace_back();
      node.instruction = &instruction;
      node.id = InstructionId{id++};
      if (!gpus_.empty() && (runs_on_gpu(instruction) || std::holds_alternative<PlayedAgain>(instruction.what))) {
        node.gpu = instruction.processor;
        node.stream = stream_of(instruction);
        for_gpus.push_back(&node);
      }
      for (const InstructionId before : instruction.after) {
        if (before.value < first_) continue;
        depend(node, nodes_[static_cast<std::size_t>(before.value - first_)]);
      }
      if (node.pending == 0 && node.gpu < 0) ready.push_back(&node);
    }
    profile_.counters.instructions.add(static_cast<std::int64_t>(plan->instructions.size()));
    plans_.push_back(std::move(plan));
    plans_in_flight_.store(static_cast<int>(plans_.size()), std::memory_order_release);
    // In program order: what one waits for on GPUs is issued by then.
    for (Node* node : for_gpus) {
      if (node->pending == 0 && !node->issued) issue(*node);
    }
    if (!for_gpus.empty()) mark_tails();
  }
  start_all(ready);
  if (!gpus_.empty()) poll_gpus();
}

void Executor::depend(Node& node, Node& before) {
  if (before.done) return;
  if (node.gpu < 0 || before.gpu < 0) {
    before.wants_mark = true;
    before.dependents.push_back(&node);
    ++node.pending;
    return;
  }
  before.wants_mark = before.wants_mark || before.gpu != node.gpu || before.stream != node.stream;
  if (before.issued) return;
  before.followers.push_back(&node);
  ++node.pending;
}

// With the lock held, as all that follows to poll_gpus(). Issuing one may free those that follow it: submit() comes to
// them in order, issue_ready() takes them along.
void Executor::issue(Node& node) {
  const Instruction& instruction = *node.instruction;
  GpuStream& own = stream(node.gpu, node.stream);
  if (!failed()) {
    try {
      for (const InstructionId id : instruction.after) {
        if (id.value >= first_) wait_for(node, nodes_[static_cast<std::size_t>(id.value - first_)]);
      }
      device::Gpu& gpu = *gpus_[static_cast<std::size_t>(node.gpu)];
      gpu.push_range(instruction.name);
      if (const auto* again = std::get_if<PlayedAgain>(&instruction.what)) {
        issue(*again->run, gpu, node.stream);
      } else {
        scheduler::issue(instruction, gpu, *device_jit_, offences_);
      }
      gpu.pop_range();
      if (node.wants_mark) node.mark = gpu.mark(node.stream);
    } catch (const std::exception& error) {
      fail(std::make_exception_ptr(RuntimeError(explain(instruction, error.what()))));
    }
  }
  node.issued = true;
  node.order = own.next_order++;
  own.issued.push_back(&node);
  on_gpus_.fetch_add(1, std::memory_order_relaxed);
  for (Node* follower : node.followers) --follower->pending;
}

// The node's stream waits for what the other one is behind.
void Executor::wait_for(Node& node, Node& before) {
  if (before.done || before.gpu < 0 || (before.gpu == node.gpu && before.stream == node.stream)) return;
  const device::Mark mark = mark_of(before);
  const std::size_t source = static_cast<std::size_t>(before.gpu) * device::kStreams.size() + static_cast<std::size_t>(before.stream);
  std::int64_t& waited = stream(node.gpu, node.stream).waited[source];
  if (waited >= mark.number) return;
  gpus_[static_cast<std::size_t>(node.gpu)]->wait(node.stream, *gpus_[static_cast<std::size_t>(before.gpu)], mark);
  waited = mark.number;
}

// A mark of its own, or the next one of its stream; else one is made now.
device::Mark Executor::mark_of(Node& node) {
  if (node.mark) return *node.mark;
  GpuStream& own = stream(node.gpu, node.stream);
  auto place = std::lower_bound(own.issued.begin(), own.issued.end(), &node,
                                [](const Node* a, const Node* b) { return a->order < b->order; });
  for (; place != own.issued.end(); ++place) {
    if ((*place)->mark) return *(node.mark = (*place)->mark);
  }
  return *(node.mark = own.issued.back()->mark = gpus_[static_cast<std::size_t>(node.gpu)]->mark(node.stream));
}

// So that the end of everything that is issued will be seen.
void Executor::mark_tails() {
  if (failed()) return;
  for (GpuStream& stream : gpu_streams_) {
    if (!stream.issued.empty()) (void)mark_of(*stream.issued.back());
  }
}

void Executor::issue_ready(std::vector<Node*>& ready) {
  if (ready.empty()) return;
  const auto later = [](const Node* a, const Node* b) { return a->id > b->id; };
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    Node* node = ready.back();
    ready.pop_back();
    issue(*node);
    for (Node* follower : node->followers) {
      if (follower->pending > 0 || follower->issued) continue;
      ready.push_back(follower);
      std::push_heap(ready.begin(), ready.end(), later);
    }
  }
  mark_tails();
}

bool Executor::poll_gpus() {
  if (on_gpus_.load(std::memory_order_relaxed) == 0) return false;
  std::unique_lock lock(graph_, std::try_to_lock);
  if (!lock.owns_lock() || failed()) return false;
  std::vector<Node*> ready, taken;
  bool moved = false;
  try {
    for (std::size_t i = 0; i < gpu_streams_.size(); ++i) {
      std::deque<Node*>& issued = gpu_streams_[i].issued;
      device::Gpu& gpu = *gpus_[i / device::kStreams.size()];
      std::size_t reached = 0;
      for (std::size_t place = 0; place < issued.size(); ++place) {
        const auto& mark = issued[place]->mark;
        if (!mark) continue;
        if (!gpu.reached(*mark)) break;
        reached = place + 1;
      }
      if (reached > 0) look_for_offences();  // before anybody uses what is done
      for (; reached > 0; --reached, moved = true) {
        Node* node = issued.front();
        issued.pop_front();
        on_gpus_.fetch_sub(1, std::memory_order_relaxed);
        if (node->message) {
          taken.push_back(node);  // not done before its answer is on its way
        } else {
          finish(*node, ready);
        }
      }
    }
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
  if (moved) drop_done();
  lock.unlock();
  start_all(ready);
  for (Node* node : taken) {
    acknowledge(*node);
    complete(node);
  }
  return moved;
}

// What users' bodies were refused on GPUs.
void Executor::look_for_offences() {
  const kernel::BodyOffence* offence = offences_.find();
  if (!offence) return;
  const std::string what = explain_index(static_cast<int>(offence->argument), static_cast<int>(offence->rank),
                                         offence->index, offence->lo, offence->hi);
  fail(std::make_exception_ptr(RuntimeError(explain_failure(offence->task, what, offence->file, offence->line))));
}

// What waited for the node, and waits for nothing more, is ready.
void Executor::finish(Node& node, std::vector<Node*>& ready) {
  node.done = true;
  if (failed()) return;
  for (Node* dependent : node.dependents) {
    if (--dependent->pending == 0) ready.push_back(dependent);
  }
}

void Executor::start_all(std::vector<Node*>& ready) {
  std::vector<Node*> for_gpus;
  for (Node* node : ready) {
    if (node->gpu >= 0) {
      for_gpus.push_back(node);
    } else {
      start(node);
    }
  }
  if (for_gpus.empty()) return;
  const std::lock_guard lock(graph_);
  issue_ready(for_gpus);
}

void Executor::start(Node* node) {
  const Instruction& instruction = *node->instruction;
  if (std::holds_alternative<Allocate>(instruction.what) || std::holds_alternative<Free>(instruction.what)) {
    complete(node);
    return;
  }
  if (std::holds_alternative<Send>(instruction.what) || std::holds_alternative<Receive>(instruction.what)) {
    transfer(node);
    return;
  }
  if (const auto* again = std::get_if<PlayedAgain>(&instruction.what)) {
    start(node, again->run);
    return;
  }
  if (gpus_.empty() && count_chunks(instruction) == 1 && !hand_over_.is_worth(bytes_touched(instruction), 1)) {
    run_tiny(node);
    return;
  }
  const std::size_t lane = gpus_.empty() ? static_cast<std::size_t>(instruction.processor) : 0;
  lanes_[lane]->submit(std::make_shared<InstructionJob>(*this, node));
}

// On this thread. What gets ready by that and is tiny too comes after it, not inside it.
void Executor::run_tiny(Node* node) {
  thread_local std::deque<Node*> waiting;
  thread_local bool running = false;
  waiting.push_back(node);
  if (std::exchange(running, true)) return;
  while (!waiting.empty()) {
    Node* next = waiting.front();
    waiting.pop_front();
    run_chunk(*next->instruction, 0);
    complete(next);
  }
  running = false;
}

void Executor::run_chunk(const Instruction& instruction, std::int64_t chunk) {
  if (failed()) return;
  const profile::ScopedSpan span(profile_, category(instruction), device::current_worker() + 1,
                                 [&] { return std::string(instruction.name); });
  try {
    scheduler::run_chunk(instruction, chunk);
  } catch (const std::exception& error) {
    fail(std::make_exception_ptr(RuntimeError(explain(instruction, error.what()))));
  }
}

comm::Request Executor::post(const Instruction& instruction) {
  if (const auto* send = std::get_if<Send>(&instruction.what))
    return communicator_.send(send->to, send->tag, {send->data, send->bytes});
  const auto& receive = std::get<Receive>(instruction.what);
  return communicator_.receive(receive.from, receive.tag, {receive.data, receive.bytes});
}

void Executor::transfer(Node* node) {
  const std::lock_guard lock(communication_);
  if (failed()) return;
  try {
    comm::Request request = 0;
    const auto* send = std::get_if<Send>(&node->instruction->what);
    const auto* receive = std::get_if<Receive>(&node->instruction->what);
    if (send && send->shared) {
      request = offer(*node, *send);
    } else if (receive && receive->shared) {
      node->message = std::make_unique<SharedMessage>();
      node->message->is_receive = true;
      request = communicator_.receive(receive->from, receive->tag,
                                      std::as_writable_bytes(std::span(&node->message->offer, 1)));
    } else {
      request = post(*node->instruction);
    }
    transfers_.push_back({request, node});
    add_transfers(1);
  } catch (...) {
    fail(std::current_exception());
  }
}

// The receiver's answer has the message's number, and this bit.
constexpr std::uint32_t kTaken = 1u << 23;

// Says where the data are, and waits until they were taken.
comm::Request Executor::offer(Node& node, const Send& send) {
  node.message = std::make_unique<SharedMessage>();
  SharedMessage& message = *node.message;
  {
    const std::lock_guard lock(graph_);
    message.offer = {gpus_[static_cast<std::size_t>(node.instruction->processor)]->share(const_cast<std::byte*>(send.data)),
                     send.bytes};
  }
  add_transfers(1);
  offers_.push_back(communicator_.send(send.to, send.tag, std::as_bytes(std::span(&message.offer, 1))));
  return communicator_.receive(send.to, {send.tag.window, send.tag.message | kTaken}, std::span(&message.taken, 1));
}

// The offer is here: the node goes on as a copy of the GPU.
void Executor::take(Node& node) {
  const auto& receive = std::get<Receive>(node.instruction->what);
  const std::lock_guard lock(graph_);
  if (failed()) return;
  try {
    PILUM_CHECK(node.message->offer.bytes == receive.bytes, "an offer of {} bytes for {}", node.message->offer.bytes,
                receive.bytes);
    node.message->arrived = true;
    node.gpu = node.instruction->processor;
    node.stream = device::Stream::Copies;
    device::Gpu& gpu = *gpus_[static_cast<std::size_t>(node.gpu)];
    gpu.copy(node.stream, {receive.data, gpu.open_share(node.message->offer.share), receive.bytes});
    node.mark = gpu.mark(node.stream);
    GpuStream& own = stream(node.gpu, node.stream);
    node.issued = true;
    node.order = own.next_order++;
    own.issued.push_back(&node);
    on_gpus_.fetch_add(1, std::memory_order_relaxed);
  } catch (const std::exception& error) {
    fail(std::make_exception_ptr(RuntimeError(explain(*node.instruction, error.what()))));
  }
}

void Executor::acknowledge(Node& node) {
  const auto& receive = std::get<Receive>(node.instruction->what);
  static const std::byte taken{1};
  const std::lock_guard lock(communication_);
  try {
    offers_.push_back(communicator_.send(receive.from, {receive.tag.window, receive.tag.message | kTaken}, {&taken, 1}));
    add_transfers(1);
  } catch (...) {
    fail(std::current_exception());
  }
}

void Executor::complete(Node* node) {
  std::vector<Node*> ready;
  {
    const std::lock_guard lock(graph_);
    finish(*node, ready);
    drop_done();
  }
  start_all(ready);
}

void Executor::drop_done() {
  while (!nodes_.empty() && nodes_.front().done) {
    nodes_.pop_front();
    ++first_;
  }
  const auto finished = [this](const Plan& plan) {
    return plan.first.value + static_cast<std::int64_t>(plan.instructions.size()) <= first_;
  };
  while (!plans_.empty() && finished(*plans_.front())) plans_.pop_front();
  done_before_.store(first_, std::memory_order_release);
  plans_in_flight_.store(static_cast<int>(plans_.size()), std::memory_order_release);
}

bool Executor::poll() {
  if (transfer_count_.load(std::memory_order_acquire) == 0) return false;
  std::unique_lock lock(communication_, std::try_to_lock);
  if (!lock.owns_lock() || failed()) return false;
  thread_local std::vector<Transfer> found;  // its memory; what follows an arrival may come here again
  std::vector<Transfer> arrived = std::exchange(found, {});
  arrived.clear();
  bool moved = false;
  try {
    moved = communicator_.progress();
    std::erase_if(transfers_, [&](Transfer& transfer) {
      if (!communicator_.test(transfer.request)) return false;
      arrived.push_back(std::move(transfer));
      return true;
    });
    // Offers and answers: nobody waits for them but their buffers.
    const std::size_t sent = std::erase_if(offers_, [&](comm::Request request) { return communicator_.test(request); });
    add_transfers(-static_cast<int>(sent));
    moved = moved || sent > 0;
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
  if (arrived.empty()) {
    found = std::move(arrived);
    return moved;
  }
  add_transfers(-static_cast<int>(arrived.size()));
  lock.unlock();  // what follows an arrival may be another transfer
  for (const Transfer& transfer : arrived) {
    Node* node = transfer.node;
    if (transfer.run) {
      finish_message(*transfer.run, transfer.item);
    } else if (node->message && node->message->is_receive) {
      take(*node);
    } else {
      complete(node);
    }
  }
  arrived.clear();
  found = std::move(arrived);
  return true;
}

bool Executor::step() {
  constexpr int kLooks = 200;  // this thread has nothing better to do
  bool worked = poll();
  worked = poll_gpus() || worked;
  if (const std::shared_ptr<ReplayRun> run = join_any()) worked = work_on(*run, kLooks) || worked;
  for (device::HostLane* lane : lanes_) worked = lane->help() || worked;
  return worked;
}

void Executor::fail(std::exception_ptr error) {
  const std::lock_guard lock(error_mutex_);
  if (!error_) error_ = error;
  failed_.store(true, std::memory_order_release);
}

void Executor::check() {
  if (!failed()) return;
  const std::lock_guard lock(error_mutex_);
  std::rethrow_exception(error_);
}

// What a rank that seems to hang is waiting for.
void Executor::report_stall() {
  constexpr std::size_t kShown = 4;
  std::string text;
  {
    const std::lock_guard lock(communication_);
    for (std::size_t i = 0; i < std::min(kShown, transfers_.size()); ++i) {
      text += "; " + to_text(transfers_[i].instruction(), InstructionId{});
    }
    text = std::to_string(transfers_.size()) + " messages" + text;
  }
  log("scheduler").warn("nothing has moved for a while: {} plans wait for {}", plans_in_flight(), text);
}

// Nothing to do: spin, then let others run, then sleep, the longer the longer it has been so: what comes at last is seen
// late by a sixteenth of that, and by two milliseconds at most.
void Executor::idle(Idleness& idleness) {
  using namespace std::chrono_literals;
  constexpr int kSpins = 200;
  constexpr Idleness::Clock::duration kShortest = 50us, kLongest = 2ms, kStall = 20s;
  const int yields = on_gpus_.load(std::memory_order_relaxed) ? 200'000 : 2000;  // GPUs do not wake anybody
  if (++idleness.rounds < kSpins) return;
  if (idleness.rounds < yields) {
    std::this_thread::yield();
    return;
  }
  const Idleness::Clock::time_point now = Idleness::Clock::now();
  if (idleness.rounds == yields) idleness.since = now;
  if (now - idleness.since > kStall && !std::exchange(idleness.reported, true)) report_stall();
  std::this_thread::sleep_for(std::clamp((now - idleness.since) / 16, kShortest, kLongest));
}

void Executor::wait_for_plans(int most_in_flight) {
  Idleness idleness;
  while (plans_in_flight() > most_in_flight) {
    check();
    if (step()) {
      idleness = {};
    } else {
      idle(idleness);
      if (on_idle_) on_idle_();
    }
  }
  check();
}

void Executor::wait() {
  wait_for_plans(0);
}

}  // namespace pilum::scheduler
