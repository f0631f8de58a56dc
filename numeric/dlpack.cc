// Tensors of DLPack, in and out.
#include "pilum/dlpack.h"

#include <memory>
#include <optional>

#include "numeric/array_state.h"
#include "numeric/lend.h"
#include "pilum/local.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

dlpack::DataType type_of(DType dtype) {
  const auto code = is_floating(dtype)   ? dlpack::kFloat
                    : is_complex(dtype)  ? dlpack::kComplex
                    : is_signed(dtype)   ? dlpack::kInt
                    : is_unsigned(dtype) ? dlpack::kUInt
                                         : dlpack::kBool;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * itemsize(dtype)), 1};
}

std::optional<DType> dtype_of_tensor(const dlpack::DataType& type) {
  for (const DType dtype : kDTypes) {
    const dlpack::DataType known = type_of(dtype);
    if (known.code == type.code && known.bits == type.bits && known.lanes == type.lanes) return dtype;
  }
  return std::nullopt;
}

// Of a tensor that Pilum exports.
struct Manager {
  Local local;
  std::int64_t shape[kMaxAxes] = {}, strides[kMaxAxes] = {};
  dlpack::ManagedTensor tensor;
};

// What is wrong with a tensor that is to be an array; "" where nothing is.
std::string find_trouble(const dlpack::ManagedTensor* tensor) {
  if (!tensor) return "its tensor is null";
  if (tensor->version.major != dlpack::kMajor) {
    return "its tensor is of DLPack " + std::to_string(tensor->version.major) + "." +
           std::to_string(tensor->version.minor) +
           ", and Pilum takes versions 1.x: export a DLManagedTensorVersioned of version 1";
  }
  const dlpack::Tensor& of = tensor->tensor;
  if (tensor->flags & dlpack::kReadOnly)
    return "its tensor is read-only, and arrays are written: export a writable one, or a copy";
  if (of.device.type != dlpack::kCpu && of.device.type != dlpack::kCuda && of.device.type != dlpack::kCudaHost)
    return "its tensor lies on a device of DLPack's type " + std::to_string(of.device.type) +
           ": the host (1, 3) and CUDA devices (2) are taken";
  if (!dtype_of_tensor(of.dtype)) {
    return "its tensor has cells of DLPack's type " + std::to_string(of.dtype.code) + " with " +
           std::to_string(of.dtype.bits) + " bits and " + std::to_string(of.dtype.lanes) +
           " lanes: bool, integers of 8 to 64 bits, float16 to float64, complex64 and complex128 are taken";
  }
  if (of.ndim < 0 || of.ndim > kMaxAxes)
    return "its tensor has " + std::to_string(of.ndim) + " axes: at most " + std::to_string(kMaxAxes) + " are taken";
  return "";
}

}  // namespace

dlpack::ManagedTensor* Local::to_dlpack(std::size_t place, std::source_location where) const {
  if (place >= pieces_.size()) {
    fail<IndexError>(Call{"to_dlpack", where}, "piece ", static_cast<std::int64_t>(place), " of ",
                     static_cast<std::int64_t>(pieces_.size()), ": a rank has as many as size() says");
  }
  const LocalPiece& piece = pieces_[place];
  auto manager = std::make_unique<Manager>();
  manager->local = *this;
  for (int axis = 0; axis < piece.box().rank(); ++axis) {
    manager->shape[axis] = piece.box().extent(axis);
    manager->strides[axis] = piece.stride(axis);
  }
  dlpack::ManagedTensor& managed = manager->tensor;
  managed.flags = piece.writable() ? 0 : dlpack::kReadOnly;
  managed.deleter = [](dlpack::ManagedTensor* self) { delete static_cast<Manager*>(self->manager); };
  managed.tensor.data = piece.data();
  if (piece.memory() == MemoryKind::Cuda) managed.tensor.device = {dlpack::kCuda, piece.device()};
  managed.tensor.ndim = piece.box().rank();
  managed.tensor.dtype = type_of(piece.dtype());
  managed.tensor.shape = manager->shape;
  managed.tensor.strides = manager->strides;
  managed.manager = manager.get();
  return &manager.release()->tensor;
}

Array from_dlpack(dlpack::ManagedTensor* tensor, const Box& block, const Shape& shape, const FromLocal& options,
                  std::source_location where) {
  const Call call{"from_dlpack", where};
  std::string trouble = find_trouble(tensor);
  if (!trouble.empty()) return lend(call, nullptr, {}, block, shape, DType::Float64, options, std::move(trouble));
  const dlpack::Tensor& of = tensor->tensor;
  bool fits = of.ndim == block.rank();
  for (int axis = 0; fits && axis < of.ndim; ++axis) fits = of.shape[axis] == block.extent(axis);
  if (!fits) {
    trouble = "its tensor's shape " + to_string(Shape(std::span(of.shape, static_cast<std::size_t>(of.ndim)))) +
              " is not that of its block: they must be alike";
  }
  FromLocal lent = options;
  lent.memory = of.device.type == dlpack::kCuda ? MemoryKind::Cuda : MemoryKind::Host;
  struct Token {
    dlpack::ManagedTensor* tensor;
    bool ours = false;
    ~Token() {
      if (ours && tensor->deleter) tensor->deleter(tensor);
    }
  };
  const auto token = std::make_shared<Token>(Token{tensor});
  lent.owner = token;
  const Strides strides = of.strides ? Strides(std::span(of.strides, static_cast<std::size_t>(of.ndim))) : Strides();
  Array array = lend(call, static_cast<std::byte*>(of.data) + of.byte_offset, strides, block, shape,
                     *dtype_of_tensor(of.dtype), lent, std::move(trouble));
  token->ours = true;
  return array;
}

Array from_dlpack(dlpack::ManagedTensor* tensor, const FromLocal& options, std::source_location where) {
  Shape shape;
  if (tensor && tensor->tensor.ndim >= 0 && tensor->tensor.ndim <= kMaxAxes) {
    for (int axis = 0; axis < tensor->tensor.ndim; ++axis) shape.push_back(tensor->tensor.shape[axis]);
  }
  Piece::Bounds hi{};
  for (int axis = 0; axis < shape.rank(); ++axis) hi[static_cast<std::size_t>(axis)] = shape[axis];
  return from_dlpack(tensor, Box(shape.rank(), {}, hi), shape, options, where);
}

}  // namespace pilum::numeric
