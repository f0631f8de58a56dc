// Arrays from nothing, or like others.
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

std::vector<np::slice> slices_of(const Arguments& a) {
  const auto numbers = a.integers(0);
  std::vector<np::slice> slices;
  for (std::size_t k = 0; k + 2 < numbers.size(); k += 3)
    slices.emplace_back(numbers[k], numbers[k + 1], numbers[k + 2]);
  return slices;
}

}  // namespace

void add_creation(Table& table) {
  table["zeros"] = [](const Arguments& a) -> Results { return {np::zeros(a.shape(0), a.dtype(1, float64))}; };
  table["ones"] = [](const Arguments& a) -> Results { return {np::ones(a.shape(0), a.dtype(1, float64))}; };
  table["empty"] = [](const Arguments& a) -> Results {
    np::Array made = np::empty(a.shape(0), a.dtype(1, float64));
    made[np::Index(np::ellipsis)] = 0;
    return {made};
  };
  table["full"] = [](const Arguments& a) -> Results { return {np::full(a.shape(0), a.operand(1), a.dtype(2))}; };
  table["arange"] = [](const Arguments& a) -> Results {
    return {np::arange(a.operand(0), a.operand(1), a.operand(2), a.dtype(3))};
  };
  table["linspace"] = [](const Arguments& a) -> Results {
    if (a.count() > 5) {
      return {np::linspace(a.operand(0), a.operand(1), a.integer(2), a.flag(3), a.dtype(4),
                           static_cast<int>(a.integer(5)))};
    }
    return {np::linspace(a.real(0), a.real(1), a.integer(2), a.flag(3, true), a.dtype(4, float64))};
  };
  table["logspace"] = [](const Arguments& a) -> Results {
    return {np::logspace(a.real(0), a.real(1), a.integer(2), a.flag(3), a.real(4), a.dtype(5, float64))};
  };
  table["geomspace"] = [](const Arguments& a) -> Results {
    return {np::geomspace(a.real(0), a.real(1), a.integer(2), a.flag(3), a.dtype(4, float64))};
  };
  table["fromfunction"] = [](const Arguments& a) -> Results {  // of so many arrays
    const auto of_two = [](const np::Array& i, const np::Array& j) { return i * 3 + j; };
    if (a.integer(2) == 2) return {np::fromfunction(of_two, a.shape(0), a.dtype(1, float64))};
    return {np::fromfunction([](const np::Array& i) { return i * i; }, a.shape(0), a.dtype(1, float64))};
  };
  table["diagonal"] = [](const Arguments& a) -> Results {
    return {np::diagonal(a.array(0), a.integer(1), static_cast<int>(a.integer(2)), static_cast<int>(a.integer(3)))};
  };
  table["diag"] = [](const Arguments& a) -> Results { return {np::diag(a.array(0), a.integer(1))}; };
  table["array"] = [](const Arguments& a) -> Results { return {np::array(a.array(0), a.dtype(1))}; };
  table["zeros_like"] = [](const Arguments& a) -> Results { return {np::zeros_like(a.array(0), a.dtype(1))}; };
  table["ones_like"] = [](const Arguments& a) -> Results { return {np::ones_like(a.array(0), a.dtype(1))}; };
  table["empty_like"] = [](const Arguments& a) -> Results {
    np::Array made = np::empty_like(a.array(0), a.dtype(1));
    made[np::Index(np::ellipsis)] = 0;
    return {made};
  };
  table["full_like"] = [](const Arguments& a) -> Results {
    return {np::full_like(a.array(0), a.operand(1), a.dtype(2))};
  };
  table["eye"] = [](const Arguments& a) -> Results {
    return {np::eye(a.integer(0), a.has(1) ? std::optional(a.integer(1)) : std::optional<std::int64_t>(), a.integer(2),
                    a.dtype(3, float64))};
  };
  table["identity"] = [](const Arguments& a) -> Results { return {np::identity(a.integer(0), a.dtype(1, float64))}; };
  table["tri"] = [](const Arguments& a) -> Results {
    return {np::tri(a.integer(0), a.has(1) ? std::optional(a.integer(1)) : std::optional<std::int64_t>(), a.integer(2),
                    a.dtype(3, float64))};
  };
  table["tril"] = [](const Arguments& a) -> Results { return {np::tril(a.array(0), a.integer(1))}; };
  table["triu"] = [](const Arguments& a) -> Results { return {np::triu(a.array(0), a.integer(1))}; };
  table["diagflat"] = [](const Arguments& a) -> Results { return {np::diagflat(a.array(0), a.integer(1))}; };
  table["meshgrid"] = [](const Arguments& a) -> Results { return np::meshgrid(a.arrays(0), a.flag(1)); };
  table["mgrid"] = [](const Arguments& a) -> Results { return {np::mgrid(slices_of(a))}; };
  table["ogrid"] = [](const Arguments& a) -> Results { return np::ogrid(slices_of(a)); };
  table["indices"] = [](const Arguments& a) -> Results { return {np::indices(a.shape(0), a.dtype(1, int64))}; };
}

}  // namespace pilum::numpy_suite
