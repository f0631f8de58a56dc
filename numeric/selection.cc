// a(…) where an index is an array.
#include "pilum/selection.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "numeric/elementwise.h"
#include "numeric/masks.h"
#include "numeric/picked_cells.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/local.h"
#include "pilum/math.h"

namespace pilum::numeric {

[[gnu::tls_model("initial-exec")]] constinit thread_local const Selection* unread_selections = nullptr;

// What a selection was made of.
struct SelectionAccess {
  using Entry = Selection::Entry;
  // Reads one after the other; those of another recorder throw where they are used.
  static void read_all() {
    while (const Selection* selection = unread_selections) {
      selection->forget();
      if (ArrayAccess::state(selection->base_)->store().recorder == scheduler::current_of_thread.recorder)
        selection->made();
    }
  }
  static std::span<const Entry> entries(const Selection& selection) {
    return std::span(selection.entries_).first(static_cast<std::size_t>(selection.count_));
  }
};

namespace {

using Entry = SelectionAccess::Entry;
using Entries = std::span<const Entry>;

constexpr const char* kReads = "a(…)";
constexpr const char* kWrites = "a(…) =";

bool is_array(const Entry& entry) {
  return ArrayAccess::state(entry.array) != nullptr;
}

bool is_mask(const Entry& entry) {
  return is_array(entry) && entry.array.dtype() == DType::Bool;
}

// Axes of the array that an entry stands for.
int axes_of(const Entry& entry) {
  if (is_array(entry)) return is_mask(entry) ? entry.array.ndim() : 1;
  const Index::Kind kind = entry.index.kind();
  return kind == Index::Kind::Ellipsis || kind == Index::Kind::NewAxis ? 0 : 1;
}

void check_mask(const Call& call, const Shape& mask, const Shape& shape, int first) {
  if (mask.rank() == 0) {
    fail<IndexError>(call, "a mask without axes names no cells of shape ", shape,
                     ": use if (mask.item<bool>()), or where(mask, value, name)");
  }
  for (int axis = 0; axis < mask.rank(); ++axis) {
    if (mask[axis] == shape[first + axis]) continue;
    fail<IndexError>(call, "the mask, of shape ", mask, ", has ", mask[axis], " cells along axis ", axis, ", and axis ",
                     first + axis, " of shape ", shape, " has ", shape[first + axis], ": give it one for each");
  }
}

// How many axes an ellipsis among the entries stands for.
int check_entries(const Call& call, const ArrayState& base, Entries entries) {
  int named = 0, ellipses = 0;
  for (const Entry& entry : entries) {
    named += axes_of(entry);
    ellipses += !is_array(entry) && entry.index.kind() == Index::Kind::Ellipsis;
  }
  const int rank = base.shape.rank();
  if (ellipses > 1) fail<IndexError>(call, ellipses, " ellipses leave open which axes they stand for: keep one");
  if (named > rank) {
    fail<IndexError>(call, "indices for ", named, " axes, and shape ", base.shape, " has ", rank, ": leave some out");
  }
  const int ellipsis_axes = rank - named;
  int axis = 0;
  for (const Entry& entry : entries) {
    if (is_mask(entry)) {
      check_mask(call, entry.array.shape(), base.shape, axis);
    } else if (is_array(entry)) {
      static_cast<void>(checked_state(call, entry.array, *base.store().recorder));
      if (is_inexact(entry.array.dtype())) {
        fail<IndexError>(call, "an index is an array of ", entry.array.dtype(),
                         ": indices are integers, or a mask of bools; astype(np::int64) makes integers");
      }
    }
    axis += !is_array(entry) && entry.index.kind() == Index::Kind::Ellipsis ? ellipsis_axes : axes_of(entry);
  }
  return ellipsis_axes;
}

// Indices that are arrays stand side by side: their axes take the place of those that they index. An integer among them
// counts as one of them.
class Adjacency {
 public:
  void add(bool is_advanced, int axes_before) {
    if (is_advanced && place_ < 0) place_ = axes_before;
    if (is_advanced && left_) apart_ = true;
    left_ = left_ || (place_ >= 0 && !is_advanced);
  }
  int place() const { return apart_ ? 0 : place_; }

