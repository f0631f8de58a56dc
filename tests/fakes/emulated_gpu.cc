#include "tests/fakes/emulated_gpu.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>

#include "pilum/error.h"
#include "tests/fakes/emulated_block.h"
#include "tests/fakes/emulated_image.h"
#include "tests/fakes/emulated_kernel.h"
#include "tests/fakes/emulated_product.h"
#include "tests/fakes/emulated_transform.h"

namespace pilum::fakes {
namespace {

using device::Event;
using device::Gpu;
using device::GpuCopy;
using device::GpuFlag;
using device::GpuImage;
using device::GpuInfo;
using device::GpuLaunch;
using device::Stream;

constexpr std::size_t kMaxWordBytes = 32764;             // CUDA's limit of a kernel's arguments
constexpr int kRegisters = 65536, kResidentBlocks = 32;  // of a multiprocessor
constexpr std::size_t kLeastWords = 512;                 // a kernel's struct may be larger than what was passed

// The highest number reached, by stream; shared with those that wait for it, whom the GPU may leave behind.
using Reached = std::array<std::int64_t, device::kStreams.size()>;

struct LaunchWork {
  std::shared_ptr<const GpuImage> image;
  EmulatedLaunch launch{};
  std::vector<std::uint64_t> words;
};
struct ProductWork {
  device::GpuProduct product;
};
struct TransformWork {
  device::GpuTransform transform;
  std::byte *from, *to, *work;
};
struct EventWork {
  Event event;
};
struct WaitWork {
  std::shared_ptr<const Reached> of;
  Event event;
};
class Emulation;
struct GraphNode {
  Emulation* gpu;
  std::variant<LaunchWork, GpuCopy, GpuFlag> work;
  std::vector<int> after;
};
struct GraphWork {
  std::vector<GraphNode> nodes;
  std::vector<bool> done;  // once it runs
  std::vector<std::size_t> left;
  std::optional<std::size_t> held_up_by;  // a flag that is not raised yet
  bool may_await_flag() const {
    return std::ranges::any_of(left, [this](std::size_t node) {
      const auto* flag = std::get_if<GpuFlag>(&nodes[node].work);
      return flag && flag->waits;
    });
  }
};
struct ProgramWait {  // for so many works of a program's stream
  std::shared_ptr<const std::int64_t> done;
  std::int64_t count;
};
using Work =
    std::variant<LaunchWork, GpuCopy, GpuFlag, ProductWork, TransformWork, GraphWork, EventWork, WaitWork, ProgramWait>;

std::uint32_t& value_of(const GpuFlag& flag) {
  return *reinterpret_cast<std::uint32_t*>(flag.flag);
}

// Arguments are checked when the graph is issued.
class EmulatedGraph final : public device::GpuGraph {
 public:
  int add(Gpu& gpu, Stream, const GpuLaunch& launch, std::span<const int> after) override;
  int add(Gpu& gpu, Stream, const GpuCopy& copy, std::span<const int> after) override;
  int add(Gpu& gpu, Stream, const GpuFlag& flag, std::span<const int> after) override;
  void change(int number, const GpuLaunch& launch) override;
  void change(int number, const GpuCopy& copy) override;
  const GraphWork& work() const { return work_; }

 private:
  GraphWork work_;
};

std::size_t index(Stream stream) {
  return static_cast<std::size_t>(stream);
}

bool has_reached(const Reached& reached, const Event& event) {
  return reached[index(event.stream)] >= event.number;
}

class ProgramStream;

// All emulated GPUs of the process, as one GPU's work may wait for another's. Every member needs the mutex.
struct World {
  std::mutex mutex;
  std::vector<Emulation*> gpus;
  std::vector<ProgramStream*> program_streams;
  std::map<const std::byte*, std::shared_ptr<EmulatedBlock>> memory;  // of all GPUs, and pinned
  std::vector<std::shared_ptr<EmulatedBlock>> shared;                 // stays as long as somebody may have it open

  // Runs the next work of any stream that need not wait; false: there is none.
  bool step(std::mt19937_64& random);
  bool awaits_flag() const;  // of any stream

