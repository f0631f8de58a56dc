// The functions of the public headers by name, called with a case's arguments.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/numpy/case.h"

namespace pilum::numpy_suite {

// A case's arguments as the functions take them; those left out are None.
class Arguments {
  using Array = numeric::Array;

 public:
  explicit Arguments(const std::vector<Argument>& arguments);

  bool has(std::size_t place) const;
  const Array& array(std::size_t place) const;
  numeric::Operand operand(std::size_t place, std::source_location where = std::source_location::current()) const;
  std::vector<Array> arrays(std::size_t place) const;
  std::int64_t integer(std::size_t place, std::int64_t otherwise = 0) const;
  double real(std::size_t place, double otherwise = 0) const;
  bool flag(std::size_t place, bool otherwise = false) const;
  std::string word(std::size_t place) const;
  std::vector<std::int64_t> integers(std::size_t place) const;  // of one integer, too
  Shape shape(std::size_t place) const;
  numeric::Axes axes(std::size_t place) const;
  std::optional<DType> dtype(std::size_t place) const;
  DType dtype(std::size_t place, DType otherwise) const;

  // The array that argument `place` is a view of.
  const Array& base(std::size_t place) const { return bases_.at(place); }
  std::size_t count() const { return arguments_.size(); }
  const Argument& at(std::size_t place) const { return arguments_.at(place); }

 private:
  const std::vector<Argument>& arguments_;
  std::vector<Array> bases_, views_;
  std::vector<std::vector<Array>> lists_;
};

using Results = std::vector<numeric::Array>;
using Function = Results (*)(const Arguments&);
using Table = std::map<std::string, Function>;

[[nodiscard]] const Table& functions();

// What functions() is made of.
void add_elementwise(Table& table);
void add_operators(Table& table);
void add_folds(Table& table);
void add_fold_options(Table& table);
void add_lines(Table& table);
void add_creation(Table& table);
void add_manipulation(Table& table);
void add_bins(Table& table);
void add_by_function(Table& table);
void add_linalg(Table& table);
void add_fft(Table& table);
void add_sets(Table& table);
void add_grids(Table& table);
void add_masked(Table& table);

// An array of these cells, and the array's cells as bytes.
[[nodiscard]] numeric::Array make(const Cells& cells);
[[nodiscard]] Cells cells_of(const numeric::Array& array);

}  // namespace pilum::numpy_suite
