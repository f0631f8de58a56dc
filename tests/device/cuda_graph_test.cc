// Graphs by the driver's interface, against a driver that does what CUDA's documentation says of the functions that
// graphs use, and refuses what it refuses.
#include "runtime/device/cuda_graph.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <list>
#include <numeric>
#include <vector>

namespace pilum::device {
namespace {

struct Node {
  bool is_copy = false;
  CUDA_MEMCPY3D copy{};
  std::vector<std::uint64_t> words;
  int kernels_of_call = 0, cells = 0;  // of a library's call: how many it takes, and for what
  std::size_t after = 0;
};
struct Graph {
  std::list<Node> nodes;
  int kernels_of_call = 0, cells = 0;  // captured
};
struct Driver {
  std::list<Graph> graphs;
  int made = 0;  // instantiated
  int gone = 0, events = 0;
  bool ended = false;  // what was issued
  int kernels = 0;
  int launched = 0, captured = 0;  // captured: graphs of calls that are not destroyed
};
Driver driver;

bool is_line(const CUDA_MEMCPY3D& copy) {
  return copy.Height == 1 && copy.Depth == 1;
}

Node kernel_node(const CUDA_KERNEL_NODE_PARAMS& parameters) {
  Node node;
  const auto* bytes = static_cast<const std::uint64_t*>(parameters.extra[1]);
  const std::size_t size = *static_cast<std::size_t*>(parameters.extra[3]);
  node.words.assign(bytes, bytes + size / sizeof(std::uint64_t));
  // Threads and blocks for each column, rows of blocks for some row.
  EXPECT_GE(std::uint64_t{parameters.gridDimX} * parameters.blockDimX, node.words[2]);
  EXPECT_GE(parameters.gridDimY, 1u);
  EXPECT_LE(parameters.gridDimY, 65535u);
  return node;
}

// As the driver has it: "Both the instantiation-time memory operands and the memory operands in copyParams must be
// 1-dimensional. Zero-length operations are not supported."
CUresult set_copy(CUgraphExec, CUgraphNode node, const CUDA_MEMCPY3D* copy, CUcontext) {
  Node& changed = *reinterpret_cast<Node*>(node);
  if (!is_line(changed.copy) || !is_line(*copy) || copy->WidthInBytes == 0) return CUDA_ERROR_INVALID_VALUE;
  changed.copy = *copy;
  return CUDA_SUCCESS;
}

void run_copy(const CUDA_MEMCPY3D& copy) {
  for (std::size_t row = 0; row < copy.Height; ++row) {
    std::memcpy(reinterpret_cast<std::byte*>(copy.dstDevice) + row * copy.dstPitch,
                reinterpret_cast<const std::byte*>(copy.srcDevice) + row * copy.srcPitch, copy.WidthInBytes);
  }
}

// What cuda_copy.h says of the words; the unit is what makes the row as wide as it was asked for.
void run_kernel(const std::vector<std::uint64_t>& words, std::size_t unit) {
  for (std::uint64_t row = 0; row < words[3]; ++row) {
    std::memcpy(reinterpret_cast<std::byte*>(words[0] + row * words[4]),
                reinterpret_cast<const std::byte*>(words[1] + row * words[5]), words[2] * unit);
  }
}

std::size_t unit_of_words = 8;

CudaDriver make_driver() {
  CudaDriver functions;
  functions.cuGetErrorName.address = [](CUresult, const char** name) { return *name = "refused", CUDA_SUCCESS; };
  functions.cuGetErrorString.address = [](CUresult, const char** text) { return *text = "refused", CUDA_SUCCESS; };
  functions.cuGraphCreate.address = [](CUgraph* graph, unsigned) {
    driver.graphs.emplace_back();
    *graph = reinterpret_cast<CUgraph>(&driver.graphs.back());
    return CUDA_SUCCESS;
  };
  functions.cuGraphDestroy.address = [](CUgraph graph) {
    driver.captured -= reinterpret_cast<Graph*>(graph)->kernels_of_call > 0;
    return CUDA_SUCCESS;
  };
  functions.cuGraphAddChildGraphNode.address = [](CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t after,
                                                  CUgraph call) {
    const auto& captured = *reinterpret_cast<Graph*>(call);
    auto& nodes = reinterpret_cast<Graph*>(graph)->nodes;
    nodes.push_back({.kernels_of_call = captured.kernels_of_call, .cells = captured.cells, .after = after});
    *node = reinterpret_cast<CUgraphNode>(&nodes.back());
    return CUDA_SUCCESS;
  };
  functions.cuGraphExecChildGraphNodeSetParams.address = [](CUgraphExec, CUgraphNode node, CUgraph call) {
    Node& changed = *reinterpret_cast<Node*>(node);
    const auto& captured = *reinterpret_cast<Graph*>(call);
    if (changed.kernels_of_call != captured.kernels_of_call) return CUDA_ERROR_INVALID_VALUE;
    changed.cells = captured.cells;
    return CUDA_SUCCESS;
  };
  functions.cuGraphExecDestroy.address = [](CUgraphExec) { return ++driver.gone, CUDA_SUCCESS; };
  functions.cuCtxSetCurrent.address = [](CUcontext) { return CUDA_SUCCESS; };
  functions.cuEventCreate.address = [](CUevent* event, unsigned) {
    *event = reinterpret_cast<CUevent>(&driver);
    return CUDA_SUCCESS;
  };
  functions.cuEventRecord.address = [](CUevent, CUstream) { return ++driver.events, CUDA_SUCCESS; };
  functions.cuEventQuery.address = [](CUevent) { return driver.ended ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY; };
  functions.cuEventDestroy_v2.address = [](CUevent) { return CUDA_SUCCESS; };
  functions.cuGraphAddKernelNode_v2.address = [](CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t,
                                                 const CUDA_KERNEL_NODE_PARAMS* parameters) {
    auto& nodes = reinterpret_cast<Graph*>(graph)->nodes;
    nodes.push_back(kernel_node(*parameters));
    *node = reinterpret_cast<CUgraphNode>(&nodes.back());
    ++driver.kernels;
    return CUDA_SUCCESS;
  };
  functions.cuGraphAddMemcpyNode.address = [](CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t,
                                              const CUDA_MEMCPY3D* copy, CUcontext) {
    auto& nodes = reinterpret_cast<Graph*>(graph)->nodes;
    nodes.push_back({.is_copy = true, .copy = *copy});
    *node = reinterpret_cast<CUgraphNode>(&nodes.back());
    return CUDA_SUCCESS;
  };
  functions.cuGraphKernelNodeSetAttribute.address = [](CUgraphNode, CUkernelNodeAttrID, const CUkernelNodeAttrValue*) {
    return CUDA_SUCCESS;
  };
  functions.cuGraphInstantiateWithFlags.address = [](CUgraphExec* ready, CUgraph graph, unsigned long long) {
    *ready = reinterpret_cast<CUgraphExec>(graph);
    ++driver.made;
    return CUDA_SUCCESS;
  };
  functions.cuGraphExecKernelNodeSetParams_v2.address = [](CUgraphExec, CUgraphNode node,
                                                           const CUDA_KERNEL_NODE_PARAMS* parameters) {
    *reinterpret_cast<Node*>(node) = kernel_node(*parameters);
    return CUDA_SUCCESS;
  };
  functions.cuGraphExecMemcpyNodeSetParams.address = set_copy;
  functions.cuGraphLaunch.address = [](CUgraphExec ready, CUstream) {
    ++driver.launched;
    for (const Node& node : reinterpret_cast<Graph*>(ready)->nodes) {
      if (node.kernels_of_call > 0) continue;
      node.is_copy ? run_copy(node.copy) : run_kernel(node.words, unit_of_words);
    }
    return CUDA_SUCCESS;
  };
  return functions;
}

class Member final : public Gpu, public CudaGraphMember {
 public:
  explicit Member(bool reaches) : reaches_(reaches) {}
  const CudaCalls& graph_calls() const override { return calls_; }
  CUcontext graph_context() const override { return nullptr; }
  CUfunction graph_entry(const std::shared_ptr<const GpuImage>&) override { return nullptr; }
  int graph_priority(Stream) const override { return 0; }
  CUstream graph_stream() override { return nullptr; }
  const std::byte* graph_given_up() const override { return nullptr; }
  // A product of so many rows takes as many kernels; of none it is refused.
  CudaCaptured graph_capture(const GpuLibraryCall& call) override {
    const auto& product = std::get<GpuProduct>(call);
    if (product.rows == 0) throw GraphRefused("it is refused");
    driver.graphs.push_back({{}, static_cast<int>(product.rows), static_cast<int>(product.columns)});
    ++driver.captured;
    return {reinterpret_cast<CUgraph>(&driver.graphs.back()), held};
  }
  bool graph_reaches(const CudaGraphMember&) const override { return true; }
  bool graph_reaches(const std::byte*) const override { return reaches_; }
  void graph_retire(std::unique_ptr<CudaRetiredGraph> graph) override { retired.push_back(std::move(graph)); }

