// Kernels of one operation each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "runtime/jit/jit.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// Its arrays are the operation's inputs that are views, in their order, and the output; its numbers the other inputs.
struct SingleKernel {
  std::shared_ptr<const jit::HostKernel> compiled;
  std::array<DType, Operands::kMax> scalar_dtypes{};  // of the inputs that are numbers
  bool uses_index = false;
};

// What a kernel follows from, in words: the operation's kind, its domain, and its arrays.
class SingleForm {
 public:
  // `axis`: of the coordinate that the operation asks for; -1: it is 0.
  SingleForm(const Operation& operation, int domain_rank, int axis) {
    words_[0] = pack_kind(operation);
    words_[1] = static_cast<std::uint64_t>(domain_rank) | static_cast<std::uint64_t>(static_cast<std::uint8_t>(axis))
                                                              << 8;
  }
  void set_input(std::size_t place, const kernel::ArrayArgument& array) { words_[2 + place] = pack(array); }
  void set_output(const kernel::ArrayArgument& array) { words_[2 + Operands::kMax] = pack(array); }
  bool operator==(const SingleForm&) const = default;
  [[nodiscard]] std::size_t hash() const;

 private:
  static std::uint64_t pack(const kernel::ArrayArgument& array) {
    return 1 | static_cast<std::uint64_t>(array.dtype) << 8 | static_cast<std::uint64_t>(array.inner) << 16 |
           static_cast<std::uint64_t>(static_cast<std::uint8_t>(array.store_rank)) << 24 |
           static_cast<std::uint64_t>(static_cast<std::uint8_t>(array.row)) << 32;
  }
  std::array<std::uint64_t, 3 + Operands::kMax> words_{};
};

class SingleKernels {
 public:
  explicit SingleKernels(jit::Jit& jit) : jit_(jit) {}

  // Of an elementwise operation or a fold that has this form; compiled at the first call with one.
  [[nodiscard]] const SingleKernel& get(const SingleForm& form, const Operation& operation);

 private:
  struct Hash {
    std::size_t operator()(const SingleForm& form) const { return form.hash(); }
  };

  jit::Jit& jit_;
  std::unordered_map<SingleForm, SingleKernel, Hash> known_;
};

}  // namespace pilum::scheduler
