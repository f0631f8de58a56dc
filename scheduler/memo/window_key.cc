#include "scheduler/memo/window_key.h"

#include <algorithm>
#include <array>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

std::uint64_t mix_key(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

// Four at a time: each product waits for the one before.
std::uint64_t hash_words(const KeyWords& words) {
  std::array<std::uint64_t, 4> hash{1, 2, 3, 4};
  std::size_t i = 0;
  for (; i + 4 <= words.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) hash[lane] = mix_key(hash[lane], words[i + lane]);
  }
  for (; i < words.size(); ++i) hash[0] = mix_key(hash[0], words[i]);
  return mix_key(mix_key(mix_key(hash[0], hash[1]), hash[2]), hash[3]);
}

constexpr bool fits(std::int64_t value, int bits) {
  return value >> (bits - 1) == 0 || value >> (bits - 1) == -1;
}

// One word where the numbers are small, as nearly all are, else three: the flag says which.
std::uint64_t* put(std::uint64_t* place, const partitioner::AxisMap& map) {
  constexpr std::uint64_t kLong = 1 << 8;
  const std::uint64_t axis = static_cast<std::uint8_t>(map.axis);
  const auto scale = static_cast<std::uint64_t>(map.scale), offset = static_cast<std::uint64_t>(map.offset);
  if (fits(map.scale, 16) && fits(map.offset, 32)) {
    *place++ = axis | (scale & 0xffff) << 16 | offset << 32;
    return place;
  }
  *place++ = axis | kLong;
  *place++ = scale;
  *place++ = offset;
  return place;
}

// Two extents a word where they are small; the flag says where they are not.
std::uint64_t* put(std::uint64_t* place, const Shape& shape) {
  constexpr std::uint64_t kLong = std::uint64_t{1} << 63;
  for (int axis = 0; axis < shape.rank(); axis += 2) {
    const auto one = static_cast<std::uint64_t>(shape[axis]);
    const auto next = axis + 1 < shape.rank() ? static_cast<std::uint64_t>(shape[axis + 1]) : 0;
    if ((one | next) >> 31 == 0) {
      *place++ = one | next << 32;
      continue;
    }
    *place++ = kLong;
    *place++ = one;
    *place++ = next;
  }
  return place;
}
constexpr std::size_t kMostShapeWords = 3 * ((kMaxAxes + 1) / 2);

// Words from which what was written can be told again: none stands for two things.
class KeyWriter {
 public:
  explicit KeyWriter(WindowKey& key) : key_(key) {}

  void write(const Operation& operation) {
    std::uint64_t* place = key_.key.window.more(3);
    *place++ = pack_kind(operation);
    *place++ = reinterpret_cast<std::uintptr_t>(operation.name);
    *place++ = reinterpret_cast<std::uintptr_t>(operation.where.file_name()) ^
               static_cast<std::uint64_t>(operation.where.line()) << 48;
    key_.key.window.written_to(place);
    if (const auto* call = std::get_if<TaskCall>(&operation.what))
      return write(*call->launch, call->scalars.words().size());
    write(*operation.output());
    const Elementwise* elementwise = operation.elementwise();
    if (!elementwise) return for_each_input(operation, [this](std::size_t, const View& view) { write(view); });
    for (const Operand& input : elementwise->inputs) {
      if (input.is_view()) {
        write(input.view);
      } else {
        word(~(static_cast<std::uint64_t>(input.scalar.dtype) | std::uint64_t{input.name} << 8));
      }
    }
  }

