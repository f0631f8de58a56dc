// Random programs over random layouts, against the interpreter.
#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "runtime/kernel/ir/builder.h"
#include "runtime/kernel/ir/op_facts.h"
#include "tests/kernel/workbench.h"

namespace pilum::kernel::test {
namespace {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed), rank_(pick_rank()), builder_(rank_) {}

  Problem make() {
    for (int axis = 0; axis < rank_; ++axis) {
      const bool inner = axis == rank_ - 1;
      problem_.extent[static_cast<std::size_t>(axis)] = below(inner ? 90 : rank_ > 4 ? 3 : 6) + (below(20) ? 1 : 0);
      problem_.lo[static_cast<std::size_t>(axis)] = below(1000);
    }
    for (int i = 1 + below(3); i-- > 0;) add_input();
    for (int i = below(3); i-- > 0;) add_leaf();
    for (int i = 1 + below(10); i-- > 0;) add_op();
    for (int i = 1 + below(2); i-- > 0;) add_output();
    if (below(3) == 0) add_folds();
    problem_.kernel = builder_.finish();
    return std::move(problem_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  int pick_rank() { return below(4) ? 1 + below(3) : 4 + below(5); }
  ValueId any() { return values_[static_cast<std::size_t>(below(static_cast<int>(values_.size())))]; }
  ValueId any_as(DType dtype) {
    const ValueId value = any();
    // Floats are not cast to integers: out of range is unspecified.
    if (is_floating(builder_.dtype(value)) && is_integer(dtype)) return builder_.constant(Scalar{dtype, 3});
    return builder_.cast(value, dtype);
  }

  // A new field seen through a random map; `kept` axes are the ones that move.
  std::int16_t bind(DType dtype, Access access, unsigned moving) {
    Binding binding;
    binding.field = static_cast<int>(problem_.fields.size());
    std::vector<int> axes;
    for (int axis = 0; axis < rank_; ++axis) {
      if (moving >> axis & 1) axes.push_back(axis);
    }
    const bool transposed = below(4) == 0;
    if (transposed) std::shuffle(axes.begin(), axes.end(), random_);
    std::vector<std::int64_t> extent;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const auto axis = static_cast<std::size_t>(axes[k]);
      static constexpr std::int64_t kSteps[] = {1, 1, 1, 2, -1, -3};
      const std::int64_t step = kSteps[below(6)], n = problem_.extent[axis];
      binding.axis[axis] = static_cast<int>(k);
      binding.step[axis] = step;
      binding.start[k] = step < 0 ? -step * std::max<std::int64_t>(n - 1, 0) : 0;
      extent.push_back(std::max<std::int64_t>(n, 1) * std::abs(step));
    }
    if (extent.empty()) extent.push_back(1);
    const auto last = static_cast<std::size_t>(rank_ - 1);
    const bool contiguous = binding.axis[last] == static_cast<int>(extent.size()) - 1 && binding.step[last] == 1;
    const Inner inner = !(moving >> last & 1) ? Inner::Broadcast : contiguous ? Inner::Contiguous : Inner::Strided;
    problem_.fields.push_back(Field::make(dtype, extent, below(16)));
    fill(problem_.fields.back(), below(2) ? Numbers::Any : Numbers::Small, random_);
    problem_.bindings.push_back(binding);
    return builder_.add_array({dtype, access, inner, static_cast<std::int8_t>(extent.size())});
  }

  unsigned all_axes() const { return (1u << rank_) - 1; }
  DType any_dtype() { return below(7) ? static_cast<DType>(below(5)) : DType::Float16; }

  void add_input() {
    const bool in_place = below(5) == 0;
    const unsigned moving = in_place || below(3) ? all_axes() : static_cast<unsigned>(below(1 << rank_));
    const DType dtype = any_dtype();
    const std::int16_t array = bind(dtype, in_place ? Access::ReadWrite : Access::Read, moving);
    values_.push_back(builder_.load(array));
    if (in_place) {
      read_writes_.push_back({array, dtype});
      return;
    }
    for (int i = below(3); i-- > 0;) {
      Offset offset{};
      for (int k = 0; k < problem_.fields.back().rank; ++k)
        offset[static_cast<std::size_t>(k)] = static_cast<std::int8_t>(below(5) - 2);
      values_.push_back(builder_.load(array, offset));
    }
  }

  void add_leaf() {
    switch (below(3)) {
      case 0: values_.push_back(builder_.index(below(rank_))); break;
      case 1: values_.push_back(builder_.constant(Scalar::of(below(100) * 0.25))); break;
      default:
        problem_.scalars.push_back(Scalar::of(1.5 + below(10)).bits);
        values_.push_back(builder_.argument(builder_.add_scalar(DType::Float64)));
    }
  }

  void add_op() {
    const Op op = static_cast<Op>(static_cast<int>(Op::Cast) +
                                  below(static_cast<int>(Op::Select) - static_cast<int>(Op::Cast) + 1));
    const DType dtype = any_dtype();
    if (op == Op::Cast) {
      values_.push_back(any_as(dtype));
    } else if (op == Op::Select) {
      values_.push_back(builder_.select(any_as(DType::Bool), any_as(dtype), any_as(dtype)));
    } else if (accepts(op, dtype) && !is_elementary(op) && op != Op::Power) {
      const ValueId a = any_as(dtype);
      if (arity(op) == 1) {
        values_.push_back(builder_.unary(op, a));
      } else {
        const ValueId b = any_as(dtype);
        values_.push_back(builder_.binary(op, a, op == Op::Ldexp ? builder_.unary(Op::Trunc, b) : b));
      }
    }
  }

  void add_output() {
    if (!read_writes_.empty()) {
      const auto [array, dtype] = read_writes_.back();
      read_writes_.pop_back();
      builder_.store(array, any_as(dtype));
      return;
    }
    const ValueId value = any();
    const std::int16_t array = bind(builder_.dtype(value), Access::Write, all_axes());
    builder_.store(array, value);
  }

  void add_folds() {
    const unsigned reduced = 1 + static_cast<unsigned>(below((1 << rank_) - 1));
    for (int i = 1 + below(2); i-- > 0;) {
      const ValueId drawn = any();
      const ValueId value = builder_.dtype(drawn) == DType::Float16 ? builder_.cast(drawn, DType::Float32) : drawn;
      const DType dtype = builder_.dtype(value);
      // Sums and products of floats depend on the order: the fold tests have them.
      const Fold fold = is_floating(dtype) || below(2) ? (below(2) ? Fold::Minimum : Fold::Maximum) : Fold::Sum;
      builder_.accumulate(bind(dtype, Access::Reduce, all_axes() & ~reduced), value, fold, reduced);
    }
  }

  std::mt19937_64 random_;
  int rank_;
  Builder builder_;
  Problem problem_;
  std::vector<ValueId> values_;
  std::vector<std::pair<std::int16_t, DType>> read_writes_;
};

TEST(EmitRandom, ProgramsMatchTheInterpreterInEveryForm) {
  const char* given = std::getenv("PILUM_TEST_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : 20261101;
  const char* count = std::getenv("PILUM_TEST_PROGRAMS");
  const std::uint64_t programs = count ? std::strtoull(count, nullptr, 10) : 30;
  std::cout << "PILUM_TEST_SEED=" << seed << "\n";
  for (std::uint64_t i = 0; i < programs; ++i) {
    const Problem problem = RandomProgram(seed + i).make();
    const std::vector<Field> wanted = run_interpreted(problem);
    EXPECT_EQ(difference(run_quick(problem, i % 2 ? kStreaming : kPlain), wanted), "")
        << "seed " << seed + i << ", quick";
    for (const EmitOptions& options : {kPlain, kStreaming, kScalar, kPadded, kStrands, kPlanes}) {
      ASSERT_EQ(difference(run_compiled(problem, options), wanted), "")
          << "seed " << seed + i << (options.scalar ? ", scalar" : "") << (options.streaming ? ", streaming" : "")
          << (options.padded ? ", padded" : "") << ", walk " << static_cast<int>(options.walk) << "\n"
          << emit_host(problem.kernel, options);
    }
  }
}

}  // namespace
}  // namespace pilum::kernel::test
