// Numbers as text by the formats of Python's %, as far as numpy.savetxt takes them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numeric/errors.h"

namespace pilum::numeric {

// One format: text as it is, then a number. "%-8.3f" has flags "-", width "8", precision ".3".
struct NumberFormat {
  std::string before;
  std::string modifiers;  // flags, width and precision
  char conversion = 'e';
};

// A row's: a number each, and the text behind the last.
struct RowFormat {
  std::vector<NumberFormat> numbers;
  std::string end;
};

// Of `fmt` for so many columns of a dtype, of which `fmt` may have one for all. Throws ValueError.
[[nodiscard]] RowFormat parse_row_format(const Call& call, std::string_view fmt, std::string_view delimiter,
                                         std::int64_t columns, DType dtype);

// Appends a real number; false where it has no text of this format: a NaN as %d.
[[nodiscard]] bool append_number(std::string& text, const NumberFormat& format, DType dtype,
                                 std::span<const std::byte> cell);

// While one lives, this thread's numbers have points, whatever language the program speaks.
class PlainNumbers {
 public:
  PlainNumbers();
  ~PlainNumbers();
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  void* before_ = nullptr;
};

}  // namespace pilum::numeric
