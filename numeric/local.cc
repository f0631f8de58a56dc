// Memory of the program's as arrays, and arrays' memory for the program.
#include "pilum/local.h"

#include <algorithm>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/lend.h"
#include "numeric/record.h"
#include "numeric/shapes.h"

namespace pilum::numeric {
namespace {

std::string as_text(const Box& block) {
  return to_string(Rect{std::min(block.rank(), kMaxAxes), block.lo(), block.hi()});
}

std::string as_text(const Strides& strides) {
  std::string text = "(";
  for (int axis = 0; axis < std::min(strides.count(), kMaxAxes); ++axis)
    text += (axis ? ", " : "") + std::to_string(strides[axis]);
  return text + ")";
}

// Two cells in one place: axes by stride, each must step over all that those below it span.
bool overlap(const Box& block, const Strides& strides) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, extent
  for (int axis = 0; axis < block.rank(); ++axis) {
    if (block.extent(axis) > 1) axes.emplace_back(strides[axis], block.extent(axis));
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t span = 1;
  for (const auto& [stride, extent] : axes) {
    if (stride < span) return true;
    span += (extent - 1) * stride;
  }
  return false;
}

// What is wrong with this rank's block; "" where nothing is. It is thrown on all ranks, so not here.
std::string find_trouble(const void* data, const Strides& strides, const Box& block, const Shape& shape, DType dtype) {
  if (block.rank() != shape.rank()) {
    return "its block " + as_text(block) + " has " + std::to_string(block.rank()) + " axes, the array of shape " +
           to_string(shape) + " has " + std::to_string(shape.rank()) +
           ": give the block's first cell and the one after its last, in indices of the whole array";
  }
  for (int axis = 0; axis < block.rank(); ++axis) {
    if (block.extent(axis) < 0)
      return "its block " + as_text(block) + " ends before it begins along axis " + std::to_string(axis);
  }
  if (block.size() == 0) return "";
  if (strides.count() != 0 && strides.count() != block.rank()) {
    return "its " + std::to_string(strides.count()) + " strides do not fit a block of " + std::to_string(block.rank()) +
           " axes: give one for each axis, in cells, or {} for row-major";
  }
  for (int axis = 0; axis < strides.count(); ++axis) {
    if (strides[axis] < 1 && block.extent(axis) > 1)
      return "its strides " + as_text(strides) +
             " must be positive: turn the block's axes, and give the cell with the lowest indices";
  }
  if (strides.count() > 0 && overlap(block, strides)) {
    return "its strides " + as_text(strides) + " put several cells of the block " + as_text(block) +
           " in one place: strides count cells, and step over all that lies between two neighbours";
  }
  if (!data) return "its pointer is null, for a block of " + std::to_string(block.size()) + " cells";
  if (reinterpret_cast<std::uintptr_t>(data) % pilum::itemsize(dtype) != 0) {
    return std::string("its pointer is no multiple of ") + std::to_string(pilum::itemsize(dtype)) +
           " bytes, as cells of " + name(dtype) + " must be";
  }
  return "";
}

}  // namespace

Array from_local(void* data, const Strides& strides, const Box& block, const Shape& shape, DType dtype,
                 const FromLocal& options, std::source_location where) {
  return lend(Call{"from_local", where}, data, strides, block, shape, dtype, options);
}

Array lend(const Call& call, void* data, const Strides& strides, const Box& block, const Shape& shape, DType dtype,
           const FromLocal& options, std::string trouble) {
  check_shape(call, shape, dtype);
  scheduler::LentBlock lent;
  lent.data = static_cast<std::byte*>(data);
  lent.owner = options.owner;
  lent.on_gpu = options.memory == MemoryKind::Cuda;
  lent.has_stream = options.stream.has_value();
  if (options.stream) lent.stream = options.stream->stream;
  lent.trouble = trouble.empty() ? find_trouble(data, strides, block, shape, dtype) : std::move(trouble);
  lent.rect = Rect{shape.rank(), {}, {}};
  if (lent.trouble.empty()) lent.rect = Rect{shape.rank(), block.lo(), block.hi()};
  auto dense = static_cast<std::int64_t>(pilum::itemsize(dtype));
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const auto k = static_cast<std::size_t>(axis);
    lent.pitch[k] = strides.count() ? strides[axis] * static_cast<std::int64_t>(pilum::itemsize(dtype)) : dense;
    dense *= std::max<std::int64_t>(lent.rect.extent(axis), 1);
  }
  const scheduler::Recorder::LentStore made = recorder_of(call).lend(lent, shape, dtype, call.name, call.where);
  Array array = make_array(made.store);
  partitioner::AffineMap map = partitioner::AffineMap::identity(shape.rank());
  bool moved = false;
  for (int k = 0; k < shape.rank(); ++k) {
    map[k].axis = made.order[static_cast<std::size_t>(k)];
    moved = moved || map[k].axis != k;
  }
  return moved ? make_view(*ArrayAccess::state(array), map, shape) : array;
}

