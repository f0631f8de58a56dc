#include "numeric/text_read.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

constexpr std::string_view kSpaces = " \t\v\f\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// As much of `text` as is a number; a sign + is one here. What is too large is infinite, what is too small 0.
std::optional<double> take_double(std::string_view& text) {
  const bool has_plus = text.starts_with('+') && !text.starts_with("+-");
  const std::string_view digits = text.substr(has_plus ? 1 : 0);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::invalid_argument) return std::nullopt;
  const auto taken = static_cast<std::size_t>(end - digits.data());
  if (error == std::errc::result_out_of_range) {
    const std::string_view shape = digits.substr(0, taken);
    const std::size_t exponent = shape.find_first_of("eE");
    const bool is_small = exponent != std::string_view::npos ? shape.substr(exponent + 1).starts_with('-')
                                                             : shape.find_first_not_of("-0") == shape.find('.');
    number = is_small ? 0.0 : std::numeric_limits<double>::infinity();
    if (shape.starts_with('-')) number = -number;
  }
  text = digits.substr(taken);
  return number;
}

template <class T>
bool parse_floating(std::string_view text, T& cell) {
  const std::optional<double> number = take_double(text);
  if (!number || !text.empty()) return false;
  cell = static_cast<T>(*number);
  return true;
}

template <class T>
bool parse_integer(std::string_view text, T& cell) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cell);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_bool(std::string_view text, bool& cell) {
  std::int64_t number = 0;
  if (!parse_integer(text, number)) return false;
  cell = number != 0;
  return true;
}

// "1.5", "2j", "1+2j", each also in parentheses.
template <class Part>
bool parse_complex(std::string_view text, std::complex<Part>& cell) {
  if (text.starts_with('(') && text.ends_with(')')) text = trimmed(text.substr(1, text.size() - 2));
  const std::optional<double> first = take_double(text);
  if (!first) return false;
  if (text.empty()) {
    cell = {static_cast<Part>(*first), Part(0)};
    return true;
  }
  if (text == "j") {
    cell = {Part(0), static_cast<Part>(*first)};
    return true;
  }
  if (text.front() != '+' && text.front() != '-') return false;
  const std::optional<double> second = take_double(text);
  if (!second || text != "j") return false;
  cell = {static_cast<Part>(*first), static_cast<Part>(*second)};
  return true;
}

template <class T>
bool parse(std::string_view text, T& cell) {
  if constexpr (std::is_same_v<T, bool>)
    return parse_bool(text, cell);
  else if constexpr (std::is_integral_v<T>)
    return parse_integer(text, cell);
  else if constexpr (pilum::detail::kIsFloating<T>)
    return parse_floating(text, cell);
  else
    return parse_complex(text, cell);
}

// Goes through the lines of a text, whichever way they end.
class Lines {
 public:
  explicit Lines(std::string_view text) : left_(text) {}
  std::int64_t number() const { return number_; }
  std::optional<std::string_view> next() {
    if (left_.empty()) return std::nullopt;
    const std::size_t end = std::min(left_.find_first_of("\r\n"), left_.size());
    const std::string_view line = left_.substr(0, end);
    left_.remove_prefix(end +
                        (left_.substr(end).starts_with("\r\n") ? 2 : std::min<std::size_t>(1, left_.size() - end)));
    ++number_;
    return line;
  }

 private:
  std::string_view left_;
  std::int64_t number_ = 0;
};

class TextReader {
 public:
  TextReader(const Call& call, const std::string& path, const LoadText& options)
      : call_(call), path_(path), options_(options) {}

  TextCells read(std::string_view text) {
    Lines lines(text);
    for (std::int64_t k = 0; k < options_.skiprows && lines.next(); ++k) {
    }
    while (options_.max_rows < 0 || cells_.rows < options_.max_rows) {
      const std::optional<std::string_view> line = lines.next();
      if (!line) break;
      line_ = lines.number();
      split(options_.comments.empty() ? *line : line->substr(0, line->find(options_.comments)));
      if (!fields_.empty()) add_row();
    }
    return std::move(cells_);
  }

