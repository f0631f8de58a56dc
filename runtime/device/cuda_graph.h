// Graphs of launches and copies by the CUDA driver's interface.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "runtime/device/cuda_driver.h"
#include "runtime/device/gpu.h"
#include "runtime/device/graph_cut.h"
#include "runtime/device/kept_work.h"

namespace pilum::device {

// The parts of a graph that is no longer issued, and may still run: flags in their memory are raised and waited for
// until it has ended. Gone with this.
class CudaRetiredGraph {
 public:
  struct Part {
    CUcontext context = nullptr;
    CUgraph graph = nullptr;
    CUgraphExec ready = nullptr;
    std::byte* flags = nullptr;
    std::vector<std::shared_ptr<const void>> held;  // what libraries' calls read
  };
  // `last`: the stream that it was issued to, in the context that is current; none: it never was.
  CudaRetiredGraph(CudaCalls home, std::vector<Part> parts, std::optional<CUstream> last);
  ~CudaRetiredGraph();
  CudaRetiredGraph(const CudaRetiredGraph&) = delete;
  CudaRetiredGraph& operator=(const CudaRetiredGraph&) = delete;
  bool has_ended() const;

 private:
  const CudaCalls home_;
  std::vector<Part> parts_;
  CUevent end_ = nullptr;
};

// A library's call as a graph of the driver's.
struct CudaCaptured {
  CUgraph graph = nullptr;           // the caller's, to destroy
  std::shared_ptr<const void> held;  // what it reads
};

// What a graph needs to know of a GPU whose work it holds.
class CudaGraphMember {
 public:
  virtual ~CudaGraphMember() = default;
  virtual const CudaCalls& graph_calls() const = 0;
  virtual CUcontext graph_context() const = 0;  // current from now on
  virtual CUfunction graph_entry(const std::shared_ptr<const GpuImage>& image) = 0;
  virtual int graph_priority(Stream stream) const = 0;
  virtual CUstream graph_stream() = 0;                  // for this GPU's part of other GPUs' graphs
  virtual const std::byte* graph_given_up() const = 0;  // not 0: see Gpu::give_up_flags()
  // Throws GraphRefused.
  virtual CudaCaptured graph_capture(const GpuLibraryCall& call) = 0;
  virtual bool graph_reaches(const CudaGraphMember& other) const = 0;
  virtual bool graph_reaches(const std::byte* data) const = 0;
  virtual void graph_retire(std::unique_ptr<CudaRetiredGraph> graph) = 0;  // keeps it until it has ended
};

// Where two GPUs reach each other's memory, and no boundaries are computed apart, each has a graph of its own, and the
// graphs tell each other by flags how far they are (graph_cut.h); else it is one graph, with the driver between the
// GPUs. All is made at the first issue(), and again where a change is one that the driver does not take;
// it may run meanwhile, and when this goes.
class CudaGraph final : public GpuGraph {
 public:
  // `home`: the GPU that it is issued to.
  explicit CudaGraph(Gpu& home);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  int add(Gpu& gpu, Stream stream, const GpuLaunch& launch, std::span<const int> after) override;
  int add(Gpu& gpu, Stream stream, const GpuCopy& copy, std::span<const int> after) override;
  int add(Gpu& gpu, Stream stream, const GpuFlag& flag, std::span<const int> after) override;
  int add(Gpu& gpu, Stream stream, const GpuLibraryCall& call, std::span<const int> after) override;
  void change(int number, const GpuLaunch& launch) override;
  void change(int number, const GpuCopy& copy) override;
  void change(int number, const GpuLibraryCall& call) override;
  void issue(CUstream stream);

 private:
  struct Item {
    int gpu = 0;
    Stream stream = Stream::Compute;
    std::variant<GpuCopy, KeptLaunch, GpuLibraryCall> work;
    std::vector<int> after;
    int part = 0;
    CUgraphNode node = nullptr;
    bool is_line = false;    // of a copy: how its node was made
    bool is_kernel = false;  // of a copy
  };
  struct Member {
    Gpu* gpu = nullptr;
    CudaGraphMember* graph = nullptr;
    int last_call = -1;  // of a library's: the next one comes after it, as both work in the same memory
  };
  using Part = CudaRetiredGraph::Part;

  int add(Gpu& gpu, Item item);
  int number_of(Gpu& gpu);
  void change_kernel(const Item& item, const GpuLaunch& launch);
  Member& member(int number) { return members_[static_cast<std::size_t>(number)]; }
  Part& part(int number) { return parts_[static_cast<std::size_t>(number)]; }
  bool is_worth_cutting() const;
  void make();
  CutGraph cut(std::size_t parts);
  void drop_parts();
  bool make_flags(const CutGraph& cut);  // false: there is no memory for them
  void make_graphs(const CutGraph& cut);
  // `to`: the part.
  CUgraphNode make_kernel(int to, CudaGraphMember& gpu, Stream stream, const GpuLaunch& launch,
                          std::span<const CUgraphNode> after);
  CUgraphNode make_call(int to, CudaGraphMember& gpu, const GpuLibraryCall& call, std::span<const CUgraphNode> after);
  CUgraphNode make_copy(Item& item, int to, CudaGraphMember& gpu, const GpuCopy& copy,
                        std::span<const CUgraphNode> after);
  void hold(int to, const std::shared_ptr<const void>& what);
  std::vector<std::byte*> flags_of(const CutGraph::Node& node) const;

  std::vector<Member> members_;  // the first one is home
  std::vector<Item> items_;
  std::vector<Part> parts_;
  std::vector<std::byte*> flags_;  // by number
  std::optional<CUstream> last_;   // that these parts were issued to
};

}  // namespace pilum::device
