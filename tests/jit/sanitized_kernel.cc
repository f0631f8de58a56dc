// Plants an error in how a kernel is called, for a sanitizer to find in the emitted code:
//   jit_address_kernel address overrun    writes one element behind an array
//   jit_thread_kernel thread race         two threads write the same cells
// and runs without one when the second word is "fine". Exits 0 when the kernel ran.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "runtime/jit/jit.h"
#include "runtime/kernel/ir/builder.h"

using namespace pilum;
using kernel::Access;
using kernel::Inner;

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string sanitizer = argv[1], what = argv[2];
  jit::JitOptions options;
  options.sanitize = sanitizer;
  options.disk_cache = false;
  options.compiler = argc > 3 ? argv[3] : "";
  const auto jit = jit::make_jit(options);
  kernel::Builder builder(1);
  const int x = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 1});
  const int y = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 1});
  builder.store(y, builder.unary(kernel::Op::Exp, builder.load(x)));
  const kernel::KernelFunction function = jit->get_host(builder.finish(), {})->function();

  std::vector<double> in(101, 1.0);
  const auto out = std::make_unique<double[]>(100);
  kernel::BoundArray arrays[2] = {};
  arrays[0].base = reinterpret_cast<char*>(in.data());
  arrays[1].base = reinterpret_cast<char*>(out.get());
  kernel::KernelCall call{};
  call.extent[0] = what == "overrun" ? 101 : 100;
  call.arrays = arrays;
  if (what == "race") {
    std::thread other([&] { function(&call); });
    function(&call);
    other.join();
  } else {
    function(&call);
  }
  return 0;
}
