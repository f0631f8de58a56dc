// Folds and scans by any function; numbers from array to array; slopes at given places.
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/scan.h"
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

using Binary = np::Array (*)(const np::Operand&, const np::Operand&);

Binary function_of(const std::string& word) {
  static const std::map<std::string, Binary> kFunctions = {
      {"add", np::add},
      {"multiply", np::multiply},
      {"minimum", np::minimum},
      {"maximum", np::maximum},
      {"fmin", np::fmin},
      {"fmax", np::fmax},
      {"logical_and", np::logical_and},
      {"logical_or", np::logical_or},
      {"logical_xor", np::logical_xor},
      {"bitwise_and", np::bitwise_and},
      {"bitwise_or", np::bitwise_or},
      {"bitwise_xor", np::bitwise_xor},
      {"gcd", np::gcd},
      {"lcm", np::lcm},
  };
  return kFunctions.at(word);
}

int small(std::int64_t number) {
  return static_cast<int>(number);
}

}  // namespace

void add_by_function(Table& table) {
  table["accumulate"] = [](const Arguments& a) -> Results {
    return {np::accumulate(function_of(a.word(3)), a.array(0), small(a.integer(1)), a.dtype(2))};
  };
  table["reduce"] = [](const Arguments& a) -> Results {
    return {np::reduce(function_of(a.word(3)), a.array(0), a.axes(1), a.flag(2))};
  };
  table["logspace_of_arrays"] = [](const Arguments& a) -> Results {
    return {np::logspace(a.operand(0), a.operand(1), a.integer(2), a.flag(3), a.operand(4), {}, small(a.integer(5)))};
  };
  table["geomspace_of_arrays"] = [](const Arguments& a) -> Results {
    return {np::geomspace(a.operand(0), a.operand(1), a.integer(2), a.flag(3), {}, small(a.integer(4)))};
  };
  table["gradient_at"] = [](const Arguments& a) -> Results {
    if (a.at(1).kind != Argument::Kind::Array)
      return {np::gradient(a.array(0), a.real(1), small(a.integer(2)), small(a.integer(3)))};
    return {np::gradient(a.array(0), a.array(1), small(a.integer(2)), small(a.integer(3)))};
  };
}

}  // namespace pilum::numpy_suite