  // Not used by graphs.
  const GpuInfo& info() const override { return info_; }
  std::byte* allocate(std::size_t) override { return nullptr; }
  void release(std::byte*) override {}
  std::byte* allocate_pinned(std::size_t) override { return nullptr; }
  void release_pinned(std::byte*) override {}
  std::int64_t free_bytes() override { return 0; }
  int occupancy(const std::shared_ptr<const GpuImage>&, int) override { return 1; }
  bool has_loaded(const std::shared_ptr<const GpuImage>&) override { return true; }
  void launch(Stream, const GpuLaunch&) override {}
  void copy(Stream, const GpuCopy&) override {}
  void tell(Stream, const GpuFlag&) override {}
  void give_up_flags() override {}
  std::string find_trouble(GpuSkill) override { return "none"; }
  void multiply(Stream, const GpuProduct&) override {}
  std::size_t transform_bytes(const GpuTransform&) override { return 0; }
  std::size_t lapack_bytes(const GpuLapack&) override { return 0; }
  void run(Stream, const GpuLapack&, const GpuLapackCells&) override {}
  void transform(Stream, const GpuTransform&, std::byte*, std::byte*, std::byte*) override {}
  std::unique_ptr<GpuGraph> make_graph() override { return nullptr; }
  void launch(Stream, GpuGraph&) override {}
  Event record_event(Stream) override { return {}; }
  void wait(Stream, Gpu&, Event) override {}
  bool completed(Event) override { return true; }
  std::int64_t mark_time(Stream) override { return 0; }
  std::optional<std::int64_t> take_time(std::int64_t) override { return 0; }
  void wait_for_program(void*) override {}
  void make_program_wait(void*) override {}
  void finish() override {}
  bool connect(Gpu&) override { return true; }
  GpuShare share(std::byte*) override { return {}; }
  std::byte* open_share(const GpuShare&) override { return nullptr; }
  void push_range(const char*) override {}
  void pop_range() override {}

