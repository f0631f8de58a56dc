#include "scheduler/record/device_call.h"

namespace pilum::scheduler {

std::vector<detail::BoundStore> bind_stores(const Launch& launch, const DeviceCall& call) {
  std::vector<detail::BoundStore> stores = call.chunks.front().stores;
  for (std::size_t i = 0; i < stores.size(); ++i)
    stores[i].first = launch.arrays[i].base + reinterpret_cast<std::intptr_t>(stores[i].first);
  return stores;
}

}  // namespace pilum::scheduler
