#include "runtime/device/cuda_flag.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace pilum::device {
namespace {

// Kernels of one block, a thread a flag, for words { count, addresses... }: text that the driver compiles.
#define PILUM_FLAG_KERNEL(body)                                           \
  ".version 6.4\n.target sm_75\n.address_size 64\n"                       \
  ".visible .entry pilum_kernel(.param .align 8 .b8 words[264]) {\n"      \
  "  .reg .pred %p; .reg .b32 %t, %f; .reg .b64 %n, %a, %s, %e;\n"        \
  "  mov.u32 %t, %tid.x; cvt.u64.u32 %a, %t; ld.param.u64 %n, [words];\n" \
  "  setp.ge.u64 %p, %a, %n; @%p bra DONE;\n"                             \
  "  mov.b64 %n, words; mul.wide.u32 %a, %t, 8; add.s64 %a, %n, %a; ld.param.u64 %a, [%a+8];\n" body "DONE: ret;\n}\n"
#define PILUM_LOWER "LOWER: mov.u32 %f, 0; st.relaxed.sys.global.u32 [%a], %f; fence.acq_rel.sys;\n"
constexpr char kRaise[] =
    PILUM_FLAG_KERNEL("  fence.acq_rel.sys; mov.u32 %f, 1; st.release.sys.global.u32 [%a], %f;\n");
constexpr char kWait[] = PILUM_FLAG_KERNEL(
    "  mov.u64 %s, %globaltimer;\n"
    "LOOK: ld.acquire.sys.global.u32 %f, [%a]; setp.ne.u32 %p, %f, 0; @%p bra LOWER;\n"
    "  mov.u64 %e, %globaltimer; sub.u64 %e, %e, %s; setp.lt.u64 %p, %e, 100000000000; @%p bra LOOK;\n"
    "  trap;\n" PILUM_LOWER);
// The word that says to give up is the host's: it is looked at now and then. What comes behind is made of cells that
// never came: the GPU fails rather than tell a peer of it, or write where the peer still reads.
constexpr char kWaitForProcess[] = PILUM_FLAG_KERNEL(
    "  ld.param.u64 %s, [words+16];\n"
    "LOOK: ld.acquire.sys.global.u32 %f, [%a]; setp.ne.u32 %p, %f, 0; @%p bra LOWER;\n"
    "  add.u32 %t, %t, 1; and.b32 %f, %t, 255; setp.ne.u32 %p, %f, 0; @%p bra LOOK;\n"
    "  ld.volatile.global.u32 %f, [%s]; setp.eq.u32 %p, %f, 0; @%p bra LOOK;\n"
    "  trap;\n" PILUM_LOWER);
#undef PILUM_LOWER
#undef PILUM_FLAG_KERNEL

template <const char* text>
const std::shared_ptr<const GpuImage>& image_of() {
  static const auto image = std::make_shared<const GpuImage>(GpuImage{text});
  return image;
}

std::uint64_t word(const std::byte* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

}  // namespace

FlagLaunch::FlagLaunch(std::span<std::byte* const> flags, bool waits)
    : launch_{waits ? image_of<kWait>() : image_of<kRaise>(), {1, 1, 1}, {kMaxFlags, 1, 1}, words_} {
  PILUM_CHECK(flags.size() <= kMaxFlags);
  words_[0] = flags.size();
  std::ranges::transform(flags, words_.begin() + 1, word);
}

FlagLaunch::FlagLaunch(const GpuFlag& flag, const std::byte* given_up)
    : launch_{flag.waits ? image_of<kWaitForProcess>() : image_of<kRaise>(), {1, 1, 1}, {1, 1, 1}, words_} {
  words_[0] = 1;
  words_[1] = word(flag.flag);
  words_[2] = word(given_up);
}

}  // namespace pilum::device
