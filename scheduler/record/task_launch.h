// A user's task, launched over a domain: what is recorded.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "pilum/detail/task_form.h"
#include "runtime/device/gpu_skill.h"
#include "runtime/kernel/body/device_body.h"
#include "scheduler/record/argument.h"
#include "scheduler/record/cell_updates.h"

namespace pilum::device {
class Gpu;
}

namespace pilum::scheduler {

struct DeviceIssue;  // scheduler/record/device_call.h
struct TaskLaunch;

// What a user's task computes. `name` and `gpu` live as long as the process. `run` is called by several threads at
// once.
struct TaskBody {
  const char* name = "";
  detail::FunctionIdentity identity;
  std::function<void(const detail::BodyCall&)> run;
  const kernel::BodySource* gpu = nullptr;  // one object for equal ones; null: GPUs leave it to the host
  std::uint64_t gpu_hash = 0;               // of its text: what all ranks find alike
  // Of a body that copies to each point of its first array, which it writes, the cell of the second that the others
  // name: the cell's coordinates in that array, point by point of the call's piece, row-major. It gets no memory of
  // these two. Then only cells that are named need come (scheduler/plan/picked_read.h). Empty: it is no such body.
  std::function<void(const detail::BodyCall&, std::int64_t* coordinates)> locate;
  // Of a body that updates cells of its first array, over which it is launched, by the values that it reads second;
  // which cells, the arrays from the third on say of each value (`locate` tells as above). Then only values for a
  // processor's cells need come to it (scheduler/plan/picked_write.h). Null: it is no such body.
  CellUpdates combine;
  // Of a body of the library's: issues to a GPU's stream what computes all points of a piece, in calls and launches of
  // its own choice, and waits for nothing. The call's arrays lie where that GPU reaches them. Comes before `gpu`.
  // Without a skill it only launches (DeviceIssue::launch), so that what it issues may be part of a graph.
  std::function<void(const detail::BodyCall&, const DeviceIssue&)> issue;
  std::optional<device::GpuSkill> skill;  // only where the GPUs have it
  // Bytes of the GPU's memory that `issue` needs meanwhile, for these points of a launch. Empty: none.
  std::function<std::int64_t(const TaskLaunch& launch, const Rect& points)> scratch;
  // The same of a body for which it matters how its arrays lie, and on which GPU.
  std::function<std::int64_t(const detail::BodyCall&, device::Gpu&)> scratch_on;
  bool of_library = false;  // not a user's: what it writes is cut as other arrays are, its chunks are few and large
  // Reads or writes files: its pieces lie with the first array that it reads, where it writes none; and it is the
  // host's, also where arrays live on GPUs.
  bool does_io = false;
};

// What launches have in common that differ in their scalars alone.
struct TaskLaunch {
  std::shared_ptr<const TaskBody> body;
  Rect domain;
  std::vector<Argument> arguments;
  std::uint64_t hash = 0;      // hash_launch() of it
  std::uint64_t captured = 0;  // hash_captured() of it
};

// One whose memory was another's before: launches come and go with every step of a program.
[[nodiscard]] std::shared_ptr<TaskLaunch> make_task_launch();

// What is said to a body that asks for a cell that it may not touch: one of its argument `number`, from 1.
[[nodiscard]] std::string explain_index(int number, int rank, const std::int64_t* index, const std::int64_t* lo,
                                        const std::int64_t* hi);

// What is said of an index that is outside of its axis, or of the number of a cell, of which the array has `extent`.
inline constexpr int kNumberedCell = -1;  // in place of an axis
[[nodiscard]] std::string explain_picked(std::int64_t index, int axis, std::int64_t extent);
// Of a matrix that a body for GPUs has no inverse, or no factor, of: in place of an axis too. explain_matrix() is what
// is said then, as a LinAlgError; null of others.
inline constexpr int kSingularMatrix = -2, kIndefiniteMatrix = -3, kNoEigenvalues = -4, kNoSingularValues = -5;
[[nodiscard]] const char* explain_matrix(std::int64_t what);

// Name, domain and footprints; no addresses, no scalars: what all ranks find alike.
[[nodiscard]] std::uint64_t hash_launch(const TaskLaunch& launch);
// What its body and its projections have captured, and what the projections give for some points: alike on all ranks
// too.
[[nodiscard]] std::uint64_t hash_captured(const TaskLaunch& launch);

// Calls visit(view, is written) for the views of an operation.
template <class Visit>
void for_each_view(const Operation& operation, Visit visit) {
  if (const TaskLaunch* launch = operation.launch()) {
    for (const Argument& argument : launch->arguments) visit(argument.view, argument.footprint.writes());
    return;
  }
  visit(*operation.output(), true);
  for_each_input(operation, [&visit](std::size_t, const View& view) { visit(view, false); });
}

}  // namespace pilum::scheduler
