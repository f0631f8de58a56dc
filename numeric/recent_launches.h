// Launches that a loop makes again.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "numeric/record.h"
#include "pilum/task.h"
#include "scheduler/record/task_launch.h"

namespace pilum::detail {

// The launches of the window that is being recorded, the last few different ones: what was checked once holds for the
// next one with the same body, domain, arrays and projections, which is the same but for its scalars. One is known as
// long as somebody has it, and with it its arrays' stores. Of one thread.
class RecentLaunches {
 public:
  // Null: there is none. Throws where an array is not the recorder's.
  std::shared_ptr<const scheduler::TaskLaunch> find(const std::shared_ptr<const scheduler::TaskBody>& body,
                                                    const Shape& domain, std::span<const StoreArgument* const> stores,
                                                    const numeric::Call& call, scheduler::Recorder& recorder) const;
  void add(const std::shared_ptr<const scheduler::TaskLaunch>& launch, std::span<const StoreArgument* const> stores);

 private:
  struct Recent {
    std::weak_ptr<const scheduler::TaskLaunch> launch;
    const scheduler::TaskBody* body = nullptr;
    std::vector<Projection> projections;
  };
  std::array<Recent, 4> recent_;
  std::size_t next_ = 0;
};

}  // namespace pilum::detail
