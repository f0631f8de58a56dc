// Bits counted, packed into bytes and taken out of them.
#include <algorithm>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/elementwise.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

// Of as many bytes.
DType unsigned_of(DType dtype) {
  switch (itemsize(dtype)) {
    case 1: return DType::UInt8;
    case 2: return DType::UInt16;
    case 4: return DType::UInt32;
    default: return DType::UInt64;
  }
}

bool is_big(const Call& call, std::string_view order) {
  if (order == "big" || order == "little") return order == "big";
  fail<ValueError>(call, "the order of bits is \"", order, "\": give \"big\" or \"little\"");
}

// How far bit `place` of a byte is shifted.
int shift_of(int place, bool big) {
  return big ? 7 - place : place;
}

}  // namespace

Array bitwise_count(const Operand& a) {
  const Call call{"bitwise_count", a.where()};
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const DType dtype = dtype_of_operand(call, a);
  if (is_inexact(dtype))
    fail<DTypeError>(call, "the operand is ", dtype, ", and bits of integers are counted: cast it with astype");
  const Array given = held(call, a);
  const DType bits = unsigned_of(dtype);
  const Array size = is_signed(dtype) ? Array(numeric::abs(here(given))) : given;
  const Array x = size.astype(bits, call.where);
  // Of pairs of bits, of four, of bytes: each step adds halves of what the last one counted.
  const auto mask = [&](std::uint64_t pattern) { return here(pattern >> (64 - 8 * itemsize(bits))); };
  const Array odd = here(Array(here(x) >> here(1))) & mask(0x5555555555555555);
  const Array pairs = here(x) - here(odd);
  const Array upper = here(Array(here(pairs) >> here(2))) & mask(0x3333333333333333);
  const Array lower = here(pairs) & mask(0x3333333333333333);
  const Array fours = here(upper) + here(lower);
  const Array folded = here(fours) + here(Array(here(fours) >> here(4)));
  Array count = here(folded) & mask(0x0f0f0f0f0f0f0f0f);
  for (int width = 8; width < static_cast<int>(8 * itemsize(bits)); width *= 2)
    count = here(count) + here(Array(here(count) >> here(width)));
  if (itemsize(bits) > 1) count = here(count) & here(0x7f);
  return bits == DType::UInt8 ? count : count.astype(DType::UInt8, call.where);
}

Array packbits(const Array& a, std::optional<Axis> axis, std::string_view order, std::source_location where) {
  const Call call{"packbits", where};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const Shape& own = checked_state(call, a).shape;
  if (is_inexact(a.dtype()))
    fail<DTypeError>(call, "the cells are ", a.dtype(), ", and bits are bools or integers: compare first, as in a > 0");
  const bool big = is_big(call, order);
  const int along = axis ? checked_axis(call, *axis, std::max(own.rank(), 1)) : 0;
  const Array line = axis && own.rank() > 0 ? a : ravel(a, where);
  Array bits = line.dtype() == DType::Bool ? line : line.astype(DType::Bool, where);
  Shape shape = line.shape(), missing = shape;
  missing[along] = (8 - shape[along] % 8) % 8;
  if (missing[along] != 0) bits = concatenated(call, {bits, zeros(missing, DType::Bool, where)}, along);
  shape[along] = (shape[along] + 7) / 8;
  if (shape.elements() == 0) return empty(shape, DType::UInt8, where);
  Array bytes;
  for (int place = 0; place < 8; ++place) {
    const Array bit = part_of_axis(bits, along, place, shape[along], 8).astype(DType::UInt8, where);
    const Array shifted = here(bit) << here(shift_of(place, big));
    bytes = place == 0 ? shifted : Array(here(bytes) | here(shifted));
  }
  return bytes;
}

Array unpackbits(const Array& a, std::optional<Axis> axis, std::optional<std::int64_t> count, std::string_view order,
                 std::source_location where) {
  const Call call{"unpackbits", where};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const Shape& own = checked_state(call, a).shape;
  if (a.dtype() != DType::UInt8)
    fail<DTypeError>(call, "the cells are ", a.dtype(),
                     ", and bits are taken out of bytes: cast them with astype(uint8)");
  const bool big = is_big(call, order);
  const int along = axis ? checked_axis(call, *axis, std::max(own.rank(), 1)) : 0;
  const std::int64_t bytes = axis && own.rank() > 0 ? own[along] : own.elements(),
                     wanted = count ? (*count < 0 ? 8 * bytes + *count : *count) : 8 * bytes;
  if (wanted < 0)
    fail<ValueError>(call, "of ", 8 * bytes, " bits ", -*count, " cannot be left out: give a count of 0 or more");
  const Array line = axis && own.rank() > 0 ? a : ravel(a, where);
  Shape shape = line.shape();
  shape[along] = wanted;
  const Array bits = wanted > 8 * bytes ? zeros(shape, DType::UInt8, where) : empty(shape, DType::UInt8, where);
  if (shape.elements() == 0) return bits;
  const std::int64_t taken = std::min(wanted, 8 * bytes);
  for (int place = 0; place < 8 && place < taken; ++place) {
    const std::int64_t cells = (taken - place + 7) / 8;
    const Array shifted = here(part_of_axis(line, along, 0, cells)) >> here(shift_of(place, big));
    const Array bit = here(shifted) & here(1);
    part_of_axis(bits, along, place, cells, 8) = here(bit);
  }
  return bits;
}

}  // namespace pilum::numeric
