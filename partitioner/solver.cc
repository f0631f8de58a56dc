#include "partitioner/solver.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>

#include "partitioner/choose_parts.h"

namespace pilum::partitioner {
namespace {

constexpr std::int64_t kFarthestHalo = 8;  // views farther apart are not one stencil

// Axes of at most kMostComponents cells, where another is so many times longer, and one cell at a time is seen, are of
// components at each point; shorter ones also where nothing is seen cell by cell. Others may be batches.
constexpr std::int64_t kTimesComponents = 8, kSurelyComponents = 4;

// Stores that have to do with one another, at whatever remove: each is in one group.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t of(int store) const {
    while (parent_[static_cast<std::size_t>(store)] != store) store = parent_[static_cast<std::size_t>(store)];
    return static_cast<std::size_t>(store);
  }
  // The first's group is part of the other's from now on.
  void join(int store, int other) { parent_[of(store)] = static_cast<int>(of(other)); }

 private:
  std::vector<int> parent_;
};

// How a target may lie with a part of the source: its cells with those of every second column, or, where it is seen at
// one cell of a cut axis alone, all of it with who has that.
struct PartRules {
  bool strides = false, pins = false;
};

// The tiling that makes `target`'s store lie as `source`'s cut store does, point by point; nothing if their axes do
// not run together along every cut.
std::optional<Tiling> derive(const SolverAccess& target, const Rect& box, const SolverAccess& source,
                             const Tiling& tiling, const PartRules& rules) {
  AffineMap seen;  // the source's cells from the target's
  seen.store_rank = source.map.store_rank;
  seen.view_rank = target.map.store_rank;
  for (int j = 0; j < source.map.store_rank; ++j) {
    const AxisMap& from = source.map[j];
    const int k = from.axis < 0 ? -1 : target.map.store_axis_of(from.axis);
    const bool runs_along =
        k >= 0 && target.map[k].scale == 1 && (from.scale == 1 || (rules.strides && from.scale > 1));
    if (runs_along) {
      seen[j] = {static_cast<std::int8_t>(k), from.scale, from.offset - from.scale * target.map[k].offset};
      continue;
    }
    if (tiling.axis(j).parts > 1 && !(rules.pins && from.axis < 0)) return std::nullopt;
    seen[j] = {-1, 0, from.offset};
  }
  if (tiling.is_cut_across(seen)) return std::nullopt;
  return tiling.pull_back(seen, box);
}

// Of the target's store, more cells than half of a part lie before or behind those that have a counterpart along an
// axis that is cut, and would all be with the first processor, or the last: the source is a piece of what is put
// together.
bool leaves_much(const SolverAccess& target, const Rect& box, const SolverAccess& source, const Tiling& tiling) {
  for (int j = 0; j < source.map.store_rank; ++j) {
    const AxisMap& from = source.map[j];
    const int k = from.axis < 0 ? -1 : target.map.store_axis_of(from.axis);
    const std::int64_t parts = tiling.axis(j).parts;
    if (k < 0 || parts <= 1 || from.scale != 1 || target.map[k].scale != 1) continue;
    const auto mine = static_cast<std::size_t>(k), its = static_cast<std::size_t>(j);
    const std::int64_t shift = from.offset - target.map[k].offset;
    const std::int64_t before = tiling.box().lo[its] - (box.lo[mine] + shift);
    const std::int64_t behind = box.hi[mine] + shift - tiling.box().hi[its];
    const std::int64_t left = std::max(before, behind);
    if (left > kFarthestHalo && 2 * parts * left > box.extent(k)) return true;
  }
  return false;
}

// Both cut their box in the same way, but for a few cells to one side.
bool is_beside(const Tiling& a, const Tiling& b) {
  if (!(a.box() == b.box()) || a.processors() != b.processors() || !a.drops_as(b)) return false;
  for (int k = 0; k < a.box().rank; ++k) {
    AxisTiling moved = a.axis(k);
    const std::int64_t distance = b.axis(k).offset - moved.offset;
    moved.offset += distance;
    if (!(moved == b.axis(k)) || distance < -kFarthestHalo || distance > kFarthestHalo) return false;
  }
  return true;
}

