#include "scheduler/execute/plan_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "runtime/kernel/device/device_bundle.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {
namespace {

// Launches of more cells or blocks fill a GPU by themselves.
constexpr std::int64_t kSmallCells = std::int64_t{1} << 20;
constexpr std::int64_t kSmallBlocks = 512;

template <class Extents>
std::int64_t product(const Extents& extents, int rank) {
  std::int64_t cells = 1;
  for (int axis = 0; axis < rank; ++axis) cells *= extents[static_cast<std::size_t>(axis)];
  return cells;
}

std::int64_t count_cells(const Instruction& instruction) {
  if (const auto* launch = std::get_if<Launch>(&instruction.what)) return product(launch->extent, launch->rank);
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) return product(copy->extent, copy->rank);
  if (const auto* fold = std::get_if<FoldParts>(&instruction.what))
    return product(fold->extent, fold->rank) * fold->part_count;
  if (const auto* reshape = std::get_if<Reshape>(&instruction.what))
    return product(reshape->to_extent, reshape->to_rank);
  return kSmallCells + 1;
}

// Which launches go with others. Each text is read once for a size of blocks.
class Bundleable {
 public:
  bool contains(const Instruction& instruction, const KernelWork& work) {
    const device::GpuLaunch& launch = work.launch;
    if (!work.text || count_cells(instruction) > kSmallCells ||
        std::int64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] > kSmallBlocks)
      return false;
    const auto [found, is_new] = known_.try_emplace({work.text, launch.block}, false);
    if (is_new) found->second = kernel::fits_a_bundle(*work.text, {launch.grid, launch.block});
    return found->second;
  }

 private:
  std::map<std::pair<const std::string*, std::array<std::uint32_t, 3>>, bool> known_;
};

// Boundaries, which pass by what computes, are kept apart.
int lane_of(const Instruction& instruction) {
  return 2 * instruction.processor + (stream_of(instruction) == device::Stream::Boundaries);
}

// What each item comes after. Between ranks nothing may wait that keeps back what its peer waits for: a wait for a peer
// comes after all that was told before, and after earlier waits (device/graph_cut.h says why that suffices).
std::vector<std::vector<int>> order(const BoundPlan& run) {
  std::vector<std::vector<int>> after = run.plan_template().predecessors();
  std::vector<int> told;  // since the last wait, with that
  for (int item = 0; item < run.size(); ++item) {
    const auto flag = flag_of(run.instruction(item));
    if (!flag) continue;
    if (flag->waits) {
      std::vector<int>& own = after[static_cast<std::size_t>(item)];
      own.insert(own.end(), told.begin(), told.end());
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      told.clear();
    }
    told.push_back(item);
  }
  return after;
}

// Null: it is a library's call.
std::shared_ptr<const device::GpuImage> image_of(const device::KeptWork& work) {
  const auto* launch = std::get_if<device::KeptLaunch>(&work);
  return launch ? launch->image() : nullptr;
}

std::size_t round_words(std::size_t words) {
  std::size_t rounded = 512;
  while (rounded < words) rounded *= 2;
  return std::min(rounded, kernel::kBundleWords);
}

}  // namespace

PlanGraph::PlanGraph(const BoundPlan& run, std::vector<device::Gpu*> gpus, device::Gpu& home, jit::DeviceJit& jit,
                     OutOfBoundsReports& reports)
    : run_(run), gpus_(std::move(gpus)), home_(home), jit_(jit), reports_(reports) {}

device::Gpu& PlanGraph::gpu_of(int item) const {
  return *gpus_[static_cast<std::size_t>(run_.instruction(item).processor)];
}

PlanGraph::Item PlanGraph::prepare_item(int number) const {
  Item item{prepare(run_.instruction(number), gpu_of(number), jit_, reports_), {}};
  if (auto* kernel = std::get_if<KernelWork>(&item.work)) {
    item.words.assign(kernel->launch.words.begin(), kernel->launch.words.end());
    kernel->launch.words = item.words;  // moves with the vector
  }
  return item;
}

device::GpuGraph& PlanGraph::update(const std::vector<int>& changed) {
  if (!graph_ || (!awaited_.empty() && are_compiled(awaited_))) {
    make();
    return *graph_;
  }
  if (!bundles_) awaited_.clear();
  std::vector<std::size_t> nodes;
  for (const int item : changed) nodes.push_back(node_of_[static_cast<std::size_t>(item)]);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (const std::size_t node : nodes) {
    if (change(node)) continue;
    make();
    break;
  }
  return *graph_;
}

// Where the compiler refuses one there are graphs of single items, which give the same values.
bool PlanGraph::are_compiled(const Kernels& kernels) {
  const auto is_missing = [](const auto& kernel) { return kernel && !kernel->ready(); };
  if (std::any_of(kernels.begin(), kernels.end(), is_missing)) return false;
  try {
    for (const auto& kernel : kernels) {
      if (kernel) static_cast<void>(kernel->image());
    }
  } catch (const Error& error) {
    log("scheduler").warn("small launches stay apart: {}", error.what());
    bundles_ = false;
  }
  return bundles_;
}

