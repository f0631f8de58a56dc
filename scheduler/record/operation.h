// What is recorded: one call of the user's, with its views.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "partitioner/affine_map.h"
#include "runtime/base/scalar.h"
#include "runtime/kernel/ir/kernel.h"
#include "scheduler/record/store.h"

namespace pilum::scheduler {

// A store seen through an affine map. map.view_rank == shape.rank(); axes that the map does not name are broadcast.
struct View {
  StoreRef store;
  partitioner::AffineMap map = partitioner::AffineMap::none();
  Shape shape;
};

// The view shows one place of many along an axis of its store: it pins it, h(t), or sees a few cells of it, x(slice(t,
// t + 64)).
inline bool is_at_a_place(const View& view, int store_axis) {
  constexpr std::int64_t kManyPlaces = 8;
  const partitioner::AxisMap& axis = view.map[store_axis];
  return axis.axis < 0 ||
         kManyPlaces * view.shape[axis.axis] <= view.store->shape[store_axis] / std::max<std::int64_t>(axis.scale, 1);
}

struct TaskLaunch;

// The numbers of one launch, as words. No part of a plan: they differ from one time to the next.
class LaunchScalars {
 public:
  LaunchScalars() = default;
  // `checked`: a hash of those that all ranks must give alike.
  LaunchScalars(std::span<const std::uint64_t> words, std::uint64_t checked) : count_(words.size()), checked_(checked) {
    if (count_ > few_.size()) more_.assign(words.begin(), words.end());
    std::copy_n(words.begin(), std::min(count_, few_.size()), few_.begin());
  }
  std::span<const std::uint64_t> words() const { return {more_.empty() ? few_.data() : more_.data(), count_}; }
  std::uint64_t checked() const { return checked_; }

 private:
  std::array<std::uint64_t, 6> few_{};
  std::vector<std::uint64_t> more_;  // all of them, where they are more
  std::size_t count_ = 0;
  std::uint64_t checked_ = 0;
};

// The whole of a store as it is.
inline View whole(const StoreRef& store) {
  return View{store, partitioner::AffineMap::identity(store->shape.rank()), store->shape};
}

// An input: a view (already broadcast to the domain), or a number.
struct Operand {
  Operand();
  View view;      // without a store: the scalar counts
  Scalar scalar;  // of a real dtype
  // Numbers of a window that have one are the same, and stay so whenever its plan is used; 0: none (number_names.h).
  std::uint32_t name = 0;
  static constexpr std::uint32_t kConstant = ~std::uint32_t{0};  // of an operation that an analysis makes: part of it
  bool is_view() const { return static_cast<bool>(view.store); }
};

// Not in the class: there it would be nobody's, and each operation begin with its 1,200 bytes set to 0.
inline Operand::Operand() = default;  // NOLINT(readability-redundant-inline-specifier): it is not by itself

// The inputs of an elementwise operation, in order.
class Operands {
 public:
  static constexpr std::size_t kMax = 3;

  Operands() = default;
  Operands(const Operands& other) : count_(other.count_) { std::copy(other.begin(), other.end(), begin()); }
  Operands(Operands&& other) noexcept : count_(other.count_) { std::move(other.begin(), other.end(), begin()); }
  Operands& operator=(Operands other) noexcept {
    operands_ = std::move(other.operands_);
    count_ = other.count_;
    return *this;
  }
  ~Operands() = default;

  std::size_t size() const { return static_cast<std::size_t>(count_); }
  // What is added is the number 0; at most kMax.
  void resize(std::size_t count) { count_ = static_cast<std::int8_t>(count); }
  Operand& operator[](std::size_t place) { return operands_[place]; }
  const Operand& operator[](std::size_t place) const { return operands_[place]; }
  Operand* begin() { return operands_.data(); }
  Operand* end() { return begin() + count_; }
  const Operand* begin() const { return operands_.data(); }
  const Operand* end() const { return begin() + count_; }

