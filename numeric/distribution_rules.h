// Which parameters distributions take.
#pragma once

#include <array>
#include <cstddef>

#include "numeric/drawn_cells.h"
#include "scheduler/record/refused_values.h"

namespace pilum::numeric {

inline constexpr std::size_t kParameters = 3;  // of a distribution at most

struct ParameterRule {
  scheduler::RefusedValue what = scheduler::RefusedValue::None;
  const char* name = nullptr;      // of the function
  bool (*fits)(double) = nullptr;  // null: there is no such parameter
};
using Rules = std::array<ParameterRule, kParameters>;

Rules rules_of(Distribution distribution);
// Whether its numbers are int64.
bool is_counted(Distribution distribution);

}  // namespace pilum::numeric
