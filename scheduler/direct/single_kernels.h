// Kernels of one operation each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "runtime/jit/jit.h"
#include "scheduler/analyze/placed_operation.h"

namespace pilum::scheduler {

// Its arrays are the operation's inputs that are views, in their order, and the output; its numbers the other inputs.
struct SingleKernel {
  std::shared_ptr<const jit::HostKernel> compiled;
  std::array<DType, Operands::kMax> scalar_dtypes{};  // of the inputs that are numbers
  bool uses_index = false;
};

class SingleKernels {
 public:
  explicit SingleKernels(jit::Jit& jit) : jit_(jit) {}

  // Of an elementwise operation or a fold; compiled at the first call with one that is like it.
  [[nodiscard]] const SingleKernel& get(const PlacedOperation& placed);

 private:
  using Key = std::array<std::uint64_t, 6>;  // what a kernel follows from
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  static Key key_of(const PlacedOperation& placed);

  jit::Jit& jit_;
  std::unordered_map<Key, SingleKernel, Hash> known_;
};

}  // namespace pilum::scheduler