 private:
  GpuInfo info_;
  CudaDriver driver_ = make_driver();
  CudaCalls calls_{driver_, "GPU 0"};
  bool reaches_;

 public:
  std::vector<std::unique_ptr<CudaRetiredGraph>> retired;
  std::shared_ptr<const void> held = std::make_shared<int>();
};

// A field of 16 × 256 bytes, and what part of it lies where after a copy of `rows` rows of `width` bytes.
struct alignas(8) Field {
  std::array<std::byte, 16 * 256> cells{};
};

GpuCopy rows_of(Field& to, const Field& from, std::size_t width, std::size_t rows, std::size_t pitch) {
  return {.to = to.cells.data(),
          .from = from.cells.data(),
          .width = width,
          .rows = rows,
          .to_pitch = pitch,
          .from_pitch = 256};
}

class CudaGraphCopies : public ::testing::TestWithParam<bool> {
 protected:
  CudaGraphCopies() : gpu(GetParam()) {
    driver = Driver();
    for (std::size_t at = 0; at < from.cells.size(); ++at) from.cells[at] = static_cast<std::byte>(at * 7 + at / 256);
  }

  // Issued, and looked at cell by cell.
  void expect_copied(CudaGraph& graph, Field& to, const GpuCopy& copy) {
    unit_of_words = copy.width % 8 == 0 ? 8 : copy.width % 4 == 0 ? 4 : 1;
    to = Field();
    graph.issue(nullptr);
    Field expected;
    for (std::size_t row = 0; row < copy.rows; ++row) {
      for (std::size_t column = 0; column < copy.width; ++column)
        expected.cells[row * copy.to_pitch + column] = from.cells[row * copy.from_pitch + column];
    }
    EXPECT_EQ(std::memcmp(expected.cells.data(), to.cells.data(), sizeof(to.cells)), 0);
  }

