// Follows numpy/_core/arrayprint.py of NumPy 2.3 and newer (FloatingFormat, IntegerFormat, BoolFormat). NumPy's Dragon4
// gives the shortest digits, and correctly rounded ones where it is cut short; std::to_chars promises the same.
#include "numeric/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

constexpr int kPrecision = 8;

// From here on there is an exponent: a float32 has no digits beyond, nor a float16.
template <class T>
constexpr T kFirstExponentInArrays = static_cast<T>(std::is_same_v<T, half>    ? 1e3
                                                    : std::is_same_v<T, float> ? 1e6
                                                                               : 1e8);
template <class T>
constexpr T kFirstExponentInScalars = static_cast<T>(std::is_same_v<T, half>    ? 1e3
                                                     : std::is_same_v<T, float> ? 1e6
                                                                                : 1e16);

template <class T>
std::vector<T> values_of(std::span<const std::byte> cells) {
  std::vector<T> values(cells.size() / sizeof(T));
  std::memcpy(values.data(), cells.data(), values.size() * sizeof(T));
  return values;
}

template <class T, class... Precision>
std::string digits(T value, std::chars_format format, Precision... precision) {
  char text[512];
  return std::string(text, std::to_chars(text, text + sizeof text, value, format, precision...).ptr);
}

// A number's text, cut at its point and its exponent: "-12", "5", "+08" (the exponent empty in fixed notation).
struct Parts {
  std::string whole;
  std::string fraction;
  std::string exponent;
};

