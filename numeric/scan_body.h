// The bodies on the host of what accumulates along an axis.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/library_task.h"
#include "pilum/fold.h"

namespace pilum::numeric {

// Cells are folded one after the other in blocks of so many, and so are the blocks' results: the order, and with it the
// bits, is a function of a cell's place alone.
constexpr std::int64_t kScanBlock = 1024;
// From so many cells along the axis on it is worth reading them twice to share them out.
constexpr std::int64_t kScanCutFrom = 65'536;

// What a body is told: how cells are folded, the axis of the domain that it goes along, and a block's cells.
[[nodiscard]] LibraryBody::Form scan_form(Fold fold, DType dtype, int axis, std::int64_t block);

// Each point of the domain has a line of cells: the last axis of both arrays, which the domain has not. Stores: the
// result, the array.
void scan_lines(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);
// The same of products of complex numbers, whose lines are in one block: the form is the dtype.
void multiply_lines(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);
// Each point is a block. Stores: what its cells come to, the array.
void fold_blocks(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);
// Each point is a cell. Stores: the result; the array, from a block before the piece on; what all blocks up to each
// come to.
void scan_cells(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);
// Each point is a cell, as where GPUs share a line (gpu_scan.h). Stores: the result; the array, from a tile before the
// piece on; what all tiles come to; what all groups of 256 of them up to each come to.
void scan_tiles(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

}  // namespace pilum::numeric