// A point sees cells of both by the same axes, a few cells apart.
bool meet_nearby(const AffineMap& a, const AffineMap& b) {
  if (a.store_rank != b.store_rank) return false;
  for (int k = 0; k < a.store_rank; ++k) {
    const std::int64_t distance = a[k].offset - b[k].offset;
    if (a[k].axis != b[k].axis || a[k].axis < 0 || a[k].scale != 1 || b[k].scale != 1) return false;
    if (distance < -kFarthestHalo || distance > kFarthestHalo) return false;
  }
  return true;
}

class Solver {
 public:
  Solver(SolverWindow& window, const machine::Machine& machine) : window_(window), machine_(machine) {}

  void solve() {
    find_points();
    find_lines();
    find_fed();
    if (machine_.ranks == 1) find_followers();
    for (SolverStore& store : window_.stores) {
      if (!store.tiling && (store.replicate || machine_.processors() == 1))
        store.tiling = Tiling::replicated(store.box);
    }
    while (true) {
      while (propagate(Links::Exact) || propagate(Links::All) || propagate(Links::Pieces)) {
      }
      const int largest = largest_untiled();
      if (largest < 0) break;
      cut_by_itself(largest);
      cut_likes_of(largest);
    }
    if (machine_.ranks == 1) leave_on_one();
    for (SolverStore& store : window_.stores) {
      if (!store.tiling) store.tiling = Tiling::replicated(store.box);
    }
  }

 private:
  SolverStore& store_of(const SolverAccess& access) { return window_.stores[static_cast<std::size_t>(access.store)]; }
  std::span<const SolverAccess> accesses_of(const SolverOperation& operation) const {
    return {window_.accesses.data() + operation.first, static_cast<std::size_t>(operation.count)};
  }
  bool is_small(const SolverStore& store) const { return !store.split_axes && has_few_cells(store); }
  bool has_few_cells(const SolverStore& store) const {
    return store.box.cells() * store.cell_bytes < machine_.split_bytes || store.box.cells() < 2;
  }

  // Exact: a store follows what is computed from it, or a store of its size that it meets cell by cell. So all values
  // of an expression follow its result, whichever neighbours they are computed from. Pieces: small stores also as a
  // piece of them lies, where no larger one says more.
  enum class Links : std::uint8_t { Exact, All, Pieces };

  // Passes over the operations; true if a store got its tiling. Of links that are not exact, one is enough: exact ones
  // may follow from it.
  bool propagate(Links links) {
    bool changed = false;
    for (const SolverOperation& operation : window_.operations) {
      const std::span<const SolverAccess> accesses = accesses_of(operation);
      for (const SolverAccess& target : accesses) {
        if (store_of(target).tiling || !link(target, operation, links)) continue;
        if (links != Links::Exact) return true;
        changed = true;
      }
    }
    return changed;
  }

