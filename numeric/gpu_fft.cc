#include "numeric/gpu_fft.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/gpu_line_copy.h"
#include "numeric/library_task.h"
#include "pilum/error.h"

namespace pilum::numeric {
namespace {

using device::GpuLines;
using device::GpuTransform;
using device::TransformKind;
using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Numbers that are transformed at once: so the scratch memory is bounded, and no GPU is the slower for it.
constexpr std::int64_t kMostNumbers = 1 << 24;
// Batches of lines that lie evenly apart are a call each where they are few, or large; else all are copied into one.
constexpr std::int64_t kFewBatches = 8, kLargeBatch = 1 << 18;

std::int64_t aligned(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + 255) / 256 * 256);
}

// One of the two arrays, whose lines are numbered by axes that both have in common.
struct Side {
  std::byte* first = nullptr;
  std::int64_t cells = 0, step = 0;  // of a line
  std::size_t cell_bytes = 0;
  std::vector<LineAxis> axes;
  std::int64_t rows = 1, row = 0;  // of a plane, whose rows are lines
  std::vector<LineAxis> row_axes;  // of planes: these rows' axis behind the others
  bool is_copied = false;

  std::int64_t distance() const { return axes.back().step; }
  std::int64_t bytes_to(std::int64_t cell) const { return cell * static_cast<std::int64_t>(cell_bytes); }
  bool is_one_batch(std::size_t from_axis) const {
    for (std::size_t axis = from_axis; axis + 1 < axes.size(); ++axis) {
      if (axes[axis].step != axes[axis + 1].step * axes[axis + 1].extent) return false;
    }
    return true;
  }
  GpuLines lines(std::int64_t count) const {
    if (rows > 1) {
      if (is_copied) return {1, rows * cells, cells};
      return {step, count == 1 ? rows * row : distance(), row};
    }
    if (!is_copied) return {step, count == 1 ? step * cells : distance()};
    const bool is_across = count > 1 && std::abs(distance()) < std::abs(step);
    return is_across ? GpuLines{count, 1} : GpuLines{1, cells};
  }
};

// A piece's lines as calls of a GPU: batches one after the other, each in parts of so many lines.
class Transforms {
 public:
  Transforms(std::span<const std::int64_t> form, const BodyCall& call);
  std::int64_t scratch_bytes(device::Gpu& gpu) const;
  void issue(const scheduler::DeviceIssue& where) const;

 private:
  struct Part {  // of a batch, whose first line is there in both arrays
    std::byte *from, *to;
    std::int64_t first, lines;
  };

  void add_axes(const BodyCall& call);
  void choose_batches();
  bool must_copy(const Side& side) const;
  GpuTransform transform_of(std::int64_t lines) const;
  std::int64_t scratch_bytes(device::Gpu& gpu, std::int64_t lines) const;
  LineCopy copy_of(const Side& side, std::byte* array, const Part& part, const GpuLines& lines) const;
  void issue(const Part& part, const scheduler::DeviceIssue& where) const;

  GpuTransform transform_;  // but for its lines
  double scale_;
  Side from_, to_;
  std::size_t batch_axis_ = 0;  // the first axis of lines that are one batch
  std::int64_t lines_ = 1, part_ = 1;
};

Transforms::Transforms(std::span<const std::int64_t> form, const BodyCall& call)
    : scale_(std::bit_cast<double>(form[3])) {
  transform_.kind = static_cast<TransformKind>(form[0]);
  transform_.is_double = form[1] != 0;
  transform_.count = form[2];
  transform_.rows = form[4];
  const int rank = call.piece.rank();
  const auto side_of = [&](const BoundStore& store, std::int64_t cells, std::size_t bytes) {
    Side side{nullptr, cells, store.stride[u(rank)], bytes, {}};
    if (transform_.rows > 1) side.rows = transform_.rows, side.row = side.step, side.step = store.stride[u(rank) + 1];
    side.first = static_cast<std::byte*>(store.first) + side.bytes_to(cells_to(store, call.piece.lo(), rank));
    return side;
  };
  to_ = side_of(call.stores[0], transform_.cells_written(), transform_.bytes_written());
  from_ = side_of(call.stores[1], transform_.cells_read(), transform_.bytes_read());
  add_axes(call);
  choose_batches();
  for (Side* side : {&from_, &to_}) {
    side->row_axes = side->axes;
    side->row_axes.push_back({side->rows, side->row});
  }
  // A transform to real numbers spoils what it reads.
  from_.is_copied = transform_.writes_real() || must_copy(from_);
  to_.is_copied = must_copy(to_);
}

// Axes along which both arrays' lines lie evenly are one.
void Transforms::add_axes(const BodyCall& call) {
  for (int axis = 0; axis < call.piece.rank(); ++axis) {
    const std::int64_t extent = call.piece.extent(axis);
    if (extent == 1) continue;
    const LineAxis to{extent, call.stores[0].stride[u(axis)]}, from{extent, call.stores[1].stride[u(axis)]};
    if (!to_.axes.empty() && to_.distance() == to.step * extent && from_.distance() == from.step * extent) {
      to_.axes.back() = {to_.axes.back().extent * extent, to.step};
      from_.axes.back() = {from_.axes.back().extent * extent, from.step};
    } else {
      to_.axes.push_back(to);
      from_.axes.push_back(from);
    }
  }
  if (!to_.axes.empty()) return;
  to_.axes.push_back({});
  from_.axes.push_back({});
}

