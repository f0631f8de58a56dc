#include "numeric/drawn_cells.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/count_distributions.h"
#include "numeric/distribution_rules.h"
#include "numeric/distributions.h"
#include "numeric/drawn_text.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/library_task.h"
#include "numeric/parameter_rules.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Of a hypergeometric draw.
std::string too_many(const std::array<double, kParameters>& values) {
  return scheduler::explain_value(scheduler::RefusedValue::TooMany, values[2], values[0] + values[1]);
}

std::string misfit(const char* name, const char* wanted, double value) {
  return std::string(name) + " is " + detail::as_text(value) + ": give " + wanted;
}

// A parameter of a cell: a number, or a cell of an array.
struct Parameter {
  const BoundStore* store = nullptr;
  double number = 0;

  double at(const Piece::Bounds& point, int rank) const {
    return store ? static_cast<const double*>(store->first)[cells_to(*store, point, rank)] : number;
  }
};

// The form: the distribution; for each parameter whether it is an array. Stores: the result, these arrays. Scalars: the
// seed, the draw's number, the bits of parameters that are numbers, the extents.
class Cells {
 public:
  Cells(std::span<const std::int64_t> form, const BodyCall& call)
      : call_(call), rules_(rules_of(static_cast<Distribution>(form[0]))), extents_(call.scalars + 2 + kParameters) {
    const BoundStore* store = call.stores;
    for (std::size_t k = 0; k < kParameters; ++k) {
      parameters_[k].number = std::bit_cast<double>(call.scalars[2 + k]);
      if (form[1 + k]) parameters_[k].store = ++store;
    }
  }

  template <class Numbers>
  void draw() const {
    using Cell = typename Numbers::Cell;
    const BoundStore& out = call_.stores[0];
    const int rank = call_.piece.rank();
    std::array<double, kParameters> known{};
    std::optional<Numbers> numbers;
    for_each_point(call_.piece, -1, [&](const Piece::Bounds& point) {
      std::array<double, kParameters> values{};
      for (std::size_t k = 0; k < kParameters; ++k) values[k] = parameters_[k].at(point, rank);
      if (!numbers || values != known) {
        check(values);
        numbers.emplace(values.data());
        known = values;
      }
      PhiloxStream bits(call_.scalars[0], call_.scalars[1], number_of(point, rank));
      static_cast<Cell*>(out.first)[cells_to(out, point, rank)] = (*numbers)(bits);
    });
  }

 private:
  // Of the cell, row-major.
  std::uint64_t number_of(const Piece::Bounds& point, int rank) const {
    std::uint64_t number = 0;
    for (int axis = 0; axis < rank; ++axis)
      number = number * extents_[axis] + static_cast<std::uint64_t>(point[u(axis)]);
    return number;
  }
  void check(const std::array<double, kParameters>& values) const {
    for (std::size_t k = 0; k < kParameters; ++k) {
      if (rules_[k].fits && !rules_[k].fits(values[k]))
        throw ValueError(scheduler::explain_value(rules_[k].what, values[k]));
    }
    if (rules_[2].fits && values[2] > values[0] + values[1]) throw ValueError(too_many(values));
  }

  const BodyCall& call_;
  const Rules rules_;
  const std::uint64_t* const extents_;
  std::array<Parameter, kParameters> parameters_;
};

void draw_piece(std::span<const std::int64_t> form, const BodyCall& call) {
  const Cells cells(form, call);
  switch (static_cast<Distribution>(form[0])) {
    case Distribution::Gamma: return cells.draw<Gamma>();
    case Distribution::ChiSquare: return cells.draw<ChiSquare>();
    case Distribution::Beta: return cells.draw<Beta>();
    case Distribution::Poisson: return cells.draw<Poisson>();
    case Distribution::Binomial: return cells.draw<Binomial>();
    case Distribution::VonMises: return cells.draw<VonMises>();
    case Distribution::Zipf: return cells.draw<Zipf>();
    case Distribution::LogSeries: return cells.draw<LogSeries>();
    case Distribution::Hypergeometric: return cells.draw<Hypergeometric>();
  }
}

}  // namespace

Shape drawn_shape(const Call& call, Operands parameters, const Shape* size) {
  const Shape common = common_shape(call, parameters, recorder_of(call));
  if (size && size->rank() <= kMaxAxes && !broadcasts_to(common, *size)) {
    fail<ShapeError>(call, "parameters of shape ", common, " do not broadcast to the size ", *size,
                     ": give them that shape, or fewer axes or extents of 1");
  }
  const Shape shape = size ? *size : common;
  check_shape(call, shape, DType::Float64);
  return shape;
}

