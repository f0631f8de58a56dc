// Elementary functions of one float32, of every one that there is: how far they are from what they give in float64, in
// units of the last place, whose own error is 2^-29 of such a unit. Half a minute a function: every_float [FUNCTION
// ...]
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "runtime/jit/jit.h"
#include "runtime/kernel/ir/builder.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

constexpr std::int64_t kCells = 1 << 16;

// y = op(x), both of kCells cells.
template <class T>
class Function {
 public:
  Function(jit::Jit& jit, Op op) : x_(kCells), y_(kCells) {
    Builder builder(1);
    const int in = builder.add_array({dtype_of<T>, Access::Read, Inner::Contiguous, 1});
    const int out = builder.add_array({dtype_of<T>, Access::Write, Inner::Contiguous, 1});
    builder.store(out, builder.unary(op, builder.load(in)));
    code_ = jit.get_host(builder.finish(), {});
  }
  std::vector<T>& x() { return x_; }
  const std::vector<T>& apply() {
    BoundArray arrays[2] = {};
    arrays[0].base = reinterpret_cast<char*>(x_.data());
    arrays[1].base = reinterpret_cast<char*>(y_.data());
    KernelCall call{};
    call.extent[0] = kCells;
    call.arrays = arrays;
    code_->function()(&call);
    return y_;
  }

 private:
  std::vector<T> x_, y_;
  std::shared_ptr<const jit::HostKernel> code_;
};

// Prints the largest error; false where it is more than one unit.
bool judge(jit::Jit& jit, Op op) {
  Function<float> narrow(jit, op);
  Function<double> wide(jit, op);
  double worst = 0;
  float of = 0;
  std::int64_t inexact = 0;
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += kCells) {
    for (std::size_t i = 0; i < kCells; ++i) {
      narrow.x()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + i));
      wide.x()[i] = narrow.x()[i];
    }
    const std::vector<float>& got = narrow.apply();
    const std::vector<double>& wanted = wide.apply();
    for (std::size_t i = 0; i < kCells; ++i) {
      const auto rounded = static_cast<float>(wanted[i]);
      if (got[i] == rounded || (std::isnan(got[i]) && std::isnan(rounded))) continue;
      ++inexact;
      const double error = std::abs(got[i] - wanted[i]) / std::ldexp(1.0, std::max(std::ilogb(wanted[i]), -126) - 23);
      if (!(error <= worst)) {
        worst = error;
        of = narrow.x()[i];
      }
    }
  }
  std::printf("%-12s %.4f of %a; %.4f %% are not the nearest\n", name(op), worst, of,
              static_cast<double>(inexact) / 0x1p32 * 100);
  std::fflush(stdout);
  return worst <= 1;
}

int run(const std::vector<std::string>& wanted) {
  jit::JitOptions options;
  options.disk_cache = false;
  options.threads = 0;
  options.form = jit::CodeForm::Optimized;
  const std::unique_ptr<jit::Jit> jit = jit::make_jit(options);
  bool is_right = true;
  for (int i = 0; i < static_cast<int>(Op::Select); ++i) {
    const Op op = static_cast<Op>(i);
    const bool is_wanted = wanted.empty() || std::find(wanted.begin(), wanted.end(), name(op)) != wanted.end();
    if (is_elementary(op) && arity(op) == 1 && is_wanted) is_right = judge(*jit, op) && is_right;
  }
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace pilum::kernel

int main(int argc, char** argv) {
  return pilum::kernel::run({argv + 1, argv + argc});
}
