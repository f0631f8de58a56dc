#include "scheduler/analyze/own_planes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/planes.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// Of the one plane that the view shows.
View without_planes(const View& view, const View& plane) {
  View result{plane.store, partitioner::AffineMap::none(), view.shape};
  result.map.store_rank = view.map.store_rank - 1;
  result.map.view_rank = view.map.view_rank;
  for (int k = 0; k < result.map.store_rank; ++k) result.map[k] = view.map[k + 1];
  return result;
}

// All cells of its plane, each at its own place.
bool is_all_of_plane(const View& view) {
  if (view.shape.elements() != view.store->shape.elements() / view.store->shape[0]) return false;
  for (int k = 1; k < view.map.store_rank; ++k) {
    if (view.map[k].axis != k - 1 || view.map[k].scale != 1 || view.map[k].offset != 0) return false;
  }
  return true;
}

// A plane of a store: its row, and its number.
using Plane = std::pair<std::size_t, std::int64_t>;

Plane plane_of(const View& view) {
  return {place_of(view), view.map[0].offset};
}

// By store: whether it is used plane by plane alone.
std::vector<bool> used_by_planes(const std::vector<Operation>& operations, const std::vector<WindowStore>& stores,
                                 const machine::Machine& machine) {
  std::vector<bool> by_planes(stores.size(), true);
  for (const Operation& operation : operations) {
    for_each_view(operation, [&](const View& view, bool) {
      if (!has_planes(*view.store, machine) || !operation.elementwise() || !is_of_one_plane(view))
        by_planes[place_of(view)] = false;
    });
  }
  return by_planes;
}

// Whether a plane is overwritten once all of it was written.
bool write_again(const std::vector<Operation>& operations, const std::vector<bool>& by_planes) {
  std::set<Plane> written;
  return std::ranges::any_of(operations, [&](const Operation& operation) {
    const Elementwise* elementwise = operation.elementwise();
    if (!elementwise || place_of(elementwise->output) >= by_planes.size()) return false;
    const View& output = elementwise->output;
    return by_planes[place_of(output)] && is_all_of_plane(output) && !written.insert(plane_of(output)).second;
  });
}

// Arrays that live in the window alone: each plane is an array, and each time that all of it is written a new one.
void replace_planes(std::vector<Operation>& operations, std::vector<WindowStore>& stores,
                    const std::vector<bool>& by_planes) {
  std::map<Plane, View> now;
  const auto is_replaced = [&](const View& view) {
    const std::size_t place = place_of(view);
    return place < by_planes.size() && by_planes[place] && stores[place].is_gone && !view.store->state;
  };
  const auto new_array = [&](const View& view) {
    View plane = pinned(whole(view.store), 0, view.map[0].offset);
    return make_value(*view.store, plane.shape, distribution_of(plane, stores), stores);
  };
  const auto array_of = [&](const View& view) -> const View& {
    const auto found = now.find(plane_of(view));
    return found != now.end() ? found->second : now.emplace(plane_of(view), new_array(view)).first->second;
  };
  for (Operation& operation : operations) {
    for_each_input(operation, [&](std::size_t, View& view) {
      if (is_replaced(view)) view = without_planes(view, array_of(view));
    });
    auto* elementwise = std::get_if<Elementwise>(&operation.what);
    if (!elementwise || !is_replaced(elementwise->output)) continue;
    View& output = elementwise->output;
    if (is_all_of_plane(output)) now.erase(plane_of(output));
    output = without_planes(output, array_of(output));
  }
}

// Planes that are copied to and all overwritten later become arrays of their own.
class PlaneRenamer {
 public:
  // `by_planes`: by store, whether it is used so alone.
  PlaneRenamer(std::vector<Operation>& operations, std::vector<WindowStore>& stores, std::vector<bool> by_planes)
      : operations_(operations), stores_(stores), by_planes_(std::move(by_planes)) {}

  void rename() {
    collect();
    for (auto& [plane, uses] : uses_) rename(uses);
  }

 private:
  struct Use {
    std::size_t number = 0;
    bool writes = false, is_all = false;  // is_all: of the plane
  };

  void collect() {
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      for_each_view(operations_[number], [&](const View& view, bool writes) {
        const std::size_t place = place_of(view);
        if (place < by_planes_.size() && by_planes_[place])
          uses_[plane_of(view)].push_back({number, writes, is_all_of_plane(view)});
      });
    }
  }

  // From a copy of all to the next update of all.
  void rename(std::vector<Use>& uses) {
    for (std::size_t first = 0; first < uses.size(); ++first) {
      if (!is_copy(uses[first])) continue;
      const auto next = std::find_if(uses.begin() + static_cast<std::ptrdiff_t>(first) + 1, uses.end(),
                                     [](const Use& use) { return use.writes; });
      if (next == uses.end() || !next->is_all || !is_divisible(operations_[next->number])) continue;
      replace(uses[first].number, next->number, uses, first);
    }
  }
  bool is_copy(const Use& use) const {
    return use.writes && use.is_all && copied_view(operations_[use.number]) != nullptr;
  }
  void replace(std::size_t maker, std::size_t end, const std::vector<Use>& uses, std::size_t first) {
    auto& made = std::get<Elementwise>(operations_[maker].what).output;
    const View old = made;
    const View plane = make_value(*old.store, old.shape, distribution_of(old, stores_), stores_);
    made = plane;
    for (std::size_t use = first + 1; use < uses.size() && uses[use].number <= end; ++use) {
      for_each_input(operations_[uses[use].number], [&](std::size_t, View& view) {
        const bool is_here =
            view.store == old.store && is_of_one_plane(view) && view.map[0].offset == old.map[0].offset;
        if (is_here) view = without_planes(view, plane);
      });
    }
  }

  std::vector<Operation>& operations_;
  std::vector<WindowStore>& stores_;
  const std::vector<bool> by_planes_;
  std::map<Plane, std::vector<Use>> uses_;
};

}  // namespace

bool has_planes(const Store& store, const machine::Machine& machine) {
  if (store.shape.rank() < 2 || store.shape[0] < 2 || store.shape[0] > kMostPlanes) return false;
  const std::int64_t cells = store.shape.elements() / store.shape[0];
  return cells * static_cast<std::int64_t>(itemsize(store.dtype)) >= min_bytes_to_split(machine);
}

void give_planes_arrays(std::vector<Operation>& operations, std::vector<WindowStore>& stores,
                        const machine::Machine& machine) {
  std::vector<bool> by_planes = used_by_planes(operations, stores, machine);
  if (write_again(operations, by_planes)) replace_planes(operations, stores, by_planes);
  PlaneRenamer(operations, stores, std::move(by_planes)).rename();
}

}  // namespace pilum::scheduler