Parts split(const std::string& text) {
  const std::size_t e = std::min(text.find('e'), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  return Parts{text.substr(0, point), text.substr(std::min(point + 1, e), e - std::min(point + 1, e)),
               e == text.size() ? "" : text.substr(e + 1)};
}

// The fewest digits of which the nearest half is this one: of two that are as few, the nearer.
std::string shortest_scientific(half value) {
  const double exact = value, size = std::abs(exact);
  for (int precision = 0;; ++precision) {
    const std::string nearest = digits(size, std::chars_format::scientific, precision);
    const double number = std::stod(nearest), digit = std::pow(10.0, std::stoi(split(nearest).exponent) - precision);
    for (const double other : {number, number < size ? number + digit : number - digit}) {
      if (half(other) == half(size))
        return (std::signbit(exact) ? "-" : "") + digits(other, std::chars_format::scientific, precision);
    }
  }
}

std::string digits(half value, std::chars_format format) {
  std::string shortest = shortest_scientific(value);
  if (format == std::chars_format::scientific) return shortest;
  const Parts parts = split(shortest);
  const int places = static_cast<int>(parts.fraction.size()) - std::stoi(parts.exponent);
  return digits(std::stod(shortest), format, std::max(places, 0));
}
std::string digits(half value, std::chars_format format, int precision) {
  return digits(static_cast<double>(value), format, precision);
}

// The shortest digits without an exponent. Zeros follow them before the point, as NumPy prints scalars; to_chars, and
// NumPy in arrays, go on with the exact value's digits there.
template <class T>
Parts shortest_fixed(T value) {
  const Parts scientific = split(digits(value, std::chars_format::scientific));
  const bool negative = scientific.whole[0] == '-';
  std::string figures = scientific.whole.substr(negative) + scientific.fraction;
  const int exponent = std::stoi(scientific.exponent);
  if (exponent < 0) figures.insert(0, static_cast<std::size_t>(-exponent), '0');
  const auto whole = static_cast<std::size_t>(std::max(exponent, 0)) + 1;
  if (figures.size() < whole) figures.resize(whole, '0');
  return Parts{(negative ? "-" : "") + figures.substr(0, whole), figures.substr(whole), ""};
}

void drop_trailing_zeros(std::string& fraction) {
  fraction.erase(fraction.find_last_not_of('0') + 1);
}

// The shortest digits (before the point all of them), or those rounded to 8 after the point; no zeros at the end.
template <class T>
Parts shortest(T value, std::chars_format format) {
  Parts parts = split(digits(value, format));
  if (parts.fraction.size() > kPrecision) parts = split(digits(value, format, kPrecision));
  drop_trailing_zeros(parts.fraction);
  return parts;
}

std::string pad_left(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// One layout for all values: the widths that the widest one of each part needs. With `signs`, + stands as - does.
template <class T>
class FloatFormat {
 public:
  explicit FloatFormat(const std::vector<T>& values, bool signs = false)
      : signs_(signs), scientific_(needs_exponents(values)) {
    bool any_special = false;
    bool any_negative_infinity = false;
    for (T value : values) {
      if (std::isfinite(value)) {
        measure(value);
      } else {
        any_special = true;
        any_negative_infinity |= std::isinf(value) && value < 0;
      }
    }
    if (!any_special) return;
    const std::size_t after = right_ + 1;
    const std::size_t special = any_negative_infinity || signs_ ? 4 : 3;
    if (special > after) whole_ = std::max(whole_, special - after);
  }

  std::string operator()(T value) const {
    if (std::isnan(value)) return pad_left(with_sign("nan"), whole_ + right_ + 1);
    if (std::isinf(value)) return pad_left(with_sign(value < 0 ? "-inf" : "inf"), whole_ + right_ + 1);
    if (scientific_) return scientific(value);
    Parts parts = shortest(value, std::chars_format::fixed);
    parts.fraction.resize(fraction_, ' ');
    return pad_left(with_sign(parts.whole), whole_) + "." + parts.fraction;
  }

 private:
  std::string with_sign(const std::string& text) const { return signs_ && text[0] != '-' ? "+" + text : text; }

  // Compared and divided as T: NumPy's bounds are weak numbers.
  static bool needs_exponents(const std::vector<T>& values) {
    T largest{}, smallest{};
    for (T value : values) {
      const T size = static_cast<T>(std::abs(value));
      if (!std::isfinite(value) || value == 0) continue;
      largest = std::max(largest, size);
      smallest = smallest == 0 ? size : std::min(smallest, size);
    }
    return largest != 0 && (largest >= kFirstExponentInArrays<T> || smallest < T(0.0001) ||
                            static_cast<T>(largest / smallest) > T(1000));
  }

  void measure(T value) {
    const Parts parts = shortest(value, scientific_ ? std::chars_format::scientific : std::chars_format::fixed);
    whole_ = std::max(whole_, with_sign(parts.whole).size());
    fraction_ = std::max(fraction_, parts.fraction.size());
    if (scientific_) exponent_ = std::max(exponent_, parts.exponent.size() - 1);
    right_ = scientific_ ? fraction_ + exponent_ + 2 : fraction_;
  }

  std::string scientific(T value) const {
    // The shortest digits where they have this length: next to a power of 2 they may not be the rounded ones.
    Parts parts = split(digits(value, std::chars_format::scientific));
    if (parts.fraction.size() != fraction_) {
      parts = split(digits(value, std::chars_format::scientific, static_cast<int>(fraction_)));
    }
    parts.exponent.insert(1, exponent_ + 1 - parts.exponent.size(), '0');
    return pad_left(with_sign(parts.whole), whole_) + "." + parts.fraction + "e" + parts.exponent;
  }

  bool signs_;
  bool scientific_;
  std::size_t whole_ = 0;     // width before the point
  std::size_t fraction_ = 0;  // digits after it
  std::size_t exponent_ = 0;  // digits of the exponent
  std::size_t right_ = 0;     // width after the point
};

template <class T>
std::vector<std::string> format_floats(const std::vector<T>& values) {
  const FloatFormat<T> format(values);
  std::vector<std::string> texts;
  for (T value : values) texts.push_back(format(value));
  return texts;
}

template <class T>
std::vector<std::string> format_integers(const std::vector<T>& values) {
  std::vector<std::string> texts;
  std::size_t width = 0;
  for (T value : values) width = std::max(width, texts.emplace_back(std::to_string(value)).size());
  for (std::string& text : texts) text = pad_left(text, width);
  return texts;
}

std::vector<std::string> format_bools(std::span<const std::byte> cells) {
  std::vector<std::string> texts;
  for (std::byte cell : cells) texts.push_back(cell != std::byte{0} ? " True" : "False");
  return texts;
}

template <class T>
std::string format_float_scalar(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double size = std::abs(static_cast<double>(value));  // 0.0001f is less than 1e-4 here: "1e-04"
  if (size != 0 && (size < 1e-4 || size >= kFirstExponentInScalars<T>))
    return digits(value, std::chars_format::scientific);
  const Parts parts = shortest_fixed(value);
  return parts.whole + "." + (parts.fraction.empty() ? "0" : parts.fraction);
}

// As ComplexFloatingFormat: both parts laid out on their own; what fills the imaginary one up stands behind its j.
template <class T>
std::vector<std::string> format_complex(const std::vector<std::complex<T>>& values) {
  std::vector<T> re, im;
  for (const std::complex<T>& value : values) {
    re.push_back(value.real());
    im.push_back(value.imag());
  }
  const FloatFormat<T> real_format(re), imaginary_format(im, /*signs=*/true);
  std::vector<std::string> texts;
  for (const std::complex<T>& value : values) {
    std::string imaginary = imaginary_format(value.imag());
    imaginary.insert(imaginary.find_last_not_of(' ') + 1, "j");
    texts.push_back(real_format(value.real()) + imaginary);
  }
  return texts;
}

template <class T>
std::string format_complex_scalar(std::complex<T> value) {
  const auto part = [](T number) {
    std::string text = format_float_scalar(number);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  };
  if (value.real() == 0 && !std::signbit(value.real())) return part(value.imag()) + "j";
  const std::string imaginary = part(value.imag());
  return "(" + part(value.real()) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j)";
}

}  // namespace

std::vector<std::string> format_cells(DType dtype, std::span<const std::byte> cells) {
  return visit_dtype(dtype, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      return format_bools(cells);
    } else if constexpr (pilum::detail::kIsFloating<T>) {
      return format_floats(values_of<T>(cells));
    } else if constexpr (!std::is_integral_v<T>) {
      return format_complex(values_of<T>(cells));
    } else {
      return format_integers(values_of<T>(cells));
    }
  });
}

std::string format_scalar(DType dtype, std::span<const std::byte> cell) {
  if (dtype == DType::Bool) return cell[0] != std::byte{0} ? "True" : "False";
  return visit_dtype(dtype, [&]<class T>(T value) {
    std::memcpy(&value, cell.data(), sizeof value);
    if constexpr (pilum::detail::kIsFloating<T>) {
      return format_float_scalar(value);
    } else if constexpr (!std::is_integral_v<T>) {
      return format_complex_scalar(value);
    } else {
      return std::to_string(value);
    }
  });
}

}  // namespace pilum::numeric