  bool contains(const std::byte* data, std::size_t bytes) const {
    auto after = memory.upper_bound(data);
    if (after == memory.begin()) return false;
    const EmulatedBlock& block = *std::prev(after)->second;
    return data + bytes <= block.data() + block.bytes();
  }
  bool contains_rows(const std::byte* data, const GpuCopy& copy, std::size_t pitch) const {
    return contains(data, (copy.rows - 1) * pitch + copy.width);
  }

  std::byte* add(const std::shared_ptr<EmulatedBlock>& block) {
    memory.emplace(block->data(), block);
    return block->data();
  }
  void keep(const std::byte* data) {
    const auto found = memory.find(data);
    if (found != memory.end() && std::ranges::find(shared, found->second) == shared.end())
      shared.push_back(found->second);
  }
  // False: its edges were written.
  bool remove(const std::byte* data) {
    const auto found = memory.find(data);
    const bool whole = found->second->edges_are_whole();
    found->second->spoil();
    memory.erase(found);
    return whole;
  }
};

World& world() {
  static World world;
  return world;
}

class ProgramStream final : public EmulatedProgramStream {
 public:
  explicit ProgramStream(std::uint64_t seed) : random_(seed) {
    const std::lock_guard lock(world().mutex);
    world().program_streams.push_back(this);
  }
  ~ProgramStream() override {
    finish();
    const std::lock_guard lock(world().mutex);
    std::erase(world().program_streams, this);
  }
  void issue(std::function<void()> work) override {
    const std::lock_guard lock(world().mutex);
    queue_.push_back(std::move(work));
    ++issued_;
  }
  void finish() override {
    const std::lock_guard lock(world().mutex);
    while (!queue_.empty() && world().step(random_)) {
    }
  }
  // With the world's mutex.
  void add_wait(WaitWork wait) {
    queue_.push_back(std::move(wait));
    ++issued_;
  }
  ProgramWait wait_for_all() const { return {done_, issued_}; }
  bool may_run() const {
    if (queue_.empty()) return false;
    const auto* wait = std::get_if<WaitWork>(&queue_.front());
    return !wait || has_reached(*wait->of, wait->event);
  }
  void run_next() {
    const auto next = std::move(queue_.front());
    queue_.pop_front();
    if (const auto* work = std::get_if<std::function<void()>>(&next)) (*work)();
    ++*done_;
  }

 private:
  std::mt19937_64 random_;
  std::deque<std::variant<std::function<void()>, WaitWork>> queue_;
  std::int64_t issued_ = 0;
  std::shared_ptr<std::int64_t> done_ = std::make_shared<std::int64_t>(0);
};

class Emulation final : public EmulatedGpu {
 public:
  explicit Emulation(const EmulatedGpuOptions& options) : options_(options), random_(options.seed) {
    info_.ordinal = options.ordinal;
    info_.name = "emulated";
    info_.architecture = "sm_90";
    info_.bus = "emulated:" + std::to_string(options.ordinal);
    info_.memory_bytes = static_cast<std::int64_t>(options.memory_limit);
    info_.cache_bytes = std::int64_t{50} << 20;
    info_.multiprocessors = 132;
    info_.memory_bandwidth = 4.8e12;
    const std::lock_guard lock(world().mutex);
    world().gpus.push_back(this);
  }

  ~Emulation() override {
    const std::lock_guard lock(world().mutex);
    while (!idle() && world().step(random_)) {
    }
    std::erase(world().gpus, this);
    for (const std::byte* data : own_) world().memory.erase(data);
    if (world().gpus.empty()) world().shared.clear();
    images_.clear();  // while the others are kept out
  }

  const GpuInfo& info() const override { return info_; }

  std::byte* allocate(std::size_t bytes) override {
    const std::lock_guard lock(world().mutex);
    check("allocate");
    step_by_chance();
    if (bytes > options_.memory_limit - used_) return nullptr;
    used_ += bytes;
    most_used_ = std::max(most_used_, used_);
    std::byte* const data = world().add(std::make_shared<EmulatedBlock>(bytes, options_.run));
    own_.push_back(data);
    return data;
  }

