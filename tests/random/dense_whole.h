// Functions of whole arrays, for the oracle: naive sums, plain elimination, std::stable_sort. Each throws Invalid.
#pragma once

#include "tests/random/dense.h"

namespace pilum::random_programs {

// Every operation of which is_whole holds.
Dense compute_whole(const Expression& expression, const std::vector<Dense>& arguments);

// Its parts. `y` is x of operations of one array, `k` the expression's number, `axis` its axis.
struct WholeCall {
  Op op = Op::Flip;
  const Dense& x;
  const Dense& y;
  int axis = 0;
  std::int64_t k = 0;
};
Dense moved_cells(const WholeCall& call);      // Flip … PutAlong
Dense places_and_sets(const WholeCall& call);  // Lexsort … UnravelIndex
Dense folds_and_products(const WholeCall& call);
Dense fourier(const WholeCall& call);
Dense systems(const WholeCall& call);
Dense made(const WholeCall& call);  // ZerosLike … FromFunction
Dense products_and_neighbours(const WholeCall& call);

Dense raveled(Dense value);
void check_finite(const Dense& a);              // and not near overflow
Dense number_like(double number, DType dtype);  // without axes

}  // namespace pilum::random_programs
