// FFTW 3, where this machine has it.
#pragma once

#include <cstddef>

namespace pilum::numeric {

// Its functions of one precision by address; null for all where there is none. It is a program of its own under the
// GPL, which nothing here includes or links: it is opened at run time where somebody has installed it.
struct Fftw {
  struct Dimension {  // fftw_iodim64
    std::ptrdiff_t count, input, output;
  };
  using Plan = void*;
  Plan (*plan_complex)(int, const Dimension*, int, const Dimension*, void* in, void* out, int sign, unsigned) = nullptr;
  Plan (*plan_to_complex)(int, const Dimension*, int, const Dimension*, void* in, void* out, unsigned) = nullptr;
  Plan (*plan_to_real)(int, const Dimension*, int, const Dimension*, void* in, void* out, unsigned) = nullptr;
  void (*run_complex)(Plan, void* in, void* out) = nullptr;
  void (*run_to_complex)(Plan, void* in, void* out) = nullptr;
  void (*run_to_real)(Plan, void* in, void* out) = nullptr;
  void (*destroy)(Plan) = nullptr;

  // As fftw3.h has them.
  static constexpr int kForward = -1, kBackward = 1;
  static constexpr unsigned kUnaligned = 1U << 1, kPreserveInput = 1U << 4, kEstimate = 1U << 6;
};

// Opened when it is first asked for. PILUM_TEST_FFTW=0, for tests, is as if there were none.
const Fftw* find_fftw(bool is_double);

}  // namespace pilum::numeric
