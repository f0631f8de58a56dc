#include "scheduler/execute/gpu_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "tests/fakes/emulated_gpu.h"
#include "tests/scheduler/failure_text.h"
#include "tests/scheduler/handmade_plan.h"

namespace pilum::scheduler {
namespace {

using device::Stream;
using Node = ReadyGraph::Node;
using fakes::EmulatedCall;

constexpr std::size_t kBytes = 1 << 20;  // of a block: from here on copies take no kernel
constexpr std::size_t kCells = 8;        // of it that are looked at

jit::DeviceJit& device_jit() {
  static const auto jit = [] {
    jit::DeviceJitOptions options;
    options.threads = 0;
    return jit::make_device_jit(fakes::make_emulated_compiler(), options);
  }();
  return *jit;
}

// The GPUs of a rank, and somebody who runs plans on them alone. What the host has to do waits in `host`.
class GpuMachine {
 public:
  GpuMachine(int gpus, std::uint64_t seed, bool run = true, bool profiled = false) : profile(profiled) {
    std::vector<device::Gpu*> all;
    for (int i = 0; i < gpus; ++i) {
      gpus_.push_back(fakes::make_emulated_gpu(
          {.ordinal = i, .seed = seed + static_cast<std::uint64_t>(i), .memory_limit = 64 * kBytes, .run = run}));
      all.push_back(gpus_.back().get());
    }
    queue.set_gpus(std::move(all), &device_jit());
  }
  fakes::EmulatedGpu& gpu(int number) { return *gpus_[static_cast<std::size_t>(number)]; }
  std::byte* allocate(int number) { return gpu(number).allocate(kBytes); }

  void submit(Plan plan) {
    plan.first = next_;
    next_ = InstructionId{next_.value + static_cast<std::int64_t>(plan.instructions.size())};
    ReadyGraph::Added added = graph.add(std::make_unique<const Plan>(std::move(plan)), &GpuQueue::find_queue);
    queue.issue_in_order(added.on_queues);
    host.insert(host.end(), added.ready.begin(), added.ready.end());
  }
  // The host is done with it.
  void finish(Node& node) {
    std::vector<Node*> ready;
    graph.finish(node, ready);
    queue.issue_held();
    start(ready);
  }
  void finish_all_of_host() {
    for (Node* node : std::exchange(host, {})) finish(*node);
  }
  // What is done, by number.
  std::vector<std::int64_t> poll() {
    std::vector<std::int64_t> numbers;
    std::vector<Node*> ready;
    for (Node* node : queue.poll()) {
      numbers.push_back(node->id.value);
      graph.finish(*node, ready);
    }
    graph.drop_done();
    queue.issue_held();
    start(ready);
    return numbers;
  }
  // Until the GPUs have done everything that they were told; in this order.
  std::vector<std::int64_t> drain() {
    std::vector<std::int64_t> all;
    for (int rounds = 0; in_flight > 0 && rounds < 100'000; ++rounds) {
      for (const std::int64_t number : poll()) all.push_back(number);
    }
    EXPECT_EQ(in_flight, 0);
    return all;
  }
  std::string what() { return text_of(failure); }

 private:
  std::vector<std::unique_ptr<fakes::EmulatedGpu>> gpus_;
  InstructionId next_{0};

  void start(const std::vector<Node*>& ready) {
    std::vector<Node*> on_queues;
    for (Node* node : ready) (node->queue == ReadyGraph::kHost ? host : on_queues).push_back(node);
    queue.issue_ready(on_queues);
  }

