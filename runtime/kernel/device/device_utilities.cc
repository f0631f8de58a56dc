#include "runtime/kernel/device/device_utilities.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "runtime/kernel/device/device_layout.h"
#include "runtime/kernel/device/device_prelude.h"
#include "runtime/kernel/host/host_expression.h"
#include "runtime/kernel/ir/op_facts.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {
namespace {

constexpr std::int64_t kMaxBlocks = 1 << 20;  // threads go on with stride
constexpr int kPartThreads = 1024;            // of a block that folds parts: often there is only this one
constexpr int kPartLoads = 4;                 // of a thread, in flight

// The text of a key, made once.
const std::string* intern(const std::string& key, const auto& make) {
  static std::mutex mutex;
  static std::map<std::string, std::string> texts;
  const std::lock_guard lock(mutex);
  auto& text = texts[key];
  if (text.empty()) text = make();
  return &text;
}

std::string cell_type(std::size_t itemsize) {
  return itemsize == 16 ? "Cell16" : itemsize == 8 ? "u64" : itemsize == 4 ? "u32" : itemsize == 2 ? "u16" : "u8";
}

void open_kernel(SourceText& text, const std::string& title, int words) {
  text.line("// ", title);
  text.raw(device_head());
  text.raw(device_types());
  text.raw(device_place());
  text.line("struct alignas(16) Cell16 { u64 x[2]; };");
  text.line("struct Words { i64 w[", words, "]; };");
  text.open("inline void run(const Words& call, const Place& my)");
}

void open_cells(SourceText& text, const std::string& count) {
  text.line("const i64 cells = ", count, ";");
  text.open(
      "for (i64 cell = my.block.x * (i64)my.threads.x + my.thread.x; cell < cells; cell += (i64)my.grid.x * "
      "my.threads.x)");
}

DeviceShape shape_for(std::int64_t cells) {
  DeviceShape shape;
  shape.block = {kDeviceThreads, 1, 1};
  shape.grid[0] = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((cells + kDeviceThreads - 1) / kDeviceThreads, 1, kMaxBlocks));
  return shape;
}

// extent[rank], from pitch[rank], to pitch[rank], from, to
// Cells are counted by `number`: a division of 64 bits takes as long as the cell itself.
std::string copy_text(int rank, std::size_t itemsize, const std::string& number) {
  SourceText text;
  open_kernel(text, join("copies a box of ", rank, " axes, cells of ", itemsize, " bytes"), 3 * rank + 2);
  std::string count = "1";
  for (int axis = 0; axis < rank; ++axis) count += join(" * call.w[", axis, "]");
  open_cells(text, count);
  text.line(number, " left = (", number, ")cell;");
  text.line("const char* from = (const char*)call.w[", 3 * rank, "];");
  text.line("char* to = (char*)call.w[", 3 * rank + 1, "];");
  for (int axis = rank - 1; axis >= 0; --axis) {
    const std::string extent = join("(", number, ")call.w[", axis, "]");
    text.line("const i64 x", axis, " = ", axis ? join("left % ", extent) : "left", ";");
    if (axis) text.line("left /= ", extent, ";");
    text.line("from += x", axis, " * call.w[", rank + axis, "];");
    text.line("to += x", axis, " * call.w[", 2 * rank + axis, "];");
  }
  const std::string type = cell_type(itemsize);
  text.line("*(", type, "*)to = *(const ", type, "*)from;");
  text.close();
  text.close();
  text.raw(device_entry());
  return text.take();
}

