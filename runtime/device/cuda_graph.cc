#include "runtime/device/cuda_graph.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/device/cuda_copy.h"
#include "runtime/device/cuda_flag.h"

namespace pilum::device {
namespace {

// The launch's words go as one buffer, which the driver copies at the call that gets these parameters.
struct KernelNode {
  KernelNode(const GpuLaunch& launch, CudaGraphMember& gpu) : size(launch.words.size_bytes()) {
    extra[1] = const_cast<std::uint64_t*>(launch.words.data());
    extra[3] = &size;
    parameters.func = gpu.graph_entry(launch.image);
    parameters.gridDimX = launch.grid[0];
    parameters.gridDimY = launch.grid[1];
    parameters.gridDimZ = launch.grid[2];
    parameters.blockDimX = launch.block[0];
    parameters.blockDimY = launch.block[1];
    parameters.blockDimZ = launch.block[2];
    parameters.extra = extra;
    parameters.ctx = gpu.graph_context();
  }
  KernelNode(const KernelNode&) = delete;
  KernelNode& operator=(const KernelNode&) = delete;

  std::size_t size;
  void* extra[5] = {CU_LAUNCH_PARAM_BUFFER_POINTER, nullptr, CU_LAUNCH_PARAM_BUFFER_SIZE, nullptr, CU_LAUNCH_PARAM_END};
  CUDA_KERNEL_NODE_PARAMS parameters{};
};

CUDA_MEMCPY3D copy_node(const GpuCopy& copy) {
  CUDA_MEMCPY3D rows{};
  rows.srcMemoryType = rows.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.srcDevice = reinterpret_cast<CUdeviceptr>(copy.from);
  rows.dstDevice = reinterpret_cast<CUdeviceptr>(copy.to);
  const bool line = is_line(copy);
  rows.WidthInBytes = line ? copy.width * copy.rows : copy.width;
  rows.Height = line ? 1 : copy.rows;
  rows.srcPitch = line ? rows.WidthInBytes : copy.from_pitch;
  rows.dstPitch = line ? rows.WidthInBytes : copy.to_pitch;
  rows.srcHeight = rows.dstHeight = rows.Height;
  rows.Depth = 1;
  return rows;
}

}  // namespace

// What fails here and below failed before, and was thrown then.
CudaRetiredGraph::CudaRetiredGraph(CudaCalls home, std::vector<Part> parts, std::optional<CUstream> last)
    : home_(std::move(home)), parts_(std::move(parts)) {
  if (!last) return;
  if (home_.attempt(&CudaDriver::cuEventCreate, &end_, unsigned{CU_EVENT_DISABLE_TIMING}) != CUDA_SUCCESS) return;
  static_cast<void>(home_.attempt(&CudaDriver::cuEventRecord, end_, *last));
}

// The home's context is current at the end, as it is part 0's: whoever holds this goes on with calls of its own.
CudaRetiredGraph::~CudaRetiredGraph() {
  for (const Part& part : parts_ | std::views::reverse) {
    static_cast<void>(home_.attempt(&CudaDriver::cuCtxSetCurrent, part.context));
    if (part.ready) static_cast<void>(home_.attempt(&CudaDriver::cuGraphExecDestroy, part.ready));
    if (part.graph) static_cast<void>(home_.attempt(&CudaDriver::cuGraphDestroy, part.graph));
    if (part.flags)
      static_cast<void>(home_.attempt(&CudaDriver::cuMemFree_v2, reinterpret_cast<CUdeviceptr>(part.flags)));
  }
  if (end_) static_cast<void>(home_.attempt(&CudaDriver::cuEventDestroy_v2, end_));
}

bool CudaRetiredGraph::has_ended() const {
  return !end_ || home_.attempt(&CudaDriver::cuEventQuery, end_) != CUDA_ERROR_NOT_READY;
}

CudaGraph::CudaGraph(Gpu& home) {
  number_of(home);
}

CudaGraph::~CudaGraph() {
  drop_parts();
}

void CudaGraph::drop_parts() {
  if (parts_.empty()) return;
  for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].context = members_[p].graph->graph_context();
  CudaGraphMember& home = *members_.front().graph;
  static_cast<void>(home.graph_context());
  home.graph_retire(std::make_unique<CudaRetiredGraph>(home.graph_calls(), std::exchange(parts_, {}),
                                                       std::exchange(last_, std::nullopt)));
  flags_.clear();
}