 public:
  ReadyGraph graph;
  Failure failure;
  profile::Recorder profile;
  std::atomic<int> in_flight{0};
  GpuQueue queue{graph, failure, profile, in_flight};
  std::vector<Node*> host;
};

Copy copy_of(std::byte* to, const std::byte* from, std::size_t bytes = kBytes) {
  Copy copy;
  copy.to = {to, {1}};
  copy.from = {const_cast<std::byte*>(from), {1}};
  copy.itemsize = 1;
  copy.extent = {static_cast<std::int64_t>(bytes)};
  return copy;
}
// On the stream that computes: to[cell] = from[cell], of the cells that are looked at.
FoldParts sum_of(std::byte* to, const std::byte* from) {
  FoldParts fold;
  fold.dtype = DType::Int64;
  fold.parts = from;
  fold.part_count = 1;
  fold.to = {to, {8}};
  fold.extent = {kCells};
  return fold;
}

Taken tell(std::byte* flag) {
  return {.peer = 1, .flag = flag, .waits = false};
}
Taken await(std::byte* flag) {
  return {.peer = 1, .flag = flag, .waits = true};
}

struct QueueItem {
  decltype(Instruction::what) what;
  int processor = 0;
  std::vector<std::int64_t> after;
};
Plan plan_of(const std::vector<QueueItem>& items) {
  Plan plan;
  for (const QueueItem& item : items) {
    Instruction& instruction = plan.instructions.emplace_back();
    instruction.what = item.what;
    instruction.processor = item.processor;
    instruction.name = "work";
    for (const std::int64_t number : item.after) instruction.after.push_back(InstructionId{number});
  }
  return plan;
}

std::int64_t first_cell(const std::byte* block) {
  std::int64_t cell;
  std::memcpy(&cell, block, sizeof cell);
  return cell;
}
void fill(std::byte* block, std::int64_t value) {
  for (std::size_t i = 0; i < kCells; ++i) std::memcpy(block + 8 * i, &value, sizeof value);
}

// What comes from another GPU need not wait for it, nor it for that.
TEST(GpuQueue, LargeCopiesWithinAGpuAreOfAnotherQueueThanThoseBetweenTwo) {
  Copy copy = copy_of(nullptr, nullptr);
  for (const bool is_large : {false, true}) {
    for (const bool is_local : {false, true}) {
      copy.extent[0] = is_large ? 1 << 20 : 64;
      copy.is_local = is_local;
      const Plan plan = plan_of({{copy, 1}});
      EXPECT_EQ(GpuQueue::find_queue(plan.instructions[0]),
                GpuQueue::find_queue(1, is_large && is_local ? Stream::Boundaries : Stream::Copies));
    }
  }
}

TEST(GpuQueue, EachStreamOfAGpuIsAQueue) {
  std::set<int> queues;
  for (int gpu = 0; gpu < 3; ++gpu) {
    for (const Stream stream : device::kStreams) queues.insert(GpuQueue::find_queue(gpu, stream));
  }
  EXPECT_EQ(queues.size(), 9u);
  EXPECT_EQ(*queues.begin(), 0);
  EXPECT_EQ(*queues.rbegin(), 8);
  const Plan plan = plan_of({{copy_of(nullptr, nullptr), 2}, {sum_of(nullptr, nullptr), 1}, {HostCall{}, 1}, {Send{}}});
  EXPECT_EQ(GpuQueue::find_queue(plan.instructions[0]), GpuQueue::find_queue(2, Stream::Copies));
  EXPECT_EQ(GpuQueue::find_queue(plan.instructions[1]), GpuQueue::find_queue(1, Stream::Compute));
  EXPECT_EQ(GpuQueue::find_queue(plan.instructions[2]), ReadyGraph::kHost);
  EXPECT_EQ(GpuQueue::find_queue(plan.instructions[3]), ReadyGraph::kHost);
}

TEST(GpuQueue, OfAStreamAreDoneInTheOrderOfIssue) {
  GpuMachine machine(1, 1);
  std::byte *a = machine.allocate(0), *b = machine.allocate(0);
  machine.submit(plan_of({{copy_of(b, a)}, {copy_of(b, a)}, {copy_of(a, b)}}));
  EXPECT_EQ(machine.in_flight, 3);
  EXPECT_EQ(machine.drain(), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_TRUE(machine.graph.nodes().empty());
}

TEST(GpuQueue, StreamsAndGpusWaitForWhatTheyComeAfter) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    GpuMachine machine(2, seed);
    std::byte *a = machine.allocate(0), *b = machine.allocate(0), *c = machine.allocate(1), *d = machine.allocate(1);
    fill(a, 7);
    machine.submit(plan_of({{copy_of(b, a), 0}, {sum_of(c, b), 1, {0}}, {copy_of(d, c), 1, {1}}}));
    machine.drain();
    ASSERT_EQ(first_cell(d), 7) << "seed " << seed;
  }
}

TEST(GpuQueue, WaitsForWhatAnEarlierPlanIssued) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    GpuMachine machine(2, seed);
    std::byte *a = machine.allocate(0), *b = machine.allocate(1), *c = machine.allocate(1);
    fill(a, 7);
    machine.submit(plan_of({{copy_of(b, a), 0}, {copy_of(machine.allocate(0), a), 0}}));
    machine.submit(plan_of({{copy_of(c, b), 1, {0}}}));
    machine.drain();
    ASSERT_EQ(first_cell(c), 7) << "seed " << seed;
  }
}