// extent[rank], to pitch[rank], to, parts, count
std::string fold_text(Fold fold, DType dtype, bool keep, int rank) {
  SourceText text;
  open_kernel(text, join(keep ? "folds into what is there: " : "folds ", name(fold), " of ", pilum::name(dtype)),
              2 * rank + 3);
  const std::string type = value_type(dtype), memory = memory_type(dtype);
  const auto folded = [&](const std::string& a, const std::string& b) {
    if (dtype == DType::Bool || fold <= Fold::Product)
      return binary_expression(fold_op(fold), dtype, Form::Scalar, a, b);
    const char* sign = fold == Fold::Minimum ? " <= " : " >= ";
    return join("(", a, sign, b, " || ", a, " != ", a, ") ? ", a, " : ", b);
  };
  text.line("__shared__ ", type, " team[", kPartThreads, "];");
  text.line("const ", type, " start = ", literal(dtype, identity(fold, dtype)), ";");
  std::string count = "1";
  for (int axis = 0; axis < rank; ++axis) count += join(" * call.w[", axis, "]");
  text.line("const i64 cells = ", count, ", parts = call.w[", 2 * rank + 2, "];");
  text.line("const int slot = my.thread.y * my.threads.x + my.thread.x;");
  text.open("for (i64 first = my.block.x * (i64)my.threads.y; first < cells; first += my.grid.x * (i64)my.threads.y)");
  text.line("const i64 cell = first + my.thread.y;");
  text.line(type, " value[", kPartLoads, "];");
  text.line("for (int k = 0; k < ", kPartLoads, "; ++k) value[k] = start;");
  text.open("if (cell < cells)");
  text.line("const ", memory, "* const from = (const ", memory, "*)call.w[", 2 * rank + 1, "] + cell;");
  text.line("const i64 members = my.threads.x;");
  text.line("i64 part = my.thread.x;");
  const auto fold_in = [&](const std::string& k, const std::string& number) {
    text.line("const ", type, " other = from[", number, " * cells]", dtype == DType::Bool ? " != 0" : "", ";");
    text.line("value[", k, "] = ", folded(join("value[", k, "]"), "other"), ";");
    text.close();
  };
  text.open("for (; part + ", kPartLoads - 1, " * members < parts; part += ", kPartLoads, " * members)");
  text.line("#pragma unroll");
  text.open("for (int k = 0; k < ", kPartLoads, "; ++k)");
  fold_in("k", "(part + k * members)");
  text.close();
  text.line("#pragma unroll 1");
  text.open("for (; part < parts; part += members)");
  fold_in("0", "part");
  text.close();
  for (int half = kPartLoads / 2; half; half /= 2) {
    text.line("for (int k = 0; k < ", half, "; ++k) value[k] = ", folded("value[k]", join("value[k + ", half, "]")),
              ";");
  }
  text.line("team[slot] = value[0];");
  text.line("__syncthreads();");
  text.open("for (int half = my.threads.x / 2; half; half /= 2)");
  text.open("if (my.thread.x < half)");
  text.line("const ", type, " mine = team[slot], other = team[slot + half];");
  text.line("team[slot] = ", folded("mine", "other"), ";");
  text.close();
  text.line("__syncthreads();");
  text.close();
  text.open("if (my.thread.x == 0 && cell < cells)");
  text.line("i64 left = cell;");
  text.line("char* to = (char*)call.w[", 2 * rank, "];");
  for (int axis = rank - 1; axis >= 0; --axis) {
    text.line("to += left % call.w[", axis, "] * call.w[", rank + axis, "];");
    text.line("left /= call.w[", axis, "];");
  }
  text.line("const ", type, " all = team[slot];");
  if (keep) text.line("const ", type, " there = *(", memory, "*)to", dtype == DType::Bool ? " != 0" : "", ";");
  text.line("*(", memory, "*)to = ", dtype == DType::Bool ? "(u8)(" : "(", keep ? folded("there", "all") : "all", ");");
  text.close();
  text.line("__syncthreads();");
  text.close();
  text.close();
  text.raw(device_entry());
  return text.take();
}

