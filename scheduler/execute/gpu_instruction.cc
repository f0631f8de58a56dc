#include "scheduler/execute/gpu_instruction.h"

#include <optional>

#include "runtime/base/check.h"
#include "runtime/kernel/device/device_utilities.h"
#include "scheduler/record/device_call.h"
#include "scheduler/record/instruction_facts.h"
#include "scheduler/record/recorder.h"

namespace pilum::scheduler {
namespace {

using device::GpuCopy;
using device::Stream;

// Between two memories the copy engine is from here on as fast as a kernel, and leaves the processors to others. Within
// one it takes more than twice as long.
constexpr std::int64_t kEngineBytes = 1 << 20;
bool is_large(const Copy& copy) {
  return copy.bytes() >= kEngineBytes;
}

// Words stay where they are until the next one of this thread.
std::vector<std::uint64_t>& words() {
  thread_local std::vector<std::uint64_t> words;
  return words;
}

GpuWork prepare(const kernel::DeviceUtility& utility, jit::DeviceJit& jit) {
  words().assign(utility.words.begin(), utility.words.end());
  return KernelWork{{jit.get(*utility.text)->image(), utility.shape.grid, utility.shape.block, words()}, utility.text};
}

// Threads of a sweep's block: fewer than usual where more of the kernel's threads then fit at once, as they do when
// each has many registers. Values do not follow from it.
int threads_of(const std::shared_ptr<const device::GpuImage>& image, device::Gpu& gpu) {
  constexpr int kFew = 128, kUsual = 256;
  return kFew * gpu.occupancy(image, kFew) > kUsual * gpu.occupancy(image, kUsual) ? kFew : kUsual;
}

GpuWork prepare(const Instruction& instruction, const Launch& launch, const DeviceBody& body, device::Gpu& gpu,
                OutOfBoundsReports& reports) {
  const kernel::BodySource& text = *body.body->gpu;
  const auto rank = static_cast<std::size_t>(launch.rank);
  const auto& image = static_cast<const jit::DeviceKernel&>(*body.compiled).image();
  thread_local std::vector<kernel::BodyPlace> places;
  places.clear();
  for (std::size_t i = 0; i < launch.arrays.size(); ++i)
    places.push_back({launch.arrays[i], launch.chunk_step[i], body.ranges[i]});
  kernel::DeviceBodyCall call{text,       body.form, {launch.lo.data(), rank}, {launch.extent.data(), rank},
                              body.parts, places,    *launch.scalars};
  call.threads = threads_of(image, gpu);
  if (text.checked) {
    call.report = reports.record_of(gpu);
    call.task = instruction.name;
    call.file = instruction.where.file_name();
    call.line = instruction.where.line();
  }
  const kernel::DeviceShape shape = shape_of(call);
  pack_body_call(call, words());
  return KernelWork{{image, shape.grid, shape.block, words()}};
}

GpuWork prepare(const Launch& launch, const KernelCode& code, device::Gpu& gpu) {
  const auto rank = static_cast<std::size_t>(launch.rank);
  const auto& image = static_cast<const jit::DeviceKernel&>(*code.compiled).image();
  const kernel::DeviceCall call{*code.kernel,
                                *code.device,
                                {launch.lo.data(), rank},
                                {launch.extent.data(), rank},
                                {launch.chunk.data(), rank},
                                launch.arrays,
                                launch.chunk_step,
                                *launch.scalars,
                                threads_of(image, gpu)};
  const kernel::DeviceShape shape = shape_of(call);
  pack_device_call(call, words());
  return KernelWork{{image, shape.grid, shape.block, words()}, code.device->tiled ? nullptr : &code.compiled->source()};
}

// A box of at most two axes, the inner one without gaps, is a job for the copy engine.
std::optional<GpuCopy> copy_by_engine(const Copy& copy) {
  if (!is_large(copy) || copy.is_local) return std::nullopt;
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
    if (rows > 1) return std::nullopt;
    rows = copy.extent[a];
    from_pitch = copy.from.pitch[a];
    to_pitch = copy.to.pitch[a];
  }
  if (rows > 1 && (from_pitch < width || to_pitch < width)) return std::nullopt;
  return GpuCopy{copy.to.data,
                 copy.from.data,
                 static_cast<std::size_t>(width),
                 static_cast<std::size_t>(rows),
                 static_cast<std::size_t>(to_pitch),
                 static_cast<std::size_t>(from_pitch)};
}

GpuWork prepare(const Copy& copy, jit::DeviceJit& jit) {
  if (const auto engine = copy_by_engine(copy)) return *engine;
  return prepare(kernel::make_box_copy(copy.rank, copy.extent.data(), copy.itemsize,
                                       {copy.from.data, copy.from.pitch.data()}, {copy.to.data, copy.to.pitch.data()}),
                 jit);
}

GpuWork prepare(const FoldParts& fold, jit::DeviceJit& jit) {
  return prepare(kernel::make_part_fold(fold.fold, fold.dtype, !fold.start, fold.rank, fold.extent.data(), fold.parts,
                                        fold.part_count, {fold.to.data, fold.to.pitch.data()}),
                 jit);
}

GpuWork prepare(const Reshape& reshape, jit::DeviceJit& jit) {
  return prepare(kernel::make_reshape(reshape.itemsize, reshape.to_rank, reshape.to_extent.data(), reshape.lo.data(),
                                      reshape.hi.data(), {reshape.to.data, reshape.to.pitch.data()}, reshape.from_rank,
                                      reshape.from_extent.data(), {reshape.from.data, reshape.from.pitch.data()}),
                 jit);
}

// Of what is no launch.
GpuWork prepare_small(const Instruction& instruction, jit::DeviceJit& jit) {
  if (const auto* what = std::get_if<Copy>(&instruction.what)) return prepare(*what, jit);
  if (const auto* what = std::get_if<FoldParts>(&instruction.what)) return prepare(*what, jit);
  if (const auto flag = flag_of(instruction)) return *flag;
  const auto* what = std::get_if<Reshape>(&instruction.what);
  PILUM_CHECK(what, "an instruction that is not a GPU's");
  return prepare(*what, jit);
}

// `kept`: where launches are written down; null: they are issued.
void issue(const Instruction& instruction, const Launch& launch, const DeviceCall& call, device::Gpu& gpu,
           jit::DeviceJit& jit, OutOfBoundsReports& reports, WorkInTurn* kept) {
  const std::vector<detail::BoundStore> stores = bind_stores(launch, call);
  DeviceIssue issue{.gpu = gpu,
                    .stream = stream_of(instruction),
                    .jit = jit,
                    .report = reports.record_of(gpu),
                    .task = instruction.name,
                    .file = instruction.where.file_name(),
                    .line = instruction.where.line(),
                    .kept = kept};
  issue.scratch_bytes = call.scratch_bytes;
  if (call.scratch_bytes > 0) issue.scratch = reinterpret_cast<std::byte*>(launch.arrays.back().base);
  const NoRecording none("a task's body");
  call.body->issue({call.chunks.front().piece, stores.data(), launch.scalars->data()}, issue);
}

}  // namespace

