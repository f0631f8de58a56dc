#include "tests/numpy/compare.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>

#include "runtime/base/dtype_visit.h"
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {
namespace {

template <class T>
std::string text_of(T number) {
  if constexpr (std::is_same_v<T, bool>) {
    return number ? "True" : "False";
  } else if constexpr (std::is_same_v<T, half>) {
    return text_of(static_cast<float>(number));
  } else {
    char text[40];
    return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
  }
}

template <class T>
T cell(const Cells& cells, std::size_t place) {
  T number{};
  std::memcpy(&number, cells.bytes.data() + place * sizeof number, sizeof number);
  return number;
}

template <class T>
bool agrees(T low, T high, T number) {
  if constexpr (detail::kIsFloating<T>) {
    if (std::isnan(low) || std::isnan(high)) return std::isnan(number);
  }
  if (std::memcmp(&low, &high, sizeof low) == 0) return std::memcmp(&low, &number, sizeof low) == 0;
  return low <= number && number <= high;
}

template <class T>
std::optional<std::string> first_difference(const Expected& expected, const Cells& cells) {
  for (std::size_t k = 0; k < cells.bytes.size() / sizeof(T); ++k) {
    const T low = cell<T>(expected.low, k), high = cell<T>(expected.high, k), number = cell<T>(cells, k);
    if (agrees(low, high, number)) continue;
    return "cell " + std::to_string(k) + " of shape " + to_string(cells.shape) + ", " + name(cells.dtype) + ", is " +
           text_of(number) + ", NumPy says " + text_of(low) + (low == high ? "" : " to " + text_of(high));
  }
  return {};
}

std::optional<std::string> same_bytes(const Cells& expected, const Cells& cells) {
  return difference(Expected{expected, expected}, cells);
}

// Without what tells one way to call it from another.
std::string plain_name(const std::string& function) {
  for (const char* const ending :
       {"_with_options", "_by_method", "_by_rule", "_weighted", "_of_arrays", "_of_values", "_at"}) {
    if (function.ends_with(ending) && !function.starts_with("delete"))
      return function.substr(0, function.rfind(ending));
  }
  return function;
}

// Other names of a function are errors of that one; operators have words of their own.
bool is_named_after(const std::string& function, const std::string& text) {
  static const std::map<std::string, std::string> kSame = {{"absolute", "abs"},
                                                           {"acos", "arccos"},
                                                           {"acosh", "arccosh"},
                                                           {"around", "round"},
                                                           {"asin", "arcsin"},
                                                           {"asinh", "arcsinh"},
                                                           {"atan", "arctan"},
                                                           {"atan2", "arctan2"},
                                                           {"atanh", "arctanh"},
                                                           {"conjugate", "conj"},
                                                           {"deg2rad", "radians"},
                                                           {"fix", "trunc"},
                                                           {"mod", "remainder"},
                                                           {"pow", "power"},
                                                           {"rad2deg", "degrees"},
                                                           {"concat", "concatenate"},
                                                           {"unique_along", "unique_all"},
                                                           {"true_divide", "divide"},
                                                           {"amax", "max"},
                                                           {"amin", "min"},
                                                           {"bitwise_not", "invert"},
                                                           {"bitwise_invert", "invert"},
                                                           {"bitwise_left_shift", "left_shift"},
                                                           {"bitwise_right_shift", "right_shift"}};
  if (function == "reduce") return true;  // the function's own name
  if (function.starts_with("operator") || function.starts_with("unary")) return true;
  const auto same = kSame.find(function);
  const std::string name = same == kSame.end() ? plain_name(function) : same->second;
  return text.starts_with("[" + name + "]");
}

// A machine without OpenBLAS or FFTW is told so, once; its cases of these are not judged.
bool is_without_library(const std::string& text) {
  if (text.find("there is no OpenBLAS") == std::string::npos && text.find("there is no FFTW") == std::string::npos)
    return false;
  static const bool told = [&] { return std::cerr << "NOT JUDGED: " << text << "\n", true; }();
  return told;
}

// Errors of what was asked for: they say which operation, and where it stands.
std::optional<std::string> check_error(const Case& test, const Arguments& arguments, const Error& error) {
  const std::string text = error.what();
  if (is_without_library(text)) return {};
  if (!test.raises) return "threw " + text;
  if (dynamic_cast<const RuntimeError*>(&error) || dynamic_cast<const MemoryError*>(&error))
    return "is no mistake of the caller's: " + text;
  if (text[0] != '[' || text.find("tests/numpy/") == std::string::npos) {
    if (test.function != "operator!") return "the error names no operation or no line: " + text;
  }
  if (!is_named_after(test.function, text))
    return "the error names another operation than " + test.function + ": " + text;
  for (std::size_t place = 0; place < arguments.count(); ++place) {
    if (arguments.at(place).kind != Argument::Kind::Array) continue;
    if (auto changed = same_bytes(arguments.at(place).base, cells_of(arguments.base(place))))
      return "the error changed argument " + std::to_string(place) + ": " + *changed;
  }
  return {};
}

std::optional<std::string> check_view(const Case& test, const Arguments& arguments, numeric::Array result) {
  try {
    result[numeric::Index(numeric::ellipsis)] = 1;
  } catch (const ValueError&) {  // a view that repeats its cells
  }
  if (auto text = same_bytes(*test.after, cells_of(arguments.base(0))))
    return "argument 0 once 1 is written to the result: " + *text;
  return {};
}

std::string numbers_of(const Cells& cells) {
  return visit_real_dtype(detail::part_of(cells.dtype), [&](auto zero) {
    using T = decltype(zero);
    std::string text;
    for (std::size_t k = 0; k < cells.bytes.size() / sizeof(T); ++k)
      text += (k ? " " : "") + text_of(cell<T>(cells, k));
    return text;
  });
}

std::string to_string(const Argument& argument) {
  std::ostringstream text;
  switch (argument.kind) {
    case Argument::Kind::None: return "None";
    case Argument::Kind::Bool: return argument.integer ? "True" : "False";
    case Argument::Kind::Integer: return std::to_string(argument.integer);
    case Argument::Kind::Floating: return text_of(argument.floating);
    case Argument::Kind::Complex: return "(" + text_of(argument.floating) + ", " + text_of(argument.imaginary) + "i)";
    case Argument::Kind::DType: return name(argument.dtype);
    case Argument::Kind::Word: return argument.word;
    case Argument::Kind::Integers: {
      for (const std::int64_t number : argument.integers) text << number << ",";
      return "(" + text.str() + ")";
    }
    case Argument::Kind::List: {
      for (const Argument& entry : argument.list) text << to_string(entry) << ", ";
      return "[" + text.str() + "]";
    }
    case Argument::Kind::Array: break;
  }
  text << name(argument.base.dtype) << to_string(argument.base.shape) << "{" << numbers_of(argument.base) << "}";
  for (const ViewStep& step : argument.steps) {
    if (step.kind == ViewStep::Kind::Slice) {
      const auto bound = [](std::optional<std::int64_t> at) { return at ? std::to_string(*at) : std::string(); };
      text << "[axis " << step.axis << ": " << bound(step.range.start) << ":" << bound(step.range.stop) << ":"
           << step.range.step << "]";
    } else {
      text << (step.kind == ViewStep::Kind::Transpose ? ".transpose(" : ".broadcast_to(");
      for (const std::int64_t number : step.extents) text << number << ",";
      text << ")";
    }
  }
  return text.str();
}

}  // namespace

// Of complex numbers part by part.
std::optional<std::string> difference(const Expected& expected, const Cells& cells) {
  if (expected.low.dtype != cells.dtype)
    return std::string("the dtype is ") + name(cells.dtype) + ", NumPy says " + name(expected.low.dtype);
  if (expected.low.shape != cells.shape)
    return "the shape is " + pilum::to_string(cells.shape) + ", NumPy says " + pilum::to_string(expected.low.shape);
  return visit_real_dtype(detail::part_of(cells.dtype),
                          [&](auto zero) { return first_difference<decltype(zero)>(expected, cells); });
}

std::optional<std::string> run(const Case& test) {
  const auto function = functions().find(test.function);
  if (function == functions().end()) return "the suite's table has no such function";
  const Arguments arguments(test.arguments);
  try {
    const Results results = function->second(arguments);
    if (test.raises) return "threw nothing, and NumPy raises an error";
    if (results.size() != test.results.size())
      return std::to_string(results.size()) + " arrays, NumPy gives " + std::to_string(test.results.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (auto text = difference(test.results[k], cells_of(results[k])))
        return (results.size() > 1 ? "result " + std::to_string(k) + ": " : "") + *text;
    }
    return test.after ? check_view(test, arguments, results.at(0)) : std::nullopt;
  } catch (const Error& error) {
    return check_error(test, arguments, error);
  }
}

std::string to_string(const Case& test) {
  std::string text = test.function + "(";
  for (const Argument& argument : test.arguments)
    text += (&argument == test.arguments.data() ? "" : ", ") + to_string(argument);
  return text + ")";
}

}  // namespace pilum::numpy_suite
