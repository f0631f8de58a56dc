// Reductions and what arrays have on average.
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

std::optional<int> optional_axis(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(static_cast<int>(a.integer(place))) : std::nullopt;
}

}  // namespace

#define FOLD(name) \
  table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), a.axes(1), a.flag(2))}; };
#define SPREAD(name)                                                                     \
  table[#name] = [](const Arguments& a) -> Results {                                     \
    return {np::name(a.array(0), a.axes(1), static_cast<int>(a.integer(3)), a.flag(2))}; \
  };
#define PLACE(name) \
  table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), optional_axis(a, 1), a.flag(2))}; };
#define OF_TWO(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), a.array(1))}; };

#define CORRELATION(name) \
  table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), a.array(1), a.word(2))}; };

void add_folds(Table& table) {
  // clang-format off
  FOLD(sum) FOLD(prod) FOLD(min) FOLD(max) FOLD(mean) FOLD(any) FOLD(all) FOLD(count_nonzero) FOLD(ptp)
  FOLD(amin) FOLD(amax) FOLD(nansum) FOLD(nanprod) FOLD(nanmin) FOLD(nanmax) FOLD(nanmean)
  SPREAD(var) SPREAD(std) SPREAD(nanvar) SPREAD(nanstd)
  PLACE(argmin) PLACE(argmax) PLACE(nanargmin) PLACE(nanargmax)
  OF_TWO(dot) OF_TWO(vdot)
  CORRELATION(convolve) CORRELATION(correlate)
      // clang-format on
      table["average_and_weights"] = [](const Arguments& a) -> Results {
    auto [mean, weights] = np::average_and_weights(a.array(0), a.array(1), a.axes(2), a.flag(3));
    return {std::move(mean), std::move(weights)};
  };
  table["average"] = [](const Arguments& a) -> Results {
    if (!a.has(1)) return {np::average(a.array(0), a.axes(2))};
    return {np::average(a.array(0), a.array(1), a.axes(2), a.flag(3))};
  };
}

}  // namespace pilum::numpy_suite
