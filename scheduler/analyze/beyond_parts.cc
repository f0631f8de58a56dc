#include "scheduler/analyze/beyond_parts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "partitioner/region.h"
#include "scheduler/analyze/fold_parts.h"

namespace pilum::scheduler {
namespace {

// Cells of a store around a rim, copied into one box, for what is read beside it.
struct Strip {
  StoreRef store;
  Rect cells;               // the box: of the store, and around it
  std::vector<Rect> asked;  // what the rim reads of it
  const PlacedOperation* reader;
  std::array<partitioner::Beyond, kMaxAxes> beyond{};  // by axis of the store
  View made = {};
};

bool is_outside(const Rect& cells, const Shape& shape, int axis) {
  return cells.lo[static_cast<std::size_t>(axis)] < 0 || cells.hi[static_cast<std::size_t>(axis)] > shape[axis];
}

bool go_along_alike(const AffineMap& a, const AffineMap& b) {
  for (int k = 0; k < a.store_rank; ++k) {
    if (a[k].axis != b[k].axis) return false;
  }
  return true;
}

View box_of(const StoreRef& store, const Rect& cells) {
  View view = whole(store);
  narrow(view, cells);
  return view;
}

class BeyondCutter {
 public:
  BeyondCutter(std::span<const PlacedOperation> members, std::vector<WindowStore>& stores, bool one_processor,
               std::list<Operation>& operations)
      : members_(members), stores_(stores), one_processor_(one_processor), operations_(operations) {}

  std::vector<std::vector<PlacedOperation>> cut(const BeyondCuts& cuts) {
    const Rect& domain = members_.front().domain;
    find_read_beside();
    const std::optional<Rect> inside = may_be_strips() ? cuts.inside(domain) : std::nullopt;
    if (inside) {
      cut_with_strips(domain, *inside);
    } else {
      cut_where_they_turn(cuts.cut(domain));
    }
    if (!sums_.empty()) add_up();
    return std::move(lists_);
  }

 private:
  struct Staged {
    View target;  // what the rim's operation writes
    View made;    // where it is until all have read what was there
    const PlacedOperation* by;
  };

  // By store: of those that are written one reads other points; and which views go beyond.
  void find_read_beside() {
    is_read_beside_.assign(stores_.size(), false);
    is_read_beyond_.assign(stores_.size(), false);
    std::map<std::size_t, std::vector<const AffineMap*>> written;
    for (const PlacedOperation& member : members_) {
      if (member.operation->elementwise()) written[place_of(*member.operation->output())].push_back(&member.output);
    }
    for (const PlacedOperation& member : members_) {
      for_each_input(*member.operation, [&](std::size_t place, const View& view) {
        if (goes_beyond(view)) is_read_beyond_[place_of(view)] = true;
        const auto found = written.find(place_of(view));
        const auto is_same = [&](const AffineMap* map) { return *map == member.inputs[place]; };
        if (found == written.end() || std::ranges::any_of(found->second, is_same)) return;
        is_read_beside_[place_of(view)] = is_in_place_ = true;
      });
    }
  }

  bool has_strips(std::size_t store) const {
    return store < is_read_beyond_.size() && (is_read_beyond_[store] || is_read_beside_[store]);
  }

  // All that would be read from strips goes along with the domain in one way, and sees one thing beyond an array.
  bool may_be_strips() const {
    std::map<std::size_t, const AffineMap*> known;
    std::map<std::pair<std::size_t, int>, partitioner::Beyond> beyond;  // by store and axis
    bool may = true;
    for (const PlacedOperation& member : members_) {
      for_each_input(*member.operation, [&](std::size_t place, const View& view) {
        if (!has_strips(place_of(view))) return;
        const AffineMap*& first = known.try_emplace(place_of(view), &member.inputs[place]).first->second;
        may = may && is_box(view) && go_along_alike(*first, member.inputs[place]);
        const Rect cells = image(view.map, Rect::of(view.shape));
        for (int k = 0; k < cells.rank; ++k) {
          if (!is_outside(cells, view.store->shape, k)) continue;
          may = may && beyond.try_emplace({place_of(view), k}, view.map[k].beyond).first->second == view.map[k].beyond;
        }
      });
    }
    return may;
  }

  // Each part reads plain cells. Where some are written in place, rims write them to new arrays, and copies come last.
  void cut_where_they_turn(const std::vector<Rect>& parts) {
    std::vector<PlacedOperation> copies;
    for (const Rect& part : parts) {
      add_part(part, &part != &parts.back());
      for (const Staged& staged : staged_) copies.push_back(copy_of_staged(staged));
      staged_.clear();
    }
    if (!copies.empty()) lists_.push_back(std::move(copies));
  }