  bool link(const SolverAccess& target, const SolverOperation& operation, Links links) {
    SolverStore& store = store_of(target);
    const std::span<const SolverAccess> accesses = accesses_of(operation);
    const bool waits = links != Links::Pieces && waits_for_lines(target, accesses);
    bool is_cut_across = false;
    for (const SolverAccess& source : accesses) {
      if (waits && !source.write) continue;
      const SolverStore& other = store_of(source);
      const bool is_same = source.map == target.map && other.box == store.box;
      if (links == Links::Exact && !source.write && !is_same) continue;
      if (source.store == target.store || !other.tiling || (store.lies_apart && !source.write)) continue;
      if (other.tiling->is_replicated() || other.tiling->is_on_one()) {
        if (!source.write || other.box.rank == 0 || !is_follower(target.store)) continue;
        store.tiling = other.tiling->is_on_one() ? Tiling::on_one(store.box) : Tiling::replicated(store.box);
        return true;
      }
      if (is_small(other) && is_small(store) && !source.write && !is_same) continue;
      if (leaves_much(target, store.box, source, *other.tiling) && (links != Links::Pieces || !is_small(store)))
        continue;
      const bool is_sampled = target.write && samples(target, source) && !is_small(other);
      const bool is_part = (source.write && is_fed(target.store) && store.box.rank > 0) || is_sampled;
      if (is_small(store) && other.box.cells() > 2 * store.box.cells() && !is_part) {
        if (!target.write) continue;
        store.tiling = Tiling::replicated(store.box);
        return true;
      }
      const PartRules rules{.strides = is_part, .pins = is_part && !is_sampled && is_small(store)};
      const auto tiling = derive(target, store.box, source, *other.tiling, rules);
      if (tiling && may_be_cut(target.store, *tiling)) {
        const Tiling chosen = source.write ? *tiling : heaviest(target, accesses, *tiling);
        store.tiling = is_same ? chosen : as_its_likes(chosen);
        return true;
      }
      is_cut_across = is_cut_across || (links == Links::All && target.write && operation.spreads &&
                                        has_lines(target.store) && !is_small(store));
      if (target.write && reduces(target)) {  // over a cut axis: folded across processors
        store.tiling = Tiling::replicated(store.box);
        return true;
      }
    }
    if (is_cut_across) cut_by_itself(target.store);
    return is_cut_across;
  }

  // Of what is computed from lines, at whatever remove: until it is known how these are cut, no other operand says how
  // the result is, nor how they are; and values that are computed for it alone lie as it does.
  bool waits_for_lines(const SolverAccess& target, std::span<const SolverAccess> accesses) {
    const auto store = static_cast<std::size_t>(target.store);
    if (into_lines_[store] || (!target.write && of_lines_[store])) return true;
    return std::ranges::any_of(accesses, [&, this](const SolverAccess& source) {
      const SolverStore& other = store_of(source);
      return !source.write && source.store != target.store && !other.tiling &&
             of_lines_[static_cast<std::size_t>(source.store)];
    });
  }

  // Of the ways in which the operands are cut, that of the most bytes: the others move.
  Tiling heaviest(const SolverAccess& target, std::span<const SolverAccess> accesses, const Tiling& first) {
    const SolverStore& store = store_of(target);
    std::vector<std::pair<Tiling, std::int64_t>> ways{{first, 0}};
    for (const SolverAccess& source : accesses) {
      const SolverStore& other = store_of(source);
      if (source.write || source.store == target.store || !other.tiling || is_small(other)) continue;
      if (other.tiling->is_replicated() || other.tiling->is_on_one()) continue;
      if (leaves_much(target, store.box, source, *other.tiling)) continue;
      const auto tiling = derive(target, store.box, source, *other.tiling, {});
      if (!tiling || !may_be_cut(target.store, *tiling)) continue;
      auto way = std::ranges::find(ways, *tiling, &std::pair<Tiling, std::int64_t>::first);
      if (way == ways.end()) way = ways.insert(way, {*tiling, 0});
      way->second += std::min(other.box.cells(), store.box.cells()) * other.cell_bytes;
    }
    return std::ranges::max_element(ways, {}, &std::pair<Tiling, std::int64_t>::second)->first;
  }

  void cut_by_itself(int number) {
    SolverStore& store = window_.stores[static_cast<std::size_t>(number)];
    const std::array<int, kMaxAxes> parts = parts_of(number);
    store.tiling = around_same_cells(number, parts);
    if (!store.tiling) store.tiling = Tiling::even(store.box, parts);
  }

  // Stores that are computed from larger ones, at whatever remove. They lie with what they go into: everywhere, all of
  // their larger sources would be wanted everywhere, too.
  void find_fed() {
    fed_.assign(window_.stores.size(), false);
    for (const SolverOperation& operation : window_.operations) {
      const std::span<const SolverAccess> accesses = accesses_of(operation);
      for (const SolverAccess& target : accesses) {
        if (!target.write) continue;
        for (const SolverAccess& source : accesses) {
          if (source.write || source.store == target.store) continue;
          if (is_fed(source.store) || store_of(source).box.cells() > 2 * store_of(target).box.cells())
            fed_[static_cast<std::size_t>(target.store)] = true;
        }
      }
    }
  }
  bool is_fed(int store) const { return fed_[static_cast<std::size_t>(store)]; }

