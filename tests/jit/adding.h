// A kernel that adds a number, and its value at one point.
#pragma once

#include "runtime/jit/jit.h"
#include "runtime/kernel/ir/builder.h"

namespace pilum::jit::test {

// y = x + addend
inline kernel::Kernel adding(double addend) {
  kernel::Builder builder(1);
  const int x = builder.add_array({DType::Float64, kernel::Access::Read, kernel::Inner::Contiguous, 1});
  const int y = builder.add_array({DType::Float64, kernel::Access::Write, kernel::Inner::Contiguous, 1});
  builder.store(y, builder.binary(kernel::Op::Add, builder.load(x), builder.constant(Scalar::of(addend))));
  return builder.finish();
}

// What a kernel from x to y makes of one number.
inline double apply(const HostKernel& compiled, double x) {
  double y = -1;
  kernel::BoundArray arrays[2] = {};
  arrays[0].base = reinterpret_cast<char*>(&x);
  arrays[1].base = reinterpret_cast<char*>(&y);
  kernel::KernelCall call{};
  call.extent[0] = 1;
  call.arrays = arrays;
  compiled.function()(&call);
  return y;
}

}  // namespace pilum::jit::test
