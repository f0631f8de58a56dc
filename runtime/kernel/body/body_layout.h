// Where a user's body on a device finds what it is called with, and how its errors name things. Private to device_body
// and body_errors.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pilum/shape.h"
#include "runtime/kernel/body/device_body.h"

namespace pilum::kernel {

// The argument is an array of 64-bit words:
//
//   | report, task, file, line (where checked) | lo[rank] | extent[rank] | parts |
//   | array 0: base, part step (of Reduce), by axis: stride (in cells; where it is not 1), range | array 1: … |
//   | scalars |
//
// range: nothing of an axis of the point's own; lo, hi of a fixed one; scale, offset, extent, size of a window.
class BodyLayout {
 public:
  BodyLayout(const BodySource& body, const BodyForm& form) : rank_(form.rank), first_(body.checked ? kReportWords : 0) {
    arrays_.reserve(form.arrays.size());
    int next = parts() + 1;
    for (const BodyParameter& parameter : body.parameters) {
      if (parameter.kind != BodyParameter::Kind::Array) {
        values_ += words_of(parameter);
        continue;
      }
      const BodyForm::Array& array = form.arrays[arrays_.size()];
      Array& words = arrays_.emplace_back();
      words.base = next++;
      if (parameter.access == Access::Reduce) {
        words.part_step = next++;
        reduces_ = true;
      }
      for (int axis = 0; axis < parameter.rank; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        words.stride[a] = next;
        if (has_stride(array, axis)) ++next;
        words.range[a] = next;
        const BodyAxis::Kind kind = array.axes[a].kind;
        next += kind == BodyAxis::Kind::Own ? 0 : kind == BodyAxis::Kind::Fixed ? 2 : 4;
      }
    }
    scalars_ = next;
  }

  static bool has_stride(const BodyForm::Array& array, int axis) {
    return !array.contiguous || axis + 1 < static_cast<int>(array.axes.size());
  }
  static int words_of(const BodyParameter& value) { return static_cast<int>((value.bytes + 7) / 8); }

  bool reduces() const { return reduces_; }
  int lo(int axis) const { return first_ + axis; }
  int extent(int axis) const { return first_ + rank_ + axis; }
  int parts() const { return first_ + 2 * rank_; }
  int base(int array) const { return at(array).base; }
  int part_step(int array) const { return at(array).part_step; }
  int stride(int array, int axis) const { return at(array).stride[static_cast<std::size_t>(axis)]; }
  int range(int array, int axis) const { return at(array).range[static_cast<std::size_t>(axis)]; }
  int scalars() const { return scalars_; }
  int size() const { return scalars_ + values_; }

 private:
  static constexpr int kReportWords = 4;
  struct Array {
    int base = 0, part_step = 0;
    std::array<int, kMaxAxes> stride{}, range{};
  };
  const Array& at(int array) const { return arrays_[static_cast<std::size_t>(array)]; }

  int rank_, first_;
  std::vector<Array> arrays_;
  int scalars_ = 0, values_ = 0;
  bool reduces_ = false;
};

// What compilers call the user's text, and our lines behind it.
std::string source_name(const BodySource& body);
std::string search_name(const BodySource& body);
std::string call_name(const BodySource& body);
// "pilum::Read<double, 1>", "double", "a value of 24 bytes"
std::string parameter_name(const BodyParameter& parameter);
// What the text must define, for a domain of so many axes.
std::string signature_of(const BodySource& body, int rank);

// The number that stands for "how many" in a mismatch.
inline constexpr int kCountMismatch = 1000;

}  // namespace pilum::kernel