int CudaGraph::number_of(Gpu& gpu) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (members_[m].gpu == &gpu) return static_cast<int>(m);
  }
  auto* graph = dynamic_cast<CudaGraphMember*>(&gpu);
  PILUM_CHECK(graph, "a graph of CUDA with another kind of GPU");
  members_.push_back({&gpu, graph});
  return static_cast<int>(members_.size()) - 1;
}

int CudaGraph::add(Gpu& gpu, Item item) {
  PILUM_CHECK(parts_.empty(), "the graph was issued");
  item.gpu = number_of(gpu);
  items_.push_back(std::move(item));
  return static_cast<int>(items_.size()) - 1;
}

int CudaGraph::add(Gpu& gpu, Stream stream, const GpuLaunch& launch, std::span<const int> after) {
  return add(gpu,
             {.stream = stream, .work = KeptLaunch(launch), .after = std::vector<int>(after.begin(), after.end())});
}

int CudaGraph::add(Gpu& gpu, Stream stream, const GpuCopy& copy, std::span<const int> after) {
  return add(gpu, {.stream = stream, .work = copy, .after = std::vector<int>(after.begin(), after.end())});
}

int CudaGraph::add(Gpu& gpu, Stream stream, const GpuFlag& flag, std::span<const int> after) {
  const FlagLaunch launch(flag, member(number_of(gpu)).graph->graph_given_up());
  return add(gpu, stream, launch.launch(), after);
}

int CudaGraph::add(Gpu& gpu, Stream stream, const GpuLibraryCall& call, std::span<const int> after) {
  Item item{.stream = stream, .work = call, .after = std::vector<int>(after.begin(), after.end())};
  int& last = member(number_of(gpu)).last_call;
  if (last >= 0 && std::ranges::find(item.after, last) == item.after.end()) item.after.push_back(last);
  return last = add(gpu, std::move(item));
}

void CudaGraph::change(int number, const GpuLaunch& launch) {
  Item& changed = items_[static_cast<std::size_t>(number)];
  changed.work = KeptLaunch(launch);
  if (!parts_.empty()) change_kernel(changed, launch);
}

void CudaGraph::change_kernel(const Item& item, const GpuLaunch& launch) {
  CudaGraphMember& gpu = *member(item.gpu).graph;
  const KernelNode kernel(launch, gpu);
  gpu.graph_calls().call(&CudaDriver::cuGraphExecKernelNodeSetParams_v2, part(item.part).ready, item.node,
                         &kernel.parameters);
}

void CudaGraph::change(int number, const GpuCopy& copy) {
  Item& changed = items_[static_cast<std::size_t>(number)];
  changed.work = copy;
  if (parts_.empty()) return;
  if (changed.is_kernel) return change_kernel(changed, CopyLaunch(copy).launch);
  if (!changed.is_line || !is_line(copy)) return drop_parts();
  CudaGraphMember& gpu = *member(changed.gpu).graph;
  const CUDA_MEMCPY3D rows = copy_node(copy);
  gpu.graph_calls().call(&CudaDriver::cuGraphExecMemcpyNodeSetParams, part(changed.part).ready, changed.node, &rows,
                         gpu.graph_context());
}

void CudaGraph::change(int number, const GpuLibraryCall& call) {
  Item& changed = items_[static_cast<std::size_t>(number)];
  changed.work = call;
  if (parts_.empty()) return;
  CudaGraphMember& gpu = *member(changed.gpu).graph;
  const CudaCaptured captured = gpu.graph_capture(call);
  const CudaCalls& cuda = gpu.graph_calls();
  const CUresult result = cuda.attempt(&CudaDriver::cuGraphExecChildGraphNodeSetParams, part(changed.part).ready,
                                       changed.node, captured.graph);
  cuda.call(&CudaDriver::cuGraphDestroy, captured.graph);
  if (result != CUDA_SUCCESS) return drop_parts();  // the library takes other kernels for it
  hold(changed.part, captured.held);
}

