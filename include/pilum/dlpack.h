// The structs of DLPack 1 (dmlc.github.io/dlpack), as other libraries exchange tensors by them; without its header, and
// beside it.
//
// A ManagedTensor is a DLManagedTensorVersioned to the byte: reinterpret_cast goes between the two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pilum::dlpack {

inline constexpr std::uint32_t kMajor = 1, kMinor = 1;  // of what Pilum exports; any 1.x is taken

enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };
enum TypeCode : std::uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kComplex = 5, kBool = 6 };
inline constexpr std::uint64_t kReadOnly = 1, kIsCopied = 2;  // flags

struct Version {
  std::uint32_t major = kMajor, minor = kMinor;
};
struct Device {
  std::int32_t type = kCpu, id = 0;
};
struct DataType {
  std::uint8_t code = kFloat, bits = 64;
  std::uint16_t lanes = 1;
};
struct Tensor {
  void* data = nullptr;
  Device device;
  std::int32_t ndim = 0;
  DataType dtype;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // in cells; null: row-major
  std::uint64_t byte_offset = 0;
};
struct ManagedTensor {
  Version version;
  void* manager = nullptr;
  void (*deleter)(ManagedTensor* self) = nullptr;
  std::uint64_t flags = 0;
  Tensor tensor;
};

static_assert(sizeof(void*) != 8 ||
              (sizeof(Tensor) == 48 && offsetof(Tensor, shape) == 24 && offsetof(Tensor, byte_offset) == 40));
static_assert(sizeof(void*) != 8 || (sizeof(ManagedTensor) == 80 && offsetof(ManagedTensor, flags) == 24 &&
                                     offsetof(ManagedTensor, tensor) == 32));

}  // namespace pilum::dlpack
