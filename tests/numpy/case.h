// A case of the NumPy comparison: a call with its arguments, and what NumPy gave. Read from the file that generate.py
// wrote; README.md has the format.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "pilum/pilum.h"

namespace pilum::numpy_suite {

// Cells as bytes, row-major.
struct Cells {
  DType dtype = DType::Float64;
  Shape shape;
  std::vector<std::byte> bytes;
};

// A view of an array: slices of an axis, an order of the axes, a broadcast.
struct ViewStep {
  enum class Kind { Slice, Transpose, Broadcast } kind = Kind::Slice;
  int axis = 0;
  numeric::slice range{{}, {}};
  std::vector<std::int64_t> extents;  // of the broadcast; the order of the axes
};

struct Argument {
  enum class Kind { None, Bool, Integer, Floating, Complex, Integers, DType, Word, List, Array } kind = Kind::None;
  std::int64_t integer = 0;
  double floating = 0;  // of a complex number the real part
  double imaginary = 0;
  std::vector<std::int64_t> integers;
  DType dtype = DType::Float64;
  std::string word;
  std::vector<Argument> list;
  Cells base;
  std::vector<ViewStep> steps;
};

// Every cell lies between the two, or is NaN where both are. Where the two are of the same bits, so is the cell.
struct Expected {
  Cells low, high;
};

// What the first argument's base is after 1 was written to all of the result: whether that is a view.
struct Case {
  std::int64_t id = 0;
  std::string function;
  std::vector<Argument> arguments;
  bool raises = false;
  std::vector<Expected> results;
  std::optional<Cells> after;
};

struct CaseFile {
  std::string seed;
  std::vector<Case> cases;
};

// Throws std::runtime_error where the file is none of generate.py's, or ends early.
[[nodiscard]] CaseFile read_cases(std::istream& file);

// Of "float32" and the like; nothing for a dtype that there is not.
[[nodiscard]] std::optional<DType> find_dtype(const std::string& name);

}  // namespace pilum::numpy_suite
