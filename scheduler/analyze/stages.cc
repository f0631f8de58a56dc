#include "scheduler/analyze/stages.h"

#include <algorithm>
#include <limits>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

Stages find_stages(const std::vector<Operation>& operations, const std::vector<WindowStore>& stores) {
  Stages stages;
  stages.earliest.assign(operations.size(), 0);
  stages.read_beside.assign(stores.size(), false);
  std::vector<int> made_in(stores.size(), 0);
  std::vector<std::vector<const View*>> made(stores.size());
  for (std::size_t number = 0; number < operations.size(); ++number) {
    int& stage = stages.earliest[number];
    for_each_input(operations[number], [&](std::size_t, const View& view) {
      const std::size_t place = place_of(view);
      const auto is_same = [&view](const View* one) { return one->map == view.map && one->shape == view.shape; };
      const bool is_beside = !made[place].empty() && std::ranges::none_of(made[place], is_same);
      if (is_beside) stages.read_beside[place] = true;
      stage = std::max(stage, made_in[place] + is_beside);
    });
    const View* output = operations[number].output();
    if (!output) continue;
    made[place_of(*output)].push_back(output);
    made_in[place_of(*output)] = std::max(made_in[place_of(*output)], stage);
  }
  constexpr int kNobody = std::numeric_limits<int>::max();
  std::vector<int> read_in(stores.size(), kNobody);  // by store, of what comes later
  stages.latest = stages.earliest;
  for (std::size_t number = operations.size(); number-- > 0;) {
    const View* output = operations[number].output();
    const std::size_t written = output ? place_of(*output) : 0;
    if (output && !stages.read_beside[written] && read_in[written] != kNobody)
      stages.latest[number] = std::max(stages.latest[number], read_in[written]);
    for_each_input(operations[number], [&](std::size_t, const View& view) {
      int& first = read_in[place_of(view)];
      first = std::min(first, stages.latest[number]);
    });
  }
  return stages;
}

}  // namespace pilum::scheduler