 private:
  int place_ = -1;
  bool left_ = false, apart_ = false;
};

struct Picked {
  PickedCells cells;
  bool is_one = false;  // the indices have no axes: the result's first one is to be dropped
  int place = 0;        // of the indices' axes in the result
};

Picked pick(const Call& call, const Array& base, Entries entries, int ellipsis_axes) {
  std::array<Index, kMaxAxes> basic{};
  std::size_t words = 0;
  std::vector<int> axes;  // of the view, that arrays index
  std::vector<Array> indices;
  Adjacency adjacency;
  int view_axes = 0;  // so far
  const auto advance = [&](Index word, bool keeps) {
    if (words == basic.size()) fail<ShapeError>(call, "the result has more than ", kMaxAxes, " axes: index in steps");
    basic[words++] = word;
    view_axes += keeps;
  };
  const auto others = [&] { return view_axes - static_cast<int>(axes.size()); };
  for (const Entry& entry : entries) {
    if (is_array(entry)) {
      adjacency.add(true, others());
      for (const Array& index :
           is_mask(entry) ? true_coordinates(call, entry.array) : std::vector<Array>{entry.array}) {
        axes.push_back(view_axes);
        indices.push_back(index);
        advance(all, true);
      }
    } else if (entry.index.kind() == Index::Kind::Ellipsis) {
      adjacency.add(false, others());
      for (int k = 0; k < ellipsis_axes; ++k) advance(all, true);
    } else {
      const bool is_position = entry.index.kind() == Index::Kind::Position;
      adjacency.add(is_position, others());
      advance(entry.index, !is_position);
    }
  }
  Picked picked;
  picked.cells.array = base(basic[0], basic[1], basic[2], basic[3], basic[4], basic[5], basic[6], basic[7], call.where);
  const Shape& shape = picked.cells.array.shape();

  Shape points = indices[0].shape();
  for (const Array& index : indices) {
    const Shape& other = index.shape();
    try {
      points = broadcast_shapes(call, points, other);
    } catch (const ShapeError&) {
      fail<IndexError>(call, "index arrays of shapes ", points, " and ", other,
                       " do not broadcast together: give them shapes that do, or a new axis");
    }
  }
  picked.is_one = points.rank() == 0;
  if (picked.is_one) points = Shape{1};
  // An integer may stand first: it has no axis in the view, and counts all the same.
  picked.place = adjacency.place();
  picked.cells.follows.assign(static_cast<std::size_t>(shape.rank()), 0);
  for (std::size_t k = 0; k < axes.size(); ++k)
    picked.cells.follows[static_cast<std::size_t>(axes[k])] = -1 - static_cast<int>(k);
  Shape& result = picked.cells.shape;
  const auto add_points = [&] {
    for (const std::int64_t extent : points) result.push_back(extent);
  };
  if (shape.rank() - static_cast<int>(axes.size()) + points.rank() > kMaxAxes) {
    fail<ShapeError>(call, "the result has ", shape.rank() - static_cast<int>(axes.size()) + points.rank(),
                     " axes: arrays have at most ", kMaxAxes, "; index in steps");
  }
  int other = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int& follows = picked.cells.follows[static_cast<std::size_t>(axis)];
    if (follows < 0) continue;
    if (other++ == picked.place) add_points();
    follows = result.rank();
    result.push_back(shape[axis]);
  }
  if (other <= picked.place) add_points();
  check_shape(call, result, base.dtype());
  picked.cells.indices = std::move(indices);
  picked.cells.points = points;
  picked.cells.behind = result.rank() - picked.place - points.rank();
  return picked;
}

// A mask alone, with nothing beside it but whole axes: `first` is its first axis.
struct OnlyMask {
  const Array* mask = nullptr;
  int first = 0;
};

std::optional<OnlyMask> find_only_mask(Entries entries, int ellipsis_axes) {
  OnlyMask found;
  int axis = 0;
  for (const Entry& entry : entries) {
    if (is_array(entry)) {
      if (!is_mask(entry) || found.mask) return std::nullopt;
      found = {&entry.array, axis};
      axis += entry.array.ndim();
    } else if (entry.index.kind() == Index::Kind::All) {
      ++axis;
    } else if (entry.index.kind() == Index::Kind::Ellipsis) {
      axis += ellipsis_axes;
    } else {
      return std::nullopt;
    }
  }
  return found.mask ? std::optional(found) : std::nullopt;
}

// The mask at each cell of an array of this rank.
Array spread_mask(const OnlyMask& only, int rank) {
  Array mask = *only.mask;
  for (int k = only.first + only.mask->ndim(); k < rank; ++k) mask = mask(ellipsis, newaxis);
  return mask;
}

Array drop_axis(const Array& array, int axis, std::source_location where) {
  std::array<Index, kMaxAxes> entries{};
  for (int k = 0; k < array.ndim(); ++k) entries[static_cast<std::size_t>(k)] = k == axis ? Index(0) : Index(all);
  return array(entries[0], entries[1], entries[2], entries[3], entries[4], entries[5], entries[6], entries[7], where);
}

Array read_cells(const Call& call, const Picked& picked) {
  Array result = read_picked(call, picked.cells);
  return picked.is_one ? drop_axis(result, picked.place, call.where) : result;
}

Array read(const Call& call, const Array& base, Entries entries) {
  const ArrayState& state = checked_state(call, base);
  const int ellipsis_axes = check_entries(call, state, entries);
  const std::optional<OnlyMask> only = find_only_mask(entries, ellipsis_axes);
  if (only && only->mask->ndim() == state.shape.rank())
    return true_cells(call, *only->mask, base, count_true(call, *only->mask));
  return read_cells(call, pick(call, base, entries, ellipsis_axes));
}

// A number as an array without axes, an array as it is but for its dtype: cast as by a(…) = value.
Array cast_value(const Call& call, const Operand& value, DType dtype) {
  if (value.kind() != Operand::Kind::Array) {
    const Array number = empty(Shape{}, dtype, call.where);
    const Operand* const operands[] = {&value};
    record_into(call, Rule{kernel::Op::Cast, dtype, dtype}, operands, *ArrayAccess::state(number));
    return number;
  }
  return value.array().dtype() == dtype ? value.array() : value.array().astype(dtype, call.where);
}

// A value's shape, with the axis of extent 1 that the cells have for indices without axes.
Shape with_axis_of_one(const Shape& shape, const Picked& picked) {
  if (!picked.is_one) return shape;
  const int at = picked.place - (picked.cells.shape.rank() - 1 - shape.rank());
  Shape with;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis == at) with.push_back(1);
    with.push_back(shape[axis]);
  }
  if (at == shape.rank()) with.push_back(1);
  return with;
}

