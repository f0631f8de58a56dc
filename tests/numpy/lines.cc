// What goes along an axis cell by cell: scans.
#include "pilum/scan.h"

#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

std::optional<int> axis_or_none(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(static_cast<int>(a.integer(place))) : std::nullopt;
}

}  // namespace

#define SCAN(name) \
  table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), axis_or_none(a, 1), a.dtype(2))}; };

void add_lines(Table& table) {
  SCAN(cumsum);
  SCAN(cumprod);
  SCAN(nancumsum);
  SCAN(nancumprod);
  table["accumulate"] = [](const Arguments& a) -> Results {
    const std::string word = a.word(3);
    const auto function = word == "add"        ? np::add
                          : word == "multiply" ? np::multiply
                          : word == "minimum"  ? np::minimum
                                               : np::maximum;
    return {np::accumulate(function, a.array(0), static_cast<int>(a.integer(1)), a.dtype(2))};
  };
}

}  // namespace pilum::numpy_suite
