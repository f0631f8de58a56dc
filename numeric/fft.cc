#include "pilum/fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/fft_body.h"
#include "numeric/fftw.h"
#include "numeric/gathered.h"
#include "numeric/gpu_fft.h"
#include "numeric/lines.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

struct TransformedAxis {
  int axis;
  std::optional<std::int64_t> count;
};

// Two axes are transformed in one call where others leave every processor enough planes of these.
constexpr std::int64_t kLeastPlanes = 32, kLargestPlane = 1 << 22;

// What the results of a transform, or of an inverse, of n numbers are multiplied by.
double scale_of(const Call& call, std::string_view norm, bool is_inverse, std::int64_t n) {
  const auto count = static_cast<double>(n);
  if (norm == "ortho") return 1 / std::sqrt(count);
  if (norm == "backward") return is_inverse ? 1 / count : 1;
  if (norm == "forward") return is_inverse ? 1 : 1 / count;
  fail<ValueError>(call, "the norm is \"", std::string(norm), "\": \"backward\", \"ortho\" or \"forward\"");
}

bool is_single(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::Float32 || dtype == DType::Complex64;
}

// The first `count` cells of each line, zeros behind its end.
Array with_extent(const Call& call, const Array& a, int axis, std::int64_t count) {
  const std::int64_t extent = a.shape()[axis];
  if (extent == count) return a;
  if (extent > count) return part_of_axis(a, axis, 0, count);
  Shape shape = a.shape();
  shape[axis] = count;
  const Array longer = zeros(shape, a.dtype(), call.where);
  if (a.size() > 0) part_of_axis(longer, axis, 0, extent) = Operand(a, call.where);
  return longer;
}

// What a call's results are multiplied by. The host does it line by line. On GPUs one factor for all axes is left for
// the end, an operation that fuses with the next ones.
class Scale {
 public:
  Scale(std::string_view norm, bool is_inverse) : norm_(norm), is_inverse_(is_inverse) {}

  // Of a transform of n numbers: what is left to its body.
  double add(const Call& call, Transform transform, std::int64_t n) {
    const double scale = scale_of(call, norm_, is_inverse_, n);
    if (!recorder_of(call).processors().are_gpus) return scale;
    left_ *= scale;
    // These numbers are copied beforehand (gpu_fft.cc): it comes along for nothing.
    return transform == Transform::ToReal && n > 1 ? std::exchange(left_, 1) : 1;
  }
  Array finish(const Call& call, const Array& a) const {
    return left_ == 1 ? a : Array(Operand(a, call.where) * Operand(left_, call.where));
  }

 private:
  std::string_view norm_;
  bool is_inverse_;
  double left_ = 1;
};

void check_libraries(const Call& call, bool is_double) {
  if (recorder_of(call).gpus_have(device::GpuSkill::Transforms) || find_fftw(is_double)) return;
  fail<RuntimeError>(call,
                     "there is no FFTW 3 on this machine, which computes this: install libfftw3-double3 and "
                     "libfftw3-single3 (Debian, Ubuntu), or have libfftw3.so.3 and libfftw3f.so.3 in "
                     "LD_LIBRARY_PATH");
}

// A body for lines of so many numbers, or for planes of so many rows of them.
LibraryBody transforming(const Call& call, Transform transform, bool is_double, std::int64_t count, std::int64_t rows,
                         double factor) {
  check_libraries(call, is_double);
  LibraryBody body{transform_lines,
                   {static_cast<std::int64_t>(transform), is_double, count, std::bit_cast<std::int64_t>(factor), rows}};
  if (recorder_of(call).processors().are_gpus) {
    body.issue = issue_transforms;
    body.skill = device::GpuSkill::Transforms;
    body.scratch_on = transform_scratch;
  }
  return body;
}

// Lines of one number, which is its transform: no library takes them on GPUs.
Array of_one_number(const Call& call, const Array& lines, DType written) {
  if (lines.dtype() == written) return lines.copy(call.where);
  return is_complex(written) ? lines.astype(written, call.where) : Array(real(Operand(lines, call.where)));
}