void write_cells(const Call& call, const Picked& picked, const Operand& value) {
  const PickedCells& cells = picked.cells;
  if (value.kind() != Operand::Kind::Array)
    return write_picked(call, cells, PickedWrite::Assign, cast_value(call, value, cells.array.dtype()));
  Shape named;
  for (int axis = 0; axis < cells.shape.rank(); ++axis) {
    if (!picked.is_one || axis != picked.place) named.push_back(cells.shape[axis]);
  }
  const Shape fitting = without_leading_ones(value.array().shape(), named.rank());
  if (!broadcasts_to(fitting, named)) {
    fail<ShapeError>(call, "a value of shape ", value.array().shape(), " does not broadcast to the ", named,
                     " cells that are named: give it that shape, or extents of 1");
  }
  write_picked(call, cells, PickedWrite::Assign,
               cast_value(call, value, cells.array.dtype()).reshape(with_axis_of_one(fitting, picked), call.where));
}

// Each cell that the mask names has its value by its place in the array alone: what is recorded is a choice.
bool goes_with_mask(const OnlyMask& only, const Shape& shape, const Operand& value) {
  if (value.kind() != Operand::Kind::Array) return true;
  const int behind = shape.rank() - only.first - only.mask->ndim();
  return value.array().ndim() <= behind && broadcasts_to(value.array().shape(), shape);
}

