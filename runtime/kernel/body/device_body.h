// A user's body for GPUs: text of theirs, with a prelude before it and its call for every point behind it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pilum/detail/task_form.h"
#include "runtime/kernel/device/emit_device.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

using detail::BodyParameter;

// A body as its user wrote it, and what its task's CPU body takes, which it must take too.
struct BodySource {
  std::string name;  // of the task
  std::string text;
  std::vector<BodyParameter> parameters;
  bool checked = false;  // accesses are checked against what a point may touch
};

// How the cells that a point may touch follow from the point, along an axis of an array: the same ones for all; its own
// coordinate; or a window of some that moves with it.
struct BodyAxis {
  enum class Kind : std::uint8_t { Fixed, Own, Window };
  Kind kind = Kind::Fixed;
  std::int8_t of = 0;  // the domain's axis that it follows
  bool operator==(const BodyAxis&) const = default;
};

// What of the emitted text follows from a launch.
struct BodyForm {
  struct Array {
    std::vector<BodyAxis> axes;
    bool contiguous = false;  // along its last axis
    Fold fold = Fold::Sum;    // of Reduce
    bool operator==(const Array&) const = default;
  };
  int rank = 1;  // of the domain
  std::vector<Array> arrays;
  bool operator==(const BodyForm&) const = default;
};

// `extern "C" __global__ void pilum_kernel(const Words)`; the argument is what pack_body_call() fills. Without Reduce a
// thread calls the body for a point. With Reduce thread k of `parts` calls it for the points k, k + parts, … in this
// order, with private cells that it fills with the identity first: bits follow from the points and from `parts` alone.
[[nodiscard]] std::string emit_device_body(const BodySource& body, const BodyForm& form);

// What a body that is checked was refused first; in memory that device and host share. The device has a copy of this
// layout, in 64-bit words.
struct OutOfBoundsReport {
  static constexpr std::uint64_t kComplete = 2;  // 1: being written
  std::uint64_t state = 0;
  const char* task = nullptr;  // the words of the call, as they were given
  const char* file = nullptr;
  std::uint64_t line = 0;
  std::int64_t argument = 0, rank = 0;  // 0: an index, of an axis (or what stands for one) and its extent
  std::int64_t index[8] = {}, lo[8] = {}, hi[8] = {};
  std::uint64_t zero = 0, sink = 0;  // what is read and written instead
};

// The text of `OutOfBounds`, its layout; of `Refusal`, that and whose it is; and of the functions that report the first
// refusal: refuse<rank>(refusal, argument from 1, index, lo, hi), refuse_picked(refusal, index, axis, extent). It takes
// `i64` and `u64`.
[[nodiscard]] std::string refusal_text();

// What a point may touch along an axis: lo … hi of a fixed one; else extent cells from offset + scale * x on, clipped
// to 0 … size.
struct BodyRange {
  std::int64_t lo = 0, hi = 0;
  std::int64_t scale = 0, offset = 0, extent = 0, size = 0;
};

struct BodyPlace {
  BoundArray memory;           // bound at index 0 of the array, strides by its axes
  std::int64_t part_step = 0;  // bytes from one part's private cells to the next; of Reduce
  std::span<const BodyRange> ranges;
};

// A box of points to be run.
struct DeviceBodyCall {
  const BodySource& body;
  const BodyForm& form;
  std::span<const std::int64_t> lo, extent;
  std::int64_t parts = 0;             // 0: nothing is reduced
  std::span<const BodyPlace> places;  // by array
  std::span<const std::uint64_t> scalars;
  OutOfBoundsReport* report = nullptr;  // of a body that is checked: where it tells what it was refused, as whose
  const char* task = nullptr;
  const char* file = nullptr;
  std::uint64_t line = 0;
  int threads = 256;  // of a block, a power of two; values do not follow from it
};
[[nodiscard]] DeviceShape shape_of(const DeviceBodyCall& call);
// Replaces the contents of `words`.
void pack_body_call(const DeviceBodyCall& call, std::vector<std::uint64_t>& words);

// What is wrong with a body, and the remedy, from what its compiler said.
[[nodiscard]] std::string explain_refusal(const BodySource& body, const BodyForm& form, const std::string& log);

}  // namespace pilum::kernel