// to: extent[rank], lo[rank], hi[rank], pitch[rank]; from: extent[rank], pitch[rank]; to, from. Cells are numbered in
// 32 bits where there are few enough: their digits are most of the work.
std::string reshape_text(std::size_t itemsize, int to_rank, int from_rank, bool narrow) {
  SourceText text;
  const int from_words = 4 * to_rank, pointers = from_words + 2 * from_rank;
  open_kernel(text, join("reshapes ", from_rank, " axes to ", to_rank, ", cells of ", itemsize, " bytes"),
              pointers + 2);
  text.line("typedef ", narrow ? "unsigned" : "unsigned long", " count;");
  std::string cells = "1";
  for (int axis = 0; axis < to_rank; ++axis)
    cells += join(" * (call.w[", 2 * to_rank + axis, "] - call.w[", to_rank + axis, "])");
  open_cells(text, cells);
  text.line("count left = (count)cell, number = 0, weight = 1;");
  text.line("char* to = (char*)call.w[", pointers, "];");
  for (int axis = to_rank - 1; axis >= 0; --axis) {
    const std::string lo = join("(count)call.w[", to_rank + axis, "]");
    if (axis > 0) {
      text.line("const count n", axis, " = (count)call.w[", 2 * to_rank + axis, "] - ", lo, ";");
      text.line("const count q", axis, " = left / n", axis, ", x", axis, " = ", lo, " + (left - q", axis, " * n", axis,
                ");");
      text.line("left = q", axis, ";");
    } else {
      text.line("const count x0 = ", lo, " + left;");
    }
    text.line("to += (i64)x", axis, " * call.w[", 3 * to_rank + axis, "];");
    text.line("number += x", axis, " * weight;");
    if (axis > 0) text.line("weight *= (count)call.w[", axis, "];");
  }
  text.line("const char* from = (const char*)call.w[", pointers + 1, "];");
  for (int axis = from_rank - 1; axis > 0; --axis) {
    text.line("const count e", axis, " = (count)call.w[", from_words + axis, "], p", axis, " = number / e", axis, ";");
    text.line("from += (i64)(number - p", axis, " * e", axis, ") * call.w[", from_words + from_rank + axis, "];");
    text.line("number = p", axis, ";");
  }
  if (from_rank > 0) text.line("from += (i64)number * call.w[", from_words + from_rank, "];");
  const std::string type = cell_type(itemsize);
  text.line("*(", type, "*)to = *(const ", type, "*)from;");
  text.close();
  text.close();
  text.raw(device_entry());
  return text.take();
}

// A box's axes without those of one cell, neighbours merged where both sides lie evenly; cells as wide as they can be.
struct MergedCopy {
  std::vector<std::int64_t> extent, from, to;
  std::size_t itemsize;
};

MergedCopy merge(int rank, const std::int64_t* extent, std::size_t itemsize, const DeviceBox& from,
                 const DeviceBox& to) {
  MergedCopy merged{{}, {}, {}, itemsize};
  for (int axis = 0; axis < rank; ++axis) {
    if (extent[axis] == 1) continue;
    if (!merged.extent.empty() && merged.from.back() == from.pitch[axis] * extent[axis] &&
        merged.to.back() == to.pitch[axis] * extent[axis]) {
      merged.extent.back() *= extent[axis];
      merged.from.back() = from.pitch[axis];
      merged.to.back() = to.pitch[axis];
      continue;
    }
    merged.extent.push_back(extent[axis]);
    merged.from.push_back(from.pitch[axis]);
    merged.to.push_back(to.pitch[axis]);
  }
  if (merged.extent.empty()) {
    const auto size = static_cast<std::int64_t>(itemsize);
    merged = {{1}, {size}, {size}, itemsize};
  }
  const auto even = [&](std::int64_t size) {
    if (reinterpret_cast<std::uintptr_t>(from.data) % static_cast<std::uintptr_t>(size) ||
        reinterpret_cast<std::uintptr_t>(to.data) % static_cast<std::uintptr_t>(size))
      return false;
    for (std::size_t axis = 0; axis + 1 < merged.extent.size(); ++axis) {
      if (merged.from[axis] % size || merged.to[axis] % size) return false;
    }
    return true;
  };
  const auto size = static_cast<std::int64_t>(itemsize);
  if (merged.from.back() == size && merged.to.back() == size) {
    for (std::int64_t wide = 16; wide > size; wide /= 2) {
      const std::int64_t cells = wide / size;
      if (merged.extent.back() % cells || !even(wide)) continue;
      merged.extent.back() /= cells;
      merged.from.back() = merged.to.back() = wide;
      merged.itemsize = static_cast<std::size_t>(wide);
      break;
    }
  }
  return merged;
}