// The mask of all axes that alone says which cells are written, where these are written in its order; null: it does
// not, or the array is a view with steps, which no task may write.
const Array* find_spread_mask(const Call& call, const ArrayState& state, Entries entries, int ellipsis_axes) {
  const std::optional<OnlyMask> only = find_only_mask(entries, ellipsis_axes);
  if (!only || only->mask->ndim() != state.shape.rank()) return nullptr;
  for (int axis = 0; axis < state.shape.rank(); ++axis) {
    const int k = state.map.store_axis_of(axis);
    if (k < 0 || state.map[k].scale != 1) return nullptr;
  }
  return are_spread(call, *only->mask, static_cast<std::int64_t>(itemsize(state.dtype()))) ? only->mask : nullptr;
}

// where(mask, value, base), into the base; the value has a cell for each of the base's.
void write_where(const Call& call, const Array& base, const OnlyMask& only, const Operand& value) {
  const ArrayState& state = *ArrayAccess::state(base);
  const Array mask = spread_mask(only, state.shape.rank());
  const bool loses_parts =
      value.kind() == Operand::Kind::Array && is_complex(value.array().dtype()) && !is_complex(state.dtype());
  const Array real_parts = loses_parts ? cast_value(call, value, state.dtype()) : base;
  const Operand parts(real_parts, call.where);
  const Operand condition(mask, call.where), own(base, call.where);
  const Operand* const operands[] = {&condition, loses_parts ? &parts : &value, &own};
  record_into(call, Rule{kernel::Op::Select, state.dtype(), state.dtype()}, operands, state);
}

// The mask of both, where one and the same names the same cells of two arrays.
std::optional<OnlyMask> find_shared_mask(const Call& call, const Array& base, Entries entries, const Array& other,
                                         Entries others) {
  const scheduler::Recorder& recorder = scheduler::current_recorder(call.name, call.where);  // reads no selections
  const ArrayState& state = checked_state(call, base, recorder);
  const ArrayState& other_state = checked_state(call, other, recorder);
  if (state.shape != other_state.shape) return std::nullopt;
  const std::optional<OnlyMask> only = find_only_mask(entries, check_entries(call, state, entries)),
                                same = find_only_mask(others, check_entries(call, other_state, others));

  if (!only || !same || only->first != same->first) return std::nullopt;
  const ArrayState &mask = *ArrayAccess::state(*only->mask), &other_mask = *ArrayAccess::state(*same->mask);
  const bool is_one =
      &mask.store() == &other_mask.store() && mask.map == other_mask.map && mask.shape == other_mask.shape;
  return is_one ? only : std::nullopt;
}

void write(const Call& call, const Array& base, Entries entries, const Operand& value) {
  const ArrayState& state = checked_state(call, base);
  const int ellipsis_axes = check_entries(call, state, entries);
  check_writable(call, state);
  if (value.kind() == Operand::Kind::Array) static_cast<void>(checked_state(call, value.array()));
  if (const std::optional<OnlyMask> only = find_only_mask(entries, ellipsis_axes)) {
    if (goes_with_mask(*only, state.shape, value)) return write_where(call, base, *only, value);
  }
  if (const Array* mask = find_spread_mask(call, state, entries, ellipsis_axes);
      mask && value.kind() == Operand::Kind::Array && value.array().ndim() == 1) {
    const TrueCount count = count_true(call, *mask);
    if (value.array().size() == count->count)
      return write_true_cells(call, *mask, base, cast_value(call, value, state.dtype()), count);
  }
  write_cells(call, pick(call, base, entries, ellipsis_axes), value);
}

}  // namespace

