// The argument:
//
//   | count | for each launch: end, text, first word, grid[3], block[3] | words of launch 0 | words of launch 1 | … |
//
// end: the blocks of the launches up to here. A block looks for its launch, and takes the place in it that it would
// have if it were alone. Threads beyond the launch's own end at once.
#include "runtime/kernel/device/device_bundle.h"

#include <cstdlib>
#include <string_view>

#include "runtime/base/check.h"
#include "runtime/kernel/device/device_prelude.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {
namespace {

// What a text has before its entry.
std::string_view body_of(const std::string& text) {
  const std::size_t entry = text.rfind(device_entry());
  PILUM_CHECK(entry != std::string::npos, "a text without the usual entry");
  return std::string_view(text).substr(0, entry);
}

}  // namespace

bool fits_a_bundle(const std::string& text, const DeviceShape& shape) {
  const std::uint32_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (!text.ends_with(device_entry())) return false;
  if (threads == kBundleThreads) return shared_cells(text) <= kBundleSharedCells;
  return threads < kBundleThreads && text.find("__syncthreads") == std::string::npos;
}

std::size_t shared_cells(const std::string& text) {
  constexpr std::string_view kShared = "__shared__ ";
  std::size_t cells = 0;
  for (std::size_t at = text.find(kShared); at != std::string::npos; at = text.find(kShared, at + 1)) {
    std::size_t count = 1;
    for (std::size_t extent = text.find('[', at), end = text.find(';', at); extent < end;
         extent = text.find('[', extent + 1))
      count *= std::strtoul(text.c_str() + extent + 1, nullptr, 10);
    cells += count;
  }
  return cells;
}

std::string emit_bundle(std::span<const std::string* const> texts, std::size_t words) {
  SourceText text;
  text.line("// ", texts.size(), " kernels side by side");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    text.line("namespace kernel", i, " {");
    text.raw(body_of(*texts[i]));
    text.line("}  // namespace kernel", i);
  }
  text.line("namespace {");
  text.raw(device_place());
  text.line("struct Words { long w[", words, "]; };");
  text.open("inline void run(const Words& call, const Place& my)");
  text.line("const long* launch = call.w + ", kBundleHead, ";");
  text.line("unsigned block = my.block.x;");
  text.open("for (unsigned first = 0; my.block.x >= (unsigned)launch[0]; launch += ", kBundleRecord, ")");
  text.line("first = (unsigned)launch[0];");
  text.line("block = my.block.x - first;");
  text.close();
  text.line("const unsigned grid0 = (unsigned)launch[3], grid1 = (unsigned)launch[4], grid2 = (unsigned)launch[5];");
  text.line("const unsigned block0 = (unsigned)launch[6], block1 = (unsigned)launch[7], block2 = (unsigned)launch[8];");
  text.line("const unsigned thread = my.thread.x, row = thread / block0;");
  text.line("if (row >= block1 * block2) return;");
  text.line("const unsigned strip = block / grid0;");
  text.line("const void* const words = call.w + launch[2];");
  text.open("switch (launch[1])");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    text.line("case ", i, ":");
    text.line("  kernel", i, "::run(*(const kernel", i, "::Words*)words,");
    text.line("               {{block % grid0, strip % grid1, strip / grid1}, {grid0, grid1, grid2},");
    text.line("                {thread % block0, row % block1, row / block1}, {block0, block1, block2}});");
    text.line("  break;");
  }
  text.close();
  text.close();
  text.line("}  // namespace");
  text.raw(device_entry());
  return text.take();
}

DeviceShape pack_bundle(std::span<const BundledLaunch> launches, std::size_t size, std::vector<std::uint64_t>& words) {
  words.clear();
  words.reserve(size);
  words.push_back(launches.size());
  std::uint64_t end = 0;
  std::size_t first = kBundleHead + kBundleRecord * launches.size();
  for (const BundledLaunch& launch : launches) {
    const DeviceShape& shape = launch.shape;
    end += std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    words.insert(words.end(), {end, static_cast<std::uint64_t>(launch.text), first});
    words.insert(words.end(), shape.grid.begin(), shape.grid.end());
    words.insert(words.end(), shape.block.begin(), shape.block.end());
    first += launch.words.size();
  }
  for (const BundledLaunch& launch : launches) words.insert(words.end(), launch.words.begin(), launch.words.end());
  PILUM_CHECK(words.size() <= size, "{} words of {}", words.size(), size);
  words.resize(size);
  DeviceShape shape;
  shape.grid[0] = static_cast<std::uint32_t>(end);
  shape.block[0] = kBundleThreads;
  return shape;
}

}  // namespace pilum::kernel
