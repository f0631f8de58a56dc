// Numbers in bins and between places, polynomials, angles, and sums of products by letters.
#include "pilum/bins.h"

#include "pilum/polynomials.h"
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

Results both(std::pair<np::Array, np::Array> pair) {
  return {std::move(pair.first), std::move(pair.second)};
}

std::optional<double> number(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(a.real(place)) : std::nullopt;
}

std::optional<np::Array> array_or_none(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(a.array(place)) : std::nullopt;
}

// Bins or edges, range, density, weights.
Results histogram(const Arguments& a) {
  np::HistogramOptions options{.density = a.flag(3), .weights = array_or_none(a, 4)};
  if (a.has(2)) options.range = {a.at(2).list[0].floating, a.at(2).list[1].floating};
  if (a.at(1).kind == Argument::Kind::Word) return both(np::histogram(a.array(0), a.word(1), options));
  if (a.at(1).kind == Argument::Kind::Array) return both(np::histogram(a.array(0), a.array(1), options));
  return both(np::histogram(a.array(0), a.integer(1), options));
}

Results bin_edges(const Arguments& a) {
  std::optional<std::pair<double, double>> range;
  if (a.has(2)) range = {a.at(2).list[0].floating, a.at(2).list[1].floating};
  if (a.at(1).kind == Argument::Kind::Word) return {np::histogram_bin_edges(a.array(0), a.word(1), range)};
  return {np::histogram_bin_edges(a.array(0), a.integer(1), range)};
}

}  // namespace

void add_bins(Table& table) {
  table["histogram_by_rule"] = histogram;
  table["histogram_bin_edges"] = bin_edges;
  table["searchsorted"] = [](const Arguments& a) -> Results {
    return {np::searchsorted(a.array(0), a.operand(1), a.word(2))};
  };
  table["isin"] = [](const Arguments& a) -> Results { return {np::isin(a.operand(0), a.array(1))}; };
  table["unique_counts"] = [](const Arguments& a) { return both(np::unique_counts(a.array(0))); };
  table["digitize"] = [](const Arguments& a) -> Results { return {np::digitize(a.operand(0), a.array(1), a.flag(2))}; };
  table["interp"] = [](const Arguments& a) -> Results {
    return {np::interp(a.operand(0), a.array(1), a.array(2), number(a, 3), number(a, 4), number(a, 5))};
  };
  table["bincount"] = [](const Arguments& a) -> Results {
    if (a.has(1)) return {np::bincount(a.array(0), a.array(1), a.integer(2))};
    return {np::bincount(a.array(0), a.integer(2))};
  };
  table["histogram"] = histogram;
  table["polyval"] = [](const Arguments& a) -> Results { return {np::polyval(a.array(0), a.operand(1))}; };
  table["vander"] = [](const Arguments& a) -> Results {
    return {np::vander(a.array(0), a.has(1) ? std::optional(a.integer(1)) : std::nullopt, a.flag(2))};
  };
  table["ediff1d"] = [](const Arguments& a) -> Results {
    return {np::ediff1d(a.array(0), array_or_none(a, 1), array_or_none(a, 2))};
  };
  table["unwrap"] = [](const Arguments& a) -> Results {
    return {np::unwrap(a.array(0), number(a, 1), static_cast<int>(a.integer(2)), a.real(3))};
  };
  table["einsum"] = [](const Arguments& a) -> Results { return {np::einsum(a.word(0), a.arrays(1))}; };
  table["kron"] = [](const Arguments& a) -> Results { return {np::kron(a.array(0), a.array(1))}; };
  table["cross"] = [](const Arguments& a) -> Results {
    return {np::cross(a.array(0), a.array(1), static_cast<int>(a.integer(2)))};
  };
}

}  // namespace pilum::numpy_suite
