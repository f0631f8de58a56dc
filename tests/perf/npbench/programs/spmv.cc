// A sparse matrix, as rows of values and columns, by a vector.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs spmv(Inputs& in) {
  const np::Array A_col = in["A_col"], A_val = in["A_val"], x = in["x"];
  const auto A_row = in["A_row"].to_vector<std::uint32_t>();
  const auto rows = static_cast<std::int64_t>(A_row.size()) - 1;
  np::Array y = np::empty(rows, A_val.dtype());
  for (std::int64_t i = 0; i < rows; ++i) {
    const np::Array cols = A_col[slice(A_row[i], A_row[i + 1])];
    const np::Array vals = A_val[slice(A_row[i], A_row[i + 1])];
    y(i) = np::matmul(vals, x(cols));
  }
  return {{"y", y}};
}

static const Entry entry("spmv", spmv);