  // Small stores that are made point by point and that no large one meets, nor only others that are made of one. In one
  // rank they lie where what is computed from them does: with processor 0, or everywhere. Otherwise what all compute
  // would go into what one has, and back.
  void find_followers() {
    follows_.resize(window_.stores.size());
    for (std::size_t i = 0; i < follows_.size(); ++i) {
      const SolverStore& store = window_.stores[i];
      follows_[i] = is_small(store) && store.box.rank > 0;
    }
    for (const SolverOperation& operation : window_.operations) {
      const std::span<const SolverAccess> accesses = accesses_of(operation);
      const bool meets_large = std::any_of(accesses.begin(), accesses.end(), [this](const SolverAccess& access) {
        return !is_small(store_of(access)) && store_of(access).box.rank > 0;
      });
      for (const SolverAccess& access : accesses) {
        if (meets_large || operation.spreads || (access.write && (reduces(access) || is_of_others(access, accesses))))
          follows_[static_cast<std::size_t>(access.store)] = false;
      }
    }
  }
  // It is computed, cell by cell, from stores of its size that do not follow.
  bool is_of_others(const SolverAccess& target, std::span<const SolverAccess> accesses) {
    bool some = false;
    for (const SolverAccess& source : accesses) {
      if (source.write || store_of(source).box.rank == 0) continue;
      if (!(source.map == target.map && store_of(source).box == store_of(target).box) || is_follower(source.store))
        return false;
      some = true;
    }
    return some;
  }
  bool is_follower(int store) const { return !follows_.empty() && follows_[static_cast<std::size_t>(store)]; }

