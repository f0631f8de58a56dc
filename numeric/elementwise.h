// The dtypes of the arithmetic that both operators and in-place operators do.
#pragma once

#include "numeric/record.h"

namespace pilum::numeric {

Rule add_rule(const Call& call, Operands operands);
Rule subtract_rule(const Call& call, Operands operands);
Rule multiply_rule(const Call& call, Operands operands);
Rule divide_rule(const Call& call, Operands operands);

}  // namespace pilum::numeric
