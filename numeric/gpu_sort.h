// Lines sorted on a GPU, digit by digit.
#pragma once

#include <cstdint>
#include <span>

#include "pilum/detail/task_form.h"
#include "pilum/dtype.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// By the least digit first, of 8 bits, each pass keeping the order of the one before (Knuth 5.2.5), so equal cells keep
// theirs. Short lines are sorted by one block each, or several by one. Of long ones a launch counts all digits, and a
// pass reads each cell once and writes it once ("onesweep": Adinets and Merrill, 2022): tiles are put in order in
// shared memory and go to where the digits of tiles before end, which these tell. Lines are sorted together, up to so
// many cells at a time.
inline constexpr std::int64_t kSortedAtOnce = std::int64_t{1} << 25;

// Whether lines of so many cells are sorted there.
[[nodiscard]] bool sorts_on_gpu(DType dtype, bool places, std::int64_t cells);

// Of the form { dtype, whether places are wanted, whether the result's cells of a line lie side by side }: stores are
// the result and the array, whose last axis is the lines'.
void issue_sort(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                const scheduler::DeviceIssue& where);
// Another copy of the keys that are sorted at once, and of their places; two where the result is none.
[[nodiscard]] std::int64_t sort_scratch(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch,
                                        const Rect& points);

// Where the keys stand in their order, equal ones in that of the line: one line of at most 2^32 - 1, of an unsigned
// dtype, that lie side by side, as do the places. `where.scratch`: order_scratch() bytes.
void issue_order(DType dtype, std::int64_t count, const void* keys, void* places, const scheduler::DeviceIssue& where);
[[nodiscard]] std::int64_t order_scratch(DType dtype, std::int64_t count);

}  // namespace pilum::numeric
