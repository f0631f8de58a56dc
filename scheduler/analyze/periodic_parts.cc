#include "scheduler/analyze/periodic_parts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "scheduler/analyze/fold_parts.h"

namespace pilum::scheduler {
namespace {

class PeriodicCutter {
 public:
  PeriodicCutter(std::span<const PlacedOperation> members, std::vector<WindowStore>& stores, bool one_processor,
                 std::list<Operation>& operations)
      : members_(members), stores_(stores), one_processor_(one_processor), operations_(operations) {}

  std::vector<std::vector<PlacedOperation>> cut(const std::vector<Rect>& parts) {
    find_staged();
    std::vector<PlacedOperation> copies;
    for (const Rect& part : parts) {
      const bool is_rim = &part != &parts.back();
      auto& own = lists_.emplace_back();
      staged_.clear();
      for (std::size_t number = 0; number < members_.size(); ++number) own.push_back(part_of(number, part, is_rim));
      for (const Staged& staged : staged_) copies.push_back(copy_of_staged(staged));
    }
    if (!copies.empty()) lists_.push_back(std::move(copies));
    if (!sums_.empty()) add_up();
    return std::move(lists_);
  }

 private:
  struct Staged {
    View target;  // what the rim's operation writes
    View made;    // where it is until all have read what was there
    const PlacedOperation* by;
  };

  // By store: one reads other points of it than those that are written.
  void find_staged() {
    is_to_be_staged_.assign(stores_.size(), false);
    std::map<std::size_t, std::vector<const AffineMap*>> written;
    for (const PlacedOperation& member : members_) {
      if (member.operation->elementwise()) written[place_of(*member.operation->output())].push_back(&member.output);
    }
    for (const PlacedOperation& member : members_) {
      for_each_input(*member.operation, [&](std::size_t place, const View& view) {
        const auto found = written.find(place_of(view));
        const auto is_same = [&](const AffineMap* map) { return *map == member.inputs[place]; };
        if (found != written.end() && std::ranges::none_of(found->second, is_same))
          is_to_be_staged_[place_of(view)] = true;
      });
    }
  }

  // The operation's points that are these of the group's domain.
  static Rect points_of(const PlacedOperation& member, const Rect& part) {
    if (member.operation->reduction()) return part;
    const View& output = *member.operation->output();
    Rect points = Rect::of(output.shape);
    for (int k = 0; k < output.map.store_rank; ++k) {
      const int own = output.map[k].axis, axis = member.output[k].axis;
      if (own < 0 || axis < 0) continue;
      points.lo[static_cast<std::size_t>(own)] = part.lo[static_cast<std::size_t>(axis)];
      points.hi[static_cast<std::size_t>(own)] = part.hi[static_cast<std::size_t>(axis)];
    }
    return points;
  }

  PlacedOperation part_of(std::size_t number, const Rect& part, bool is_rim) {
    const PlacedOperation& member = members_[number];
    const Rect points = points_of(member, part);
    if (member.operation->reduction()) return placed(sum_of(number, points, is_rim), member);
    Operation operation = part_at(*member.operation, points);
    for_each_input(operation, [&](std::size_t, View& view) {
      leave_out_turns(view);
      if (const Staged* staged = staged_at(view)) view = through(view, staged->target, staged->made);
    });
    View& output = std::get<Elementwise>(operation.what).output;
    if (is_rim && is_to_be_staged_[place_of(output)]) {
      const Staged* staged = staged_at(output);
      if (!staged) {
        const View made = make_value(*output.store, output.shape, distribution_of(output, stores_), stores_);
        staged = &staged_.emplace_back(output, made, &member);
      }
      output = through(output, staged->target, staged->made);
    }
    return placed(std::move(operation), member);
  }

  // What the part has written of these cells, and is not there yet.
  const Staged* staged_at(const View& view) const {
    const auto found = std::ranges::find_if(staged_, [&](const Staged& staged) {
      return staged.target.store == view.store && reached_cells(staged.target) == reached_cells(view);
    });
    return found == staged_.end() ? nullptr : &*found;
  }

  Operation sum_of(std::size_t number, const Rect& points, bool is_rim) {
    Operation sum = *members_[number].operation;
    auto& reduction = std::get<Reduction>(sum.what);
    narrow(reduction.input, points);
    if (const Staged* staged = staged_at(reduction.input))
      reduction.input = through(reduction.input, staged->target, staged->made);
    if (is_rim) reduction.input = without_single_axes(reduction.input);
    reduction.reduced_axes = static_cast<std::uint8_t>((1U << reduction.input.shape.rank()) - 1);
    reduction.output = make_sum(sum);
    sums_[number].push_back(reduction.output);
    return sum;
  }

  View make_sum(const Operation& sum) {
    const View& output = *sum.output();
    return make_value(*output.store, output.store->shape, stores_[place_of(output)].tiling, stores_);
  }

  PlacedOperation copy_of_staged(const Staged& staged) {
    const Operation& by = *staged.by->operation;
    return placed(copy_of(staged.made, staged.target, by.name, by.where), *staged.by);
  }

  // Of the largest part first.
  void add_up() {
    auto& own = lists_.emplace_back();
    for (auto& [number, sums] : sums_) {
      const Operation& whole_sum = *members_[number].operation;
      std::rotate(sums.begin(), sums.end() - 1, sums.end());
      for (std::size_t i = 1; i < sums.size(); ++i) {
        const View to = i + 1 == sums.size() ? *whole_sum.output() : make_sum(whole_sum);
        own.push_back(placed(addition_of(whole_sum, sums[0], sums[i], to), members_[number]));
        sums[0] = to;
      }
    }
  }

  PlacedOperation placed(Operation operation, const PlacedOperation& member) {
    PlacedOperation placed =
        place(operations_.emplace_back(std::move(operation)), stores_, one_processor_, member.number);
    placed.is_part = true;
    placed.has_consumers = member.has_consumers;
    placed.stage = member.stage;
    placed.is_whole = member.is_whole;
    placed.fresh = member.fresh;
    return placed;
  }

  const std::span<const PlacedOperation> members_;
  std::vector<WindowStore>& stores_;
  const bool one_processor_;
  std::list<Operation>& operations_;
  std::vector<bool> is_to_be_staged_;              // by store
  std::vector<Staged> staged_;                     // of the part
  std::map<std::size_t, std::vector<View>> sums_;  // by member, of the parts
  std::vector<std::vector<PlacedOperation>> lists_;
};

}  // namespace

std::vector<std::vector<PlacedOperation>> cut_periodic(std::span<const PlacedOperation> members,
                                                       const PeriodicCuts& cuts, std::vector<WindowStore>& stores,
                                                       bool one_processor, std::list<Operation>& operations) {
  return PeriodicCutter(members, stores, one_processor, operations).cut(cuts.cut(members.front().domain));
}

}  // namespace pilum::scheduler
