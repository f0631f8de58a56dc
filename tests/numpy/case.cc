#include "tests/numpy/case.h"

#include <bit>
#include <stdexcept>

#include "runtime/base/dtype_visit.h"

namespace pilum::numpy_suite {
namespace {

template <class T>
T read(std::istream& file) {
  T value{};
  if (!(file >> value)) throw std::runtime_error("the file of cases ends early");
  return value;
}

std::optional<std::int64_t> read_bound(std::istream& file) {
  const auto text = read<std::string>(file);
  if (text == "-") return {};
  return std::stoll(text);
}

std::vector<std::int64_t> read_integers(std::istream& file) {
  std::vector<std::int64_t> numbers(read<std::size_t>(file));
  for (std::int64_t& number : numbers) number = read<std::int64_t>(file);
  return numbers;
}

int digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

std::vector<std::byte> read_hex(std::istream& file) {
  const auto text = read<std::string>(file);  // "x", then two digits a byte
  std::vector<std::byte> bytes;
  for (std::size_t at = 1; at + 1 < text.size(); at += 2)
    bytes.push_back(static_cast<std::byte>(digit(text[at]) << 4 | digit(text[at + 1])));
  return bytes;
}

DType read_dtype(std::istream& file) {
  const auto text = read<std::string>(file);
  if (const auto dtype = find_dtype(text)) return *dtype;
  throw std::runtime_error("the cases have a dtype that there is not: " + text);
}

Cells read_cells(std::istream& file) {
  Cells cells;
  cells.dtype = read_dtype(file);
  for (const std::int64_t extent : read_integers(file)) cells.shape.push_back(extent);
  cells.bytes = read_hex(file);
  if (cells.bytes.size() != static_cast<std::size_t>(cells.shape.elements()) * itemsize(cells.dtype))
    throw std::runtime_error("cells are missing in the file of cases");
  return cells;
}

ViewStep read_step(std::istream& file) {
  const auto word = read<std::string>(file);
  ViewStep step;
  if (word == "slice") {
    step.axis = read<int>(file);
    const auto start = read_bound(file), stop = read_bound(file);
    step.range = numeric::slice(start, stop, read<std::int64_t>(file));
  } else {
    step.kind = word == "transpose" ? ViewStep::Kind::Transpose : ViewStep::Kind::Broadcast;
    step.extents = read_integers(file);
  }
  return step;
}

Argument read_argument(std::istream& file) {
  using Kind = Argument::Kind;
  const auto word = read<std::string>(file);
  Argument argument;
  if (word == "none") return argument;
  if (word == "bool" || word == "int") {
    argument.kind = word == "bool" ? Kind::Bool : Kind::Integer;
    argument.integer = read<std::int64_t>(file);
  } else if (word == "float") {
    argument.kind = Kind::Floating;
    argument.floating = std::bit_cast<double>(std::stoull(read<std::string>(file), nullptr, 16));
  } else if (word == "complex") {
    argument.kind = Kind::Complex;
    argument.floating = std::bit_cast<double>(std::stoull(read<std::string>(file), nullptr, 16));
    argument.imaginary = std::bit_cast<double>(std::stoull(read<std::string>(file), nullptr, 16));
  } else if (word == "ints") {
    argument.kind = Kind::Integers;
    argument.integers = read_integers(file);
  } else if (word == "dtype") {
    argument.kind = Kind::DType;
    argument.dtype = read_dtype(file);
  } else if (word == "word") {
    argument.kind = Kind::Word;
    argument.word = read<std::string>(file);
  } else if (word == "list") {
    argument.kind = Kind::List;
    argument.list.resize(read<std::size_t>(file));
    for (Argument& entry : argument.list) entry = read_argument(file);
  } else if (word == "array") {
    argument.kind = Kind::Array;
    argument.base = read_cells(file);
    argument.steps.resize(read<std::size_t>(file));
    for (ViewStep& step : argument.steps) step = read_step(file);
  } else {
    throw std::runtime_error("no kind of argument: " + word);
  }
  return argument;
}

Expected read_expected(std::istream& file) {
  Expected expected;
  const auto how = read<std::string>(file);
  expected.low = read_cells(file);
  expected.high = expected.low;
  if (how == "between") expected.high.bytes = read_hex(file);
  if (expected.high.bytes.size() != expected.low.bytes.size())
    throw std::runtime_error("bounds differ in length in the file of cases");
  return expected;
}

Case read_case(std::istream& file) {
  Case result;
  result.id = read<std::int64_t>(file);
  result.function = read<std::string>(file);
  result.arguments.resize(read<std::size_t>(file));
  for (Argument& argument : result.arguments) argument = read_argument(file);
  result.raises = read<std::string>(file) == "raises";
  if (!result.raises) {
    result.results.resize(read<std::size_t>(file));
    for (Expected& expected : result.results) expected = read_expected(file);
    if (read<std::string>(file) == "after") result.after = read_cells(file);
  }
  return result;
}

}  // namespace

std::optional<DType> find_dtype(const std::string& wanted) {
  for (const DType dtype : kDTypes) {
    if (wanted == name(dtype)) return dtype;
  }
  return {};
}

CaseFile read_cases(std::istream& file) {
  CaseFile result;
  if (read<std::string>(file) != "seed") throw std::runtime_error("this is no file of cases: generate.py writes one");
  result.seed = read<std::string>(file);
  for (std::string word; file >> word && word == "case";) result.cases.push_back(read_case(file));
  if (result.cases.empty()) throw std::runtime_error("there is no case in the file of cases");
  return result;
}

}  // namespace pilum::numpy_suite