// A span each, on its stream's lane, and none begins before what it waits for has ended.
TEST(GpuQueue, ATimelineHasWhatStreamsDidAndWhen) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const std::int64_t start = profile::now();
    GpuMachine machine(2, seed, /*run=*/true, /*profiled=*/true);
    std::byte *a = machine.allocate(0), *b = machine.allocate(0), *c = machine.allocate(1), *d = machine.allocate(1);
    machine.submit(plan_of({{copy_of(b, a), 0}, {sum_of(c, b), 1, {0}}, {copy_of(d, c), 1, {1}}}));
    machine.drain();
    const std::vector<profile::Span> spans = machine.profile.spans();
    ASSERT_EQ(spans.size(), 3u);
    std::map<int, std::string> names;
    for (const auto& [lane, name] : machine.profile.lane_names()) names[lane] = name;
    EXPECT_EQ(names.size(), 6u);
    const std::vector<std::string> lanes{"GPU 0: copies", "GPU 1: kernels", "GPU 1: copies"};
    const std::vector<std::string> categories{"copy", "kernel", "copy"};
    std::int64_t before = start;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(names[spans[i].lane], lanes[i]);
      EXPECT_EQ(spans[i].category, categories[i]);
      EXPECT_EQ(spans[i].name, "work");
      EXPECT_LE(before, spans[i].start);
      EXPECT_LE(spans[i].start, spans[i].end);
      before = spans[i].end;
    }
    EXPECT_LE(before, profile::now());
  }
}

TEST(GpuQueue, OneEventServesAllThatIsBeforeIt) {
  GpuMachine machine(2, 1, /*run=*/false);
  std::byte *a = machine.allocate(0), *b = machine.allocate(1);
  machine.submit(plan_of({{copy_of(a, b), 0}, {copy_of(a, b), 0}, {copy_of(a, b), 0}}));
  EXPECT_EQ(machine.gpu(0).counts().events, 1);
  EXPECT_EQ(machine.gpu(1).counts().events, 0);
  machine.submit(plan_of({{copy_of(b, a), 1, {0}}, {copy_of(b, a), 1, {1, 2}}}));
  EXPECT_EQ(machine.gpu(0).counts().events, 1);
  EXPECT_EQ(machine.gpu(1).counts().waits, 1);
}