  // Fields of one grid, which meet at neighbouring points here and there, are cut alike: so what is computed from all
  // of them at a point has them where it is. Those that the store has to do with, at whatever remove:
  void cut_likes_of(int number) {
    Groups groups(window_.stores.size());
    for (const SolverOperation& operation : window_.operations) {
      const std::span<const SolverAccess> accesses = accesses_of(operation);
      for (std::size_t i = 1; i < accesses.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (meet_nearby(accesses[i].map, accesses[j].map)) groups.join(accesses[i].store, accesses[j].store);
        }
      }
    }
    const SolverStore& like = window_.stores[static_cast<std::size_t>(number)];
    for (int other = 0; other < static_cast<int>(window_.stores.size()); ++other) {
      SolverStore& store = window_.stores[static_cast<std::size_t>(other)];
      if (store.tiling || !(store.box == like.box) || is_small(store) || groups.of(other) != groups.of(number))
        continue;
      if (may_be_cut(other, *like.tiling)) store.tiling = like.tiling;
    }
  }

  // A grid and the same with ghost cells around meet sooner or later, if not in this window: they are cut at the same
  // cells. Nothing: none is cut into these parts that is a few cells larger or smaller.
  std::optional<Tiling> around_same_cells(int number, const std::array<int, kMaxAxes>& parts) const {
    const SolverStore& store = window_.stores[static_cast<std::size_t>(number)];
    std::array<int, kMaxAxes> along;
    std::iota(along.begin(), along.end(), 0);
    for (const SolverStore& other : window_.stores) {
      if (!other.tiling || other.box.rank != store.box.rank || other.tiling->is_replicated()) continue;
      std::array<std::int64_t, kMaxAxes> shift{};
      bool fits = true;
      for (int axis = 0; axis < store.box.rank; ++axis) {
        const std::int64_t more = other.box.extent(axis) - store.box.extent(axis);
        fits = fits && std::abs(more) <= kFarthestHalo &&
               other.tiling->axis(axis).parts == std::max(parts[static_cast<std::size_t>(axis)], 1);
        shift[static_cast<std::size_t>(axis)] = (more - (more & 1)) / 2;
      }
      if (!fits) continue;
      const Tiling tiling = other.tiling->align(store.box, along, shift);
      if (may_be_cut(number, tiling)) return tiling;
    }
    return std::nullopt;
  }

  // Those that are cut already.
  Tiling as_its_likes(const Tiling& tiling) const {
    for (const SolverStore& store : window_.stores) {
      if (store.tiling && is_beside(tiling, *store.tiling)) return *store.tiling;
    }
    return tiling;
  }

  // What is left, where nothing that it meets, at whatever remove over others that are left, is cut or written
  // everywhere. Numbers alone, which meet no array, are everywhere.
  void leave_on_one() {
    Groups groups(window_.stores.size());
    std::vector<bool> is_spread(window_.stores.size()), has_arrays(window_.stores.size());
    const auto is_left = [this](const SolverAccess& access) { return !store_of(access).tiling; };
    for (const SolverOperation& operation : window_.operations) {
      const std::span<const SolverAccess> accesses = accesses_of(operation);
      const auto left = std::find_if(accesses.begin(), accesses.end(), is_left);
      if (left == accesses.end()) continue;
      for (const SolverAccess& access : accesses) {
        const std::size_t mine = groups.of(access.store), first = groups.of(left->store);
        const auto& tiling = store_of(access).tiling;
        const bool gathered = !access.write && tiling && !tiling->is_replicated() && has_few_cells(store_of(access));
        const bool elsewhere = tiling && !gathered && !tiling->is_on_one() && tiling->box().rank > 0;
        const bool spread =
            (operation.spreads && !operation.is_ours) || (elsewhere && (access.write || !tiling->is_replicated()));
        is_spread[first] = is_spread[first] || spread;
        const bool is_array = store_of(access).box.rank > 0 && !(tiling && tiling->is_replicated());
        has_arrays[first] = has_arrays[first] || is_array;
        if (!is_left(access) || mine == first) continue;
        is_spread[first] = is_spread[first] || is_spread[mine];
        has_arrays[first] = has_arrays[first] || has_arrays[mine];
        groups.join(access.store, left->store);
      }
    }
    for (int i = 0; i < static_cast<int>(window_.stores.size()); ++i) {
      SolverStore& store = window_.stores[static_cast<std::size_t>(i)];
      const std::size_t group = groups.of(i);
      if (!store.tiling && has_arrays[group] && !is_spread[group]) store.tiling = Tiling::on_one(store.box);
    }
  }

  // Axes that may not be cut count as one cell, and as many times its bytes.
  std::array<int, kMaxAxes> parts_of(int number) {
    const SolverStore& store = window_.stores[static_cast<std::size_t>(number)];
    const unsigned axes = store.split_axes ? store.split_axes : axes_to_cut(number);
    Rect box = store.box;
    std::int64_t bytes = store.cell_bytes;
    for (int axis = 0; axis < box.rank; ++axis) {
      if (axes >> axis & 1) continue;
      bytes *= box.extent(axis);
      box.hi[static_cast<std::size_t>(axis)] = box.lo[static_cast<std::size_t>(axis)] + 1;
    }
    return choose_parts(box, bytes, halo_of(number), machine_);
  }

  // Those of its points; of a store that no task writes by lines, not those of components, say the densities and
  // momenta of a gas: what is computed at a point has all of them there, and each of them is cut as arrays of its shape
  // are.
  unsigned axes_to_cut(int number) {
    const SolverStore& store = window_.stores[static_cast<std::size_t>(number)];
    const Rect& box = store.box;
    const unsigned all = (1U << box.rank) - 1, points = axes_of_points(number);
    if (points != all) return points;
    const unsigned picked = picked_axes(box);
    std::int64_t longest = 0;
    for (int axis = 0; axis < box.rank; ++axis) longest = std::max(longest, box.extent(axis));
    unsigned axes = all;
    std::int64_t places = box.cells();
    for (int axis = 0; axis < box.rank; ++axis) {
      const std::int64_t extent = box.extent(axis);
      if (axis >= store.field_axes) {
        if (extent == 0 || extent > kMostComponents || extent * kTimesComponents > longest) continue;
        if (!(picked >> axis & 1) && (picked || extent > kSurelyComponents)) continue;
      }
      axes &= ~(1U << axis);
      places /= extent;
    }
    if (places < machine_.processors()) axes = all;
    return without_times(number, axes);
  }

  // Nor the axis of the times of a history, of which one at a time is seen, where a time's cells are worth cutting:
  // their processors would take turns.
  unsigned without_times(int number, unsigned axes) const {
    const SolverStore& store = window_.stores[static_cast<std::size_t>(number)];
    for (int axis = 0; axis < store.box.rank; ++axis) {
      if (!(axes >> axis & 1) || !is_seen_one_by_one(number, axis)) continue;
      const std::int64_t left = store.box.cells() / store.box.extent(axis);
      const unsigned others = axes & ~(1U << axis);
      std::int64_t places = 1;
      for (int other = 0; other < store.box.rank; ++other) places *= others >> other & 1 ? store.box.extent(other) : 1;
      if (left * store.cell_bytes >= machine_.split_bytes && places >= machine_.processors()) axes = others;
    }
    return axes;
  }

  // By all operations that have other stores, too; some do.
  bool is_seen_one_by_one(int number, int axis) const {
    bool some = false;
    for (const SolverOperation& operation : window_.operations) {
      const std::span<const SolverAccess> accesses = accesses_of(operation);
      const bool meets =
          std::ranges::any_of(accesses, [number](const SolverAccess& access) { return access.store != number; });
      for (const SolverAccess& access : accesses) {
        if (access.store != number) continue;
        if (access.map[axis].axis < 0) {
          some = true;
        } else if (meets) {
          return false;
        }
      }
    }
    return some && window_.stores[static_cast<std::size_t>(number)].box.extent(axis) > 1;
  }

  // Along which one cell at a time is seen of stores of this box.
  unsigned picked_axes(const Rect& box) {
    unsigned axes = 0;
    for (const SolverAccess& access : window_.accesses) {
      if (!(store_of(access).box == box)) continue;
      for (int axis = 0; axis < box.rank; ++axis) {
        if (access.map[axis].axis < 0 && box.extent(axis) > 1) axes |= 1U << axis;
      }
    }
    return axes;
  }

  // By store, the axes along which tasks that write it go point by point: of lines that they write whole, none is to be
  // cut. All of them where no processors could share these.
  void find_points() {
    points_.clear();
    for (const SolverStore& store : window_.stores) points_.push_back(all_axes(store.box));
    for (const SolverOperation& operation : window_.operations) {
      if (!operation.spreads) continue;
      for (const SolverAccess& access : accesses_of(operation)) {
        if (!access.write) continue;
        for (int axis = 0; axis < access.map.store_rank; ++axis) {
          if (access.map[axis].axis < 0) points_[static_cast<std::size_t>(access.store)] &= ~(1U << axis);
        }
      }
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Rect& box = window_.stores[i].box;
      std::int64_t points = 1;
      for (int axis = 0; axis < box.rank; ++axis) points *= points_[i] >> axis & 1 ? box.extent(axis) : 1;
      if (points < machine_.processors()) points_[i] = all_axes(box);
    }
  }

  // What is computed point by point from lines, at whatever remove, and what is computed for that alone.
  void find_lines() {
    of_lines_.clear();
    for (int i = 0; i < static_cast<int>(points_.size()); ++i) of_lines_.push_back(has_lines(i));
    for (const SolverOperation& operation : window_.operations) {
      const std::span<const SolverAccess> accesses = accesses_of(operation);
      const auto is_of_lines = [this](const SolverAccess& access) {
        return !access.write && of_lines_[static_cast<std::size_t>(access.store)];
      };
      if (operation.spreads || std::ranges::none_of(accesses, is_of_lines)) continue;
      for (const SolverAccess& access : accesses)
        if (access.write) of_lines_[static_cast<std::size_t>(access.store)] = true;
    }
    into_lines_.assign(points_.size(), false);
    for (const SolverOperation& operation : std::views::reverse(window_.operations)) {
      const std::span<const SolverAccess> accesses = accesses_of(operation);
      const auto is_with_lines = [this](const SolverAccess& access) {
        const auto store = static_cast<std::size_t>(access.store);
        return access.write && (of_lines_[store] || into_lines_[store]);
      };
      if (operation.spreads || std::ranges::none_of(accesses, is_with_lines)) continue;
      for (const SolverAccess& access : accesses) {
        const auto store = static_cast<std::size_t>(access.store);
        if (!access.write && !of_lines_[store] && !store_of(access).tiling) into_lines_[store] = true;
      }
    }
  }
  static unsigned all_axes(const Rect& box) { return (1U << box.rank) - 1; }
  unsigned axes_of_points(int store) const { return points_[static_cast<std::size_t>(store)]; }
  bool has_lines(int store) const {
    return axes_of_points(store) != all_axes(window_.stores[static_cast<std::size_t>(store)].box);
  }

  // Along the axes that are demanded, and across no lines.
  bool may_be_cut(int number, const Tiling& tiling) const {
    const SolverStore& store = window_.stores[static_cast<std::size_t>(number)];
    bool cut = false;
    for (int axis = 0; axis < store.box.rank; ++axis) {
      if (tiling.axis(axis).parts <= 1) continue;
      if (store.split_axes && !(store.split_axes >> axis & 1)) return false;
      if (!(axes_of_points(number) >> axis & 1)) return false;
      cut = true;
    }
    return cut || !store.split_axes;
  }

  // The target has a cell for every second one of the source, say, or for some of them.
  static bool samples(const SolverAccess& target, const SolverAccess& source) {
    bool strides = false;
    for (int axis = 0; axis < source.map.store_rank; ++axis) {
      if (source.map[axis].axis < 0) return false;
      strides = strides || source.map[axis].scale > 1;
    }
    return strides && !reduces(target);
  }

  static bool reduces(const SolverAccess& access) {
    for (int axis = 0; axis < access.map.view_rank; ++axis) {
      if (access.map.store_axis_of(axis) < 0) return true;
    }
    return false;
  }

  int largest_untiled() {
    int largest = -1;
    for (int i = 0; i < static_cast<int>(window_.stores.size()); ++i) {
      const SolverStore& store = window_.stores[static_cast<std::size_t>(i)];
      if (store.tiling || is_small(store)) continue;
      const bool demanded = store.split_axes != 0;
      const bool before = largest >= 0 && window_.stores[static_cast<std::size_t>(largest)].split_axes != 0;
      if (demanded != before && largest >= 0) {
        if (demanded) largest = i;
        continue;
      }
      if (largest < 0 || store.box.cells() > window_.stores[static_cast<std::size_t>(largest)].box.cells()) largest = i;
    }
    return largest;
  }

  // How far apart the views of a store lie, axis by axis.
  std::array<std::int64_t, kMaxAxes> halo_of(int store) {
    std::array<std::int64_t, kMaxAxes> low, high, halo{};
    low.fill(std::numeric_limits<std::int64_t>::max());
    high.fill(std::numeric_limits<std::int64_t>::min());
    for (const SolverAccess& access : window_.accesses) {
      if (access.store != store) continue;
      for (std::size_t k = 0; k < static_cast<std::size_t>(access.map.store_rank); ++k) {
        if (access.map.axes[k].axis < 0 || access.map.axes[k].scale != 1) continue;
        low[k] = std::min(low[k], access.map.axes[k].offset);
        high[k] = std::max(high[k], access.map.axes[k].offset);
      }
    }
    for (std::size_t k = 0; k < kMaxAxes; ++k) {
      if (low[k] < high[k] && high[k] - low[k] <= kFarthestHalo) halo[k] = high[k] - low[k];
    }
    return halo;
  }

  SolverWindow& window_;
  const machine::Machine& machine_;
  std::vector<bool> fed_, follows_, of_lines_, into_lines_;  // by store
  std::vector<unsigned> points_;
};

}  // namespace

void solve(SolverWindow& window, const machine::Machine& machine) {
  Solver(window, machine).solve();
}

}  // namespace pilum::partitioner