  void finish(const std::vector<bool>& used_later, std::uint64_t hash) {
    (void)key_.key.facts.more(3 * key_.stores.size() + kMostShapeWords);
    key_.placed.reserve(key_.stores.size());
    key_.blocks.reserve(key_.stores.size());
    for (std::size_t i = 0; i < key_.stores.size(); ++i) {
      Store& store = *key_.stores[i];
      store.window_index = -1;
      const Pins& pins = key_.pins[i];
      const bool dies = store.handles == 0 && (used_later.empty() || !used_later[i]);
      const std::size_t before = key_.moving.size();
      const std::uint8_t moving = dies ? 0 : add_moving(i);
      const bool phases = has_phases(i, before);
      std::uint64_t* place = key_.key.facts.more(1 + kMostShapeWords + kMaxAxes);
      *place++ = static_cast<std::uint64_t>(store.dtype) | static_cast<std::uint64_t>(store.replicate) << 8 |
                 static_cast<std::uint64_t>(dies) << 9 | static_cast<std::uint64_t>(store.state != nullptr) << 10 |
                 static_cast<std::uint64_t>(store.lies_apart) << 11 | static_cast<std::uint64_t>(store.gathered) << 12 |
                 static_cast<std::uint64_t>(store.cut_pays) << 13 | static_cast<std::uint64_t>(store.ended) << 14 |
                 static_cast<std::uint64_t>(store.split_axes) << 24 |
                 static_cast<std::uint64_t>(store.shape.rank()) << 16 |
                 static_cast<std::uint64_t>(store.field_axes) << 20 | static_cast<std::uint64_t>(moving) << 32 |
                 static_cast<std::uint64_t>(phases) << 40 | static_cast<std::uint64_t>(roams(store)) << 41;
      place = put(place, store.shape);
      for (std::size_t k = 0; k < kMaxAxes && pins.seen >> k; ++k) {
        if ((pins.seen & ~moving) >> k & 1) *place++ = static_cast<std::uint64_t>(pins.at[k]);
        if ((moving >> k & 1) && is_cut(store, k))
          *place++ = static_cast<std::uint64_t>(*part_seen(store.state->tiling, k, pins));
      }
      key_.key.facts.written_to(place);
      if (phases) {
        for (std::size_t k = before; k < key_.moving.size(); ++k)
          key_.key.facts.push_back(static_cast<std::uint64_t>(key_.moving[k].shift % kAligned));
      }
      if (!store.state) continue;
      key_.placed.push_back(static_cast<int>(i));
      for (const ProcessorStore& local : store.state->local) {
        for (const auto& instance : local.instances) key_.blocks.push_back(instance->block);
      }
    }
    hash = mix_key(hash, hash_words(key_.key.facts));
    // Of the states a little: which of a few there are; the whole is compared.
    for (const int number : key_.placed) {
      for (const ProcessorStore& local : key_.stores[static_cast<std::size_t>(number)]->state->local) {
        hash = mix_key(hash, local.instances.size());
        for (const auto& instance : local.instances) hash = mix_key(hash, instance->valid.rects().size());
      }
    }
    key_.key.hash = hash;
  }

 private:
  void word(std::uint64_t value) { key_.key.window.push_back(value); }
  Pins& pins_of(const View& view) { return key_.pins[static_cast<std::size_t>(view.store->window_index)]; }