TEST(GpuQueue, IssuesInProgramOrderWhatAHostFreed) {
  GpuMachine machine(1, 1, /*run=*/false);
  std::byte *a = machine.allocate(0), *b = machine.allocate(0);
  const Plan plan = plan_of(
      {{HostCall{}}, {copy_of(a, b), 0, {0}}, {copy_of(a, b), 0, {0}}, {sum_of(a, b), 0, {1}}, {HostCall{}, 0, {3}}});
  machine.submit(plan);
  EXPECT_EQ(machine.in_flight, 0);
  ASSERT_EQ(machine.host.size(), 1u);
  machine.finish(*machine.host.front());
  EXPECT_EQ(machine.in_flight, 3);
  std::vector<EmulatedCall> calls;
  for (const auto& record : machine.gpu(0).records()) calls.push_back(record.kind);
  EXPECT_EQ(calls, (std::vector{EmulatedCall::Copy, EmulatedCall::Event, EmulatedCall::Copy, EmulatedCall::Wait,
                                EmulatedCall::Launch, EmulatedCall::Event, EmulatedCall::Event}));
  machine.drain();
  EXPECT_EQ(machine.host.back()->id.value, 4);
}

TEST(GpuQueue, WhatAGpuRefusesIsTheFailureWithItsName) {
  GpuMachine machine(1, 1);
  std::vector<std::byte> plain(kBytes);
  std::byte* a = machine.allocate(0);
  machine.submit(plan_of({{copy_of(a, plain.data())}, {copy_of(a, a)}}));
  EXPECT_TRUE(machine.failure.failed());
  EXPECT_EQ(machine.gpu(0).counts().copies, 0) << "nothing is issued after it";
  EXPECT_EQ(machine.in_flight, 2);
  const std::string text = machine.what();
  EXPECT_EQ(text.rfind("[work] ", 0), 0u) << text;
  EXPECT_NE(text.find("no GPU's and not pinned"), std::string::npos) << text;
}

TEST(GpuQueue, ASharedReceiveGoesOnAsACopy) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    GpuMachine owner(1, seed), taker(1, seed + 100);
    std::byte *theirs = owner.allocate(0), *ours = taker.allocate(0), *copy = taker.allocate(0);
    fill(theirs, 9);
    owner.submit(plan_of({{Send{.data = theirs, .bytes = kBytes, .shared = true}}}));
    Node& send = *owner.host.front();
    owner.queue.make_offer(send, std::get<Send>(send.instruction->what));
    EXPECT_EQ(send.message->offer.bytes, kBytes);

    const Receive receive{.data = ours, .bytes = kBytes, .shared = true};
    taker.submit(plan_of({{receive}, {copy_of(copy, ours), 0, {0}}}));
    Node& node = *taker.host.front();
    node.message = std::make_unique<SharedMessage>();
    node.message->offer = send.message->offer;
    taker.queue.take(node, receive);
    EXPECT_EQ(node.queue, GpuQueue::find_queue(0, Stream::Copies));
    EXPECT_EQ(taker.in_flight, 1);
    taker.submit(plan_of({{sum_of(copy, ours), 0, {0, 1}}}));
    EXPECT_EQ(taker.drain(), (std::vector<std::int64_t>{0, 1, 2}));
    ASSERT_EQ(first_cell(copy), 9) << "seed " << seed;
  }
}

TEST(GpuQueue, AnOfferOfAnotherSizeIsAFailure) {
  GpuMachine machine(1, 1);
  const Receive receive{.data = machine.allocate(0), .bytes = kBytes, .shared = true};
  machine.submit(plan_of({{receive}}));
  Node& node = *machine.host.front();
  node.message = std::make_unique<SharedMessage>();
  EXPECT_DEATH(machine.queue.take(node, receive), "an offer of 0 bytes for 1048576");
}

