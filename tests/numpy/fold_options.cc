// Folds with options.
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {

namespace np = numeric;

namespace {

// Arguments: the array, axes, keepdims, initial, where, dtype.
np::FoldOptions options_of(const Arguments& a) {
  np::FoldOptions options{.keepdims = a.flag(2), .dtype = a.dtype(5)};
  if (a.has(3)) options.initial.emplace(a.operand(3));
  if (a.has(4)) options.where = a.array(4);
  return options;
}

// Arguments: the array, axes, keepdims, where, dtype, ddof.
np::FoldOptions spread_options_of(const Arguments& a, bool takes_ddof) {
  np::FoldOptions options{.keepdims = a.flag(2), .dtype = a.dtype(4)};
  if (a.has(3)) options.where = a.array(3);
  if (takes_ddof) options.ddof = static_cast<int>(a.integer(5));
  return options;
}

}  // namespace

#define SPREAD_WITH_OPTIONS(name, takes_ddof)                                   \
  table[#name "_with_options"] = [](const Arguments& a) -> Results {            \
    return {np::name(a.array(0), a.axes(1), spread_options_of(a, takes_ddof))}; \
  };
#define WITH_OPTIONS(name)                                           \
  table[#name "_with_options"] = [](const Arguments& a) -> Results { \
    return {np::name(a.array(0), a.axes(1), options_of(a))};         \
  };

void add_fold_options(Table& table) {
  WITH_OPTIONS(sum);
  WITH_OPTIONS(prod);
  WITH_OPTIONS(min);
  WITH_OPTIONS(max);
  WITH_OPTIONS(mean);
  WITH_OPTIONS(any);
  WITH_OPTIONS(all);
  WITH_OPTIONS(nansum);
  WITH_OPTIONS(nanprod);
  WITH_OPTIONS(nanmin);
  WITH_OPTIONS(nanmax);
  SPREAD_WITH_OPTIONS(var, true);
  SPREAD_WITH_OPTIONS(std, true);
  SPREAD_WITH_OPTIONS(nanmean, false);
  SPREAD_WITH_OPTIONS(nanvar, true);
  SPREAD_WITH_OPTIONS(nanstd, true);
}

}  // namespace pilum::numpy_suite