// `n` are the line's real numbers, or all of complex ones.
Array transformed(const Call& call, Transform transform, const Array& a, std::optional<std::int64_t> n, int axis,
                  Scale& scale) {
  const Shape& shape = checked_state(call, a).shape;
  const int along = checked_axis(call, axis, shape.rank());
  const bool to_real = transform == Transform::ToReal, to_complex = transform == Transform::ToComplex;
  if (to_complex) refuse_complex(call, a.dtype());
  const std::int64_t count = n.value_or(to_real ? 2 * (shape[along] - 1) : shape[along]);
  if (count < 1) fail<ValueError>(call, "lines of ", count, " numbers have no transform: 1 or more do");
  const double factor = scale.add(call, transform, count);
  const bool is_double = !is_single(a.dtype());
  const DType real = is_double ? DType::Float64 : DType::Float32, complex = promote(real, DType::Complex64);
  const DType read = to_complex ? real : complex;
  const Array typed = a.dtype() == read ? a : a.astype(read, call.where);
  const std::int64_t half = count / 2 + 1;
  const Array lines = with_extent(call, typed, along, to_real ? half : count);
  const DType written = to_real ? real : complex;
  const std::int64_t extent = to_complex ? half : count;
  if (lines.size() == 0) {
    Shape none = lines.shape();
    none[along] = extent;
    return empty(none, written, call.where);
  }
  LibraryBody body = transforming(call, transform, is_double, count, 1, factor);
  if (body.issue && count == 1) return of_one_number(call, lines, written);
  return launch_lines(call, std::move(body), lines, along, extent, written);
}

// Two axes in a call: `row`, and `line`, which may be the one of real numbers.
Array transformed_planes(const Call& call, Transform transform, const Array& a, const TransformedAxis& row,
                         const TransformedAxis& line, Scale& scale) {
  const bool to_complex = transform == Transform::ToComplex, is_double = !is_single(a.dtype());
  const std::int64_t rows = row.count.value_or(a.shape()[row.axis]), count = line.count.value_or(a.shape()[line.axis]);
  double factor = scale.add(call, transform, count);
  factor *= scale.add(call, to_complex ? Transform::Forward : transform, rows);
  const DType real = is_double ? DType::Float64 : DType::Float32, complex = promote(real, DType::Complex64);
  const DType read = to_complex ? real : complex;
  const Array typed = a.dtype() == read ? a : a.astype(read, call.where);
  const Array planes = with_extent(call, with_extent(call, typed, line.axis, count), row.axis, rows);
  return launch_planes(call, transforming(call, transform, is_double, count, rows, factor), planes, row.axis, line.axis,
                       to_complex ? count / 2 + 1 : count, complex);
}

// Whether two axes are transformed in one call. That follows from the array alone, of cores and of GPUs,
// and so do the bits. cuFFT takes several times as long for planes whose cells lie between those of others.
bool are_planes(const Call& call, const Array& a, const TransformedAxis& row, const TransformedAxis& line) {
  if (recorder_of(call).processors().are_gpus && line.axis != a.ndim() - 1) return false;
  const std::int64_t rows = row.count.value_or(a.shape()[row.axis]), count = line.count.value_or(a.shape()[line.axis]);
  std::int64_t planes = 1;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (axis != row.axis && axis != line.axis) planes *= a.shape()[axis];
  }
  return row.axis != line.axis && planes >= kLeastPlanes && rows >= 2 && count >= 2 && rows * count <= kLargestPlane &&
         a.size() > 0;
}

Array transformed(const Call& call, Transform transform, const Array& a, std::optional<std::int64_t> n, int axis,
                  std::string_view norm, bool is_inverse) {
  Scale scale(norm, is_inverse);
  const Array lines = transformed(call, transform, a, n, axis, scale);
  return scale.finish(call, lines);
}

// The axes that are transformed and the numbers of each, in the order in which they are named.
std::vector<TransformedAxis> lines_of(const Call& call, const Array& a, const std::vector<std::int64_t>& s,
                                      const Axes& axes) {
  const int rank = checked_state(call, a).shape.rank(), given = static_cast<int>(s.size());
  if (given > 0 && axes.given() && axes.count() != given)
    fail<ValueError>(call, "s has ", given, " numbers, and ", axes.count(), " axes are named: one number an axis");
  if (given > rank && !axes.given())
    fail<ValueError>(call, "s has ", given, " numbers, and shape ", a.shape(), " has ", rank,
                     " axes: one number an axis");
  std::vector<TransformedAxis> lines;
  const int count = axes.given() ? axes.count() : given > 0 ? given : rank;
  for (int place = 0; place < count; ++place) {
    const int axis = checked_axis(call, axes.given() ? axes[place] : place - count + rank, rank);
    const std::int64_t n = given > 0 ? s[static_cast<std::size_t>(place)] : -1;
    if (n < -1 || n == 0) fail<ValueError>(call, "lines of ", n, " numbers have no transform: 1 or more do");
    lines.push_back({axis, n == -1 ? std::nullopt : std::optional(n)});
  }
  return lines;
}