  // The axes along which the store may be pinned elsewhere by the same plan; its blocks move then.
  std::uint8_t add_moving(std::size_t number) {
    const Store& store = *key_.stores[number];
    const Pins& pins = key_.pins[number];
    if (pins.pinned() == 0 || store.stays || !store.state || !may_move(store, pins)) return 0;
    key_.moved.push_back(static_cast<int>(number));
    auto role = static_cast<Role>(key_.blocks.size());
    for (const ProcessorStore& local : store.state->local) {
      const bool is_seen = has_seen(store, local, pins);
      for (const auto& instance : local.instances) {
        std::int64_t shift = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(store.shape.rank()); ++k)
          if (pins.pinned() >> k & 1) shift += pins.at[k] * instance->pitch[k];
        if (is_seen) key_.moving.push_back({role, static_cast<int>(number), shift, instance->rect});
        ++role;
      }
    }
    return pins.pinned();
  }
  // Rows begin as far behind a vector's place as they did, or it is another plan; single cells may begin anywhere.
  static constexpr std::int64_t kAligned = 128;
  bool has_phases(std::size_t number, std::size_t first_moving) const {
    const Pins& pins = key_.pins[number];
    if (pins.pinned() + 1 == 1 << key_.stores[number]->shape.rank() && pins.several == 0) return false;
    return std::any_of(key_.moving.begin() + static_cast<std::ptrdiff_t>(first_moving), key_.moving.end(),
                       [](const MovingRole& role) { return role.shift % kAligned != 0; });
  }
  static bool is_cut(const Store& store, std::size_t axis) {
    return store.state->tiling.axis(static_cast<int>(axis)).parts > 1;
  }
  // The part of a cut axis that has all cells that are seen; nothing: there are several.
  static std::optional<std::int64_t> part_seen(const Tiling& tiling, std::size_t axis, const Pins& pins) {
    const auto first = tiling.part_at(static_cast<int>(axis), pins.at[axis] + pins.before[axis]);
    const auto last = tiling.part_at(static_cast<int>(axis), pins.at[axis] + pins.behind[axis] - 1);
    return first == last ? std::optional(first) : std::nullopt;
  }
  // The processor's tile has the cells that are seen along cut axes, as far as these tell.
  static bool has_seen(const Store& store, const ProcessorStore& local, const Pins& pins) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(store.shape.rank()); ++k) {
      if (!(pins.pinned() >> k & 1) || !is_cut(store, k)) continue;
      const std::int64_t first = pins.at[k] + pins.before[k], end = pins.at[k] + pins.behind[k];
      if (first < local.tile.lo[k] || end > local.tile.hi[k]) return false;
    }
    return true;
  }
  // Each processor has its tile, where that is seen all of it in one place, and no cells of others.
  static bool may_move(const Store& store, const Pins& pins) {
    const StoreState& state = *store.state;
    if (!state.tiling.is_replicated() && !state.everywhere.empty()) return false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(store.shape.rank()); ++k) {
      if ((pins.pinned() >> k & 1) && is_cut(store, k) && !(roams(store) && part_seen(state.tiling, k, pins)))
        return false;
    }
    return std::ranges::all_of(state.local, [&](const ProcessorStore& local) {
      if (state.tiling.is_on_one() && local.tile.empty()) return local.instances.empty();
      if (!local.ghosts.empty() || !local.peers.empty()) return false;
      return !has_seen(store, local, pins) || lies_whole(store, local, pins.pinned());
    });
  }
  static bool lies_whole(const Store& store, const ProcessorStore& local, std::uint8_t axes) {
    if (local.instances.size() != 1) return false;
    const Instance& instance = *local.instances.front();
    for (std::size_t k = 0; k < static_cast<std::size_t>(store.shape.rank()); ++k) {
      if (!(axes >> k & 1)) continue;
      const bool has_part = instance.rect.lo[k] == local.tile.lo[k] && instance.rect.hi[k] == local.tile.hi[k];
      const bool is_all = local.tile.lo[k] == 0 && local.tile.hi[k] == store.shape[static_cast<int>(k)];
      if (!has_part || !(is_all || is_cut(store, k))) return false;
    }
    return instance.valid.rects().size() == 1 && instance.valid.rects().front() == local.tile;
  }
  // Functions by their identity; scalars by their number.
  void write(const TaskLaunch& launch, std::size_t scalars) {
    word(launch.body->identity.type);
    word(launch.body->identity.object);
    word(reinterpret_cast<std::uintptr_t>(launch.body->gpu));
    word(static_cast<std::uint64_t>(launch.domain.rank) << 32 | scalars);
    for (int axis = 0; axis < launch.domain.rank; ++axis) word(static_cast<std::uint64_t>(launch.domain.extent(axis)));
    for (const Argument& argument : launch.arguments) {
      const Footprint& footprint = argument.footprint;
      write(argument.view);
      word(static_cast<std::uint64_t>(footprint.access) | static_cast<std::uint64_t>(footprint.fold) << 8 |
           static_cast<std::uint64_t>(footprint.function() != nullptr) << 16);
      if (const CellFunction* function = footprint.function()) {
        word(function->identity.type);
        word(function->identity.object);
        continue;
      }
      for (int k = 0; k < footprint.shape.rank(); ++k) {
        const AxisCells window = footprint.window(k);
        word(static_cast<std::uint64_t>(window.axis));
        word(static_cast<std::uint64_t>(window.scale));
        word(static_cast<std::uint64_t>(window.offset));
        word(static_cast<std::uint64_t>(window.extent));
      }
    }
  }
  void write(const View& view) {
    Store& store = *view.store;
    if (store.window_index < 0) {
      store.window_index = static_cast<int>(key_.stores.size());
      key_.stores.push_back(view.store);
      key_.pins.emplace_back();
    }
    Pins& pins = pins_of(view);
    std::uint64_t* place = key_.key.window.more(1 + 3 * kMaxAxes + kMostShapeWords);
    *place++ = static_cast<std::uint64_t>(store.window_index) << 16 |
               static_cast<std::uint64_t>(view.map.store_rank) << 8 | static_cast<std::uint64_t>(view.map.view_rank);
    for (int k = 0; k < view.map.store_rank; ++k) {
      partitioner::AxisMap axis = view.map[k];
      const auto bit = static_cast<std::uint8_t>(1 << k);
      if (!is_at_a_place(view, k)) {
        pins.free |= bit;
      } else {
        const std::int64_t last = axis.axis < 0 ? 0 : (view.shape[axis.axis] - 1) * axis.scale;
        add_place(pins, static_cast<std::size_t>(k), axis.offset + std::min<std::int64_t>(last, 0),
                  axis.offset + std::max<std::int64_t>(last, 0) + 1, axis.offset);
        if (axis.axis >= 0) pins.several |= bit;
        axis.offset -= pins.at[static_cast<std::size_t>(k)];
      }
      place = put(place, axis);
    }
    key_.key.window.written_to(put(place, view.shape));
  }

  // Of an axis: cells from `first` on and before `end` are seen, by a view that begins `at`.
  static void add_place(Pins& pins, std::size_t k, std::int64_t first, std::int64_t end, std::int64_t at) {
    const auto bit = static_cast<std::uint8_t>(1 << k);
    if (!(pins.seen & bit)) {
      pins.at[k] = at;
      pins.before[k] = pins.behind[k] = 0;
    }
    pins.seen |= bit;
    pins.before[k] = std::min(pins.before[k], first - pins.at[k]);
    pins.behind[k] = std::max(pins.behind[k], end - pins.at[k]);
  }

  WindowKey& key_;
};

}  // namespace