void PlanGraph::find_nodes(const std::vector<Item>& items, bool bundled) {
  std::vector<BundleItem> facts;
  Bundleable bundleable;
  int waits = 0;  // until here: a bundle of what is before one and what is behind it would be kept back as a whole
  const int lanes = 2 * static_cast<int>(gpus_.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Instruction& instruction = run_.instruction(static_cast<int>(i));
    waits += waits_for_peer(instruction);
    const auto* kernel = std::get_if<KernelWork>(&items[i].work);
    const bool joins = bundled && kernel && bundleable.contains(instruction, *kernel);
    facts.push_back({joins ? kernel->text : nullptr, items[i].words.size(), lane_of(instruction) + lanes * waits});
  }
  nodes_ = find_bundles(facts, order(run_));
  node_of_.assign(items.size(), 0);
  kernels_.assign(nodes_.nodes.size(), nullptr);
  std::map<std::pair<std::vector<const std::string*>, std::size_t>, std::shared_ptr<const jit::DeviceKernel>> known;
  for (std::size_t n = 0; n < nodes_.nodes.size(); ++n) {
    GraphBundles::Node& node = nodes_.nodes[n];
    for (const int item : node.items) node_of_[static_cast<std::size_t>(item)] = n;
    if (node.items.size() == 1) continue;
    node.words = round_words(node.words);
    auto& kernel = known[{node.texts, node.words}];
    if (!kernel) kernel = jit_.get(kernel::emit_bundle(node.texts, node.words));
    kernels_[n] = kernel;
  }
}

void PlanGraph::make() {
  std::vector<Item> items;
  items.reserve(static_cast<std::size_t>(run_.size()));
  for (int item = 0; item < run_.size(); ++item) items.push_back(prepare_item(item));
  awaited_.clear();
  find_nodes(items, bundles_);
  if (!are_compiled(kernels_)) {
    if (bundles_) awaited_ = std::move(kernels_);
    find_nodes(items, /*bundled=*/false);
  }
  graph_ = home_.make_graph();
  numbers_.clear();
  for (std::size_t n = 0; n < nodes_.nodes.size(); ++n) add(n, items);
}

void PlanGraph::add(std::size_t node, const std::vector<Item>& items) {
  const std::vector<int>& members = nodes_.nodes[node].items;
  const int first = members.front();
  device::Gpu& gpu = gpu_of(first);
  const device::Stream stream = stream_of(run_.instruction(first));
  Numbers& numbers = numbers_.emplace_back();
  for (const int before : nodes_.nodes[node].after) {
    const std::vector<int>& ends = numbers_[static_cast<std::size_t>(before)].ends;
    numbers.ends.insert(numbers.ends.end(), ends.begin(), ends.end());
  }
  const auto append = [&](const auto& work) {
    numbers.own.push_back(graph_->add(gpu, stream, work, numbers.ends));
    numbers.ends = {numbers.own.back()};
  };
  if (members.size() > 1) {
    std::vector<const Item*> bundled;
    for (const int item : members) bundled.push_back(&items[static_cast<std::size_t>(item)]);
    device::GpuLaunch launch;
    PILUM_CHECK(pack(node, bundled, launch), "a bundle of other launches than it was made for");
    return append(launch);
  }
  const GpuWork& work = items[static_cast<std::size_t>(first)].work;
  if (const auto* kernel = std::get_if<KernelWork>(&work)) return append(kernel->launch);
  if (const auto* flag = std::get_if<device::GpuFlag>(&work)) return append(*flag);
  if (const auto* copy = std::get_if<device::GpuCopy>(&work)) return append(*copy);
  for (const device::KeptWork& one : std::get<WorkInTurn>(work)) {
    device::visit_work(one, append);
    numbers.images.push_back(image_of(one));
  }
}

bool PlanGraph::pack(std::size_t node, const std::vector<const Item*>& members, device::GpuLaunch& launch) {
  const GraphBundles::Node& bundle = nodes_.nodes[node];
  std::vector<kernel::BundledLaunch> launches;
  std::size_t words = kernel::kBundleHead;
  for (const Item* member : members) {
    const auto* work = std::get_if<KernelWork>(&member->work);
    const int text = work && work->text ? find_text(bundle.texts, *work->text) : -1;
    if (text < 0 || !kernel::fits_a_bundle(*work->text, {work->launch.grid, work->launch.block})) return false;
    launches.push_back({text, {work->launch.grid, work->launch.block}, member->words});
    words += kernel::kBundleRecord + member->words.size();
  }
  if (words > bundle.words) return false;
  const kernel::DeviceShape shape = pack_bundle(launches, bundle.words, words_);
  launch = {kernels_[node]->image(), shape.grid, shape.block, words_};
  return true;
}

bool PlanGraph::change(std::size_t node) {
  const std::vector<int>& numbers = numbers_[node].own;
  std::vector<Item> items;
  items.reserve(nodes_.nodes[node].items.size());
  for (const int item : nodes_.nodes[node].items) items.push_back(prepare_item(item));
  if (items.size() == 1) {
    const GpuWork& work = items.front().work;
    if (const auto* kernel = std::get_if<KernelWork>(&work)) graph_->change(numbers.front(), kernel->launch);
    if (const auto* copy = std::get_if<device::GpuCopy>(&work)) graph_->change(numbers.front(), *copy);
    const auto* several = std::get_if<WorkInTurn>(&work);
    return !several || change(node, *several);
  }
  std::vector<const Item*> members;
  for (const Item& item : items) members.push_back(&item);
  device::GpuLaunch launch;
  if (!pack(node, members, launch)) return false;
  graph_->change(numbers.front(), launch);
  return true;
}

bool PlanGraph::change(std::size_t node, const WorkInTurn& work) {
  Numbers& numbers = numbers_[node];
  const auto is_same = [](const device::KeptWork& one, const auto& image) { return image_of(one) == image; };
  if (!std::ranges::equal(work, numbers.images, is_same)) return false;
  for (std::size_t k = 0; k < work.size(); ++k)
    device::visit_work(work[k], [&](const auto& one) { graph_->change(numbers.own[k], one); });
  return true;
}

}  // namespace pilum::scheduler
