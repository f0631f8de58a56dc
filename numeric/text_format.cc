#include "numeric/text_format.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "numeric/format.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

constexpr std::size_t kWidest = 4;  // digits of a width or a precision

[[noreturn]] void refuse(const Call& call, std::string_view fmt, std::string_view why) {
  fail<ValueError>(call, "the format \"", fmt, "\" ", why);
}

void check_conversion(const Call& call, std::string_view fmt, char conversion, DType dtype) {
  constexpr std::string_view kOfAll = "diueEfFgGs", kOfUnsigned = "oxX";
  const bool is_unsigned =
      dtype == DType::UInt8 || dtype == DType::UInt16 || dtype == DType::UInt32 || dtype == DType::UInt64;
  if (kOfAll.find(conversion) != std::string_view::npos) return;
  if (kOfUnsigned.find(conversion) == std::string_view::npos)
    refuse(call, fmt, std::string("has %") + conversion + ": there are %d, %e, %f, %g, %s and their kin");
  if (!is_unsigned) {
    refuse(call, fmt,
           std::string("has %") + conversion + ", which is of unsigned integers, and the array is " + name(dtype) +
               ": cast it with astype");
  }
}

// The number's format that `text` begins with, behind its %.
NumberFormat take_format(const Call& call, std::string_view fmt, std::string_view& text, DType dtype) {
  NumberFormat format;
  const auto take_while = [&](std::string_view characters, std::size_t most) {
    const std::size_t end = std::min(text.find_first_not_of(characters), text.size());
    if (end > most) refuse(call, fmt, "has a width or a precision of more than 4 digits");
    format.modifiers += text.substr(0, end);
    text.remove_prefix(end);
  };
  take_while("-+ #0", 5);
  take_while("0123456789", kWidest);
  if (text.starts_with('.')) {
    format.modifiers += '.';
    text.remove_prefix(1);
    take_while("0123456789", kWidest);
  }
  text.remove_prefix(std::min(text.find_first_not_of("lhL"), text.size()));  // as Python, which passes them over
  if (text.empty()) refuse(call, fmt, "ends within a %: write one as %.3f");
  format.conversion = text.front();
  text.remove_prefix(1);
  check_conversion(call, fmt, format.conversion, dtype);
  return format;
}

RowFormat parse(const Call& call, std::string_view fmt, DType dtype) {
  RowFormat row;
  std::string before;
  for (std::string_view text = fmt; !text.empty();) {
    const std::size_t end = std::min(text.find('%'), text.size());
    before += text.substr(0, end);
    text.remove_prefix(end);
    if (text.empty()) break;
    text.remove_prefix(1);
    row.numbers.push_back(take_format(call, fmt, text, dtype));
    row.numbers.back().before = std::exchange(before, "");
  }
  row.end = before;
  return row;
}

// As " (1+2j)".
RowFormat of_complex(const RowFormat& part) {
  RowFormat row{{part.numbers[0], part.numbers[0]}, part.end + "j)"};
  row.numbers[0].before = " (" + part.numbers[0].before;
  row.numbers[1].before = part.end + "+" + part.numbers[0].before;
  return row;
}

RowFormat repeated(const RowFormat& one, std::string_view delimiter, std::int64_t columns) {
  RowFormat row;
  for (std::int64_t column = 0; column < columns; ++column) {
    const std::size_t first = row.numbers.size();
    row.numbers.insert(row.numbers.end(), one.numbers.begin(), one.numbers.end());
    if (column > 0) row.numbers[first].before = one.end + std::string(delimiter) + one.numbers[0].before;
  }
  row.end = columns > 0 ? one.end : "";
  return row;
}

