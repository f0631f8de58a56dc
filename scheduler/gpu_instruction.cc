#include "scheduler/gpu_instruction.h"

#include "runtime/base/check.h"
#include "runtime/kernel/device_utilities.h"

namespace pilum::scheduler {
namespace {

using device::Gpu;
using device::Stream;

// From here on the copy engine is as fast as a kernel, and leaves the processors to others.
constexpr std::int64_t kEngineBytes = 1 << 20;

void launch(const kernel::DeviceUtility& utility, Stream stream, Gpu& gpu, jit::DeviceJit& jit) {
  gpu.launch(stream, {jit.get(*utility.text)->image(), utility.shape.grid, utility.shape.block, utility.words});
}

void run(const Launch& launch, Stream stream, Gpu& gpu) {
  const auto rank = static_cast<std::size_t>(launch.rank);
  const kernel::DeviceCall call{*launch.kernel,
                                *launch.device,
                                {launch.lo.data(), rank},
                                {launch.extent.data(), rank},
                                {launch.chunk.data(), rank},
                                launch.arrays,
                                launch.chunk_step,
                                *launch.scalars};
  const kernel::DeviceShape shape = shape_of(call);
  thread_local std::vector<std::uint64_t> words;
  pack_device_call(call, words);
  const auto& compiled = static_cast<const jit::DeviceKernel&>(*launch.compiled);
  gpu.launch(stream, {compiled.image(), shape.grid, shape.block, words});
}

// A box of at most two axes, the inner one without gaps, is a job for the copy engine.
bool copy_by_engine(const Copy& copy, Stream stream, Gpu& gpu) {
  if (copy.bytes() < kEngineBytes) return false;
  std::int64_t width = static_cast<std::int64_t>(copy.itemsize), rows = 1, from_pitch = 0, to_pitch = 0;
  int axis = copy.rank - 1;
  for (; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (copy.extent[a] == 1) continue;
    if (copy.from.pitch[a] != width || copy.to.pitch[a] != width) break;
    width *= copy.extent[a];
  }
  for (; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (copy.extent[a] == 1) continue;
    if (rows > 1) return false;
    rows = copy.extent[a];
    from_pitch = copy.from.pitch[a];
    to_pitch = copy.to.pitch[a];
  }
  if (rows > 1 && (from_pitch < width || to_pitch < width)) return false;
  gpu.copy(stream, {copy.to.data, copy.from.data, static_cast<std::size_t>(width), static_cast<std::size_t>(rows),
                    static_cast<std::size_t>(to_pitch), static_cast<std::size_t>(from_pitch)});
  return true;
}

void run(const Copy& copy, Stream stream, Gpu& gpu, jit::DeviceJit& jit) {
  if (copy_by_engine(copy, stream, gpu)) return;
  launch(kernel::make_box_copy(copy.rank, copy.extent.data(), copy.itemsize,
                               {copy.from.data, copy.from.pitch.data()}, {copy.to.data, copy.to.pitch.data()}),
         stream, gpu, jit);
}

void run(const FoldParts& fold, Stream stream, Gpu& gpu, jit::DeviceJit& jit) {
  launch(kernel::make_part_fold(fold.fold, fold.dtype, !fold.start, fold.rank, fold.extent.data(), fold.parts,
                                fold.part_count, {fold.to.data, fold.to.pitch.data()}),
         stream, gpu, jit);
}

void run(const Reshape& reshape, Stream stream, Gpu& gpu, jit::DeviceJit& jit) {
  launch(kernel::make_reshape(reshape.itemsize, reshape.to_rank, reshape.to_extent.data(), reshape.lo.data(),
                              reshape.hi.data(), {reshape.to.data, reshape.to.pitch.data()}, reshape.from_rank,
                              reshape.from_extent.data(), {reshape.from.data, reshape.from.pitch.data()}),
         stream, gpu, jit);
}

}  // namespace

bool runs_on_gpu(const Instruction& instruction) {
  return std::holds_alternative<Launch>(instruction.what) || std::holds_alternative<Copy>(instruction.what) ||
         std::holds_alternative<FoldParts>(instruction.what) || std::holds_alternative<Reshape>(instruction.what);
}

device::Stream stream_of(const Instruction& instruction) {
  if (std::holds_alternative<Copy>(instruction.what)) return Stream::Copies;
  const auto* launch = std::get_if<Launch>(&instruction.what);
  return launch && launch->edge ? Stream::Edges : Stream::Compute;
}

void issue(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit) {
  const Stream stream = stream_of(instruction);
  if (const auto* what = std::get_if<Launch>(&instruction.what)) return run(*what, stream, gpu);
  if (const auto* what = std::get_if<Copy>(&instruction.what)) return run(*what, stream, gpu, jit);
  if (const auto* what = std::get_if<FoldParts>(&instruction.what)) return run(*what, stream, gpu, jit);
  const auto* what = std::get_if<Reshape>(&instruction.what);
  PILUM_CHECK(what, "an instruction that is not a GPU's");
  run(*what, stream, gpu, jit);
}

}  // namespace pilum::scheduler