std::uint64_t word(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

void append(std::vector<std::uint64_t>& words, const std::int64_t* values, int count) {
  for (int i = 0; i < count; ++i) words.push_back(static_cast<std::uint64_t>(values[i]));
}

}  // namespace

DeviceUtility make_box_copy(int rank, const std::int64_t* extent, std::size_t itemsize, DeviceBox from, DeviceBox to) {
  const MergedCopy merged = merge(rank, extent, itemsize, from, to);
  const int axes = static_cast<int>(merged.extent.size());
  DeviceUtility utility;
  std::int64_t cells = 1;
  for (const std::int64_t n : merged.extent) cells *= n;
  const char* number = cells <= std::numeric_limits<std::int32_t>::max() ? "unsigned" : "i64";
  utility.text = intern(join("copy ", axes, " ", merged.itemsize, " ", number),
                        [&] { return copy_text(axes, merged.itemsize, number); });
  utility.shape = shape_for(cells);
  append(utility.words, merged.extent.data(), axes);
  append(utility.words, merged.from.data(), axes);
  append(utility.words, merged.to.data(), axes);
  utility.words.push_back(word(from.data));
  utility.words.push_back(word(to.data));
  return utility;
}

DeviceUtility make_part_fold(Fold fold, DType dtype, bool keep, int rank, const std::int64_t* extent, const void* parts,
                             std::int64_t count, DeviceBox to) {
  DeviceUtility utility;
  utility.text = intern(join("fold ", name(fold), " ", pilum::name(dtype), " ", keep, " ", rank),
                        [&] { return fold_text(fold, dtype, keep, rank); });
  std::int64_t cells = 1;
  for (int axis = 0; axis < rank; ++axis) cells *= extent[axis];
  std::uint32_t team = 1;
  while (team < kPartThreads && team < count) team *= 2;
  const std::uint32_t side = std::max<std::uint32_t>(kDeviceThreads / team, 1);
  utility.shape.block = {team, side, 1};
  utility.shape.grid[0] =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>((cells + side - 1) / side, 1, kMaxBlocks));
  append(utility.words, extent, rank);
  append(utility.words, to.pitch, rank);
  utility.words.push_back(word(to.data));
  utility.words.push_back(word(parts));
  utility.words.push_back(static_cast<std::uint64_t>(count));
  return utility;
}

DeviceUtility make_reshape(std::size_t itemsize, int to_rank, const std::int64_t* to_extent, const std::int64_t* lo,
                           const std::int64_t* hi, DeviceBox to, int from_rank, const std::int64_t* from_extent,
                           DeviceBox from) {
  DeviceUtility utility;
  std::int64_t cells = 1, all = 1;
  for (int axis = 0; axis < to_rank; ++axis) cells *= hi[axis] - lo[axis], all *= to_extent[axis];
  const bool narrow = all < std::int64_t{1} << 31;
  utility.text = intern(join("reshape ", itemsize, " ", to_rank, " ", from_rank, narrow ? "" : " wide"),
                        [&] { return reshape_text(itemsize, to_rank, from_rank, narrow); });
  utility.shape = shape_for(cells);
  append(utility.words, to_extent, to_rank);
  append(utility.words, lo, to_rank);
  append(utility.words, hi, to_rank);
  append(utility.words, to.pitch, to_rank);
  append(utility.words, from_extent, from_rank);
  append(utility.words, from.pitch, from_rank);
  utility.words.push_back(word(to.data));
  utility.words.push_back(word(from.data));
  return utility;
}

}  // namespace pilum::kernel
