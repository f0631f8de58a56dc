// The emitted text is read by users: it starts with the program and holds nothing the kernel does not use.
#include <gtest/gtest.h>

#include "runtime/kernel/host/emit.h"
#include "runtime/kernel/ir/builder.h"

namespace pilum::kernel {
namespace {

Kernel copy(Op op) {
  Builder builder(1);
  const int in = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 1});
  const int out = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 1});
  builder.store(out, builder.unary(op, builder.load(in)));
  return builder.finish();
}

TEST(EmitText, StartsWithTheProgram) {
  const std::string text = emit_host(copy(Op::Sqrt), {});
  EXPECT_EQ(text.rfind("// kernel of 1 axis\n//   array 0: float64 read contiguous", 0), 0u) << text;
  EXPECT_NE(text.find("//   %1 = sqrt float64 %0\n"), std::string::npos);
}

TEST(EmitText, IsTheSameForEqualKernels) {
  EXPECT_EQ(emit_host(copy(Op::Exp), {.streaming = true}), emit_host(copy(Op::Exp), {.streaming = true}));
  EXPECT_NE(emit_host(copy(Op::Exp), {}), emit_host(copy(Op::Exp), {.streaming = true}));
}

TEST(EmitText, HoldsOnlyWhatTheKernelUses) {
  const std::string text = emit_host(copy(Op::Negate), {});
  EXPECT_EQ(text.find("fma"), std::string::npos);
  EXPECT_EQ(text.find("f32v"), std::string::npos);
  EXPECT_EQ(text.find("#include"), std::string::npos);
  EXPECT_EQ(text.find("nontemporal"), std::string::npos);
}

TEST(EmitText, ScalarTextHasNoVectors) {
  EXPECT_EQ(emit_host(copy(Op::Exp), {.scalar = true}).find("vector_size"), std::string::npos);
}

}  // namespace
}  // namespace pilum::kernel