void read_selections() {
  SelectionAccess::read_all();
}

Selection::Selection(Array base, const AnyIndex* const (&indices)[8], std::source_location where)
    : base_(std::move(base)), where_(where) {
  for (const AnyIndex* index : indices) {
    if (index == &detail::kNoIndex || (!index->array() && index->index().kind() == Index::Kind::Absent)) break;
    Entry& entry = entries_[static_cast<std::size_t>(count_++)];
    if (index->array()) {
      entry.array = *index->array();
    } else {
      entry.index = index->index();
    }
  }
  wait_to_be_read();
}

Selection::Selection(Array base, const std::vector<Array>& indices, std::source_location where)
    : base_(std::move(base)), where_(where) {
  if (std::cmp_greater(indices.size(), kMaxAxes) || indices.empty())
    fail<IndexError>(Call{kReads, where}, indices.size(), " arrays of indices: give one for each of the first axes");
  for (const Array& index : indices) entries_[static_cast<std::size_t>(count_++)].array = index;
  wait_to_be_read();
}

// Selections that nobody has read stay so: of `a(mask) = b(mask)` both are looked at together.
void Selection::wait_to_be_read() {
  const Call call{kReads, where_};
  const scheduler::Recorder& recorder = scheduler::current_recorder(call.name, call.where);
  for (const Entry& entry : SelectionAccess::entries(*this)) {
    if (is_array(entry)) static_cast<void>(checked_state(call, entry.array, recorder));
  }
  static_cast<void>(check_entries(call, checked_state(call, base_, recorder), SelectionAccess::entries(*this)));
  next_ = unread_selections;
  if (next_) next_->previous_ = this;
  unread_selections = this;
  is_unread_ = true;
}

void Selection::forget() const noexcept {
  is_unread_ = false;
  (previous_ ? previous_->next_ : unread_selections) = next_;
  if (next_) next_->previous_ = previous_;
}

Array& Selection::made() const {
  forget_if_unread();
  if (!is_made_) {
    made_ = read(Call{kReads, where_}, base_, SelectionAccess::entries(*this));
    is_made_ = true;
  }
  return made_;
}

Array Selection::operator!() const {
  return !made();
}

Local Selection::local(std::source_location where) const {
  return made().local(Access::Read, where);
}

void Selection::operator=(const Operand& value) && {
  forget_if_unread();
  write(Call{kWrites, value.where()}, base_, SelectionAccess::entries(*this), value);
}

void Selection::operator=(Selection&& value) && {  // NOLINT(performance-noexcept-move-constructor): it writes cells
  const Call call{kWrites, value.where_};
  const auto own = SelectionAccess::entries(*this), others = SelectionAccess::entries(value);
  const std::optional<OnlyMask> only =
      value.is_made_ ? std::nullopt : find_shared_mask(call, base_, own, value.base_, others);
  if (!only) {
    std::move(*this) = Operand(std::move(value), value.where_);
    return;
  }
  value.forget_if_unread(), forget_if_unread();
  check_writable(call, checked_state(call, base_));
  write_where(call, base_, *only, Operand(value.base_, value.where_));
}

