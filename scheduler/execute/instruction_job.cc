#include "scheduler/execute/instruction_job.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/check.h"
#include "runtime/base/dtype_visit.h"
#include "scheduler/execute/body_run.h"
#include "scheduler/execute/reshape_run.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {
namespace {

// The call of one chunk, its arrays bound in `arrays`. False: there is no such chunk.
bool bind(const Launch& launch, std::int64_t number, kernel::KernelCall& call, kernel::BoundArray* arrays) {
  call = {};
  std::copy(launch.arrays.begin(), launch.arrays.end(), arrays);
  std::int64_t left = number;
  for (int axis = launch.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t along = (launch.extent[a] + launch.chunk[a] - 1) / launch.chunk[a];
    const std::int64_t begin = left % along * launch.chunk[a];
    left /= along;
    call.lo[a] = launch.lo[a] + begin;
    call.extent[a] = std::min(launch.chunk[a], launch.extent[a] - begin);
    for (std::size_t i = 0; i < launch.arrays.size(); ++i) arrays[i].base += begin * arrays[i].stride[a];
  }
  for (std::size_t i = 0; i < launch.chunk_step.size(); ++i) arrays[i].base += number * launch.chunk_step[i];
  call.arrays = arrays;
  call.scalars = launch.scalars->data();
  return left == 0;
}

void run(const Launch& launch, const KernelCode& code, std::int64_t number) {
  constexpr std::size_t kFewArrays = 32;
  std::array<kernel::BoundArray, kFewArrays> few;
  thread_local std::vector<kernel::BoundArray> many;  // kept: to run what is planned takes no memory
  const std::size_t arrays = launch.arrays.size(), needed = arrays * static_cast<std::size_t>(launch.together);
  if (needed > kFewArrays) many.resize(std::max(many.size(), needed));
  kernel::BoundArray* const bound = needed > kFewArrays ? many.data() : few.data();
  std::array<kernel::KernelCall, kernel::kMostCallsTogether> calls;
  std::int64_t count = 0;
  while (count < launch.together) {
    const auto c = static_cast<std::size_t>(count);
    if (!bind(launch, number * launch.together + count, calls[c], bound + c * arrays)) break;
    ++count;
  }
  calls[0].more = count - 1;
  static_cast<const jit::HostKernel&>(*code.compiled).function()(calls.data());
}

void run(const Launch& launch, std::int64_t number) {
  if (const HostBody* body = launch.body<HostBody>()) return run_body(launch, *body, number);
  const KernelCode* code = launch.kernel();
  PILUM_CHECK(code, "a body for GPUs is run by the host");
  run(launch, *code, number);
}

// Copies extent[axis..] of a box; inner axes that lie without gaps on both sides go at once.
void copy_box(std::byte* to, const Extents& to_pitch, const std::byte* from, const Extents& from_pitch,
              const Extents& extent, int axis, int rank, std::int64_t run, int run_axis) {
  if (axis == run_axis) {
    std::memcpy(to, from, static_cast<std::size_t>(run));
    return;
  }
  const auto a = static_cast<std::size_t>(axis);
  for (std::int64_t i = 0; i < extent[a]; ++i) {
    copy_box(to + i * to_pitch[a], to_pitch, from + i * from_pitch[a], from_pitch, extent, axis + 1, rank, run,
             run_axis);
  }
}

void run(const Copy& copy, std::int64_t number) {
  const std::int64_t chunks = count_chunks(copy);
  const std::int64_t begin = copy.extent[0] * number / chunks;
  const std::int64_t end = copy.extent[0] * (number + 1) / chunks;
  if (begin == end) return;
  Extents extent = copy.extent;
  extent[0] = end - begin;
  auto run_bytes = static_cast<std::int64_t>(copy.itemsize);
  int run_axis = copy.rank;
  while (run_axis > 0) {
    const auto a = static_cast<std::size_t>(run_axis - 1);
    if (extent[a] != 1 && (copy.from.pitch[a] != run_bytes || copy.to.pitch[a] != run_bytes)) break;
    run_bytes *= extent[a];
    --run_axis;
  }
  copy_box(copy.to.data + begin * copy.to.pitch[0], copy.to.pitch, copy.from.data + begin * copy.from.pitch[0],
           copy.from.pitch, extent, 0, copy.rank, run_bytes, run_axis);
}

template <class T>
T combine(kernel::Fold fold, T a, T b) {
  switch (fold) {
    case kernel::Fold::Sum:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      return static_cast<T>(a + b);
    case kernel::Fold::Product:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      return static_cast<T>(a * b);
    case kernel::Fold::Minimum: return a <= b || a != a ? a : b;
    default: return a >= b || a != a ? a : b;
  }
}

template <class T>
void fold_parts(const FoldParts& fold) {
  std::int64_t cells = 1;
  for (int axis = 0; axis < fold.rank; ++axis) cells *= fold.extent[static_cast<std::size_t>(axis)];
  T start;
  const std::uint64_t bits = kernel::identity(fold.fold, fold.dtype);
  std::memcpy(static_cast<void*>(&start), &bits, sizeof start);
  const auto row = fold.extent[static_cast<std::size_t>(fold.rank - 1)];
  const auto last = static_cast<std::size_t>(fold.rank - 1);
  const std::int64_t step = fold.to.pitch[last];
  for (std::int64_t first = 0; first < cells; first += row) {
    std::byte* to = fold.to.data;
    std::int64_t left = first / std::max<std::int64_t>(row, 1);
    for (int axis = fold.rank - 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      to += left % fold.extent[a] * fold.to.pitch[a];
      left /= fold.extent[a];
    }
    for (std::int64_t i = 0; i < row; ++i) {
      T value;
      std::memcpy(&value, to + i * step, sizeof value);
      if (fold.start) value = start;
      for (std::int64_t part = 0; part < fold.part_count; ++part) {
        T other;
        std::memcpy(&other, fold.parts + static_cast<std::size_t>(part * cells + first + i) * sizeof(T), sizeof other);
        value = combine(fold.fold, value, other);
      }
      std::memcpy(to + i * step, &value, sizeof value);
    }
  }
}

void run(const FoldParts& fold) {
  visit_real_dtype(fold.dtype, [&]<class T>(T) {
    return fold_parts<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>(fold);
  });
}

}  // namespace

void run_chunk(const Instruction& instruction, std::int64_t chunk) {
  if (const auto* launch = std::get_if<Launch>(&instruction.what)) return run(*launch, chunk);
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) return run(*copy, chunk);
  if (const auto* fold = std::get_if<FoldParts>(&instruction.what)) return run(*fold);
  if (const auto* reshape = std::get_if<Reshape>(&instruction.what)) return run_reshape(*reshape, chunk);
  const auto* call = std::get_if<HostCall>(&instruction.what);
  PILUM_CHECK(call, "an instruction that is no work");
  call->run();
}

void wait_for_code(const Instruction& instruction) {
  const auto* launch = std::get_if<Launch>(&instruction.what);
  const KernelCode* code = launch ? launch->kernel() : nullptr;
  if (code && !code->device) static_cast<void>(static_cast<const jit::HostKernel&>(*code->compiled).function());
}

}  // namespace pilum::scheduler
