// Functions of the user's own: how their arguments and results broadcast, and what their errors say.
#include "pilum/detail/own_function.h"

#include <string>

#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/vectorize.h"

namespace pilum::numeric::detail {
namespace {

const char* shown(const char* name) {
  return *name ? name : "vectorize";
}

std::string with_call(const Error& error, const char* name, std::source_location where) {
  const std::string function = *name ? "[" + std::string(name) + "]" : "the vectorized function";
  return std::string(error.what()) + ", in " + function + ", called at " + where.file_name() + ":" +
         std::to_string(where.line());
}

Array folded(Array&& mapped, OwnFold fold, const Axes& axes, bool keepdims, std::source_location where) {
  switch (fold) {
    case OwnFold::Sum: return std::move(mapped).sum(axes, keepdims, where);
    case OwnFold::Product: return std::move(mapped).prod(axes, keepdims, where);
    case OwnFold::Minimum: return std::move(mapped).min(axes, keepdims, where);
    case OwnFold::Maximum: return std::move(mapped).max(axes, keepdims, where);
    case OwnFold::All: return all_cells(mapped, axes, keepdims, where);
    default: return any(mapped, axes, keepdims, where);
  }
}

Array combined(OwnFold fold, const Operand& a, const Operand& b) {
  switch (fold) {
    case OwnFold::Sum: return a + b;
    case OwnFold::Product: return a * b;
    case OwnFold::Minimum: return minimum(a, b);
    case OwnFold::Maximum: return maximum(a, b);
    case OwnFold::All: return logical_and(a, b);
    default: return logical_or(a, b);
  }
}

}  // namespace

Shape common_shape_of(const char* name, std::source_location where, const Array* const* arrays, std::size_t count) {
  const Call call{shown(name), where};
  const scheduler::Recorder& recorder = recorder_of(call);
  Shape shape;
  for (std::size_t k = 0; k < count; ++k) {
    if (arrays[k]) shape = broadcast_shapes(call, shape, checked_state(call, *arrays[k], recorder).shape);
  }
  return shape;
}

Array shaped_result(const char* name, std::source_location where, const Operand& result, const Shape& shape) {
  const Call call{shown(name), where};
  if (result.kind() != Operand::Kind::Array) return full(shape, result);
  const Shape& returned = checked_state(call, result.array()).shape;
  if (returned == shape) return result.array();
  if (!broadcasts_to(returned, shape)) {
    fail<ShapeError>(call, "the function returned an array of shape ", returned, ", and its arguments have ", shape,
                     ": it is a function of cells, whose results have the arguments' shape");
  }
  return full(shape, result);
}

void rethrow_from(const char* name, std::source_location where) {
  try {
    throw;
  } catch (const ShapeError& error) {
    throw ShapeError(with_call(error, name, where));
  } catch (const IndexError& error) {
    throw IndexError(with_call(error, name, where));
  } catch (const DTypeError& error) {
    throw DTypeError(with_call(error, name, where));
  } catch (const ValueError& error) {
    throw ValueError(with_call(error, name, where));
  }  // what is no mistake of the function's says what it says
}

void refuse_combine(std::source_location where) {
  fail<ValueError>(Call{"reduction", where},
                   "the function is none that folds: combine by np::add, multiply, minimum, maximum, logical_and or "
                   "logical_or");
}

Array fold_from(Array&& mapped, OwnFold fold, const std::optional<Operand>& identity, const Axes& axes, bool keepdims,
                std::source_location where) {
  if (!identity) return folded(std::move(mapped), fold, axes, keepdims, where);
  const DType dtype = mapped.dtype();
  if (mapped.size() == 0 &&
      (fold == OwnFold::Minimum || fold == OwnFold::Maximum)) {  // which have no value of their own
    const Shape shape = any(mapped, axes, keepdims, where).shape();
    return full(shape, *identity, dtype);
  }
  Array result = folded(std::move(mapped), fold, axes, keepdims, where);
  const Array first = full({}, *identity, result.dtype());
  return combined(fold, Operand(std::move(result), where), Operand(first, where));
}

}  // namespace pilum::numeric::detail