void Transforms::choose_batches() {
  const std::int64_t inner = to_.axes.back().extent;
  std::int64_t all = 1;
  for (const LineAxis& axis : to_.axes) all *= axis.extent;
  const std::int64_t numbers = transform_.count * transform_.rows;
  const bool together = all / inner > kFewBatches && inner * numbers < kLargeBatch;
  batch_axis_ = together ? 0 : to_.axes.size() - 1;
  lines_ = together ? all : inner;
  const std::int64_t most = std::max<std::int64_t>(kMostNumbers / numbers, 1);
  part_ = lines_ <= most ? lines_ : std::max<std::int64_t>(most / 2 * 2, 1);
}

// What cuFFT cannot be told, and what it does not take: parts that begin where no complex number could.
bool Transforms::must_copy(const Side& side) const {
  if (side.step < 1 || (lines_ > 1 && side.distance() < 1) || !side.is_one_batch(batch_axis_)) return true;
  if (side.rows > 1 && (side.row < 1 || side.row % side.step != 0)) return true;
  const auto begins_well = [&](std::int64_t cell) {
    return side.bytes_to(cell) % static_cast<std::int64_t>(transform_.complex_bytes()) == 0;
  };
  if (reinterpret_cast<std::uintptr_t>(side.first) % transform_.complex_bytes() != 0) return true;
  for (std::size_t axis = 0; axis < batch_axis_; ++axis) {
    if (!begins_well(side.axes[axis].step)) return true;
  }
  return part_ < lines_ && !begins_well(part_ * side.distance());
}

GpuTransform Transforms::transform_of(std::int64_t lines) const {
  GpuTransform transform = transform_;
  transform.lines = lines;
  transform.from = from_.lines(lines);
  transform.to = to_.lines(lines);
  return transform;
}

std::int64_t Transforms::scratch_bytes(device::Gpu& gpu) const {
  const std::int64_t rest = lines_ % part_;
  return std::max(scratch_bytes(gpu, part_), rest > 0 ? scratch_bytes(gpu, rest) : 0);
}

//   | what is read | what is written | what cuFFT works in |
std::int64_t Transforms::scratch_bytes(device::Gpu& gpu, std::int64_t lines) const {
  std::int64_t bytes = aligned(gpu.transform_bytes(transform_of(lines)));
  for (const Side* side : {&from_, &to_}) {
    if (side->is_copied) bytes += aligned(static_cast<std::size_t>(side->bytes_to(lines * side->rows * side->cells)));
  }
  return bytes;
}

// The rows of planes are lines too.
LineCopy Transforms::copy_of(const Side& side, std::byte* array, const Part& part, const GpuLines& lines) const {
  LineCopy copy;
  copy.cell_bytes = side.cell_bytes;
  copy.array = array;
  copy.cells = side.cells;
  copy.cell_step = side.step;
  copy.axes = std::span(side.rows > 1 ? side.row_axes : side.axes).subspan(batch_axis_);
  copy.step = lines.step;
  copy.distance = side.rows > 1 ? lines.row : lines.distance;
  copy.first = part.first * side.rows;
  copy.count = part.lines * side.rows;
  return copy;
}

void Transforms::issue(const Part& part, const scheduler::DeviceIssue& where) const {
  const GpuTransform transform = transform_of(part.lines);
  std::byte* scratch = where.scratch;
  const auto place_of = [&](const Side& side, std::byte* array) {
    if (!side.is_copied) return array + side.bytes_to(part.first * side.distance());
    std::byte* const place = scratch;
    scratch += aligned(static_cast<std::size_t>(side.bytes_to(part.lines * side.rows * side.cells)));
    return place;
  };
  std::byte *const from = place_of(from_, part.from), *const to = place_of(to_, part.to);
  if (from_.is_copied) {
    LineCopy copy = copy_of(from_, part.from, part, transform.from);
    copy.lines = from;
    transform.writes_real() ? copy_half_lines(copy, transform.count % 2 == 0, scale_, where) : copy_lines(copy, where);
  }
  where.transform({transform, from, to, scratch});
  if (!to_.is_copied) return;
  LineCopy copy = copy_of(to_, part.to, part, transform.to);
  copy.lines = to;
  copy.to_array = true;
  copy_lines(copy, where);
}

void Transforms::issue(const scheduler::DeviceIssue& where) const {
  std::vector<std::int64_t> place(batch_axis_);
  while (true) {
    Part part{from_.first, to_.first, 0, 0};
    for (std::size_t axis = 0; axis < batch_axis_; ++axis) {
      part.from += from_.bytes_to(place[axis] * from_.axes[axis].step);
      part.to += to_.bytes_to(place[axis] * to_.axes[axis].step);
    }
    for (; part.first < lines_; part.first += part.lines) {
      part.lines = std::min(part_, lines_ - part.first);
      issue(part, where);
    }
    std::size_t axis = batch_axis_;
    while (axis > 0 && ++place[axis - 1] == to_.axes[axis - 1].extent) place[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace

std::int64_t transform_scratch(std::span<const std::int64_t> form, const BodyCall& call, device::Gpu& gpu) {
  return call.piece.size() == 0 ? 0 : Transforms(form, call).scratch_bytes(gpu);
}

void issue_transforms(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  if (call.piece.size() == 0) return;
  const Transforms transforms(form, call);
  const std::int64_t bytes = transforms.scratch_bytes(where.gpu);
  if (bytes <= where.scratch_bytes) return transforms.issue(where);
  // A plan that is found again for memory of the program's, which is not aligned as that was for which it was made.
  const auto give_back = [&](std::byte* data) { where.gpu.release(data); };
  const std::unique_ptr<std::byte, decltype(give_back)> room(where.gpu.allocate(static_cast<std::size_t>(bytes)),
                                                             give_back);
  if (!room) throw MemoryError("[fft] a GPU has no " + std::to_string(bytes) + " bytes left to copy lines to");
  scheduler::DeviceIssue with_room = where;
  with_room.scratch = room.get();
  transforms.issue(with_room);
}

}  // namespace pilum::numeric