  void release(std::byte* data) override {
    const std::lock_guard lock(world().mutex);
    const auto found = std::find(own_.begin(), own_.end(), data);
    if (found == own_.end()) throw error("release", "this memory is not the GPU's");
    drain();
    own_.erase(found);
    used_ -= world().memory.at(data)->bytes();
    if (!world().remove(data)) fail("the bytes before or after an allocation were written");
    check("release");
  }

  std::byte* allocate_pinned(std::size_t bytes) override {
    const std::lock_guard lock(world().mutex);
    check("allocate pinned");
    return world().add(std::make_shared<EmulatedBlock>(bytes, options_.run));
  }

  void release_pinned(std::byte* data) override {
    const std::lock_guard lock(world().mutex);
    if (!world().memory.contains(data)) throw error("release pinned", "this memory is not pinned");
    drain();
    if (!world().remove(data)) fail("the bytes before or after pinned memory were written");
    check("release pinned");
  }

  std::int64_t free_bytes() override {
    const std::lock_guard lock(world().mutex);
    return static_cast<std::int64_t>(options_.memory_limit - used_);
  }

  // As with few registers, and by chance of the seed as with a hundred.
  int occupancy(const std::shared_ptr<const GpuImage>& image, int threads) override {
    if (!image) throw error("resident blocks", "there is no image");
    if (threads < 1 || threads > 1024) throw error("resident blocks", "a block is 1 to 1024 threads");
    const std::lock_guard lock(world().mutex);
    load(image);
    const int registers = options_.seed % 4 == 3 ? 100 : 32;
    return std::min(kRegisters / (registers * threads), kResidentBlocks);
  }

  bool has_loaded(const std::shared_ptr<const GpuImage>& image) override {
    const std::lock_guard lock(world().mutex);
    return loaded_.contains(image);
  }

  void launch(Stream stream, const GpuLaunch& launch) override {
    const std::lock_guard lock(world().mutex);
    check("launch");
    const auto &grid = launch.grid, &block = launch.block;
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
    if (threads == 0 || threads > 1024 || block[2] > 64) throw error("launch", "a block is 1 to 1024 threads");
    if (std::min({grid[0], grid[1], grid[2]}) == 0 || grid[0] > 0x7fffffff || std::max(grid[1], grid[2]) > 65535) {
      throw error("launch", "a grid is 1 to 2147483647, 65535, 65535 blocks");
    }
    if (launch.words.size_bytes() > kMaxWordBytes) throw error("launch", "the argument is too large");
    if (!launch.image) throw error("launch", "there is no image");
    load(launch.image);
    record({EmulatedCall::Launch, stream, grid, block, 0});
    ++counts_.launches;
    issue(stream, work_of(launch));
  }

  std::string find_trouble(device::GpuSkill skill) override {
    if (skill == device::GpuSkill::Products) return options_.multiplies ? "" : "an emulated GPU without products";
    return options_.transforms ? "" : "an emulated GPU without transforms";
  }

  void multiply(Stream stream, const device::GpuProduct& product) override {
    const std::lock_guard lock(world().mutex);
    check("multiply");
    if (const char* trouble = find_trouble(product)) throw error("multiply", trouble);
    record({EmulatedCall::Product, stream, {}, {}, 0});
    ++counts_.products;
    issue(stream, ProductWork{product});
  }

  std::size_t transform_bytes(const device::GpuTransform& transform) override { return emulated_work_bytes(transform); }

  void transform(Stream stream, const device::GpuTransform& transform, std::byte* from, std::byte* to,
                 std::byte* work) override {
    const std::lock_guard lock(world().mutex);
    check("transform");
    const TransformWork all{transform, from, to, work};
    if (const char* trouble = find_trouble(all)) throw error("transform", trouble);
    record({EmulatedCall::Transform, stream, {}, {}, 0});
    ++counts_.transforms;
    issue(stream, all);
  }

  static LaunchWork work_of(const GpuLaunch& launch) {
    LaunchWork work{launch.image, {}, {launch.words.begin(), launch.words.end()}};
    std::copy(launch.grid.begin(), launch.grid.end(), work.launch.grid);
    std::copy(launch.block.begin(), launch.block.end(), work.launch.block);
    work.words.resize(std::max(work.words.size(), kLeastWords));
    return work;
  }

  std::unique_ptr<device::GpuGraph> make_graph() override { return std::make_unique<EmulatedGraph>(); }

