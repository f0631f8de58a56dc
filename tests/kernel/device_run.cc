#include "tests/kernel/device_run.h"

#include <map>
#include <string>

#include "runtime/kernel/device/device_utilities.h"
#include "runtime/kernel/device/emit_device.h"

namespace pilum::kernel::test {

std::shared_ptr<const device::GpuImage> image_of(const std::string& text) {
  static std::map<std::string, std::shared_ptr<const device::GpuImage>> images;
  auto& image = images[text];
  if (!image) image = std::make_shared<device::GpuImage>(fakes::make_emulated_compiler()->compile(text));
  return image;
}

std::vector<Field> run_on_device(const Problem& problem, const DeviceRun& run) {
  return run_with(problem, [&](const KernelCall& host) {
    const auto rank = static_cast<std::size_t>(problem.kernel.rank);
    const std::span lo(host.lo, rank), extent(host.extent, rank);
    const std::span arrays(host.arrays, problem.bindings.size());
    const DeviceOptions options = choose_device_options(problem.kernel, arrays, extent, /*streaming=*/false);
    const std::span<const std::int64_t> chunk = run.chunk.empty() ? extent : std::span(run.chunk);
    const DeviceCall call{problem.kernel, options,         lo,         extent, chunk, arrays,
                          run.chunk_step, problem.scalars, run.threads};
    std::vector<std::uint64_t> words;
    pack_device_call(call, words);
    const DeviceShape shape = shape_of(call);
    const auto gpu = fakes::make_emulated_gpu({});
    gpu->launch(device::Stream::Compute,
                {image_of(emit_device(problem.kernel, options)), shape.grid, shape.block, words});
    gpu->finish();
  });
}

}  // namespace pilum::kernel::test
