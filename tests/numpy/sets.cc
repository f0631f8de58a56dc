// Sets, orders of several keys, coordinates, covariances, polynomials that are fitted.
#include "pilum/sets.h"

#include "pilum/functions.h"
#include "pilum/math.h"
#include "pilum/polynomials.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

std::optional<int> axis_at(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(static_cast<int>(a.integer(place))) : std::nullopt;
}

Results pair_of(std::pair<np::Array, np::Array> pair) {
  return {std::move(pair.first), std::move(pair.second)};
}

std::optional<std::int64_t> columns_at(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(a.integer(place)) : std::nullopt;
}

}  // namespace

void add_sets(Table& table) {
  table["union1d"] = [](const Arguments& a) -> Results { return {np::union1d(a.array(0), a.array(1))}; };
  table["intersect1d"] = [](const Arguments& a) -> Results { return {np::intersect1d(a.array(0), a.array(1))}; };
  table["setdiff1d"] = [](const Arguments& a) -> Results { return {np::setdiff1d(a.array(0), a.array(1))}; };
  table["setxor1d"] = [](const Arguments& a) -> Results { return {np::setxor1d(a.array(0), a.array(1))}; };
  table["unique_all"] = [](const Arguments& a) -> Results {
    const auto found = np::unique_all(a.array(0));
    return {found.values, found.indices, found.inverse_indices, found.counts};
  };
  table["unique_values"] = [](const Arguments& a) -> Results { return {np::unique_values(a.array(0))}; };
  table["unique_along"] = [](const Arguments& a) -> Results {
    const auto found = np::unique_all(a.array(0), static_cast<int>(a.integer(1)));
    return {found.values, found.indices, found.inverse_indices, found.counts};
  };
  table["unique_inverse"] = [](const Arguments& a) { return pair_of(np::unique_inverse(a.array(0))); };
  table["lexsort"] = [](const Arguments& a) -> Results {
    return {np::lexsort(a.arrays(0), static_cast<int>(a.integer(1)))};
  };
  table["partition"] = [](const Arguments& a) -> Results {
    const np::Array found = np::partition(a.array(0), a.integer(1), axis_at(a, 2));
    return {np::sort(found, axis_at(a, 2))};
  };
  table["argpartition"] = [](const Arguments& a) -> Results {
    const np::Array found = np::argpartition(a.array(0), a.integer(1), axis_at(a, 2));
    return {np::sort(found, axis_at(a, 2))};
  };
  table["unravel_index"] = [](const Arguments& a) -> Results { return np::unravel_index(a.operand(0), a.shape(1)); };
  table["ravel_multi_index"] = [](const Arguments& a) -> Results {
    return {np::ravel_multi_index(a.arrays(0), a.shape(1))};
  };
  table["tril_indices"] = [](const Arguments& a) {
    return pair_of(np::tril_indices(a.integer(0), a.integer(1), columns_at(a, 2)));
  };
  table["triu_indices"] = [](const Arguments& a) {
    return pair_of(np::triu_indices(a.integer(0), a.integer(1), columns_at(a, 2)));
  };
  table["diag_indices"] = [](const Arguments& a) -> Results {
    return np::diag_indices(a.integer(0), static_cast<int>(a.integer(1)));
  };
  table["ix_"] = [](const Arguments& a) -> Results { return np::ix_(a.arrays(0)); };
  table["block"] = [](const Arguments& a) -> Results {
    const auto all = a.arrays(0);
    const auto half = static_cast<std::ptrdiff_t>(all.size() / 2);
    return {np::block({{all.begin(), all.begin() + half}, {all.begin() + half, all.end()}})};
  };
  table["delete_at"] = [](const Arguments& a) -> Results {
    if (a.at(1).kind == Argument::Kind::Array) return {np::delete_at(a.array(0), a.array(1), axis_at(a, 2))};
    return {np::delete_at(a.array(0), a.integers(1), axis_at(a, 2))};
  };
  table["insert"] = [](const Arguments& a) -> Results {
    const auto axis = axis_at(a, 3);
    if (a.at(1).kind == Argument::Kind::Array) return {np::insert(a.array(0), a.array(1), a.operand(2), axis)};
    if (a.at(1).kind == Argument::Kind::Integers) return {np::insert(a.array(0), a.integers(1), a.operand(2), axis)};
    return {np::insert(a.array(0), a.integer(1), a.operand(2), axis)};
  };
  table["cov"] = [](const Arguments& a) -> Results {
    return {np::cov(a.array(0), a.flag(1), static_cast<int>(a.integer(2)))};
  };
  table["corrcoef"] = [](const Arguments& a) -> Results { return {np::corrcoef(a.array(0), a.flag(1))}; };
  table["polyfit"] = [](const Arguments& a) -> Results {
    return {np::polyfit(a.array(0), a.array(1), static_cast<int>(a.integer(2)))};
  };
  table["polyder"] = [](const Arguments& a) -> Results {
    return {np::polyder(a.array(0), static_cast<int>(a.integer(1)))};
  };
  table["polyint"] = [](const Arguments& a) -> Results {
    const int m = static_cast<int>(a.integer(1));
    if (!a.has(2)) return {np::polyint(a.array(0), m)};
    const auto constants = a.integers(2);
    return {np::polyint(a.array(0), m, std::vector<double>(constants.begin(), constants.end()))};
  };
  table["polymul"] = [](const Arguments& a) -> Results { return {np::polymul(a.array(0), a.array(1))}; };
  table["polydiv"] = [](const Arguments& a) -> Results {
    auto [quotient, rest] = np::polydiv(a.array(0), a.array(1));
    return {std::move(quotient), std::move(rest)};
  };
  table["poly"] = [](const Arguments& a) -> Results { return {np::poly(a.array(0))}; };
  table["polyadd"] = [](const Arguments& a) -> Results { return {np::polyadd(a.array(0), a.array(1))}; };
  table["polysub"] = [](const Arguments& a) -> Results { return {np::polysub(a.array(0), a.array(1))}; };
  table["roots"] = [](const Arguments& a) -> Results {
    const np::Array found = np::roots(a.array(0));
    return {np::sum(found), np::sum(found * found)};
  };
}

}  // namespace pilum::numpy_suite
