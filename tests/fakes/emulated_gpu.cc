#include "tests/fakes/emulated_gpu.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "pilum/error.h"
#include "tests/fakes/emulated_block.h"
#include "tests/fakes/emulated_lapack.h"
#include "tests/fakes/emulated_streams.h"
#include "tests/fakes/emulated_transform.h"
#include "tests/fakes/emulated_world.h"

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

// Arguments are checked when the graph is issued.
class EmulatedGraph final : public device::GpuGraph {
 public:
  int add(Gpu& gpu, Stream, const GpuLaunch& launch, std::span<const int> after) override;
  int add(Gpu& gpu, Stream, const GpuCopy& copy, std::span<const int> after) override;
  int add(Gpu& gpu, Stream, const GpuFlag& flag, std::span<const int> after) override;
  int add(Gpu& gpu, Stream, const device::GpuLibraryCall& call, std::span<const int> after) override;
  void change(int number, const GpuLaunch& launch) override;
  void change(int number, const GpuCopy& copy) override;
  void change(int number, const device::GpuLibraryCall& call) override;
  const GraphWork& work() const { return work_; }

 private:
  GraphWork work_;
};

// Its calls: what they refuse, and what they leave to the streams.
class Emulation final : public EmulatedGpu, public EmulatedStreams {
 public:
  explicit Emulation(const EmulatedGpuOptions& options) : EmulatedStreams(options) {
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
    unload();  // while the others are kept out
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

  using EmulatedStreams::find_trouble;
  std::string find_trouble(device::GpuSkill skill) override {
    if (skill == device::GpuSkill::Products) return options_.multiplies ? "" : "an emulated GPU without products";
    if (skill == device::GpuSkill::Transforms) return options_.transforms ? "" : "an emulated GPU without transforms";
    return options_.factorizes && has_lapack() ? "" : "an emulated GPU without factors";
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

  std::size_t lapack_bytes(const device::GpuLapack& lapack) override { return emulated_work_bytes(lapack); }

  void run(Stream stream, const device::GpuLapack& lapack, const device::GpuLapackCells& cells) override {
    const std::lock_guard lock(world().mutex);
    check("factorize");
    const LapackWork all{lapack, cells};
    if (const char* trouble = find_trouble(all)) throw error("factorize", trouble);
    record({EmulatedCall::Lapack, stream, {}, {}, 0});
    ++counts_.lapacks;
    issue(stream, all);
  }

  std::unique_ptr<device::GpuGraph> make_graph() override { return std::make_unique<EmulatedGraph>(); }

  void launch(Stream stream, device::GpuGraph& graph) override {
    const std::lock_guard lock(world().mutex);
    check("launch a graph");
    const GraphWork& work = dynamic_cast<EmulatedGraph&>(graph).work();
    const auto is_call = [](const GraphNode& node) {
      return std::holds_alternative<ProductWork>(node.work) || std::holds_alternative<TransformWork>(node.work);
    };
    if (!options_.captures && std::ranges::any_of(work.nodes, is_call))
      throw device::GraphRefused("[launch a graph] it takes no library's calls");
    record({EmulatedCall::Graph, stream, {}, {}, 0});
    ++counts_.graphs;
    issue(stream, work);
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

  std::int64_t mark_time(Stream stream) override {
    const std::lock_guard lock(world().mutex);
    check("mark_time");
    const auto time = std::make_shared<std::int64_t>(options_.run ? 0 : 1);
    times_.emplace(++times_made_, time);
    issue(stream, TimeWork{time});
    return times_made_;
  }

  std::optional<std::int64_t> take_time(std::int64_t mark) override {
    const std::lock_guard lock(world().mutex);
    const auto found = times_.find(mark);
    if (found == times_.end()) throw error("take_time", "this mark has not been made, or was taken");
    const std::int64_t time = *found->second;
    if (time == 0) return std::nullopt;
    times_.erase(found);
    return time;
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

 private:
  void check_made(const char* call, const Event& event) const {
    if (event.number > events_made_[index(event.stream)]) throw error(call, "this event has not been made");
  }

  void record(const EmulatedRecord& record) { records_.push_back(record); }
  // The driver waits for a GPU before it loads code onto it: where that waits for a peer it may wait for ever, as the
  // peer's host may need this one meanwhile.
  void load(const std::shared_ptr<const GpuImage>& image) {
    if (loaded_.insert(image).second && may_await_flag())
      throw error("load", "a kernel is loaded while a flag may be waited for");
  }

  GpuInfo info_;
  Reached events_made_{};  // the last ones made
  std::set<std::shared_ptr<const GpuImage>> loaded_;
  std::vector<std::byte*> own_;
  std::size_t used_ = 0, most_used_ = 0;
  std::vector<EmulatedRecord> records_;
  std::map<std::int64_t, std::shared_ptr<const std::int64_t>> times_;  // by mark
  std::int64_t times_made_ = 0;
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
// In any order, as other work: a call's memory is its own here.
int EmulatedGraph::add(Gpu& gpu, Stream, const device::GpuLibraryCall& call, std::span<const int> after) {
  work_.nodes.push_back({&dynamic_cast<Emulation&>(gpu), {}, std::vector<int>(after.begin(), after.end())});
  const int number = static_cast<int>(work_.nodes.size()) - 1;
  change(number, call);
  return number;
}
void EmulatedGraph::change(int number, const device::GpuLibraryCall& call) {
  GraphNode& node = work_.nodes[static_cast<std::size_t>(number)];
  if (const auto* product = std::get_if<device::GpuProduct>(&call)) node.work = ProductWork{*product};
  if (const auto* lines = std::get_if<device::GpuTransformCall>(&call))
    node.work = TransformWork{lines->transform, lines->from, lines->to, lines->work};
}
void EmulatedGraph::change(int number, const GpuLaunch& launch) {
  work_.nodes[static_cast<std::size_t>(number)].work = Emulation::work_of(launch);
}
void EmulatedGraph::change(int number, const GpuCopy& copy) {
  work_.nodes[static_cast<std::size_t>(number)].work = copy;
}

}  // namespace

std::unique_ptr<EmulatedGpu> make_emulated_gpu(const EmulatedGpuOptions& options) {
  return std::make_unique<Emulation>(options);
}

std::unique_ptr<EmulatedGpu> make_emulated_gpu(int ordinal, std::uint64_t seed, std::size_t memory_limit) {
  return make_emulated_gpu({.ordinal = ordinal, .seed = seed, .memory_limit = memory_limit});
}

}  // namespace pilum::fakes