TEST(GpuQueue, APlanThatIsPlayedAgainIsOneGraph) {
  GpuMachine machine(2, 3);
  std::byte* memory = machine.gpu(0).allocate(4 * kBytes);
  test::HandmadePlan handmade(memory, 4 * kBytes);
  handmade.add(copy_of(handmade.data(kBytes), handmade.data(0)), {}, "first", 0);
  handmade.add(copy_of(handmade.data(2 * kBytes), handmade.data(kBytes)), {0}, "second", 1);
  handmade.add(sum_of(handmade.data(3 * kBytes), handmade.data(2 * kBytes)), {1}, "third", 0);
  const std::shared_ptr<BoundPlan> run = handmade.make(1);
  for (std::int64_t time = 1; time <= 4; ++time) {
    ASSERT_TRUE(run->is_idle());
    handmade.bind(*run, static_cast<int>(time));
    fill(memory, time);
    machine.submit(plan_of({{ReplayedPlan{run}}}));
    EXPECT_TRUE(run->is_idle()) << "it may be bound anew once it is issued";
    EXPECT_EQ(machine.drain().size(), 1u);
    EXPECT_EQ(first_cell(memory + 3 * kBytes), time);
  }
  EXPECT_EQ(machine.gpu(0).counts().graphs, 4);
  EXPECT_EQ(machine.gpu(0).counts().copies, 0);
  EXPECT_EQ(machine.profile.counters.graphs.get(), 4);
}

TEST(GpuQueue, APlanPlayedAgainWithOtherMemoryTouchesThat) {
  GpuMachine machine(1, 3);
  std::byte *one = machine.gpu(0).allocate(2 * kBytes), *other = machine.gpu(0).allocate(2 * kBytes);
  test::HandmadePlan handmade(one, 2 * kBytes);
  handmade.add(copy_of(handmade.data(kBytes), handmade.data(0)));
  const std::shared_ptr<BoundPlan> run = handmade.make(1);
  for (std::byte* memory : {one, other, one}) {
    handmade.move_to(memory);
    handmade.bind(*run, 0);
    fill(memory, 5);
    fill(memory + kBytes, 0);
    machine.submit(plan_of({{ReplayedPlan{run}}}));
    machine.drain();
    EXPECT_EQ(first_cell(memory + kBytes), 5);
  }
}

TEST(GpuQueue, FollowsAProgramsStreamAndLetsItFollow) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GpuMachine machine(2, seed);
    const auto stream = fakes::make_emulated_program_stream(seed);
    std::byte *a = machine.allocate(0), *b = machine.allocate(1);
    std::int64_t seen = 0;
    stream->issue([&] { fill(a, 11); });
    machine.queue.wait_for_program(stream.get());
    machine.submit(plan_of({{copy_of(b, a), 1}}));
    machine.queue.make_program_wait(stream.get());
    stream->issue([&] { seen = first_cell(b); });
    stream->finish();
    ASSERT_EQ(seen, 11) << "seed " << seed;
    machine.drain();
  }
}

TEST(GpuQueue, WhatWaitsForAPeerIsIssuedOnceTheHostIsDoneWithWhatIsBeforeIt) {
  GpuMachine machine(1, 1, /*run=*/false);
  std::byte *a = machine.allocate(0), *b = machine.allocate(0);
  machine.submit(plan_of({{HostCall{}},
                          {await(a)},
                          {copy_of(b, a), 0, {1}},
                          {tell(b)},
                          {HostCall{}},
                          {await(a + 32)},
                          {tell(b + 32), 0, {5}},
                          {tell(b + 64)}}));
  ASSERT_EQ(machine.host.size(), 2u);
  Node &first = *machine.host[0], &second = *machine.host[1];
  EXPECT_EQ(machine.gpu(0).counts().flags, 2) << "what tells is not held back";
  EXPECT_EQ(machine.gpu(0).counts().copies, 0);
  machine.finish(second);
  EXPECT_EQ(machine.gpu(0).counts().flags, 2) << "there is something of the host's before both";
  machine.finish(first);
  EXPECT_EQ(machine.gpu(0).counts().flags, 5);
  EXPECT_EQ(machine.gpu(0).counts().copies, 1);
  EXPECT_EQ(machine.drain(), (std::vector<std::int64_t>{3, 7, 1, 2, 5, 6})) << "in program order";
}