  void launch(Stream stream, device::GpuGraph& graph) override {
    const std::lock_guard lock(world().mutex);
    check("launch a graph");
    record({EmulatedCall::Graph, stream, {}, {}, 0});
    ++counts_.graphs;
    issue(stream, dynamic_cast<EmulatedGraph&>(graph).work());
  }

  void copy(Stream stream, const GpuCopy& copy) override {
    const std::lock_guard lock(world().mutex);
    check("copy");
    const std::size_t bytes = copy.width * copy.rows;
    if (bytes == 0) return;
    if (const char* trouble = find_trouble(copy)) throw error("copy", trouble);
    record({EmulatedCall::Copy, stream, {}, {}, bytes});
    ++counts_.copies;
    counts_.copied_bytes += bytes;
    issue(stream, copy);
  }

  void tell(Stream stream, const GpuFlag& flag) override {
    const std::lock_guard lock(world().mutex);
    check("tell");
    if (!world().contains(flag.flag, sizeof(std::uint32_t))) throw error("tell", "a flag that is in no GPU's memory");
    record({EmulatedCall::Flag, stream, {}, {}, 0});
    ++counts_.flags;
    issue(stream, flag);
  }

  void give_up_flags() override {
    const std::lock_guard lock(world().mutex);
    given_up_ = true;
  }

  Event record_event(Stream stream) override {
    const std::lock_guard lock(world().mutex);
    check("event");
    record({EmulatedCall::Event, stream, {}, {}, 0});
    ++counts_.events;
    const Event event{stream, ++events_made_[index(stream)]};
    if (!options_.run) (*reached_)[index(stream)] = event.number;
    issue(stream, EventWork{event});
    return event;
  }

  void wait(Stream stream, Gpu& other, Event event) override {
    const std::lock_guard lock(world().mutex);
    check("wait");
    auto* maker = dynamic_cast<Emulation*>(&other);
    if (!maker) throw error("wait", "the other GPU is not an emulated one");
    maker->check_made("wait", event);
    record({EmulatedCall::Wait, stream, {}, {}, 0});
    ++counts_.waits;
    issue(stream, WaitWork{maker->reached_, event});
  }

  bool completed(Event event) override {
    const std::lock_guard lock(world().mutex);
    check_made("reached", event);
    step_by_chance();
    check("reached");
    return has_reached(*reached_, event);
  }

  void wait_for_program(void* program_stream) override {
    const std::lock_guard lock(world().mutex);
    check("wait_for_program");
    for (const Stream stream : device::kStreams)
      issue(stream, static_cast<ProgramStream*>(program_stream)->wait_for_all());
  }
  void make_program_wait(void* program_stream) override {
    const std::lock_guard lock(world().mutex);
    check("make_program_wait");
    for (const Stream stream : device::kStreams) {
      const Event event{stream, ++events_made_[index(stream)]};
      if (!options_.run) (*reached_)[index(stream)] = event.number;
      issue(stream, EventWork{event});
      static_cast<ProgramStream*>(program_stream)->add_wait({reached_, event});
    }
  }

  void finish() override {
    const std::lock_guard lock(world().mutex);
    drain();
    check("finish");
  }

  bool connect(Gpu& other) override {
    const auto* peer = dynamic_cast<const Emulation*>(&other);
    return peer && options_.peers && peer->options_.peers;
  }

  // Of one process: a share is the address.
  device::GpuShare share(std::byte* data) override {
    const std::lock_guard lock(world().mutex);
    world().keep(data);
    device::GpuShare share;
    std::memcpy(share.bytes.data(), &data, sizeof data);
    return share;
  }
  std::byte* open_share(const device::GpuShare& share) override {
    std::byte* data = nullptr;
    std::memcpy(&data, share.bytes.data(), sizeof data);
    return data;
  }

  void push_range(const char*) override { ++ranges_; }
  void pop_range() override {
    if (--ranges_ < 0) throw error("pop range", "there is no range left");
  }

  const EmulatedCounts& counts() const override { return counts_; }
  const std::vector<EmulatedRecord>& records() const override { return records_; }
  void clear_records() override {
    counts_ = {};
    records_.clear();
  }
  std::size_t used_bytes() const override { return used_; }
  std::size_t most_used_bytes() const override { return most_used_; }

