// The plan: the instructions that this rank runs for one window.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <source_location>
#include <unordered_map>
#include <variant>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/base/rect.h"
#include "runtime/comm/communicator.h"
#include "runtime/jit/jit.h"
#include "runtime/kernel/device/emit_device.h"
#include "runtime/kernel/host/emit.h"
#include "runtime/kernel/ir/kernel_call.h"

namespace pilum::scheduler {

using Extents = std::array<std::int64_t, kMaxAxes>;

// A kernel as it is run: on the host, or on a GPU.
struct KernelCode {
  std::shared_ptr<const kernel::Kernel> kernel;
  std::shared_ptr<const jit::CompiledKernel> compiled;  // a HostKernel or DeviceKernel; null where nothing is executed
  std::shared_ptr<const kernel::DeviceOptions> device;  // how it was emitted; null: for the host
  bool streaming = false;                               // written past the caches
  kernel::Walk walk = kernel::Walk::Rows;
};
struct HostBody;    // scheduler/record/host_body.h
struct DeviceBody;  // scheduler/record/device_body.h
struct DeviceCall;  // scheduler/record/device_call.h
using Code = std::variant<KernelCode, std::shared_ptr<const HostBody>, std::shared_ptr<const DeviceBody>,
                          std::shared_ptr<const DeviceCall>>;

// Run a task's code over a box of points, in chunks. `arrays` are bound at the box's first point, those of a body at
// index 0 of the view, with strides by the view's axes. A chunk is a sub-box; array i of chunk c is displaced by
// c * chunk_step[i] bytes (partial results of reductions).
struct Launch {
  Code code;
  Rect points;  // of the task's domain
  int rank = 1;
  Extents lo{}, extent{};  // of the box that is run: the points, axes merged where memory allows
  Extents chunk{};         // extents of a chunk
  int together = 1;        // so many chunks are one call's: one for who counts them
  std::vector<kernel::BoundArray> arrays;
  std::vector<std::int64_t> chunk_step;  // empty: none
  std::shared_ptr<const std::vector<std::uint64_t>> scalars;
  bool boundary = false;  // waits for a halo, apart from the interior

  template <class What>
  const What* body() const {  // null: it runs something else
    const auto* body = std::get_if<std::shared_ptr<const What>>(&code);
    return body ? body->get() : nullptr;
  }
  const KernelCode* kernel() const { return std::get_if<KernelCode>(&code); }
};

// One box of memory.
struct Strided {
  std::byte* data = nullptr;
  Extents pitch{};  // bytes
};

struct Copy {
  Strided from, to;
  int rank = 1;
  Extents extent{};
  std::size_t itemsize = 8;
  StoreId store;
  Rect cells;
  bool is_local = false;  // both ends are in its processor's own memory
  std::int64_t bytes() const {
    std::int64_t product = static_cast<std::int64_t>(itemsize);
    for (int axis = 0; axis < rank; ++axis) product *= extent[static_cast<std::size_t>(axis)];
    return product;
  }
};

// How much of a message's data goes, where that is known only once it is posted: `range` says the first item and how
// many. Where it says none there is no message. Both ends have the same range.
struct CountedItems {
  const std::int64_t* range = nullptr;
  std::size_t itemsize = 0;  // 0: all bytes go
  explicit operator bool() const { return itemsize > 0; }
};

// `flag`: the data have been put where the receiver, a GPU of this node, finds them; the flag is raised to tell it
// (scheduler/plan/mail.h).
// `shared`: the data lie in a GPU's memory, at the start of a block that the receiver opens; what is sent is where. It
// is done when the receiver has copied.
struct Send {
  int to = 0;
  comm::Tag tag;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  StoreId store;
  bool shared = false;
  CountedItems items = {};
  std::byte* flag = nullptr;
};

struct Receive {
  int from = 0;
  comm::Tag tag;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  StoreId store;
  bool shared = false;
  CountedItems items = {};
  std::byte* flag = nullptr;
};

// That a message with a flag has been taken out of its place: the receiver says so to `peer`, or the sender waits to
// hear it from there, before it puts anything else into that place.
struct Taken {
  int peer = 0;
  std::byte* flag = nullptr;
  bool waits = false;
};

// to[x] = fold(to[x], parts[0][x], parts[1][x], …), in this order; parts are row-major boxes, one after the other.
// Where `start` is set, `to` starts from the fold's identity.
struct FoldParts {
  kernel::Fold fold = kernel::Fold::Sum;
  DType dtype = DType::Float64;
  bool start = true;
  const std::byte* parts = nullptr;
  std::int64_t part_count = 0;
  Strided to;
  int rank = 1;
  Extents extent{};
};

// Cell number c, row-major, of the box `to_extent` gets cell number c of the box `from_extent`; only the points
// lo <= x < hi of `to`. Both are given at their box's first point.
struct Reshape {
  Strided to, from;
  int to_rank = 1, from_rank = 1;
  Extents to_extent{}, lo{}, hi{}, from_extent{};
  std::size_t itemsize = 8;
};

// A function of ours on the host: imports.
struct HostCall {
  std::function<void()> run;
};

// Memory is given out when the plan is made; these two are for the reader of a plan.
struct Allocate {
  AllocationId allocation;
  std::size_t bytes = 0;
  StoreId store;
};
struct Free {
  AllocationId allocation;
};

// A whole plan that was made before (scheduler/memo/bound_plan.h).
class BoundPlan;
struct ReplayedPlan {
  std::shared_ptr<BoundPlan> run;
  bool awaited = false;  // the program waits for it, and records nothing meanwhile
};

struct Instruction {
  std::variant<Allocate, Free, Launch, Copy, Send, Receive, Taken, FoldParts, Reshape, HostCall, ReplayedPlan> what;
  std::vector<InstructionId> after;  // of this plan and of earlier ones; those that are done count as done
  int processor = 0;                 // this rank's
  const char* name = "";             // the task's last operation
  std::source_location where;
};

struct Plan {
  int window = 0;
  InstructionId first;  // instruction i has id first + i
  std::vector<Instruction> instructions;
  std::unordered_map<int, std::uint32_t> sent, received;  // messages planned so far, by peer

  template <class What>
  std::vector<const What*> all() const {
    std::vector<const What*> found;
    for (const Instruction& instruction : instructions) {
      if (const auto* what = std::get_if<What>(&instruction.what)) found.push_back(what);
    }
    return found;
  }
  template <class What>
  std::size_t count() const {
    return all<What>().size();
  }
};

}  // namespace pilum::scheduler