void check_drawn_dtype(const Call& call, DType dtype) {
  if (!is_floating(dtype)) fail<DTypeError>(call, dtype, " is not a floating dtype: draw float64 or float32");
  if (dtype == DType::Float16) fail<DTypeError>(call, "float16 is not drawn: draw float32, then astype(float16)");
}

void check_scale(const Call& call, const char* name, const Operand& scale) {
  refuse_complex(call, dtype_of_operand(call, scale));
  if (scale.kind() == Operand::Kind::Array || is_not_negative(value_of(scale))) return;
  fail<ValueError>(call, misfit(name, "0 or more", value_of(scale)));
}

void check_positive(const Call& call, const char* name, const Operand& parameter) {
  refuse_complex(call, dtype_of_operand(call, parameter));
  if (parameter.kind() == Operand::Kind::Array || is_positive(value_of(parameter))) return;
  fail<ValueError>(call, misfit(name, "a positive one", value_of(parameter)));
}

void check_probability(const Call& call, const char* name, const Operand& parameter) {
  refuse_complex(call, dtype_of_operand(call, parameter));
  if (parameter.kind() == Operand::Kind::Array) return;
  const double value = value_of(parameter);
  if (!(value > 0 && value <= 1)) fail<ValueError>(call, misfit(name, "one above 0, to 1", value));
}

void check_order(const Call& call, const char* first_name, const Operand& first, const char* second_name,
                 const Operand& second, bool may_be_equal) {
  if (first.kind() == Operand::Kind::Array || second.kind() == Operand::Kind::Array) return;
  const double low = value_of(first), high = value_of(second);
  if (low < high || (may_be_equal && low == high)) return;
  fail<ValueError>(call, first_name, " is ", low, " and ", second_name, " ", high, ": give them in rising order");
}

void check_parameters(const Call& call, Distribution distribution, Operands parameters) {
  const Rules rules = rules_of(distribution);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    refuse_complex(call, dtype_of_operand(call, *parameters[k]));
    if (parameters[k]->kind() == Operand::Kind::Array) continue;
    const double value = value_of(*parameters[k]);
    if (!rules[k].fits(value)) fail<ValueError>(call, scheduler::explain_value(rules[k].what, value));
  }
  const auto is_number = [](const Operand* operand) { return operand->kind() != Operand::Kind::Array; };
  if (distribution == Distribution::Hypergeometric && std::ranges::all_of(parameters, is_number)) {
    const std::array values = {value_of(*parameters[0]), value_of(*parameters[1]), value_of(*parameters[2])};
    if (values[2] > values[0] + values[1]) fail<ValueError>(call, too_many(values));
  }
}

Array draw_cells(const Call& call, Distribution distribution, Operands parameters, const Shape& shape,
                 std::uint64_t seed, std::uint64_t number) {
  using pilum::detail::Access;
  const DType dtype = is_counted(distribution) ? DType::Int64 : DType::Float64;
  if (shape.elements() == 0) return empty(shape, dtype, call.where);
  const Shape domain = shape.rank() == 0 ? Shape{1} : shape;
  const Array out = empty(domain, dtype, call.where);
  unsigned arrays = 0;
  LibraryBody body{draw_piece, {static_cast<std::int64_t>(distribution)}};
  body.form.resize(1 + kParameters);
  std::vector<pilum::detail::StoreArgument> arguments;
  const auto add = [&](const Array& array, Access access) {
    body.parameters.push_back(array_parameter(array, access));
    arguments.push_back({array, access, {}, Fold::Sum});
  };
  add(out, Access::Write);
  std::vector<std::uint64_t> words = {seed, number};
  words.resize(2 + kParameters);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k]->kind() != Operand::Kind::Array) {
      words[2 + k] = std::bit_cast<std::uint64_t>(value_of(*parameters[k]));
      continue;
    }
    const Array given = held(call, *parameters[k]);
    const Array floating = given.dtype() == DType::Float64 ? given : given.astype(DType::Float64, call.where);
    body.form[1 + k] = 1;
    arrays |= 1U << k;
    add(broadcast_to(floating, domain, call.where), Access::Read);
  }
  for (const std::int64_t extent : domain) words.push_back(static_cast<std::uint64_t>(extent));
  body.parameters.resize(body.parameters.size() + words.size(), integer_parameter());
  if (recorder_of(call).processors().are_gpus) body.gpu = drawn_text(distribution, arrays, domain.rank());
  body.checks = arrays != 0;
  launch(call, body, domain, arguments, words);
  return shape.rank() == 0 ? out.reshape({}, call.where) : out;
}

}  // namespace pilum::numeric
