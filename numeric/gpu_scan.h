// Scans of long lines on a GPU: one kernel that reads each cell once and writes it once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "pilum/detail/task_form.h"
#include "pilum/dtype.h"
#include "pilum/fold.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// Lines are folded in tiles, of 256 threads that have some cells each, and tiles in groups of 256. What stands before a
// cell is what the groups before come to, one after the other; the tiles of its group before, as a tree over all places
// of the group; the threads of its tile before, and the thread's cells. So the order, and with it the bits, is a
// function of the cell's place alone, whatever runs first. Tiles are taken in order, each tells its sum, and the last
// one of a group what stands before the next one: nobody waits for more than tiles that have begun before.
inline constexpr std::int64_t kScanThreads = 256, kScanGroup = 256;
// Cells of a tile, and of a thread of it.
[[nodiscard]] std::int64_t scan_tile(DType dtype);
[[nodiscard]] int scan_items(DType dtype);

// The kernel's text, written once a thread.
[[nodiscard]] const std::string& scan_text(Fold fold, DType dtype);
// That of the kernel that sets 64-bit words to 0: { first, count }.
[[nodiscard]] const std::string& clear_text();
// `Words`, of so many, and `Cell`.
[[nodiscard]] std::string words_text(DType dtype, int words);
// The same, with `none()` and `fold()`.
[[nodiscard]] std::string fold_text(Fold fold, DType dtype, int words);
// What kernels of tiles that know nothing of each other share: these, and how a tile of 256 threads by `items` is
// loaded and finds what its threads before come to.
[[nodiscard]] std::string one_tile_text(Fold fold, DType dtype, int words, int items);
// The same of tiles of one launch: how a tile finds what stands before it.
[[nodiscard]] std::string tile_text(Fold fold, DType dtype, int words, int items);

// Scratch memory of lines with so many tiles each. The first bytes are to be 0 when the kernel begins.
struct TileRoom {
  std::int64_t tiles = 0, groups = 0;  // of all lines
  TileRoom(std::int64_t lines, std::int64_t tiles_of_line);
  [[nodiscard]] std::int64_t cleared_words() const;
  [[nodiscard]] std::int64_t bytes() const;
};
// Sets the first 64-bit words of scratch memory to 0.
void clear_scratch(std::int64_t count, const scheduler::DeviceIssue& where);

// As scan_lines(), of its form: stores are the result and the array, whose last axis is the lines'.
void issue_scan(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                const scheduler::DeviceIssue& where);
[[nodiscard]] std::int64_t scan_scratch(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch,
                                        const Rect& points);

// The same of lines that lie side by side, and of rows that are not long: a thread goes along a block of one, in the
// order of the body on the host, so that with few lines, too, all threads are busy. First what each block comes to,
// then what stands before it, then the cells; where a line is one block these alone. Of rows blocks of threads read
// squares.
void issue_block_scan(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                      const scheduler::DeviceIssue& where);
[[nodiscard]] std::int64_t block_scan_scratch(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch,
                                              const Rect& points);
// The text of its steps 0, 1, 2, written once a thread.
[[nodiscard]] const std::string& column_scan_text(Fold fold, DType dtype, int step);
// That of its steps 0 and 2 for rows.
[[nodiscard]] const std::string& row_scan_text(Fold fold, DType dtype, bool writes);

// Lines that are cut among GPUs, in the order of issue_scan(), with its bits: what each tile comes to, then what each
// group of these does, and, the groups' results one after the other (a line by itself), the cells. Forms and stores are
// those of fold_blocks() with blocks of a tile, fold_blocks() with blocks of a group, and scan_tiles().
void issue_fold_tiles(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                      const scheduler::DeviceIssue& where);
void issue_fold_groups(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                       const scheduler::DeviceIssue& where);
void issue_scan_tiles(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                      const scheduler::DeviceIssue& where);
// Their texts, written once a thread.
enum class CutScanStep : std::uint8_t { Tiles, Groups, Cells };
[[nodiscard]] const std::string& cut_scan_text(Fold fold, DType dtype, CutScanStep step);

}  // namespace pilum::numeric