// A large copy within a GPU goes beside what comes from others: an exchange of lines for columns is both.
device::Stream stream_of(const Instruction& instruction) {
  const auto* copy = std::get_if<Copy>(&instruction.what);
  if (copy && copy->is_local && is_large(*copy)) return Stream::Boundaries;
  if (copy || flag_of(instruction)) return Stream::Copies;
  const auto* launch = std::get_if<Launch>(&instruction.what);
  return launch && launch->boundary ? Stream::Boundaries : Stream::Compute;
}

GpuWork prepare(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit, OutOfBoundsReports& reports) {
  const auto* what = std::get_if<Launch>(&instruction.what);
  if (!what) return prepare_small(instruction, jit);
  if (const DeviceBody* body = what->body<DeviceBody>()) return prepare(instruction, *what, *body, gpu, reports);
  if (const DeviceCall* call = what->body<DeviceCall>()) {
    WorkInTurn kept;
    issue(instruction, *what, *call, gpu, jit, reports, &kept);
    return kept;
  }
  const KernelCode* code = what->kernel();
  PILUM_CHECK(code, "a body that only the host has is issued to a GPU");
  return prepare(*what, *code, gpu);
}

bool is_loaded(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit) {
  if (is_call(instruction)) return false;
  if (const auto* what = std::get_if<Launch>(&instruction.what)) {
    const DeviceBody* body = what->body<DeviceBody>();
    const jit::CompiledKernel& compiled = body ? *body->compiled : *what->kernel()->compiled;
    return gpu.has_loaded(static_cast<const jit::DeviceKernel&>(compiled).image());
  }
  const GpuWork work = prepare_small(instruction, jit);
  const auto* kernel = std::get_if<KernelWork>(&work);
  return !kernel || gpu.has_loaded(kernel->launch.image);
}

void issue(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit, OutOfBoundsReports& reports) {
  const Stream stream = stream_of(instruction);
  if (is_call(instruction)) {
    const auto& launch = std::get<Launch>(instruction.what);
    return issue(instruction, launch, *launch.body<DeviceCall>(), gpu, jit, reports, nullptr);
  }
  const GpuWork work = prepare(instruction, gpu, jit, reports);
  if (const auto* kernel = std::get_if<KernelWork>(&work)) return gpu.launch(stream, kernel->launch);
  if (const auto* flag = std::get_if<device::GpuFlag>(&work)) return gpu.tell(stream, *flag);
  gpu.copy(stream, std::get<GpuCopy>(work));
}

}  // namespace pilum::scheduler