// Along each of these axes, the last ones first; back the first ones first: where processors have whole lines of one
// axis at a time, what is transformed back begins with the axis that the way there ended with. Two in a call where that
// is possible: the last two, and those before them.
Array transformed_along(const Call& call, Transform transform, Array a, std::vector<TransformedAxis> lines,
                        Scale& scale) {
  const auto take_one = [&](const TransformedAxis& line) {
    a = transformed(call, transform, a, line.count, line.axis, scale);
  };
  const auto take_two = [&](const TransformedAxis& row, const TransformedAxis& line) {
    if (are_planes(call, a, row, line)) {
      a = transformed_planes(call, transform, a, row, line, scale);
    } else {
      const bool is_back = transform == Transform::Backward;
      take_one(is_back ? row : line);
      take_one(is_back ? line : row);
    }
  };
  if (transform == Transform::Backward) {
    std::size_t done = 0;
    if (lines.size() % 2 == 1) take_one(lines[done++]);
    for (; done < lines.size(); done += 2) take_two(lines[done], lines[done + 1]);
  } else {
    std::size_t left = lines.size();
    for (; left > 1; left -= 2) take_two(lines[left - 2], lines[left - 1]);
    if (left == 1) take_one(lines[0]);
  }
  return a;
}

Array all_axes(const Call& call, bool is_inverse, const Array& a, const std::vector<std::int64_t>& s, const Axes& axes,
               std::string_view norm) {
  const std::vector<TransformedAxis> lines = lines_of(call, a, s, axes);
  static_cast<void>(scale_of(call, norm, is_inverse, 1));
  if (lines.empty())
    return a.astype(promote(a.dtype(), is_single(a.dtype()) ? DType::Complex64 : DType::Complex128), call.where);
  Scale scale(norm, is_inverse);
  return scale.finish(call,
                      transformed_along(call, is_inverse ? Transform::Backward : Transform::Forward, a, lines, scale));
}

void check_some_axis(const Call& call, const Array& a, const std::vector<TransformedAxis>& lines) {
  if (lines.empty()) fail<ShapeError>(call, "shape ", a.shape(), " has no axis to transform along");
}

Array real_axes(const Call& call, const Array& a, const std::vector<std::int64_t>& s, const Axes& axes,
                std::string_view norm) {
  std::vector<TransformedAxis> lines = lines_of(call, a, s, axes);
  check_some_axis(call, a, lines);
  const TransformedAxis last = lines.back();
  lines.pop_back();
  Scale scale(norm, false);
  if (!lines.empty() && !is_complex(a.dtype()) && are_planes(call, a, lines.back(), last)) {
    const TransformedAxis row = lines.back();
    lines.pop_back();
    const Array planes = transformed_planes(call, Transform::ToComplex, a, row, last, scale);
    return scale.finish(call, transformed_along(call, Transform::Forward, planes, lines, scale));
  }
  const Array half = transformed(call, Transform::ToComplex, a, last.count, last.axis, scale);
  return scale.finish(call, transformed_along(call, Transform::Forward, half, lines, scale));
}

Array to_real_axes(const Call& call, const Array& a, const std::vector<std::int64_t>& s, const Axes& axes,
                   std::string_view norm) {
  std::vector<TransformedAxis> lines = lines_of(call, a, s, axes);
  check_some_axis(call, a, lines);
  const TransformedAxis last = lines.back();
  lines.pop_back();
  const std::int64_t count = last.count.value_or(2 * (a.shape()[last.axis] - 1));
  if (count < 1) fail<ValueError>(call, "lines of ", count, " numbers have no transform: 1 or more do");
  Scale scale(norm, true);
  const Array others = transformed_along(call, Transform::Backward, a, lines, scale);
  return scale.finish(call, transformed(call, Transform::ToReal, others, last.count, last.axis, scale));
}

// hfft is irfft of the conjugates, and divides where that does not.
std::string_view other_norm(std::string_view norm) {
  return norm == "backward" ? "forward" : norm == "forward" ? "backward" : norm;
}

Array shifted(const Call& call, const Array& a, const Axes& axes, int sign) {
  const Shape& shape = checked_state(call, a).shape;
  const int count = axes.given() ? axes.count() : shape.rank();
  std::vector<std::int64_t> shifts;
  std::vector<int> along;
  for (int place = 0; place < count; ++place) {
    along.push_back(axes.given() ? checked_axis(call, axes[place], shape.rank()) : place);
    shifts.push_back(sign * (shape[along.back()] / 2));
  }
  if (along.empty()) return a.copy(call.where);
  return roll(a, shifts, Axes(std::span<const int>(along)), call.where);
}