WindowKey begin_window_key(std::size_t operations, std::size_t body) {
  WindowKey key;
  (void)key.key.window.more(operations * 20 + 64);
  key.stores.reserve(2 * operations);  // about
  key.pins.reserve(2 * operations);
  key.key.window.push_back(body);
  return key;
}

void add_to_key(WindowKey& key, const Operation& operation) {
  KeyWriter(key).write(operation);
}

void finish_window_key(WindowKey& key, const std::vector<Operation>& later) {
  std::vector<bool> used_later(later.empty() ? 0 : key.stores.size(), false);
  for (const Operation& operation : later) {
    for_each_view(operation, [&](const View& view, bool) {
      if (view.store->window_index >= 0) used_later[static_cast<std::size_t>(view.store->window_index)] = true;
    });
  }
  finish_window_key(key, used_later, hash_operations(key.key.window));
}

void finish_window_key(WindowKey& key, const std::vector<bool>& used_later, std::uint64_t hash) {
  KeyWriter(key).finish(used_later, hash);
}

std::uint64_t hash_operations(const KeyWords& words) {
  return hash_words(words);
}

std::optional<WindowKey> make_window_key(const std::vector<Operation>& operations, const std::vector<Operation>& later,
                                         std::size_t body) {
  for (const Operation& operation : operations) {
    if (std::holds_alternative<Import>(operation.what)) return std::nullopt;
  }
  WindowKey key = begin_window_key(operations.size(), body);
  for (const Operation& operation : operations) add_to_key(key, operation);
  finish_window_key(key, later);
  return key;
}

void WindowKey::clear() {
  key.hash = 0;
  key.window.shrink(0);
  key.facts.shrink(0);
  key.states.clear();
  stores.clear();
  pins.clear();
  moved.clear();
  moving.clear();
  placed.clear();
  blocks.clear();
  words = nullptr;
  known = 0;
}

void WindowKey::take_states() {
  key.states = take_snapshots(stores).snapshots;
}

}  // namespace pilum::scheduler
