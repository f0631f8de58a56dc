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

}  // namespace

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
}

}  // namespace pilum::numpy_suite
