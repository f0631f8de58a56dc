#include "scheduler/analyze/launch_placement.h"

#include "partitioner/choose_parts.h"

namespace pilum::scheduler {
namespace {

bool is_written_by_point(const Argument& argument) {
  return argument.footprint.access == kernel::Access::Write || argument.footprint.access == kernel::Access::ReadWrite;
}

// Whether pieces may lie with its cells.
bool is_followed(const Argument& argument, const TaskBody& body) {
  return is_written_by_point(argument) || (body.does_io && argument.footprint.access == kernel::Access::Read);
}

const Tiling& tiling_of(const Argument& argument, const std::vector<WindowStore>& stores) {
  return stores[place_of(argument.view)].tiling;
}

// True where each point's cells lie with one processor.
bool is_cut_along(const Tiling& tiling, const AffineMap& map) {
  if (tiling.is_replicated()) return false;
  for (int k = 0; k < map.store_rank; ++k) {
    if (map[k].axis < 0 && tiling.axis(k).parts > 1) return false;
  }
  return true;
}

// A store of the view's shape, cut as the domain is.
View make_stage(const Argument& argument, const Tiling& distribution, std::vector<WindowStore>& stores) {
  const Shape& shape = argument.view.shape;
  std::array<int, kMaxAxes> along;
  along.fill(-1);
  for (int k = 0; k < shape.rank(); ++k) along[static_cast<std::size_t>(k)] = argument.footprint.window(k).axis;
  return make_value(*argument.view.store, shape, distribution.align(Rect::of(shape), along, {}), stores);
}

}  // namespace

Tiling place_launch(const TaskLaunch& launch, const std::vector<WindowStore>& stores, const machine::Machine& machine) {
  if (machine.processors() == 1) return Tiling::replicated(launch.domain);
  bool all_replicated = launch.body->of_library;
  for (const Argument& argument : launch.arguments) {
    if (!is_followed(argument, *launch.body)) continue;
    const AffineMap map = argument.map();
    const Tiling& tiling = tiling_of(argument, stores);
    if (is_cut_along(tiling, map)) return tiling.pull_back(map, launch.domain);
    all_replicated = all_replicated && tiling.is_replicated();
  }
  if (all_replicated) return Tiling::replicated(launch.domain);
  return Tiling::even(launch.domain, partitioner::choose_parts(launch.domain, /*cell_bytes=*/8, {}, machine));
}

std::vector<Operation> stage_writes(const Operation& operation, const Tiling& distribution,
                                    std::vector<WindowStore>& stores) {
  const TaskLaunch& launch = *operation.launch();
  std::vector<Operation> before, after;
  std::shared_ptr<TaskLaunch> staged;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    if (!is_written_by_point(argument) || distribution.is_replicated()) continue;
    const AffineMap map = argument.map();
    const Tiling& tiling = tiling_of(argument, stores);
    if (is_cut_along(tiling, map) && tiling.pull_back(map, launch.domain) == distribution) continue;
    const View stage = make_stage(argument, distribution, stores);
    if (argument.footprint.access == kernel::Access::ReadWrite)
      before.push_back(copy_of(argument.view, stage, operation.name, operation.where));
    after.push_back(copy_of(stage, argument.view, operation.name, operation.where));
    if (!staged) staged = std::make_shared<TaskLaunch>(launch);
    staged->arguments[i].view = stage;
  }
  std::vector<Operation> operations = std::move(before);
  operations.push_back(operation);
  if (staged) std::get<TaskCall>(operations.back().what).launch = std::move(staged);
  operations.insert(operations.end(), std::make_move_iterator(after.begin()), std::make_move_iterator(after.end()));
  return operations;
}

}  // namespace pilum::scheduler