template <class T>
bool print(std::string& text, const NumberFormat& format, const char* length, T number) {
  const std::string how = "%" + format.modifiers + length + format.conversion;
  std::array<char, 64> few;  // most numbers have fewer
  const int size = std::snprintf(few.data(), few.size(), how.c_str(), number);
  if (size < 0) return false;
  if (static_cast<std::size_t>(size) < few.size()) {
    text.append(few.data(), static_cast<std::size_t>(size));
    return true;
  }
  const std::size_t begin = text.size();
  text.resize(begin + static_cast<std::size_t>(size) + 1);
  std::snprintf(text.data() + begin, static_cast<std::size_t>(size) + 1, how.c_str(), number);
  text.pop_back();
  return true;
}

bool is_of_integers(char conversion) {
  return std::strchr("diuoxX", conversion) != nullptr;
}

// What is before the point of any size, as Python's integers have any.
bool print_whole_part(std::string& text, NumberFormat format, double number) {
  if (!std::isfinite(number)) return false;
  const double whole = std::trunc(number);
  format.conversion = 'f';
  format.modifiers = format.modifiers.substr(0, format.modifiers.find('.')) + ".0";
  return print(text, format, "", whole == 0 ? 0.0 : whole);
}

// As Python: a NaN has no sign, and zeros fill what is before inf and nan, too.
bool print_floating(std::string& text, const NumberFormat& format, double number) {
  if (std::isfinite(number)) return print(text, format, "", number);
  const std::size_t begin = text.size();
  const std::string flags = format.modifiers.substr(0, format.modifiers.find_first_not_of("-+ #0"));
  if (!print(text, format, "", std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number)) return false;
  if (flags.find('0') == std::string::npos || flags.find('-') != std::string::npos) return true;
  const std::size_t first = text.find_first_not_of(' ', begin);
  const bool has_sign = text[first] == '-' || text[first] == '+';
  std::rotate(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(first),
              text.begin() + static_cast<std::ptrdiff_t>(first + has_sign));
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin + has_sign),
            text.begin() + static_cast<std::ptrdiff_t>(first + has_sign), '0');
  return true;
}

template <class T>
bool append(std::string& text, const NumberFormat& format, T number) {
  if constexpr (pilum::detail::kIsFloating<T>) {
    if (is_of_integers(format.conversion)) return print_whole_part(text, format, static_cast<double>(number));
    return print_floating(text, format, static_cast<double>(number));
  } else if (!is_of_integers(format.conversion)) {
    return print(text, format, "", static_cast<double>(number));
  } else if constexpr (std::is_signed_v<T>) {
    return print(text, {format.before, format.modifiers, 'd'}, "ll", static_cast<long long>(number));
  } else {
    const char conversion = std::strchr("di", format.conversion) ? 'u' : format.conversion;
    return print(text, {format.before, format.modifiers, conversion}, "ll", static_cast<unsigned long long>(number));
  }
}

}  // namespace

RowFormat parse_row_format(const Call& call, std::string_view fmt, std::string_view delimiter, std::int64_t columns,
                           DType dtype) {
  const DType part = pilum::detail::part_of(dtype);
  RowFormat row = parse(call, fmt, part);
  const auto count = static_cast<std::int64_t>(row.numbers.size()), parts = is_complex(dtype) ? 2 * columns : columns;
  if (count == 1) return repeated(is_complex(dtype) ? of_complex(row) : row, delimiter, columns);
  if (count != parts) {
    refuse(call, fmt,
           "has " + std::to_string(count) + " numbers, and the array's rows have " + std::to_string(parts) +
               ": give one for all, or one for each");
  }
  return row;
}

bool append_number(std::string& text, const NumberFormat& format, DType dtype, std::span<const std::byte> cell) {
  text += format.before;
  if (format.conversion == 's') return print(text, format, "", format_scalar(dtype, cell).c_str());
  return visit_real_dtype(dtype, [&]<class T>(T) {
    T number;
    std::memcpy(static_cast<void*>(&number), cell.data(), sizeof number);
    return append(text, format, number);
  });
}

PlainNumbers::PlainNumbers() {
  static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
  before_ = ::uselocale(plain);
}
PlainNumbers::~PlainNumbers() {
  ::uselocale(static_cast<locale_t>(before_));
}

}  // namespace pilum::numeric