 private:
  void split(std::string_view line) {
    fields_.clear();
    const bool by_spaces = options_.delimiter.empty();
    if (trimmed(line).empty() && (by_spaces || line.empty())) return;
    if (!by_spaces) {
      for (;;) {
        const std::size_t end = line.find(options_.delimiter);
        fields_.push_back(trimmed(line.substr(0, end)));
        if (end == std::string_view::npos) return;
        line.remove_prefix(end + 1);
      }
    }
    for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
      const std::size_t end = std::min(line.find_first_of(kSpaces), line.size());
      fields_.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
  }

  void add_row() {
    if (options_.usecols.empty()) {
      if (cells_.rows > 0 && std::ssize(fields_) != cells_.columns) {
        fail<ValueError>(call_, place(), " has ", std::ssize(fields_), " columns, and the lines before it have ",
                         cells_.columns, ": make them equal, or name those to read by usecols");
      }
      cells_.columns = std::ssize(fields_);
      for (std::size_t k = 0; k < fields_.size(); ++k) add_cell(k);
    } else {
      cells_.columns = std::ssize(options_.usecols);
      for (const std::int64_t column : options_.usecols) add_cell(checked_column(column));
    }
    ++cells_.rows;
  }

  std::size_t checked_column(std::int64_t column) const {
    const std::int64_t count = std::ssize(fields_), from_first = column < 0 ? column + count : column;
    if (from_first < 0 || from_first >= count) {
      fail<ValueError>(call_, place(), " has ", count, " columns, and usecols has ", column,
                       ": the first one is 0, the last one -1");
    }
    return static_cast<std::size_t>(from_first);
  }

  void add_cell(std::size_t column) {
    const std::string_view field = fields_[column];
    visit_dtype(options_.dtype, [&]<class T>(T) {
      T cell{};
      if (!parse(field, cell)) {
        fail<ValueError>(call_, place(), ", column ", column, ": \"", field.substr(0, 100), "\" is no ", options_.dtype,
                         ": give another dtype or delimiter, or pass lines over by skiprows");
      }
      const std::size_t begin = cells_.bytes.size();
      cells_.bytes.resize(begin + sizeof cell);
      std::memcpy(cells_.bytes.data() + begin, static_cast<const void*>(&cell), sizeof cell);
    });
  }

  std::string place() const { return "line " + std::to_string(line_) + " of \"" + path_ + "\""; }

  const Call& call_;
  const std::string& path_;
  const LoadText& options_;
  TextCells cells_;
  std::vector<std::string_view> fields_;
  std::int64_t line_ = 0;
};

}  // namespace

void check_options(const Call& call, const LoadText& options) {
  if (options.delimiter.size() > 1)
    fail<ValueError>(call, "the delimiter \"", options.delimiter, "\": give one character, or \"\" for white space");
  if (options.delimiter == "\n" || options.delimiter == "\r")
    fail<ValueError>(call, "the delimiter ends a line: give another character");
  if (!options.delimiter.empty() && options.comments.starts_with(options.delimiter))
    fail<ValueError>(call, "the delimiter \"", options.delimiter, "\" begins comments, too: give another one");
  if (options.skiprows < 0) fail<ValueError>(call, "skiprows is ", options.skiprows, ": give 0 or more");
  if (options.ndmin < 0 || options.ndmin > 2) fail<ValueError>(call, "ndmin is ", options.ndmin, ": give 0, 1 or 2");
  if (options.max_rows < -1)
    fail<ValueError>(call, "max_rows is ", options.max_rows, ": give 0 or more, or -1 for all");
}

TextCells read_text(const Call& call, const std::string& path, std::string_view text, const LoadText& options) {
  return TextReader(call, path, options).read(text);
}

}  // namespace pilum::numeric