  // For World::step().
  bool may_run(Stream stream) const {
    const std::deque<Work>& queue = queues_[index(stream)];
    if (queue.empty()) return false;
    if (const auto* program = std::get_if<ProgramWait>(&queue.front())) return *program->done >= program->count;
    if (const auto* flag = std::get_if<GpuFlag>(&queue.front())) return may_pass(*flag);
    if (const auto* graph = std::get_if<GraphWork>(&queue.front())) return may_go_on(*graph);
    const auto* waiting = std::get_if<WaitWork>(&queue.front());
    return !waiting || has_reached(*waiting->of, waiting->event);
  }
  bool awaits_flag() const {
    return std::ranges::any_of(queues_, [](const std::deque<Work>& queue) {
      return !queue.empty() &&
             (std::holds_alternative<GpuFlag>(queue.front()) || std::holds_alternative<GraphWork>(queue.front()));
    });
  }
  void run_next(Stream stream) {
    std::deque<Work>& queue = queues_[index(stream)];
    if (auto* graph = std::get_if<GraphWork>(&queue.front())) {
      run(*graph);
      if (graph->left.empty()) queue.pop_front();
      return;
    }
    Work work = std::move(queue.front());
    queue.pop_front();
    std::visit([this](auto& one) { run(one); }, work);
  }

 private:
  RuntimeError error(const std::string& call, const std::string& what) const {
    return RuntimeError("[" + call + "] emulated GPU " + std::to_string(options_.ordinal) + ": " + what);
  }
  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }
  void check(const char* call) const {
    if (!failure_.empty()) throw error(call, failure_);
  }
  void check_made(const char* call, const Event& event) const {
    if (event.number > events_made_[index(event.stream)]) throw error(call, "this event has not been made");
  }

  void record(const EmulatedRecord& record) { records_.push_back(record); }
  void issue(Stream stream, Work work) {
    if (auto* graph = std::get_if<GraphWork>(&work)) {
      if (graph->nodes.empty()) return;
      graph->done.assign(graph->nodes.size(), false);
      for (std::size_t node = 0; node < graph->nodes.size(); ++node) graph->left.push_back(node);
    }
    if (options_.run) queues_[index(stream)].push_back(std::move(work));
  }

  // The driver waits for a GPU before it loads code onto it: where that waits for a peer it may wait for ever, as the
  // peer's host may need this one meanwhile.
  void load(const std::shared_ptr<const GpuImage>& image) {
    if (loaded_.insert(image).second && may_await_flag())
      throw error("load", "a kernel is loaded while a flag may be waited for");
  }
  bool may_await_flag() const {
    const auto waits = [](const Work& work) {
      const auto* flag = std::get_if<GpuFlag>(&work);
      const auto* graph = std::get_if<GraphWork>(&work);
      return (flag && flag->waits) || (graph && graph->may_await_flag());
    };
    return std::ranges::any_of(queues_, [&](const auto& queue) { return std::ranges::any_of(queue, waits); });
  }