// Edges are apart where a sweep takes long: there copies pass by the interior, which waiting kernels may hinder.
// Between four GPUs a program with updates of every second cell hung, in one of some seven to thirty runs: three GPUs
// waited for flags, the fourth was idle, and why is not known (docs/results/programs.md). So it is two that are cut.
bool CudaGraph::is_worth_cutting() const {
  constexpr std::size_t kMostCut = 2;
  if (members_.size() > kMostCut) return false;
  if (std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.stream == Stream::Boundaries; }))
    return false;
  for (const Member& from : members_) {
    for (const Member& to : members_) {
      if (!from.graph->graph_reaches(*to.graph)) return false;
    }
  }
  return true;
}

CutGraph CudaGraph::cut(std::size_t parts) {
  std::vector<GraphItem> items;
  for (Item& item : items_) {
    item.part = parts > 1 ? item.gpu : 0;
    items.push_back({item.part, item.after});
  }
  parts_.resize(parts);
  return cut_graph(static_cast<int>(parts), items);
}

void CudaGraph::make() {
  CutGraph cut = this->cut(is_worth_cutting() ? members_.size() : 1);
  if (!make_flags(cut)) {
    drop_parts();
    cut = this->cut(1);
  }
  make_graphs(cut);
}

bool CudaGraph::make_flags(const CutGraph& cut) {
  std::vector<std::size_t> counts(parts_.size(), 0);
  for (const int p : cut.flag_parts) ++counts[static_cast<std::size_t>(p)];
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (counts[p] == 0) continue;
    static_cast<void>(members_[p].graph->graph_context());
    const CudaCalls& cuda = members_[p].graph->graph_calls();
    CUdeviceptr flags = 0;
    const CUresult result = cuda.attempt(&CudaDriver::cuMemAlloc_v2, &flags, counts[p] * kFlagBytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return false;
    if (result != CUDA_SUCCESS) cuda.fail(&CudaDriver::cuMemAlloc_v2, result);
    parts_[p].flags = reinterpret_cast<std::byte*>(flags);
    // Not in a stream of the GPU's own: they are lowered before anybody raises them.
    constexpr CUstream kDefault = nullptr;
    cuda.call(&CudaDriver::cuMemsetD8_v2, flags, static_cast<unsigned char>(0), counts[p] * kFlagBytes);
    cuda.call(&CudaDriver::cuStreamSynchronize, kDefault);
  }
  std::fill(counts.begin(), counts.end(), 0);
  for (const int p : cut.flag_parts)
    flags_.push_back(part(p).flags + kFlagBytes * counts[static_cast<std::size_t>(p)]++);
  return true;
}

void CudaGraph::make_graphs(const CutGraph& cut) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    static_cast<void>(members_[p].graph->graph_context());
    members_[p].graph->graph_calls().call(&CudaDriver::cuGraphCreate, &parts_[p].graph, 0u);
  }
  std::vector<CUgraphNode> nodes;
  for (const CutGraph::Node& node : cut.nodes) {
    std::vector<CUgraphNode> after;
    for (const int before : node.after) after.push_back(nodes[static_cast<std::size_t>(before)]);
    if (node.kind != CutGraph::Kind::Work) {
      const FlagLaunch flags(flags_of(node), node.kind == CutGraph::Kind::Wait);
      nodes.push_back(make_kernel(node.part, *member(node.part).graph, Stream::Copies, flags.launch(), after));
      continue;
    }
    Item& item = items_[static_cast<std::size_t>(node.item)];
    CudaGraphMember& gpu = *member(item.gpu).graph;
    if (const auto* copy = std::get_if<GpuCopy>(&item.work)) {
      item.node = make_copy(item, node.part, gpu, *copy, after);
    } else if (const auto* call = std::get_if<GpuLibraryCall>(&item.work)) {
      item.node = make_call(node.part, gpu, *call, after);
    } else {
      const GpuLaunch launch = std::get<KeptLaunch>(item.work).launch();
      item.node = make_kernel(node.part, gpu, item.stream, launch, after);
    }
    nodes.push_back(item.node);
  }
  constexpr unsigned long long kUsePriorities = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    static_cast<void>(members_[p].graph->graph_context());
    members_[p].graph->graph_calls().call(&CudaDriver::cuGraphInstantiateWithFlags, &parts_[p].ready, parts_[p].graph,
                                          kUsePriorities);
  }
}

