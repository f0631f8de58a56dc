// What a launch of a task must agree with, and what its arguments' footprints follow from.
#pragma once

#include <span>
#include <vector>

#include "numeric/record.h"
#include "pilum/task.h"
#include "scheduler/record/task_launch.h"

namespace pilum::detail {

// A parameter of a body that is an array, and its number among the body's, from 1.
struct ArrayParameter : BodyParameter {
  int number;
};

// Checks one launch's arguments, one by one. Throws what pilum/task.h says.
class LaunchChecker {
 public:
  // The domain.
  LaunchChecker(const numeric::Call& call, const Shape& domain);
  void check_array(const ArrayParameter& parameter, const numeric::ArrayState& state);
  // Checks the projection, and sets which cells of the argument's view belong to a point.
  void set_windows(const ArrayParameter& parameter, const Projection& projection, scheduler::Argument& argument);

 private:
  void check_function(const ArrayParameter& parameter, const scheduler::CellFunction& function, const Shape& shape);
  void add_halo(const ArrayParameter& parameter, const Projection& projection, scheduler::Windows& windows,
                const Shape& shape);
  void set_affine(const ArrayParameter& parameter, const Projection& projection, scheduler::Windows& windows,
                  const Shape& shape);

  const numeric::Call& call_;
  const Shape& domain_;
};

// Throws where two of the launch's arguments write one store.
void check_written_once(const numeric::Call& call, std::span<const BodyParameter> parameters,
                        const std::vector<scheduler::Argument>& arguments);

}  // namespace pilum::detail
