#include "runtime/device/cuda_copy.h"

#include <algorithm>

namespace pilum::device {
namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::size_t kMaxRowsOfBlocks = 32768;  // a grid has 65,535 at most

// A thread a column, which it follows down the rows that its row of blocks has: text that the driver compiles.
#define PILUM_COPY_KERNEL(type, bytes)                                                                           \
  ".version 6.4\n.target sm_75\n.address_size 64\n"                                                              \
  ".visible .entry pilum_kernel(.param .align 8 .b8 words[48]) {\n"                                              \
  "  .reg .pred %p; .reg .b32 %t, %b, %d; .reg .b64 %c, %n, %r, %m, %s, %to, %from, %u, %v, %x, %y; .reg ." type \
  " %z;\n"                                                                                                       \
  "  mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %d, %ntid.x;\n"                                           \
  "  mul.wide.u32 %c, %b, %d; cvt.u64.u32 %n, %t; add.s64 %c, %c, %n;\n"                                         \
  "  ld.param.u64 %n, [words+16]; setp.ge.u64 %p, %c, %n; @%p bra DONE;\n"                                       \
  "  mov.u32 %b, %ctaid.y; cvt.u64.u32 %r, %b; mov.u32 %d, %nctaid.y; cvt.u64.u32 %s, %d;\n"                     \
  "  ld.param.u64 %to, [words]; ld.param.u64 %from, [words+8]; ld.param.u64 %m, [words+24];\n"                   \
  "  ld.param.u64 %u, [words+32]; ld.param.u64 %v, [words+40];\n"                                                \
  "  mad.lo.s64 %to, %c, " bytes ", %to; mad.lo.s64 %from, %c, " bytes                                           \
  ", %from;\n"                                                                                                   \
  "NEXT: setp.ge.u64 %p, %r, %m; @%p bra DONE;\n"                                                                \
  "  mad.lo.s64 %x, %r, %v, %from; mad.lo.s64 %y, %r, %u, %to;\n"                                                \
  "  ld." type " %z, [%x]; st." type                                                                             \
  " [%y], %z;\n"                                                                                                 \
  "  add.s64 %r, %r, %s; bra NEXT;\n"                                                                            \
  "DONE: ret;\n}\n"
constexpr char kBytes[] = PILUM_COPY_KERNEL("u8", "1");
constexpr char kWords[] = PILUM_COPY_KERNEL("u32", "4");
constexpr char kDoubles[] = PILUM_COPY_KERNEL("u64", "8");
#undef PILUM_COPY_KERNEL

const std::shared_ptr<const GpuImage>& image_of(std::uint64_t unit) {
  static const auto bytes = std::make_shared<const GpuImage>(GpuImage{kBytes});
  static const auto words = std::make_shared<const GpuImage>(GpuImage{kWords});
  static const auto doubles = std::make_shared<const GpuImage>(GpuImage{kDoubles});
  return unit == 8 ? doubles : unit == 4 ? words : bytes;
}

}  // namespace

bool is_line(const GpuCopy& copy) {
  return copy.rows == 1 || (copy.to_pitch == copy.width && copy.from_pitch == copy.width);
}

CopyLaunch::CopyLaunch(const GpuCopy& copy)
    : words{reinterpret_cast<std::uint64_t>(copy.to),
            reinterpret_cast<std::uint64_t>(copy.from),
            copy.width,
            copy.rows,
            copy.to_pitch,
            copy.from_pitch} {
  const std::uint64_t all = words[0] | words[1] | words[2] | words[4] | words[5];
  const std::uint64_t unit = all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
  words[2] /= unit;
  launch.image = image_of(unit);
  launch.grid = {static_cast<std::uint32_t>((words[2] + kThreads - 1) / kThreads),
                 static_cast<std::uint32_t>(std::min(copy.rows, kMaxRowsOfBlocks)), 1};
  launch.block = {kThreads, 1, 1};
  launch.words = words;
}

}  // namespace pilum::device