  // Where what is read lies several cells away these parts would be many, each another kernel. Instead the rims are as
  // thick as that, and read strips, which are copied first.
  void cut_with_strips(const Rect& domain, const Rect& inside) {
    const std::vector<Rect> rims = partitioner::subtract(domain, inside);
    std::vector<std::vector<Strip>> strips;
    for (const Rect& rim : rims) strips.push_back(make_strips(rim));
    if (is_in_place_) add_part(inside, false);
    for (std::size_t rim = 0; rim < rims.size(); ++rim) {
      strips_ = &strips[rim];
      add_part(rims[rim], true);
    }
    strips_ = nullptr;
    if (!is_in_place_) add_part(inside, false);
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

  void add_part(const Rect& part, bool is_rim) {
    auto& own = lists_.emplace_back();
    std::vector<bool> is_written(stores_.size(), false);
    for (std::size_t number = 0; number < members_.size(); ++number) {
      const PlacedOperation& member = members_[number];
      const Rect points = points_of(member, part);
      Operation operation =
          member.operation->reduction() ? sum_of(number, points, is_rim) : part_at(*member.operation, points);
      for_each_input(operation, [&](std::size_t, View& view) {
        if (strips_ && !is_written[place_of(view)]) read_strip(view);
        bring_inside(view);
        if (is_number_beyond(view)) {
          own.push_back(filled(view, distribution_of(*operation.output(), stores_), member));
          view = *own.back().operation->output();
        } else if (const Staged* staged = staged_at(view)) {
          view = through(view, staged->target, staged->made);
        }
      });
      if (member.operation->reduction()) {
        View& input = std::get<Reduction>(operation.what).input;
        if (is_rim) input = without_single_axes(input);
        std::get<Reduction>(operation.what).reduced_axes = static_cast<std::uint8_t>((1U << input.shape.rank()) - 1);
      } else {
        is_written[place_of(*operation.output())] = true;
        if (is_rim && !strips_) stage(std::get<Elementwise>(operation.what).output, member);
      }
      own.push_back(placed(std::move(operation), member));
    }
  }

  void stage(View& output, const PlacedOperation& member) {
    const std::size_t place = place_of(output);
    if (place >= is_read_beside_.size() || !is_read_beside_[place]) return;
    const Staged* staged = staged_at(output);
    if (!staged) {
      const View made = make_value(*output.store, output.shape, distribution_of(output, stores_), stores_);
      staged = &staged_.emplace_back(output, made, &member);
    }
    output = through(output, staged->target, staged->made);
  }

  // What the part has written of these cells, and is not there yet.
  const Staged* staged_at(const View& view) const {
    const auto found = std::ranges::find_if(staged_, [&](const Staged& staged) {
      return staged.target.store == view.store && reached_cells(staged.target) == reached_cells(view);
    });
    return found == staged_.end() ? nullptr : &*found;
  }

  // --- strips

  std::vector<Strip> make_strips(const Rect& rim) {
    std::vector<Strip> strips = find_strips(rim);
    std::vector<std::vector<PlacedOperation>> copies;  // by strip
    for (Strip& strip : strips) copies.push_back(copies_into(strip));
    auto& list = lists_.emplace_back();
    // Those of like pieces side by side, to be one task.
    for (std::size_t piece = 0, left = 1; left > 0; ++piece) {
      left = 0;
      for (const std::vector<PlacedOperation>& own : copies) {
        if (piece >= own.size()) continue;
        list.push_back(own[piece]);
        ++left;
      }
    }
    if (list.empty()) lists_.pop_back();
    return strips;
  }

  // What the rim reads beyond, or beside what it writes in place.
  std::vector<Strip> find_strips(const Rect& rim) const {
    std::vector<Strip> strips;
    std::vector<bool> is_written(stores_.size(), false);
    for (const PlacedOperation& member : members_) {
      const Rect points = points_of(member, rim);
      for_each_input(*member.operation, [&](std::size_t, const View& whole_view) {
        if (is_written[place_of(whole_view)] || !has_strips(place_of(whole_view))) return;
        View view = whole_view;
        narrow(view, points);
        const Rect cells = image(view.map, Rect::of(view.shape));
        const auto found = std::ranges::find(strips, view.store, &Strip::store);
        Strip& strip =
            found == strips.end() ? strips.emplace_back(view.store, cells, std::vector<Rect>(), &member) : *found;
        for (int k = 0; k < cells.rank; ++k) {
          if (is_outside(cells, view.store->shape, k)) strip.beyond[static_cast<std::size_t>(k)] = view.map[k].beyond;
        }
        strip.cells = hull(strip.cells, cells);
        strip.asked.push_back(cells);
      });
      is_written[place_of(*member.operation->output())] = true;
    }
    std::erase_if(strips, [this](const Strip& strip) {
      return !is_read_beside_[place_of(*strip.store)] && Rect::of(strip.store->shape).contains(strip.cells);
    });
    return strips;
  }

  std::vector<PlacedOperation> copies_into(Strip& strip) {
    const std::size_t place = place_of(*strip.store);
    std::array<int, kMaxAxes> along{};
    std::array<std::int64_t, kMaxAxes> from_first{};
    Point to_first{strip.cells.rank};
    Shape shape;
    for (int k = 0; k < strip.cells.rank; ++k) {
      along[static_cast<std::size_t>(k)] = k;
      from_first[static_cast<std::size_t>(k)] = strip.cells.lo[static_cast<std::size_t>(k)];
      to_first[k] = -strip.cells.lo[static_cast<std::size_t>(k)];
      shape.push_back(strip.cells.extent(k));
    }
    strip.made =
        make_value(*strip.store, shape, stores_[place].tiling.align(Rect::of(shape), along, from_first), stores_);
    std::vector<PlacedOperation> copies;
    for (const Rect& piece : cut_at_bounds(strip.cells, strip.store->shape)) {
      const auto is_asked = [&piece](const Rect& cells) { return overlaps(cells, piece); };
      if (std::ranges::none_of(strip.asked, is_asked)) continue;
      View from = box_of(strip.store, piece);
      for (int k = 0; k < piece.rank; ++k) from.map[k].beyond = strip.beyond[static_cast<std::size_t>(k)];
      bring_inside(from);
      const View to = box_of(strip.made.store, shift(piece, to_first));
      if (is_number_beyond(from)) {
        copies.push_back(filled_into(to, place, *strip.reader));
        continue;
      }
      const Operation& reader = *strip.reader->operation;
      copies.push_back(placed(copy_of(from, to, reader.name, reader.where), *strip.reader));
    }
    return copies;
  }

  void read_strip(View& view) const {
    const auto strip = std::ranges::find(*strips_, view.store, &Strip::store);
    if (strip == strips_->end()) return;
    view.store = strip->made.store;
    for (int k = 0; k < view.map.store_rank; ++k) {
      view.map[k].offset -= strip->cells.lo[static_cast<std::size_t>(k)];
      view.map[k].beyond = partitioner::Beyond::Around;
    }
  }

  // --- sums

  Operation sum_of(std::size_t number, const Rect& points, bool is_rim) {
    Operation sum = *members_[number].operation;
    auto& reduction = std::get<Reduction>(sum.what);
    narrow(reduction.input, points);
    reduction.output = make_sum(sum);
    std::vector<View>& sums = sums_[number];
    sums.insert(is_rim ? sums.end() : sums.begin(), reduction.output);
    return sum;
  }

  View make_sum(const Operation& sum) {
    const View& output = *sum.output();
    return make_value(*output.store, output.store->shape, stores_[place_of(output)].tiling, stores_);
  }

  // Of the inside first.
  void add_up() {
    auto& own = lists_.emplace_back();
    for (auto& [number, sums] : sums_) {
      const Operation& whole_sum = *members_[number].operation;
      View so_far = sums[0];
      for (std::size_t i = 1; i < sums.size(); ++i) {
        const View to = i + 1 == sums.size() ? *whole_sum.output() : make_sum(whole_sum);
        own.push_back(placed(addition_of(whole_sum, so_far, sums[i], to), members_[number]));
        so_far = to;
      }
    }
  }

  // The number beyond a store, in these cells.
  PlacedOperation filled_into(const View& cells, std::size_t store, const PlacedOperation& reader) {
    Operation fill = *stores_[store].fill;
    std::get<Elementwise>(fill.what).output = cells;
    PlacedOperation filled = placed(std::move(fill), reader);
    filled.number = stores_[store].fill_number;
    return filled;
  }
  // The same in as many cells as the view has, by themselves.
  PlacedOperation filled(const View& view, const partitioner::Tiling& distribution, const PlacedOperation& reader) {
    const std::size_t store = place_of(view);
    return filled_into(make_value(*view.store, view.shape, distribution, stores_), store, reader);
  }

  PlacedOperation copy_of_staged(const Staged& staged) {
    const Operation& by = *staged.by->operation;
    return placed(copy_of(staged.made, staged.target, by.name, by.where), *staged.by);
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
  std::vector<bool> is_read_beside_, is_read_beyond_;  // by store
  bool is_in_place_ = false;                           // some store is read beside what is written of it
  std::vector<Staged> staged_;                         // of the part
  const std::vector<Strip>* strips_ = nullptr;         // that the part reads; null: it reads what they were copied from
  std::map<std::size_t, std::vector<View>> sums_;      // by member, of the parts
  std::vector<std::vector<PlacedOperation>> lists_;
};

}  // namespace

std::vector<std::vector<PlacedOperation>> cut_beyond(std::span<const PlacedOperation> members, const BeyondCuts& cuts,
                                                     std::vector<WindowStore>& stores, bool one_processor,
                                                     std::list<Operation>& operations) {
  return BeyondCutter(members, stores, one_processor, operations).cut(cuts);
}

}  // namespace pilum::scheduler
