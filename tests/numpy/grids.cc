// Points counted in grids, windows, functions along lines, cells written by masks, the array API's names.
#include "pilum/apply.h"
#include "pilum/bins.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/selection.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"
#include "pilum/windows.h"
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

np::GridOptions grid_options(const Arguments& a, std::size_t ranges, std::size_t density) {
  np::GridOptions options{.density = a.flag(density)};
  if (!a.has(ranges)) return options;
  const auto& numbers = a.at(ranges).list;
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2)
    options.ranges.emplace_back(numbers[k].floating, numbers[k + 1].floating);
  return options;
}

Results all_of(np::GridHistogram found) {
  Results results{std::move(found.H)};
  for (np::Array& edges : found.edges) results.push_back(std::move(edges));
  return results;
}

Results grid(const Arguments& a) {
  np::GridOptions options = grid_options(a, 2, 3);
  if (a.has(4)) options.weights = a.array(4);
  if (a.at(1).kind == Argument::Kind::List) return all_of(np::histogramdd(a.array(0), a.arrays(1), options));
  return all_of(np::histogramdd(a.array(0), a.integers(1), options));
}

np::Array of_line(const np::Array& line, const std::string& word) {
  if (word == "sort") return np::sort(line);
  if (word == "max") return np::max(line);
  if (word == "last") return line(-1).copy();
  return np::stack({line, line + line});
}

}  // namespace

#define WINDOW(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.integer(0))}; };

void add_grids(Table& table) {
  table["histogramdd"] = grid;
  table["histogram2d"] = [](const Arguments& a) {
    const auto bins = a.integers(2);
    return all_of(np::histogram2d(a.array(0), a.array(1), std::pair(bins[0], bins[1]), grid_options(a, 3, 4)));
  };
  table["apply_along_axis"] = [](const Arguments& a) -> Results {
    const std::string word = a.word(2);
    return {np::apply_along_axis([&](const np::Array& line) { return of_line(line, word); },
                                 static_cast<int>(a.integer(1)), a.array(0))};
  };
  table["apply_over_axes"] = [](const Arguments& a) -> Results {
    const auto axes = a.integers(1);
    return {np::apply_over_axes([](const np::Array& x, int axis) { return np::sum(x, axis); }, a.array(0),
                                std::vector<int>(axes.begin(), axes.end()))};
  };
  table["array_equiv"] = [](const Arguments& a) -> Results {
    return {np::array(np::array_equiv(a.array(0), a.array(1)))};
  };
  table["copyto"] = [](const Arguments& a) -> Results {
    if (a.has(2)) {
      np::copyto(a.array(0), a.operand(1), a.array(2));
    } else {
      np::copyto(a.array(0), a.operand(1));
    }
    return {a.array(0).copy()};
  };
  table["fill_diagonal"] = [](const Arguments& a) -> Results {
    np::fill_diagonal(a.array(0), a.operand(1));
    return {a.array(0).copy()};
  };
  table["piecewise"] = [](const Arguments& a) -> Results {
    const np::Array& x = a.array(0);
    return {np::piecewise(x, {x < 0, x > 1},
                          {[](const np::Array& v) { return -v; }, 7, [](const np::Array& v) { return v * 3; }})};
  };
  table["matrix_transpose"] = [](const Arguments& a) -> Results { return {np::matrix_transpose(a.array(0))}; };
  table["unstack"] = [](const Arguments& a) -> Results {
    return np::unstack(a.array(0), static_cast<int>(a.integer(1)));
  };
  table["broadcast_arrays"] = [](const Arguments& a) -> Results {
    return np::broadcast_arrays({a.array(0), a.array(1)});
  };
  table["concat"] = [](const Arguments& a) -> Results {
    return {np::concat(a.arrays(0), static_cast<int>(a.integer(1)))};
  };
  table["permute_dims"] = [](const Arguments& a) -> Results { return {np::permute_dims(a.array(0), a.axes(1))}; };
  WINDOW(bartlett)
  WINDOW(blackman)
  WINDOW(hamming)
  WINDOW(hanning)
  table["kaiser"] = [](const Arguments& a) -> Results { return {np::kaiser(a.integer(0), a.real(1))}; };
}

}  // namespace pilum::numpy_suite