struct Local::Held {
  Held(scheduler::Handle handle, const scheduler::LocalRequest& request)
      : handle(std::move(handle)), request(request) {}
  ~Held() {
    scheduler::Store& store = *handle.store();
    if (locked && store.recorder) store.recorder->unlock(store, request);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  const scheduler::Handle handle;
  const scheduler::LocalRequest request;
  bool locked = false;
};

void Local::release() noexcept {
  pieces_.clear();
  held_.reset();
}

Local Array::local(Access access, std::source_location where) const {
  return lock(access, nullptr, where);
}
Local Array::local(Access access, OnStream stream, std::source_location where) const {
  return lock(access, &stream, where);
}

Local Array::lock(Access access, const OnStream* stream, std::source_location where) const {
  const Call call{"local", where};
  scheduler::Recorder& recorder = recorder_of(call);
  const ArrayState& state = checked_state(call, *this, recorder);
  scheduler::LocalRequest request;
  request.write = access == Access::Write;
  request.has_stream = stream != nullptr;
  if (stream) request.stream = stream->stream;
  if (request.write) {
    check_writable(call, state);
    state.store().true_cells = nullptr;
  }
  Local local;
  local.held_ = std::make_shared<Local::Held>(state.handle, request);
  for (const scheduler::LocalCells& cells : recorder.lock(state.view(), request, call.name, call.where)) {
    LocalPiece& piece = local.pieces_.emplace_back();
    piece.data_ = cells.first;
    piece.box_ = Box(cells.box.rank, cells.box.lo, cells.box.hi);
    for (std::size_t axis = 0; axis < kMaxAxes; ++axis)
      piece.stride_[axis] = cells.stride[axis] / static_cast<std::int64_t>(pilum::itemsize(dtype()));
    piece.dtype_ = dtype();
    piece.memory_ = cells.on_gpu ? MemoryKind::Cuda : MemoryKind::Host;
    piece.device_ = cells.device;
    piece.writable_ = request.write;
  }
  local.held_->locked = true;
  return local;
}

namespace detail {

void refuse_cells(const char* why, DType dtype, int rank, std::source_location where) {
  const Call call{"local", where};
  const std::string_view reason = why;
  if (reason == "dtype") fail<DTypeError>(call, "the array is ", dtype, ": ask for its cells as that type in C++");
  if (reason == "rank") fail<ShapeError>(call, "the array has ", rank, " axes: ask for cells<T, ", rank, ">");
  if (reason == "memory")
    fail<ValueError>(call, "the cells are in a GPU's memory: pass data() to its kernels, or copy them to the host");
  if (reason == "gaps")
    fail<ValueError>(call, "the cells are not contiguous: use cells<T, ", rank, ">(), or data() with stride()");
  fail<ValueError>(call, "the cells are for reading: ask for const ", dtype, ", or call local(np::Access::Write)");
}

}  // namespace detail
}  // namespace pilum::numeric
