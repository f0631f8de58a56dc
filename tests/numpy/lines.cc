// What goes along an axis: scans, sorts, medians and quantiles.
#include "pilum/scan.h"
#include "pilum/sort.h"

#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

std::optional<int> axis_or_none(const Arguments& a, std::size_t place) {
  return a.has(place) ? std::optional(static_cast<int>(a.integer(place))) : std::nullopt;
}

std::vector<double> numbers_of(const Arguments& a, std::size_t place) {
  std::vector<double> numbers;
  for (const Argument& entry : a.at(place).list) numbers.push_back(entry.floating);
  return numbers;
}

}  // namespace

#define SCAN(name) \
  table[#name] = [](const Arguments& a) -> Results { return {np::name(a.array(0), axis_or_none(a, 1), a.dtype(2))}; };

// One place, or a list of them.
#define AT_PLACES(name)                                                                                              \
  table[#name] = [](const Arguments& a) -> Results {                                                                 \
    if (a.at(1).kind == Argument::Kind::List) return {np::name(a.array(0), numbers_of(a, 1), a.axes(2), a.flag(3))}; \
    return {np::name(a.array(0), a.real(1), a.axes(2), a.flag(3))};                                                  \
  };

#define BY_METHOD(name)                                                                 \
  table[#name "_by_method"] = [](const Arguments& a) -> Results {                       \
    if (a.at(1).kind == Argument::Kind::List)                                           \
      return {np::name(a.array(0), numbers_of(a, 1), a.axes(2), a.flag(3), a.word(4))}; \
    return {np::name(a.array(0), a.real(1), a.axes(2), a.flag(3), a.word(4))};          \
  };

#define WEIGHTED(name)                                                                              \
  table[#name "_weighted"] = [](const Arguments& a) -> Results {                                    \
    if (a.at(1).kind == Argument::Kind::List)                                                       \
      return {np::name(a.array(0), numbers_of(a, 1), a.axes(2), a.flag(3), a.word(4), a.array(5))}; \
    return {np::name(a.array(0), a.real(1), a.axes(2), a.flag(3), a.word(4), a.array(5))};          \
  };

void add_lines(Table& table) {
  WEIGHTED(quantile);
  WEIGHTED(percentile);
  WEIGHTED(nanquantile);
  WEIGHTED(nanpercentile);
  BY_METHOD(quantile);
  BY_METHOD(percentile);
  BY_METHOD(nanquantile);
  BY_METHOD(nanpercentile);
  table["cumulative_sum"] = [](const Arguments& a) -> Results {
    return {np::cumulative_sum(a.array(0), axis_or_none(a, 1), a.dtype(2), a.flag(3))};
  };
  table["cumulative_prod"] = [](const Arguments& a) -> Results {
    return {np::cumulative_prod(a.array(0), axis_or_none(a, 1), a.dtype(2), a.flag(3))};
  };
  SCAN(cumsum);
  SCAN(cumprod);
  SCAN(nancumsum);
  SCAN(nancumprod);
  table["sort"] = [](const Arguments& a) -> Results { return {np::sort(a.array(0), axis_or_none(a, 1))}; };
  table["argsort"] = [](const Arguments& a) -> Results { return {np::argsort(a.array(0), axis_or_none(a, 1))}; };
  table["unique"] = [](const Arguments& a) -> Results { return {np::unique(a.array(0))}; };
  table["median"] = [](const Arguments& a) -> Results { return {np::median(a.array(0), a.axes(1), a.flag(2))}; };
  table["nanmedian"] = [](const Arguments& a) -> Results { return {np::nanmedian(a.array(0), a.axes(1), a.flag(2))}; };
  AT_PLACES(quantile);
  AT_PLACES(percentile);
  AT_PLACES(nanquantile);
  AT_PLACES(nanpercentile);
}

}  // namespace pilum::numpy_suite