  Member gpu;
  Field from, to, other;
};

TEST_P(CudaGraphCopies, OfRowsTakeOtherAddressesAndShapes) {
  CudaGraph graph(gpu);
  GpuCopy copy = rows_of(to, from, 24, 5, 256);
  graph.add(gpu, Stream::Copies, copy, {});
  expect_copied(graph, to, copy);
  graph.change(0, copy = rows_of(other, from, 24, 5, 256));
  expect_copied(graph, other, copy);
  graph.change(0, copy = rows_of(to, from, 36, 7, 64));
  expect_copied(graph, to, copy);
  graph.change(0, copy = rows_of(to, from, 3, 16, 5));
  expect_copied(graph, to, copy);
  graph.change(0, copy = rows_of(to, from, 40, 1, 40));  // a line now
  expect_copied(graph, to, copy);
}

TEST_P(CudaGraphCopies, OfALineMayBecomeRows) {
  CudaGraph graph(gpu);
  GpuCopy copy = rows_of(to, from, 256, 4, 256);
  graph.add(gpu, Stream::Copies, copy, {});
  expect_copied(graph, to, copy);
  graph.change(0, copy = rows_of(other, from, 256, 6, 256));
  expect_copied(graph, other, copy);
  EXPECT_EQ(driver.made, 1) << "lines change where they are";
  EXPECT_EQ(driver.kernels, 0);
  graph.change(0, copy = rows_of(other, from, 128, 6, 256));
  expect_copied(graph, other, copy);
}

TEST_P(CudaGraphCopies, OfRowsStayWhereTheGpuReachesBothSides) {
  CudaGraph graph(gpu);
  GpuCopy copy = rows_of(to, from, 24, 5, 256);
  graph.add(gpu, Stream::Copies, copy, {});
  for (int round = 0; round < 4; ++round) {
    graph.change(0, copy = rows_of(round % 2 ? to : other, from, 24, 5, 256));
    expect_copied(graph, round % 2 ? to : other, copy);
  }
  EXPECT_EQ(driver.made, GetParam() ? 1 : 4);
}

// Its flags' memory, given back and given out anew meanwhile, would be raised by what is of old.
TEST_P(CudaGraphCopies, WhatMayStillRunIsKept) {
  GpuCopy copy = rows_of(to, from, 256, 4, 256);
  {
    CudaGraph graph(gpu);
    graph.add(gpu, Stream::Copies, copy, {});
    expect_copied(graph, to, copy);
  }
  ASSERT_EQ(gpu.retired.size(), 1u);
  EXPECT_EQ(driver.events, 1) << "behind what was issued";
  EXPECT_EQ(driver.gone, 0);
  EXPECT_FALSE(gpu.retired[0]->has_ended());
  driver.ended = true;
  EXPECT_TRUE(gpu.retired[0]->has_ended());
  gpu.retired.clear();
  EXPECT_EQ(driver.gone, 1);
  {
    CudaGraph graph(gpu);
    graph.add(gpu, Stream::Copies, copy, {});
  }
  EXPECT_TRUE(gpu.retired.empty()) << "it never was issued";
}

struct CudaGraphCalls : ::testing::Test {
  CudaGraphCalls() { driver = Driver(); }
  static GpuLibraryCall product(int kernels, int cells) {
    GpuProduct product;
    product.rows = kernels;
    product.columns = cells;
    return product;
  }
  // Of the graph that was made last.
  static std::vector<Node> calls() {
    const Graph* made = nullptr;
    for (const Graph& graph : driver.graphs) {
      if (!graph.nodes.empty()) made = &graph;
    }
    return made ? std::vector<Node>(made->nodes.begin(), made->nodes.end()) : std::vector<Node>();
  }
  Member gpu{true};
};

// They work in the same memory.
TEST_F(CudaGraphCalls, OfAGpuComeOneAfterTheOther) {
  CudaGraph graph(gpu);
  graph.add(gpu, Stream::Compute, product(1, 10), {});
  graph.add(gpu, Stream::Compute, product(1, 20), {});
  const std::array<int, 2> both{0, 1};
  graph.add(gpu, Stream::Boundaries, product(1, 30), both);
  graph.issue(nullptr);
  ASSERT_EQ(calls().size(), 3u);
  EXPECT_EQ(calls()[0].after, 0u);
  EXPECT_EQ(calls()[1].after, 1u);
  EXPECT_EQ(calls()[2].after, 2u);
  EXPECT_EQ(driver.captured, 0) << "what was captured is destroyed";
}

TEST_F(CudaGraphCalls, ChangeWhereTheyAreIfTheyTakeTheSameKernels) {
  CudaGraph graph(gpu);
  graph.add(gpu, Stream::Compute, product(2, 10), {});
  graph.issue(nullptr);
  graph.change(0, product(2, 11));
  graph.issue(nullptr);
  EXPECT_EQ(driver.made, 1);
  EXPECT_EQ(calls()[0].cells, 11);
  graph.change(0, product(3, 12));
  graph.issue(nullptr);
  EXPECT_EQ(driver.made, 2);
  EXPECT_EQ(calls()[0].cells, 12);
  EXPECT_EQ(driver.launched, 3);
  EXPECT_EQ(driver.captured, 0);
}

TEST_F(CudaGraphCalls, ThatAreRefusedLeaveNothingIssued) {
  {
    CudaGraph graph(gpu);
    graph.add(gpu, Stream::Compute, product(1, 10), {});
    graph.add(gpu, Stream::Compute, product(0, 10), {});
    EXPECT_THROW(graph.issue(nullptr), GraphRefused);
  }
  EXPECT_EQ(driver.launched, 0);
  EXPECT_EQ(driver.captured, 0);
}

TEST_F(CudaGraphCalls, KeepWhatTheyReadUntilTheyHaveEnded) {
  {
    CudaGraph graph(gpu);
    graph.add(gpu, Stream::Compute, product(1, 10), {});
    graph.issue(nullptr);
    for (int round = 0; round < 3; ++round) {
      graph.change(0, product(1, round));
      graph.issue(nullptr);
    }
    EXPECT_EQ(gpu.held.use_count(), 2) << "once";
  }
  EXPECT_EQ(gpu.held.use_count(), 2);
  gpu.retired.clear();
  EXPECT_EQ(gpu.held.use_count(), 1);
}

INSTANTIATE_TEST_SUITE_P(MemoryIs, CudaGraphCopies, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Reached" : "OutOfReach"; });

}  // namespace
}  // namespace pilum::device
