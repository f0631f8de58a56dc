// Launches of the library's own: operations whose bodies are no kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "numeric/errors.h"
#include "pilum/detail/launch.h"
#include "runtime/base/rect.h"
#include "runtime/device/gpu_skill.h"
#include "scheduler/record/cell_updates.h"

namespace pilum::device {
class Gpu;
}

namespace pilum::scheduler {
struct DeviceIssue;
struct TaskLaunch;
}  // namespace pilum::scheduler

namespace pilum::numeric {

// An axis as a place in bounds and strides.
constexpr std::size_t u(int axis) {
  return static_cast<std::size_t>(axis);
}

// A function of the library's, and the numbers that tell it what to do: bodies with the same ones are the same.
struct LibraryBody {
  using Form = std::vector<std::int64_t>;
  void (*run)(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call) = nullptr;
  Form form;
  std::vector<pilum::detail::BodyParameter> parameters;
  std::string gpu;  // empty: GPUs leave it to the host
  // What comes before `gpu`: issues the work to a GPU itself (scheduler::TaskBody::issue).
  void (*issue)(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                const scheduler::DeviceIssue& where) = nullptr;
  std::optional<device::GpuSkill> skill;  // `issue` only where the GPUs have it
  // Bytes of the GPU's memory that `issue` needs for these points; null: none.
  std::int64_t (*scratch)(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch,
                          const Rect& points) = nullptr;
  std::int64_t (*scratch_on)(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                             device::Gpu& gpu) = nullptr;  // the same, where it matters how arrays lie
  bool checks = true;                                      // on GPUs, what it touches
  bool is_cut = false;   // what it writes is cut among processors however small it is, as users' tasks' is
  bool does_io = false;  // reads or writes files (scheduler::TaskBody::does_io). Follows from `run`
  // Of one that copies cells which index arrays name: where they are (scheduler::TaskBody::locate). Follows from `run`.
  void (*locate)(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                 std::int64_t* coordinates) = nullptr;
  // Of one that updates such cells, besides: by what (scheduler::TaskBody::combine). Follows from `run` and `form`.
  scheduler::CellUpdates combine;
};

// How many bodies there are: they live as long as the process.
[[nodiscard]] std::size_t library_bodies();

// A parameter of a body that is an array like this one.
[[nodiscard]] pilum::detail::BodyParameter array_parameter(const Array& array, pilum::detail::Access access);
// What a body reads of an array for a piece.
[[nodiscard]] inline pilum::detail::StoreArgument read_of(const Array& array, Projection projection) {
  return {array, pilum::detail::Access::Read, std::move(projection), Fold::Sum};
}
// A parameter that is an integer.
[[nodiscard]] pilum::detail::BodyParameter integer_parameter();
// What a body for GPUs calls a cell's type: "std::int64_t".
[[nodiscard]] const char* cell_type(DType dtype);

// Checks and records, as the launch of a user's task; but what it writes is cut among processors only where an
// elementwise operation's output would be, or body.is_cut. `call.name` lives as long as the process. `numbers`: what
// the body gets as scalars, described behind the arrays in its parameters.
void launch(const Call& call, const LibraryBody& body, const Shape& domain,
            std::span<const pilum::detail::StoreArgument> arguments, std::span<const std::uint64_t> numbers = {});

}  // namespace pilum::numeric