// For the driver waits for the GPU before it loads code, and the peer's host may wait for this one meanwhile. Found by
// random programs of two ranks with a GPU each, one run of sixty.
TEST(GpuQueue, CodeIsLoadedWhenNoPeerIsWaitedFor) {
  GpuMachine machine(1, 1);
  std::byte *a = machine.allocate(0), *b = machine.allocate(0), *c = machine.allocate(0), *flag = machine.allocate(0);
  fill(a, 7);
  const std::uint32_t lowered = 0, raised = 1;
  std::memcpy(flag, &lowered, sizeof lowered);
  std::int64_t first = 0;
  const auto submit = [&] {
    machine.submit(plan_of({{await(flag)}, {sum_of(b, a)}, {sum_of(c, b), 0, {first + 1}}}));
    first += 3;
  };
  submit();
  EXPECT_TRUE(machine.poll().empty());
  EXPECT_EQ(machine.gpu(0).counts().launches, 0) << "its code is not there yet";
  std::memcpy(flag, &raised, sizeof raised);
  machine.drain();
  EXPECT_EQ(machine.gpu(0).counts().launches, 2);
  EXPECT_EQ(first_cell(c), 7);
  submit();
  EXPECT_EQ(machine.gpu(0).counts().launches, 4) << "now it is";
  std::memcpy(flag, &raised, sizeof raised);
  machine.drain();
  EXPECT_EQ(machine.what(), "");
}

TEST(GpuQueue, CodeThatDoesNotCompileIsTheFailureWhereAPeerIsWaitedFor) {
  GpuMachine machine(1, 1, /*run=*/false);
  Launch launch;
  launch.code = KernelCode{.compiled = device_jit().get(std::string("no kernel"))};
  machine.submit(plan_of({{await(machine.allocate(0))}, {launch}}));
  EXPECT_TRUE(machine.failure.failed());
  EXPECT_EQ(machine.what().rfind("[work] ", 0), 0u) << machine.what();
}

TEST(GpuQueue, WhatWaitsForAPeerIsHeldBackInAPlanThatIsPlayedAgain) {
  for (const bool waits : {false, true}) {
    GpuMachine machine(1, 1, /*run=*/false);
    std::byte* memory = machine.allocate(0);
    test::HandmadePlan handmade(memory, kBytes);
    handmade.add(waits ? await(handmade.data(32)) : tell(handmade.data(32)));
    const std::shared_ptr<BoundPlan> run = handmade.make(1);
    handmade.bind(*run, 0);
    machine.submit(plan_of({{HostCall{}}, {ReplayedPlan{run}}}));
    EXPECT_EQ(machine.gpu(0).counts().graphs, waits ? 0 : 1);
    machine.finish_all_of_host();
    EXPECT_EQ(machine.gpu(0).counts().graphs, 1);
  }
}

// Each tells only what its host has come to, and waits for the other on the stream that it tells on.
TEST(GpuQueue, OfTwoRanksDoNotWaitForEachOther) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    GpuMachine one(1, seed), other(1, seed + 50);
    std::byte *box = one.allocate(0), *other_box = other.allocate(0), *here = one.allocate(0),
              *there = other.allocate(0);
    std::memset(box, 0, kBytes);
    std::memset(other_box, 0, kBytes);
    fill(here, 5);
    fill(there, 6);
    constexpr std::size_t kAt = 256, kCopied = kBytes / 2;
    const auto program = [&](std::byte* own, std::byte* in, std::byte* out) {
      return plan_of({{HostCall{}},
                      {copy_of(out + kAt, own, kCopied), 0, {0}},
                      {tell(out + 32), 0, {1}},
                      {await(in + 32)},
                      {copy_of(own, in + kAt, kCopied), 0, {1, 3}}});
    };
    one.submit(program(here, box, other_box));
    other.submit(program(there, other_box, box));
    one.finish_all_of_host();
    std::vector<std::int64_t> done;
    for (int i = 0; i < 100; ++i) {
      for (const std::int64_t number : one.poll()) done.push_back(number);
    }
    ASSERT_EQ(done, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(first_cell(here), 5) << "the other has told nothing";
    other.finish_all_of_host();
    ASSERT_EQ(one.drain(), (std::vector<std::int64_t>{3, 4}));
    ASSERT_EQ(other.drain(), (std::vector<std::int64_t>{1, 2, 3, 4}));
    ASSERT_EQ(first_cell(here), 6);
    ASSERT_EQ(first_cell(there), 5);
  }
}

