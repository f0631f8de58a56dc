#include "numeric/c_interface/caller.h"

#include <bit>
#include <span>

#include "numeric/c_interface/arrays.h"
#include "numeric/c_interface/place.h"

namespace pilum::c_interface {
namespace {

using numeric::fail;

template <class Handle>
std::uint64_t bits_of(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

numeric::slice to_slice(const pilum_index& index) {
  const auto bound = [](std::int64_t value) {
    return value == PILUM_NONE ? numeric::slice::Bound() : numeric::slice::Bound(value);
  };
  return {bound(index.start), bound(index.stop), index.step};
}

}  // namespace

Caller::Caller(const char* name, pilum_place place) : call_{name, locate(place)} {}

void Caller::require(const char* parameter, const void* pointer) const {
  if (!pointer)
    fail<ValueError>(call_, "the argument ", parameter, " is a null pointer: pass the address of a variable");
}

const numeric::Array& Caller::array(const char* parameter, pilum_array handle) const {
  if (!handle) {
    fail<HandleError>(call_, "the argument ", parameter,
                      " is a null handle: make the array first, and see that the call which made it returned PILUM_OK");
  }
  if (const numeric::Array* array = arrays().find(bits_of(handle))) return *array;
  fail<HandleError>(call_, "the argument ", parameter, " (handle ", bits_of(handle),
                    ") is not an array of this thread: it was released, or never made");
}

numeric::Operand Caller::operand(const char* parameter, const pilum_operand& operand) const {
  switch (operand.kind) {
    case PILUM_OPERAND_ARRAY: return {array(parameter, reinterpret_cast<pilum_array>(operand.bits)), call_.where};
    case PILUM_OPERAND_BOOL: return {operand.bits != 0, call_.where};
    case PILUM_OPERAND_INTEGER: return {operand.bits, call_.where};
    case PILUM_OPERAND_UNSIGNED: return {static_cast<std::uint64_t>(operand.bits), call_.where};
    case PILUM_OPERAND_FLOATING: return {std::bit_cast<double>(operand.bits), call_.where};
    default:
      fail<DTypeError>(call_, "the argument ", parameter, " is of kind ", operand.kind,
                       ", neither an array nor a number: pass a pilum_array, a bool, an integer, a float or a double");
  }
}

Shape Caller::shape(const pilum_shape& shape) const {
  if (shape.rank < 0 || shape.rank > kMaxAxes) {
    fail<ShapeError>(call_, "a shape of ", shape.rank, " axes: give 0 to ", kMaxAxes);
  }
  return Shape(std::span(shape.extent, static_cast<std::size_t>(shape.rank)));
}

numeric::Axes Caller::axes(const pilum_axes& axes) const {
  if (axes.count < 0 || axes.count > kMaxAxes) {
    fail<ValueError>(call_, "a list of ", axes.count, " axes: arrays have at most ", kMaxAxes);
  }
  int axis[kMaxAxes] = {};
  for (int k = 0; k < axes.count; ++k) {
    axis[k] = static_cast<int>(axes.axis[k]);
    if (axis[k] != axes.axis[k])
      fail<IndexError>(call_, "there is no axis ", axes.axis[k], ": arrays have at most ", kMaxAxes);
  }
  switch (axes.count) {
    case 0: return {};
    case 1: return {axis[0]};
    default: return numeric::Axes(std::span(axis, static_cast<std::size_t>(axes.count)));
  }
}

std::optional<DType> Caller::dtype(pilum_dtype dtype) const {
  if (dtype == PILUM_NATURAL) return std::nullopt;
  if (dtype < PILUM_BOOL || dtype >= static_cast<pilum_dtype>(kDTypeCount)) {
    fail<DTypeError>(call_, "there is no dtype ", static_cast<int>(dtype),
                     ": use PILUM_BOOL, PILUM_INT8 to PILUM_INT64, PILUM_UINT8 to PILUM_UINT64, PILUM_FLOAT16, "
                     "PILUM_FLOAT32, PILUM_FLOAT64, PILUM_COMPLEX64 or PILUM_COMPLEX128");
  }
  return static_cast<DType>(dtype);
}

numeric::Index Caller::index(const pilum_index& index) const {
  switch (index.kind) {
    case PILUM_INDEX_POSITION: return {index.start, call_.where};
    case PILUM_INDEX_SLICE: return {to_slice(index), call_.where};
    case PILUM_INDEX_ALL: return {numeric::all, call_.where};
    case PILUM_INDEX_NEW_AXIS: return {numeric::newaxis, call_.where};
    case PILUM_INDEX_ELLIPSIS: return {numeric::ellipsis, call_.where};
    case PILUM_INDEX_NOTHING:
      fail<IndexError>(call_, "0 is not an index: in Fortran they count from 1, or from -1 at the end");
    default:
      fail<IndexError>(call_, "an index of kind ", index.kind,
                       ": pass a number, PILUM_SLICE, PILUM_STEPS, PILUM_ALL, PILUM_NEW_AXIS or PILUM_ELLIPSIS");
  }
}

}  // namespace pilum::c_interface
