#include "tests/fakes/emulated_streams.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "tests/fakes/emulated_lapack.h"
#include "tests/fakes/emulated_product.h"
#include "tests/fakes/emulated_transform.h"
#include "tests/fakes/emulated_world.h"

namespace pilum::fakes {
namespace {

constexpr std::size_t kLeastWords = 512;  // a kernel's struct may be larger than what was passed

}  // namespace

LaunchWork EmulatedStreams::work_of(const device::GpuLaunch& launch) {
  LaunchWork work{launch.image, {}, {launch.words.begin(), launch.words.end()}};
  std::copy(launch.grid.begin(), launch.grid.end(), work.launch.grid);
  std::copy(launch.block.begin(), launch.block.end(), work.launch.block);
  work.words.resize(std::max(work.words.size(), kLeastWords));
  return work;
}

bool EmulatedStreams::may_run(device::Stream stream) const {
  const std::deque<Work>& queue = queues_[index(stream)];
  if (queue.empty()) return false;
  if (const auto* program = std::get_if<ProgramWait>(&queue.front())) return *program->done >= program->count;
  if (const auto* flag = std::get_if<device::GpuFlag>(&queue.front())) return may_pass(*flag);
  if (const auto* graph = std::get_if<GraphWork>(&queue.front())) return may_go_on(*graph);
  const auto* waiting = std::get_if<WaitWork>(&queue.front());
  return !waiting || has_reached(*waiting->of, waiting->event);
}

bool EmulatedStreams::awaits_flag() const {
  return std::ranges::any_of(queues_, [](const std::deque<Work>& queue) {
    return !queue.empty() &&
           (std::holds_alternative<device::GpuFlag>(queue.front()) || std::holds_alternative<GraphWork>(queue.front()));
  });
}

void EmulatedStreams::run_next(device::Stream stream) {
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

RuntimeError EmulatedStreams::error(const std::string& call, const std::string& what) const {
  return RuntimeError("[" + call + "] emulated GPU " + std::to_string(options_.ordinal) + ": " + what);
}

void EmulatedStreams::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

void EmulatedStreams::check(const char* call) const {
  if (!failure_.empty()) throw error(call, failure_);
}

void EmulatedStreams::issue(device::Stream stream, Work work) {
  if (auto* graph = std::get_if<GraphWork>(&work)) {
    if (graph->nodes.empty()) return;
    graph->done.assign(graph->nodes.size(), false);
    for (std::size_t node = 0; node < graph->nodes.size(); ++node) graph->left.push_back(node);
  }
  if (options_.run) queues_[index(stream)].push_back(std::move(work));
}

bool EmulatedStreams::may_await_flag() const {
  const auto waits = [](const Work& work) {
    const auto* flag = std::get_if<device::GpuFlag>(&work);
    const auto* graph = std::get_if<GraphWork>(&work);
    return (flag && flag->waits) || (graph && graph->may_await_flag());
  };
  return std::ranges::any_of(queues_, [&](const auto& queue) { return std::ranges::any_of(queue, waits); });
}

bool EmulatedStreams::idle() const {
  return std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue.empty(); });
}

void EmulatedStreams::step_by_chance() {
  for (std::uint64_t steps = random_() % 4; steps > 0 && !idle(); --steps) world().step(random_);
}