class RandomPrograms : public testing::TestWithParam<unsigned> {};

// Blocks on several GPUs; each instruction reads one and writes another: by the copy engine, by a kernel, or on the
// host. Each comes after those that touch the same blocks, some of them done by then. What a queue forgot to wait for
// shows as wrong cells.
TEST_P(RandomPrograms, GiveTheCellsOfTheProgramInOrder) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  std::mt19937 random(GetParam());
  for (int round = 0; round < 6; ++round) {
    const int gpus = 1 + static_cast<int>(random() % 3);
    GpuMachine machine(gpus, random());
    constexpr std::size_t kBlocks = 5;
    struct Block {
      std::byte* data;
      std::int64_t value;  // in the end
      std::int64_t writer = -1;
      std::vector<std::int64_t> readers;
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const auto value = static_cast<std::int64_t>(i);
      blocks.push_back({machine.allocate(static_cast<int>(random() % static_cast<unsigned>(gpus))), value});
      fill(blocks.back().data, value);
    }
    struct HostWork {
      std::byte *to, *from;
    };
    std::vector<HostWork> host_work;  // by number
    const auto run_a_host_node = [&] {
      if (machine.host.empty()) return;
      const std::size_t choice = random() % machine.host.size();
      Node& node = *machine.host[choice];
      machine.host.erase(machine.host.begin() + static_cast<std::ptrdiff_t>(choice));
      const HostWork& work = host_work[static_cast<std::size_t>(node.id.value)];
      fill(work.to, first_cell(work.from) + 1000);
      machine.finish(node);
    };
    std::int64_t number = 0;
    for (int plan = 0; plan < 8; ++plan) {
      std::vector<QueueItem> items;
      for (std::uint32_t i = 1 + random() % 8; i > 0; --i, ++number) {
        Block& to = blocks[random() % kBlocks];
        Block& from = blocks[random() % kBlocks];
        if (&to == &from) {
          ++i, --number;
          continue;
        }
        std::set<std::int64_t> after(to.readers.begin(), to.readers.end());
        for (const std::int64_t writer : {to.writer, from.writer}) {
          if (writer >= 0) after.insert(writer);
        }
        to.readers.clear();
        to.writer = number;
        from.readers.push_back(number);
        to.value = from.value;
        QueueItem item{copy_of(to.data, from.data),
                       static_cast<int>(random() % static_cast<unsigned>(gpus)),
                       {after.begin(), after.end()}};
        if (random() % 3 == 0) item.what = sum_of(to.data, from.data);
        if (random() % 4 == 0) {
          item.what = HostCall{};
          to.value += 1000;
        }
        host_work.push_back({to.data, from.data});
        items.push_back(std::move(item));
      }
      machine.submit(plan_of(items));
      for (std::uint32_t steps = random() % 6; steps > 0; --steps)
        random() % 2 ? (void)machine.poll() : run_a_host_node();
    }
    for (int rounds = 0; machine.graph.plans() > 0 && rounds < 100'000; ++rounds) {
      run_a_host_node();
      (void)machine.poll();
    }
    ASSERT_EQ(machine.what(), "");
    ASSERT_EQ(machine.graph.plans(), 0);
    for (const Block& block : blocks) {
      for (std::size_t i = 0; i < kCells; ++i) ASSERT_EQ(first_cell(block.data + 8 * i), block.value);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(1u, 17u));

}  // namespace
}  // namespace pilum::scheduler