namespace {

// base(…) op= value: reads, computes, writes; where a mask names the cells and the value goes with all of them, in one
// pass over the array. `is_of_all`: the value has a cell for each of the base's, of which the mask names some.
void update(const Call& call, const Array& base, Entries entries, Array (*combine)(const Operand&, const Operand&),
            const Operand& value, bool is_of_all = false) {
  const ArrayState& state = checked_state(call, base);
  const int ellipsis_axes = check_entries(call, state, entries);
  check_writable(call, state);
  if (value.kind() == Operand::Kind::Array) static_cast<void>(checked_state(call, value.array()));
  const auto check_cast = [&](const Array& result) {
    if (casts_within_kind(result.dtype(), state.dtype())) return;
    fail<DTypeError>(call, "the result is ", result.dtype(), " and cannot be cast back to the array's ", state.dtype(),
                     ": write name = name.astype(", result.dtype(), ") first, or assign the cast result");
  };
  const std::optional<OnlyMask> only = find_only_mask(entries, ellipsis_axes);
  if (only && (is_of_all || goes_with_mask(*only, state.shape, value))) {
    const Array result = combine(Operand(base, call.where), value);
    check_cast(result);
    const Array mask = spread_mask(*only, state.shape.rank());
    const Operand condition(mask, call.where), computed(result, call.where), own(base, call.where);
    const Operand* const operands[] = {&condition, &computed, &own};
    return record_into(call, Rule{kernel::Op::Select, state.dtype(), state.dtype()}, operands, state);
  }
  if (const Array* mask = find_spread_mask(call, state, entries, ellipsis_axes)) {
    const TrueCount count = count_true(call, *mask);
    const Array result = combine(Operand(true_cells(call, *mask, base, count), call.where), value);
    check_cast(result);
    if (result.ndim() == 1 && result.size() == count->count)
      return write_true_cells(call, *mask, base, cast_value(call, Operand(result, call.where), state.dtype()), count);
  }
  const Picked picked = pick(call, base, entries, ellipsis_axes);
  const Array result = combine(Operand(read_cells(call, picked), call.where), value);
  check_cast(result);
  write_cells(call, picked, Operand(result, call.where));
}

// Before cells are read for it.
void check_bits(const Call& call, const Array& base, const Operand& value) {
  const Operand own(base, call.where);
  const Operand* const operands[] = {&own, &value};
  static_cast<void>(checked_state(call, base));
  if (const DType dtype = common_dtype(operands); is_inexact(dtype))
    fail<DTypeError>(call, "bits are of integers and bools, and these operands are ", dtype,
                     ": cast with astype first");
}

}  // namespace

#define PILUM_UPDATE(op, of_bits)                                                                                \
  void Selection::operator op##=(const Operand & value)&& {                                                      \
    forget_if_unread();                                                                                          \
    const Call call{#op "=", value.where()};                                                                     \
    if (of_bits) check_bits(call, base_, value);                                                                 \
    update(                                                                                                      \
        call, base_, SelectionAccess::entries(*this), [](const Operand& a, const Operand& b) { return a op b; }, \
        value);                                                                                                  \
  }
#define PILUM_UPDATE_BY_SAME(op)                                                                               \
  void Selection::operator op##=(Selection && value)&& {                                                       \
    const Call call{#op "=", value.where_};                                                                    \
    const auto own = SelectionAccess::entries(*this);                                                          \
    if (value.is_made_ || !find_shared_mask(call, base_, own, value.base_, SelectionAccess::entries(value))) { \
      std::move(*this) op## = Operand(std::move(value), value.where_);                                         \
      return;                                                                                                  \
    }                                                                                                          \
    value.forget_if_unread(), forget_if_unread();                                                              \
    update(                                                                                                    \
        call, base_, own, [](const Operand& a, const Operand& b) { return a op b; },                           \
        Operand(value.base_, value.where_), /*is_of_all=*/true);                                               \
  }
PILUM_UPDATE(+, false)
PILUM_UPDATE(-, false)
PILUM_UPDATE(*, false)
PILUM_UPDATE(/, false)
PILUM_UPDATE(%, false)
PILUM_UPDATE(&, true)
PILUM_UPDATE(|, true)
PILUM_UPDATE(^, true)
PILUM_UPDATE(<<, true)
PILUM_UPDATE(>>, true)
PILUM_UPDATE_BY_SAME(+)
PILUM_UPDATE_BY_SAME(-)
PILUM_UPDATE_BY_SAME(*)
PILUM_UPDATE_BY_SAME(/)
#undef PILUM_UPDATE
#undef PILUM_UPDATE_BY_SAME

}  // namespace pilum::numeric