void EmulatedStreams::drain() {
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

const char* EmulatedStreams::find_trouble(const device::GpuCopy& copy) const {
  if (copy.rows > 1 && std::min(copy.to_pitch, copy.from_pitch) < copy.width) return "rows overlap";
  if (!world().contains_rows(copy.to, copy, copy.to_pitch)) return "a copy to memory that is no GPU's and not pinned";
  if (!world().contains_rows(copy.from, copy, copy.from_pitch)) {
    return "a copy from memory that is no GPU's and not pinned";
  }
  return nullptr;
}

const char* EmulatedStreams::find_trouble(const device::GpuProduct& product) const {
  if (!options_.multiplies) return "it does not multiply";
  return find_product_trouble(product,
                              [](const std::byte* data, std::size_t bytes) { return world().contains(data, bytes); });
}

const char* EmulatedStreams::find_trouble(const TransformWork& work) const {
  const device::GpuTransform& transform = work.transform;
  if (!options_.transforms) return "it does not transform";
  if (const char* trouble = find_transform_trouble(transform, work.from, work.to, work.work)) return trouble;
  if (!world().contains(work.from, bytes_spanned_from(transform))) return "lines that are not in memory of a GPU's";
  if (!world().contains(work.to, bytes_spanned_to(transform))) return "results that are not in memory of a GPU's";
  const std::size_t bytes = emulated_work_bytes(transform);
  return bytes > 0 && !world().contains(work.work, bytes) ? "no memory of a GPU's to work in" : nullptr;
}

const char* EmulatedStreams::find_trouble(const LapackWork& work) const {
  if (!options_.factorizes) return "it does not factorize";
  return find_lapack_trouble(work.lapack, work.cells,
                             [](const std::byte* data, std::size_t bytes) { return world().contains(data, bytes); });
}

void EmulatedStreams::run(const ProductWork& work) {
  if (!failure_.empty()) return;
  const char* trouble = find_trouble(work.product);
  if (!trouble) trouble = run_product(work.product);
  if (trouble) fail(trouble);
}

void EmulatedStreams::run(const TransformWork& work) {
  if (!failure_.empty()) return;
  const char* trouble = find_trouble(work);
  if (!trouble) trouble = run_transform(work.transform, work.from, work.to, work.work);
  if (trouble) fail(trouble);
}

void EmulatedStreams::run(const LapackWork& work) {
  if (!failure_.empty()) return;
  if (const char* trouble = find_trouble(work)) return fail(trouble);
  run_lapack(work.lapack, work.cells);
}

void EmulatedStreams::run(const LaunchWork& work) {
  if (!failure_.empty()) return;
  const EmulatedEntry entry = find_entry(work.image);
  if (!entry) return;
  EmulatedLaunch launch = work.launch;
  launch.words = work.words.data();
  launch.reversed = random_() % 2;
  if (const char* trouble = entry(&launch)) fail(trouble);
}

void EmulatedStreams::run(const TimeWork& work) {
  *work.time = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void EmulatedStreams::run(const device::GpuCopy& copy) {
  if (!failure_.empty()) return;
  if (const char* trouble = find_trouble(copy)) return fail(trouble);
  for (std::size_t row = 0; row < copy.rows; ++row) {
    std::memcpy(copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch, copy.width);
  }
}

void EmulatedStreams::run(const device::GpuFlag& flag) {
  if (!failure_.empty()) return;
  std::uint32_t& value = value_of(flag);
  if (flag.waits && value == 0) return fail("a flag that is waited for was given up");
  if (!flag.waits && value != 0) return fail("a flag is raised twice, or was not lowered at first");
  value = flag.waits ? 0 : 1;
}

void EmulatedStreams::run(GraphWork& graph) {
  while (!graph.left.empty()) {
    if (!graph.held_up_by) {
      const std::vector<std::size_t> ready = ready_nodes(graph);
      graph.held_up_by = ready[random_() % ready.size()];
    }
    if (!may_go_on(graph)) return;
    const std::size_t node = *std::exchange(graph.held_up_by, std::nullopt);
    std::visit([&](const auto& one) { graph.nodes[node].gpu->run(one); }, graph.nodes[node].work);
    EmulatedCounts& counts = graph.nodes[node].gpu->counts_;
    ++counts.graph_items;
    counts.products += std::holds_alternative<ProductWork>(graph.nodes[node].work);
    counts.transforms += std::holds_alternative<TransformWork>(graph.nodes[node].work);
    graph.done[node] = true;
    std::erase(graph.left, node);
  }
}

std::vector<std::size_t> EmulatedStreams::ready_nodes(const GraphWork& graph) {
  std::vector<std::size_t> ready;
  for (const std::size_t node : graph.left) {
    if (std::ranges::all_of(graph.nodes[node].after, [&](int i) { return graph.done[static_cast<std::size_t>(i)]; }))
      ready.push_back(node);
  }
  return ready;
}

bool EmulatedStreams::may_go_on(const GraphWork& graph) {
  if (!graph.held_up_by) return true;
  const GraphNode& node = graph.nodes[*graph.held_up_by];
  const auto* flag = std::get_if<device::GpuFlag>(&node.work);
  return !flag || node.gpu->may_pass(*flag);
}

EmulatedEntry EmulatedStreams::find_entry(const std::shared_ptr<const device::GpuImage>& image) {
  std::unique_ptr<EmulatedImage>& loaded = images_[image.get()];
  try {
    if (!loaded) loaded = std::make_unique<EmulatedImage>(image);
    return loaded->entry();
  } catch (const RuntimeError& error) {
    fail(error.what());
    return nullptr;
  }
}

}  // namespace pilum::fakes
