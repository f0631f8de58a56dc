// Cells written by masks in their order, zeros at the ends, triangles of an array's shape, bits in bytes.
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/sets.h"
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

std::optional<int> given_axis(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(static_cast<int>(a.integer(place))) : std::nullopt;
}

Results pair_of(std::pair<np::Array, np::Array> pair) {
  return {std::move(pair.first), std::move(pair.second)};
}

}  // namespace

void add_masked(Table& table) {
  table["putmask"] = [](const Arguments& a) -> Results {
    np::putmask(a.array(0), a.array(1), a.operand(2));
    return {a.array(0).copy()};
  };
  table["place"] = [](const Arguments& a) -> Results {
    np::place(a.array(0), a.array(1), a.operand(2));
    return {a.array(0).copy()};
  };
  table["trim_zeros"] = [](const Arguments& a) -> Results {
    return {np::trim_zeros(a.array(0), a.word(1), a.axes(2))};
  };
  table["tril_indices_from"] = [](const Arguments& a) {
    return pair_of(np::tril_indices_from(a.array(0), a.integer(1)));
  };
  table["triu_indices_from"] = [](const Arguments& a) {
    return pair_of(np::triu_indices_from(a.array(0), a.integer(1)));
  };
  table["diag_indices_from"] = [](const Arguments& a) -> Results { return np::diag_indices_from(a.array(0)); };
  table["packbits"] = [](const Arguments& a) -> Results {
    return {np::packbits(a.array(0), given_axis(a, 1), a.word(2))};
  };
  table["unpackbits"] = [](const Arguments& a) -> Results {
    const auto count = a.has(2) ? std::optional(a.integer(2)) : std::nullopt;
    return {np::unpackbits(a.array(0), given_axis(a, 1), count, a.word(3))};
  };
}

}  // namespace pilum::numpy_suite