  bool idle() const {
    return std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue.empty(); });
  }
  void step_by_chance() {
    for (std::uint64_t steps = random_() % 4; steps > 0 && !idle(); --steps) world().step(random_);
  }
  // A flag may be another thread's to raise: it is waited for without the mutex.
  void drain() {
    constexpr auto kLongest = std::chrono::seconds(60);
    auto waited_since = std::chrono::steady_clock::now();
    while (!idle()) {
      if (world().step(random_)) {
        waited_since = std::chrono::steady_clock::now();
        continue;
      }
      if (!world().awaits_flag() || std::chrono::steady_clock::now() - waited_since > kLongest)
        throw error("finish", "every stream waits for another one");
      world().mutex.unlock();
      std::this_thread::yield();
      world().mutex.lock();
    }
  }

  const char* find_trouble(const GpuCopy& copy) const {
    if (copy.rows > 1 && std::min(copy.to_pitch, copy.from_pitch) < copy.width) return "rows overlap";
    if (!world().contains_rows(copy.to, copy, copy.to_pitch)) return "a copy to memory that is no GPU's and not pinned";
    if (!world().contains_rows(copy.from, copy, copy.from_pitch)) {
      return "a copy from memory that is no GPU's and not pinned";
    }
    return nullptr;
  }

  const char* find_trouble(const device::GpuProduct& product) const {
    if (!options_.multiplies) return "it does not multiply";
    return find_product_trouble(product,
                                [](const std::byte* data, std::size_t bytes) { return world().contains(data, bytes); });
  }

  const char* find_trouble(const TransformWork& work) const {
    const device::GpuTransform& transform = work.transform;
    if (!options_.transforms) return "it does not transform";
    if (const char* trouble = find_transform_trouble(transform, work.from, work.to, work.work)) return trouble;
    if (!world().contains(work.from, bytes_spanned_from(transform))) return "lines that are not in memory of a GPU's";
    if (!world().contains(work.to, bytes_spanned_to(transform))) return "results that are not in memory of a GPU's";
    const std::size_t bytes = emulated_work_bytes(transform);
    return bytes > 0 && !world().contains(work.work, bytes) ? "no memory of a GPU's to work in" : nullptr;
  }

  void run(const ProductWork& work) {
    if (!failure_.empty()) return;
    const char* trouble = find_trouble(work.product);
    if (!trouble) trouble = run_product(work.product);
    if (trouble) fail(trouble);
  }
  void run(const TransformWork& work) {
    if (!failure_.empty()) return;
    const char* trouble = find_trouble(work);
    if (!trouble) trouble = run_transform(work.transform, work.from, work.to, work.work);
    if (trouble) fail(trouble);
  }
  void run(const LaunchWork& work) {
    if (!failure_.empty()) return;
    const EmulatedEntry entry = find_entry(work.image);
    if (!entry) return;
    EmulatedLaunch launch = work.launch;
    launch.words = work.words.data();
    launch.reversed = random_() % 2;
    if (const char* trouble = entry(&launch)) fail(trouble);
  }
  void run(const GpuCopy& copy) {
    if (!failure_.empty()) return;
    if (const char* trouble = find_trouble(copy)) return fail(trouble);
    for (std::size_t row = 0; row < copy.rows; ++row) {
      std::memcpy(copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch, copy.width);
    }
  }
  void run(const GpuFlag& flag) {
    if (!failure_.empty()) return;
    std::uint32_t& value = value_of(flag);
    if (flag.waits && value == 0) return fail("a flag that is waited for was given up");
    if (!flag.waits && value != 0) return fail("a flag is raised twice, or was not lowered at first");
    value = flag.waits ? 0 : 1;
  }
  // Until the next node waits for a flag: what would be ready beside it may have to wait with it.
  void run(GraphWork& graph) {
    while (!graph.left.empty()) {
      if (!graph.held_up_by) {
        const std::vector<std::size_t> ready = ready_nodes(graph);
        graph.held_up_by = ready[random_() % ready.size()];
      }
      if (!may_go_on(graph)) return;
      const std::size_t node = *std::exchange(graph.held_up_by, std::nullopt);
      std::visit([&](const auto& one) { graph.nodes[node].gpu->run(one); }, graph.nodes[node].work);
      ++graph.nodes[node].gpu->counts_.graph_items;
      graph.done[node] = true;
      std::erase(graph.left, node);
    }
  }
  static std::vector<std::size_t> ready_nodes(const GraphWork& graph) {
    std::vector<std::size_t> ready;
    for (const std::size_t node : graph.left) {
      if (std::ranges::all_of(graph.nodes[node].after, [&](int i) { return graph.done[static_cast<std::size_t>(i)]; }))
        ready.push_back(node);
    }
    return ready;
  }
  static bool may_go_on(const GraphWork& graph) {
    if (!graph.held_up_by) return true;
    const GraphNode& node = graph.nodes[*graph.held_up_by];
    const auto* flag = std::get_if<GpuFlag>(&node.work);
    return !flag || node.gpu->may_pass(*flag);
  }
  bool may_pass(const GpuFlag& flag) const { return !flag.waits || given_up_ || value_of(flag) == 1; }
  void run(const EventWork& work) { (*reached_)[index(work.event.stream)] = work.event.number; }
  void run(const WaitWork&) {}
  void run(const ProgramWait&) {}

  // Null, with the failure kept, for what is no emulated compiler's image.
  EmulatedEntry find_entry(const std::shared_ptr<const GpuImage>& image) {
    std::unique_ptr<EmulatedImage>& loaded = images_[image.get()];
    try {
      if (!loaded) loaded = std::make_unique<EmulatedImage>(image);
      return loaded->entry();
    } catch (const RuntimeError& error) {
      fail(error.what());
      return nullptr;
    }
  }

  const EmulatedGpuOptions options_;
  GpuInfo info_;
  std::mt19937_64 random_;
  std::array<std::deque<Work>, device::kStreams.size()> queues_;
  Reached events_made_{};  // the last ones made
  std::shared_ptr<Reached> reached_ = std::make_shared<Reached>();
  std::unordered_map<const GpuImage*, std::unique_ptr<EmulatedImage>> images_;
  std::set<std::shared_ptr<const GpuImage>> loaded_;
  std::vector<std::byte*> own_;
  std::size_t used_ = 0, most_used_ = 0;
  std::string failure_;
  bool given_up_ = false;  // see give_up_flags()
  EmulatedCounts counts_;
  std::vector<EmulatedRecord> records_;
  int ranges_ = 0;
};

