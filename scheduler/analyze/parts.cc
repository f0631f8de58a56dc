#include "scheduler/analyze/parts.h"

#include <algorithm>
#include <utility>

namespace pilum::scheduler {
namespace {

// Bytes of a part that is worth a launch of its own: on cores, where tiny ones are done together, and on GPUs.
constexpr std::int64_t kLaunch = 64 << 10;
constexpr std::int64_t kLaunchOfGpus = 256 << 10, kTimesOnGpus = 16;

}  // namespace

bool is_box(const View& view) {
  for (int k = 0; k < view.map.store_rank; ++k) {
    if (view.map[k].axis >= 0 && view.map[k].scale != 1) return false;
  }
  return true;
}

const View* copied_view(const Operation& operation) {
  const Elementwise* elementwise = operation.elementwise();
  if (!elementwise || elementwise->op != kernel::Op::Cast) return nullptr;
  const Operand& input = elementwise->inputs[0];
  const View& output = elementwise->output;
  const DType dtype = output.store->dtype;
  const bool is_copy = input.is_view() && is_box(output) && input.view.store != output.store &&
                       elementwise->compute == dtype && input.view.store->dtype == dtype;
  return is_copy ? &input.view : nullptr;
}

bool is_shift(const View& view) {
  if (view.map.store_rank != view.shape.rank()) return false;
  for (int k = 0; k < view.map.store_rank; ++k) {
    if (view.map[k].axis < 0 || view.map[k].scale != 1) return false;
  }
  return true;
}

bool is_divisible(const Operation& operation) {
  const Elementwise* elementwise = operation.elementwise();
  if (!elementwise) return false;
  const View& output = elementwise->output;
  if (output.shape.rank() == 0) return false;
  // What it reads at other points is read before any of it is written.
  return std::ranges::all_of(elementwise->inputs, [&output](const Operand& input) {
    return !input.is_view() || input.view.store != output.store || input.view.map == output.map;
  });
}

std::optional<Rect> divisible_cells(const Operation& operation) {
  if (!is_divisible(operation) || !is_shift(*operation.output())) return {};
  if (operation.elementwise()->op == kernel::Op::Index) return {};
  return image(operation.output()->map, Rect::of(operation.output()->shape));
}

void narrow(View& view, const Rect& points) {
  for (int k = 0; k < view.map.store_rank; ++k) {
    auto& axis = view.map[k];
    if (axis.axis >= 0) axis.offset += axis.scale * points.lo[static_cast<std::size_t>(axis.axis)];
  }
  for (int axis = 0; axis < view.shape.rank(); ++axis) view.shape[axis] = points.extent(axis);
}

View pinned(const View& view, int axis, std::int64_t place) {
  View result = view;
  for (int k = 0; k < view.map.store_rank; ++k) {
    auto& own = result.map[k];
    if (own.axis == axis) own = {-1, 0, own.offset + own.scale * place};
    if (own.axis > axis) --own.axis;
  }
  --result.map.view_rank;
  Shape shape;
  for (int a = 0; a < view.shape.rank(); ++a) {
    if (a != axis) shape.push_back(view.shape[a]);
  }
  result.shape = shape;
  return result;
}

Operation part_at(const Operation& operation, const Rect& points) {
  Operation part = operation;
  auto& elementwise = std::get<Elementwise>(part.what);
  narrow(elementwise.output, points);
  if (elementwise.op == kernel::Op::Index) {
    const std::int64_t begin = points.lo[static_cast<std::size_t>(elementwise.axis)];
    elementwise.inputs.resize(1);
    Operand& place = elementwise.inputs[0];
    place.scalar = Scalar::of(cast(place.scalar, DType::Int64).as<std::int64_t>() + begin);
    place.name = Operand::kConstant;
  }
  for_each_input(part, [&points](std::size_t, View& view) { narrow(view, points); });
  return part;
}

View through(const View& view, const View& made, const View& source) {
  View seen{source.store, source.map, view.shape};
  seen.map.view_rank = view.map.view_rank;
  for (int j = 0; j < seen.map.store_rank; ++j) {
    auto& axis = seen.map[j];
    if (axis.axis < 0) continue;
    const int k = made.map.store_axis_of(axis.axis);
    if (k < 0) {  // an axis that the maker's target was given (newaxis): its one point is 0
      axis = {-1, 0, axis.offset};
      continue;
    }
    const auto& reader = view.map[k];
    axis.offset += axis.scale * (reader.offset - made.map[k].offset) / made.map[k].scale;
    axis.scale *= reader.axis < 0 ? 0 : reader.scale / made.map[k].scale;
    axis.axis = reader.axis;
  }
  return seen;
}

std::vector<Rect> cut_at(const Rect& whole, const CutPlaces& places) {
  std::vector<Rect> parts{whole};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(whole.rank); ++axis) {
    std::vector<Rect> finer;
    for (Rect part : parts) {
      for (const std::int64_t at : places[axis]) {
        finer.push_back(part);
        finer.back().hi[axis] = part.lo[axis] = at;
      }
      finer.push_back(part);
    }
    parts = std::move(finer);
  }
  const auto largest =
      std::max_element(parts.begin(), parts.end(), [](const Rect& a, const Rect& b) { return a.cells() < b.cells(); });
  std::rotate(largest, largest + 1, parts.end());
  return parts;
}

std::int64_t first_column_of(std::int64_t begin, std::int64_t end, const machine::Machine& machine) {
  constexpr std::int64_t kLine = 32;  // float32s of 128 bytes
  if (machine.kind != machine::ProcessorKind::Gpu || machine.processors() > 1) return begin;
  const std::int64_t at = (begin + kLine - 1) / kLine * kLine;
  return 8 * (at - begin) <= end - begin ? at : begin;
}

std::int64_t min_bytes_to_split(const machine::Machine& machine) {
  const bool gpus = machine.kind == machine::ProcessorKind::Gpu;
  if (!gpus) return std::clamp<std::int64_t>(machine.split_bytes, 1, kLaunch);
  return std::clamp<std::int64_t>(machine.split_bytes, 1, kLaunchOfGpus) * kTimesOnGpus;
}

}  // namespace pilum::scheduler
