// The library's side of tasks: what makes a body, and what checks and records a launch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "pilum/array.h"
#include "pilum/detail/task_form.h"
#include "pilum/export.h"
#include "pilum/fold.h"
#include "pilum/projection.h"

namespace pilum::scheduler {
struct TaskBody;
}  // namespace pilum::scheduler

namespace pilum {

class Domain;

namespace detail {

// An argument of a launch that is an array.
struct StoreArgument {
  numeric::Array array;
  Access access = Access::Read;
  Projection projection;
  Fold fold = Fold::Sum;
};
template <Access kAccess>
struct ArgumentOf : StoreArgument {};

// A body for GPUs, and what the CPU body beside it takes.
struct GpuSource {
  std::string_view text;
  std::span<const BodyParameter> parameters;
  bool checked = false;
};

// `gpu`: null where there is none.
PILUM_API std::shared_ptr<const scheduler::TaskBody> make_body(std::string_view name, const FunctionIdentity& identity,
                                                               std::function<void(const BodyCall&)> run,
                                                               const GpuSource* gpu);

// Checks and records. `stores` are the arguments for those of the parameters that are arrays; `checked`, a hash of the
// scalars, must be alike on all ranks.
PILUM_API void launch(const std::shared_ptr<const scheduler::TaskBody>& body, const Domain& domain,
                      std::span<const BodyParameter> parameters, std::span<const StoreArgument* const> stores,
                      std::span<const std::uint64_t> scalars, std::uint64_t checked);

}  // namespace detail
}  // namespace pilum