void check_frequencies(const Call& call, std::int64_t n) {
  if (n < 1) fail<ValueError>(call, "n is ", n, ": there are frequencies of 1 number or more");
}

}  // namespace

namespace fft {

Array fft(const Array& a, std::optional<std::int64_t> n, Axis axis, std::string_view norm, std::source_location where) {
  return transformed(Call{"fft", where}, Transform::Forward, a, n, axis, norm, false);
}

Array ifft(const Array& a, std::optional<std::int64_t> n, Axis axis, std::string_view norm,
           std::source_location where) {
  return transformed(Call{"ifft", where}, Transform::Backward, a, n, axis, norm, true);
}

Array rfft(const Array& a, std::optional<std::int64_t> n, Axis axis, std::string_view norm,
           std::source_location where) {
  return transformed(Call{"rfft", where}, Transform::ToComplex, a, n, axis, norm, false);
}

Array irfft(const Array& a, std::optional<std::int64_t> n, Axis axis, std::string_view norm,
            std::source_location where) {
  return transformed(Call{"irfft", where}, Transform::ToReal, a, n, axis, norm, true);
}

Array hfft(const Array& a, std::optional<std::int64_t> n, Axis axis, std::string_view norm,
           std::source_location where) {
  const Call call{"hfft", where};
  const bool is_turned = is_complex(checked_state(call, a).dtype());
  const Array turned = is_turned ? Array(conj(Operand(a, where))) : a;
  return transformed(call, Transform::ToReal, turned, n, axis, other_norm(norm), true);
}

Array ihfft(const Array& a, std::optional<std::int64_t> n, Axis axis, std::string_view norm,
            std::source_location where) {
  const Array half = transformed(Call{"ihfft", where}, Transform::ToComplex, a, n, axis, other_norm(norm), false);
  return conj(Operand(half, where));
}

Array fftn(const Array& a, const std::vector<std::int64_t>& s, Axes axes, std::string_view norm,
           std::source_location where) {
  return all_axes(Call{"fftn", where}, false, a, s, axes, norm);
}

Array ifftn(const Array& a, const std::vector<std::int64_t>& s, Axes axes, std::string_view norm,
            std::source_location where) {
  return all_axes(Call{"ifftn", where}, true, a, s, axes, norm);
}

Array rfftn(const Array& a, const std::vector<std::int64_t>& s, Axes axes, std::string_view norm,
            std::source_location where) {
  return real_axes(Call{"rfftn", where}, a, s, axes, norm);
}

Array irfftn(const Array& a, const std::vector<std::int64_t>& s, Axes axes, std::string_view norm,
             std::source_location where) {
  return to_real_axes(Call{"irfftn", where}, a, s, axes, norm);
}

Array fft2(const Array& a, const std::vector<std::int64_t>& s, Axes axes, std::string_view norm,
           std::source_location where) {
  return all_axes(Call{"fft2", where}, false, a, s, axes, norm);
}

Array ifft2(const Array& a, const std::vector<std::int64_t>& s, Axes axes, std::string_view norm,
            std::source_location where) {
  return all_axes(Call{"ifft2", where}, true, a, s, axes, norm);
}

Array rfft2(const Array& a, const std::vector<std::int64_t>& s, Axes axes, std::string_view norm,
            std::source_location where) {
  return real_axes(Call{"rfft2", where}, a, s, axes, norm);
}

Array irfft2(const Array& a, const std::vector<std::int64_t>& s, Axes axes, std::string_view norm,
             std::source_location where) {
  return to_real_axes(Call{"irfft2", where}, a, s, axes, norm);
}

Array fftfreq(std::int64_t n, double d, std::source_location where) {
  check_frequencies(Call{"fftfreq", where}, n);
  const Array up = arange(Operand(0, where), Operand((n - 1) / 2 + 1, where)),
              down = arange(Operand(-(n / 2), where), Operand(0, where));
  const Array numbers = concatenate({up, down}, 0, where);
  return Operand(numbers, where) * Operand(1 / (static_cast<double>(n) * d), where);
}

Array rfftfreq(std::int64_t n, double d, std::source_location where) {
  check_frequencies(Call{"rfftfreq", where}, n);
  const Array numbers = arange(Operand(0, where), Operand(n / 2 + 1, where));
  return Operand(numbers, where) * Operand(1 / (static_cast<double>(n) * d), where);
}

Array fftshift(const Array& a, Axes axes, std::source_location where) {
  return shifted(Call{"fftshift", where}, a, axes, 1);
}

Array ifftshift(const Array& a, Axes axes, std::source_location where) {
  return shifted(Call{"ifftshift", where}, a, axes, -1);
}

}  // namespace fft
}  // namespace pilum::numeric