 private:
  std::array<Operand, kMax> operands_;
  std::int8_t count_ = 0;
};

// output[x] = op(inputs[..][x]), for x in the output's shape. Every input is cast to `compute` (the first one of Select
// to Bool), then `op` is applied (Cast: the copy itself; Index: the coordinate on `axis`, no input, but of a part of an
// operation the number at which it begins), then the result
// (Bool for comparisons) is cast to the output's dtype.
struct Elementwise {
  Elementwise();
  View output;
  Operands inputs;
  kernel::Op op = kernel::Op::Cast;
  DType compute = DType::Float64;
  std::int8_t axis = 0;  // Index
};

// As Operand's.
inline Elementwise::Elementwise() = default;  // NOLINT(readability-redundant-inline-specifier): as above

// output[kept x] = fold over the reduced axes of input[x], for x in the input's shape; the output's axes are the kept
// ones, in order. The input is cast to the output's dtype and folded in it.
struct Reduction {
  View output, input;
  kernel::Fold fold = kernel::Fold::Sum;
  std::uint8_t reduced_axes = 0;  // bit a: axis a of the input
};

// output[x] = cells[x], row-major, of the output's dtype.
struct Import {
  View output;
  std::shared_ptr<const std::vector<std::byte>> cells;
};

// output, read row-major, holds the cells of input, read row-major.
struct ReshapedCopy {
  View output, input;
};

// A user's body; its arrays are the launch's arguments (scheduler/record/task_launch.h).
struct TaskCall {
  std::shared_ptr<const TaskLaunch> launch;  // calls that are alike but for their scalars share it
  LaunchScalars scalars;
};

// All inputs are read before any output cell is written, as if the right side were copied first. An output view never
// maps two points to one cell.
struct Operation {
  using What = std::variant<Elementwise, Reduction, Import, ReshapedCopy, TaskCall>;
  const char* name = "";  // as the user knows it: "add", "sum", "a(…) ="
  std::source_location where;
  What what;

  Operation() = default;
  Operation(const char* name, std::source_location where, What what = {})
      : name(name), where(where), what(std::move(what)) {}
  Operation(const Operation&) = default;
  Operation& operator=(const Operation&) = default;
  Operation& operator=(Operation&&) = default;
  ~Operation() = default;
  // Nearly all are elementwise: these move without a call through a table.
  Operation(Operation&& other) noexcept : name(other.name), where(other.where), what(move_what(other.what)) {}

  // Null: it is of another kind.
  const Elementwise* elementwise() const { return std::get_if<Elementwise>(&what); }
  const Reduction* reduction() const { return std::get_if<Reduction>(&what); }
  const TaskLaunch* launch() const {
    const auto* call = std::get_if<TaskCall>(&what);
    return call ? call->launch.get() : nullptr;
  }
  // Null: a task, which may have several.
  const View* output() const {
    return std::visit(
        []<class Kind>(const Kind& kind) -> const View* {
          if constexpr (std::is_same_v<Kind, TaskCall>) {
            return nullptr;
          } else {
            return &kind.output;
          }
        },
        what);
  }

 private:
  static What move_what(What& what) {
    if (auto* elementwise = std::get_if<Elementwise>(&what))
      return What(std::in_place_type<Elementwise>, std::move(*elementwise));
    return std::move(what);
  }
};

// Its kind and what it computes, but for its views, numbers and launch: different for different ones.
inline std::uint64_t pack_kind(const Operation& operation) {
  std::uint64_t word = operation.what.index();
  if (const Elementwise* elementwise = operation.elementwise()) {
    word |= static_cast<std::uint64_t>(elementwise->op) << 8 | static_cast<std::uint64_t>(elementwise->compute) << 16 |
            static_cast<std::uint64_t>(static_cast<std::uint8_t>(elementwise->axis)) << 24 |
            static_cast<std::uint64_t>(elementwise->inputs.size()) << 32;
  } else if (const Reduction* reduction = operation.reduction()) {
    word |= static_cast<std::uint64_t>(reduction->fold) << 8 | static_cast<std::uint64_t>(reduction->reduced_axes)
                                                                   << 16;
  }
  return word;
}

// Line and column of a call.
inline std::uint64_t pack_place(const std::source_location& where) {
  return static_cast<std::uint64_t>(where.line()) << 32 | where.column();
}

// to[x] = from[x].
inline Operation copy_of(const View& from, const View& to, const char* name, std::source_location where) {
  Operation copy(name, where);
  auto& elementwise = std::get<Elementwise>(copy.what);
  elementwise.output = to;
  elementwise.compute = from.store->dtype;
  elementwise.inputs.resize(1);
  elementwise.inputs[0].view = from;
  return copy;
}

// Calls visit(place, view) for the views among the inputs of an operation that is no task.
template <class AnyOperation, class Visit>
void for_each_input(AnyOperation& operation, Visit visit) {
  std::visit(
      [&visit](auto& kind) {
        using Kind = std::remove_cvref_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, Elementwise>) {
          for (std::size_t place = 0; place < kind.inputs.size(); ++place) {
            if (kind.inputs[place].is_view()) visit(place, kind.inputs[place].view);
          }
        } else if constexpr (std::is_same_v<Kind, Reduction> || std::is_same_v<Kind, ReshapedCopy>) {
          visit(std::size_t{0}, kind.input);
        } else {
          static_assert(std::is_same_v<Kind, Import> || std::is_same_v<Kind, TaskCall>, "a kind without inputs?");
        }
      },
      operation.what);
}

}  // namespace pilum::scheduler