CUgraphNode CudaGraph::make_kernel(int to, CudaGraphMember& gpu, Stream stream, const GpuLaunch& launch,
                                   std::span<const CUgraphNode> after) {
  const CudaCalls& cuda = gpu.graph_calls();
  CUgraphNode node = nullptr;
  const KernelNode kernel(launch, gpu);
  cuda.call(&CudaDriver::cuGraphAddKernelNode_v2, &node, part(to).graph, after.data(), after.size(),
            &kernel.parameters);
  if (parts_.size() > 1) return node;  // nothing in it passes by anything: priorities would only cost queues
  CUkernelNodeAttrValue value{};
  value.priority = gpu.graph_priority(stream);
  cuda.call(&CudaDriver::cuGraphKernelNodeSetAttribute, node, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY,
            static_cast<const CUkernelNodeAttrValue*>(&value));
  return node;
}

CUgraphNode CudaGraph::make_call(int to, CudaGraphMember& gpu, const GpuLibraryCall& call,
                                 std::span<const CUgraphNode> after) {
  const CudaCaptured captured = gpu.graph_capture(call);
  CUgraphNode node = nullptr;
  const CudaCalls& cuda = gpu.graph_calls();
  const CUresult result = cuda.attempt(&CudaDriver::cuGraphAddChildGraphNode, &node, part(to).graph, after.data(),
                                       after.size(), captured.graph);
  cuda.call(&CudaDriver::cuGraphDestroy, captured.graph);
  if (result != CUDA_SUCCESS) {
    throw GraphRefused("[" + cuda.who + "] a library's call is no part of a graph: " + describe(cuda.driver, result));
  }
  hold(to, captured.held);
  return node;
}

CUgraphNode CudaGraph::make_copy(Item& item, int to, CudaGraphMember& gpu, const GpuCopy& copy,
                                 std::span<const CUgraphNode> after) {
  item.is_line = is_line(copy);
  item.is_kernel = !item.is_line && gpu.graph_reaches(copy.to) && gpu.graph_reaches(copy.from);
  if (item.is_kernel) return make_kernel(to, gpu, item.stream, CopyLaunch(copy).launch, after);
  CUgraphNode node = nullptr;
  const CUDA_MEMCPY3D rows = copy_node(copy);
  const CUcontext context = gpu.graph_context();
  gpu.graph_calls().call(&CudaDriver::cuGraphAddMemcpyNode, &node, part(to).graph, after.data(), after.size(), &rows,
                         context);
  return node;
}

void CudaGraph::hold(int to, const std::shared_ptr<const void>& what) {
  std::vector<std::shared_ptr<const void>>& held = part(to).held;
  if (what && std::ranges::find(held, what) == held.end()) held.push_back(what);
}

std::vector<std::byte*> CudaGraph::flags_of(const CutGraph::Node& node) const {
  std::vector<std::byte*> flags;
  for (const int flag : node.flags) flags.push_back(flags_[static_cast<std::size_t>(flag)]);
  return flags;
}

void CudaGraph::issue(CUstream stream) {
  if (parts_.empty()) make();
  last_ = stream;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    static_cast<void>(members_[p].graph->graph_context());
    members_[p].graph->graph_calls().call(&CudaDriver::cuGraphLaunch, parts_[p].ready,
                                          p == 0 ? stream : members_[p].graph->graph_stream());
  }
}

}  // namespace pilum::device