int EmulatedGraph::add(Gpu& gpu, Stream, const GpuLaunch& launch, std::span<const int> after) {
  work_.nodes.push_back(
      {&dynamic_cast<Emulation&>(gpu), Emulation::work_of(launch), std::vector<int>(after.begin(), after.end())});
  return static_cast<int>(work_.nodes.size()) - 1;
}
int EmulatedGraph::add(Gpu& gpu, Stream, const GpuCopy& copy, std::span<const int> after) {
  work_.nodes.push_back({&dynamic_cast<Emulation&>(gpu), copy, std::vector<int>(after.begin(), after.end())});
  return static_cast<int>(work_.nodes.size()) - 1;
}
int EmulatedGraph::add(Gpu& gpu, Stream, const GpuFlag& flag, std::span<const int> after) {
  work_.nodes.push_back({&dynamic_cast<Emulation&>(gpu), flag, std::vector<int>(after.begin(), after.end())});
  return static_cast<int>(work_.nodes.size()) - 1;
}
void EmulatedGraph::change(int number, const GpuLaunch& launch) {
  work_.nodes[static_cast<std::size_t>(number)].work = Emulation::work_of(launch);
}
void EmulatedGraph::change(int number, const GpuCopy& copy) {
  work_.nodes[static_cast<std::size_t>(number)].work = copy;
}

bool World::awaits_flag() const {
  return std::ranges::any_of(gpus, [](const Emulation* gpu) { return gpu->awaits_flag(); });
}

bool World::step(std::mt19937_64& random) {
  std::vector<std::pair<Emulation*, Stream>> choices;
  for (Emulation* gpu : gpus) {
    for (const Stream stream : device::kStreams) {
      if (gpu->may_run(stream)) choices.emplace_back(gpu, stream);
    }
  }
  std::vector<ProgramStream*> programs;
  for (ProgramStream* program : program_streams) {
    if (program->may_run()) programs.push_back(program);
  }
  if (choices.empty() && programs.empty()) return false;
  const std::size_t choice = random() % (choices.size() + programs.size());
  if (choice >= choices.size()) {
    programs[choice - choices.size()]->run_next();
    return true;
  }
  const auto& [gpu, stream] = choices[choice];
  gpu->run_next(stream);
  return true;
}

}  // namespace

std::unique_ptr<EmulatedProgramStream> make_emulated_program_stream(std::uint64_t seed) {
  return std::make_unique<ProgramStream>(seed);
}

std::unique_ptr<EmulatedGpu> make_emulated_gpu(const EmulatedGpuOptions& options) {
  return std::make_unique<Emulation>(options);
}

std::unique_ptr<EmulatedGpu> make_emulated_gpu(int ordinal, std::uint64_t seed, std::size_t memory_limit) {
  return make_emulated_gpu({.ordinal = ordinal, .seed = seed, .memory_limit = memory_limit});
}

}  // namespace pilum::fakes
