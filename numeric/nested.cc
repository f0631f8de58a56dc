#include "numeric/nested.h"

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "numeric/array_state.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "runtime/base/scalar.h"

namespace pilum::numeric {
namespace {

using detail::Cell;
using List = std::initializer_list<Cell>;

// The shape of a list and the dtype that its numbers meet in.
class Measure {
 public:
  explicit Measure(List list) { visit(list, 0); }

  Shape shape;
  bool ragged = false;
  DType dtype() const { return depth_ < 0 ? DType::Float64 : dtype_; }  // of no numbers as numpy.array([])

 private:
  void visit(List list, int axis) {
    if (axis == shape.rank() && depth_ < 0) shape.push_back(static_cast<std::int64_t>(list.size()));
    ragged |= axis >= shape.rank() || (axis < kMaxAxes && shape[axis] != static_cast<std::int64_t>(list.size()));
    for (const Cell& cell : list) {
      if (cell.is_list()) {
        visit(cell.cells(), axis + 1);
      } else {
        take(cell.dtype(), axis + 1);
      }
    }
  }
  void take(DType dtype, int depth) {
    ragged |= depth != shape.rank();
    dtype_ = depth_ < 0 ? dtype : promote(dtype_, dtype);
    depth_ = depth;
  }

  int depth_ = -1;  // of the numbers seen
  DType dtype_ = DType::Bool;
};

template <class T>
void append_bytes(std::vector<std::byte>& bytes, const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

void append_complex(std::vector<std::byte>& bytes, const Cell& cell, DType dtype) {
  const bool has_fraction = is_floating(cell.dtype()) || is_complex(cell.dtype());
  const double whole = cell.dtype() == DType::UInt64 ? static_cast<double>(static_cast<std::uint64_t>(cell.integer()))
                                                     : static_cast<double>(cell.integer());
  const std::complex<double> number(has_fraction ? cell.floating() : whole, cell.imaginary());
  dtype == DType::Complex64 ? append_bytes(bytes, static_cast<std::complex<float>>(number))
                            : append_bytes(bytes, number);
}

void append(std::vector<std::byte>& bytes, List list, DType dtype) {
  for (const Cell& cell : list) {
    if (cell.is_list()) {
      append(bytes, cell.cells(), dtype);
      continue;
    }
    if (is_complex(dtype)) {
      append_complex(bytes, cell, dtype);
      continue;
    }
    const Scalar number = is_floating(cell.dtype())       ? Scalar::of(cell.floating())
                          : cell.dtype() == DType::UInt64 ? Scalar::of(static_cast<std::uint64_t>(cell.integer()))
                                                          : Scalar::of(cell.integer());
    const std::uint64_t bits = pilum::cast(number, dtype).bits;
    const auto* first = reinterpret_cast<const std::byte*>(&bits);
    bytes.insert(bytes.end(), first, first + itemsize(dtype));
  }
}

}  // namespace

void refuse_ragged(const Call& call, const Shape& shape) {
  fail<ShapeError>(call, "the nested lists differ in length: the first ones make the shape ", shape,
                   ", give all of them these lengths");
}

DType read_cells(const Call& call, List list, detail::Cells& cells) {
  const Measure measure(list);
  if (measure.ragged) refuse_ragged(call, measure.shape);
  cells.shape = measure.shape;
  append(cells.bytes, list, measure.dtype());
  return measure.dtype();
}

namespace detail {

Array import_mixed(List list, std::optional<DType> dtype, std::source_location where) {
  Cells cells;
  const DType from = read_cells(Call{"array", where}, list, cells);
  return import_cells(std::move(cells), from, dtype, where);
}

Array stack_list(std::span<const Array> arrays, std::optional<DType> dtype, std::source_location where) {
  const Call call{"array", where};
  if (arrays.empty()) return zeros({0}, dtype.value_or(float64), where);
  for (const Array& array : arrays) {
    if (!(checked_state(call, array).shape == checked_state(call, arrays.front()).shape))
      fail<ShapeError>(call, "the arrays in the list have shapes ", arrays.front().shape(), " and ", array.shape(),
                       ": one array is made of those of one shape");
  }
  const Array stacked = stack(std::vector<Array>(arrays.begin(), arrays.end()), 0, where);
  return dtype ? stacked.astype(*dtype, where) : stacked;
}

}  // namespace detail
}  // namespace pilum::numeric
