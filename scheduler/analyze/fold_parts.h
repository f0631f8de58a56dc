// Sums over an array that is computed in parts.
#pragma once

#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// `w[all] = 4.0 * p; w(slice(1, {})) -= p(slice(0, -1)); …; np::sum(p * w)`: the updates are cut where they differ
// (shared_domain.h), and the sum's domain is neither the shared part nor a rim, so it reads both arrays again. It
// becomes the sum over the shared part, which that part's task computes with its cells, and those over the rims.
//
// Of sums over all axes of values that are computed cell by cell from such an array and nobody else reads, where the
// bytes that are saved take longer than some launches. On several ranks the parts' sums go across them together
// (plan/sum_batches.h). Empty: there is nothing to cut.
[[nodiscard]] Rewritten fold_in_parts(const WindowOperations& window, std::vector<WindowStore>& stores,
                                      const machine::Machine& machine);

// It is such a sum, which may become those over parts of its points.
[[nodiscard]] bool is_sum_of_parts(const Operation& operation, const machine::Machine& machine);
// The same cells without axes of one; of a single cell along one that nothing follows.
[[nodiscard]] View without_single_axes(const View& view);
// What adds two sums of parts up, for the operation that sums all.
[[nodiscard]] Operation addition_of(const Operation& sum, const View& first, const View& second, const View& to);

}  // namespace pilum::scheduler
