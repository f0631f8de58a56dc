#include "scheduler/memo/wavefront.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "runtime/base/ancestors.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {
namespace {

// Bytes that a strip of the largest launch touches.
constexpr std::int64_t kLeastStrip = 64 << 10, kMostStrip = 1 << 20;
constexpr std::int64_t kLeastRows = 8;  // of a track
constexpr std::int64_t kMostPieces = 32768;
constexpr std::int64_t kCellsOfALine = 64;  // a multiple of what a line of the cache, or a vector, holds
constexpr std::int64_t kFarCell = 64;       // bytes: cells that are farther apart are a column's

// Bytes of a slot, from the first that is touched to the last.
struct Span {
  int slot = 0;
  std::int64_t lo = 0, hi = 0;
  bool write = false;
  std::int64_t bytes() const { return hi - lo; }
};

// Of a box of memory, by the distances between its cells.
Span span_of(int slot, const void* base, const std::int64_t* stride, const std::int64_t* extent, int rank,
             std::size_t itemsize, bool write) {
  const auto first = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base));
  Span span{slot, first, first + static_cast<std::int64_t>(itemsize), write};
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t far = stride[axis] * (extent[axis] - 1);
    (far < 0 ? span.lo : span.hi) += far;
  }
  return span;
}

// The host's launch of a kernel without folds: its points may be cut anywhere.
bool is_plain(const Launch& launch) {
  const KernelCode* code = launch.kernel();
  return code && !code->device && code->kernel && code->kernel->accumulations.empty() &&
         launch.arrays.size() == code->kernel->arrays.size();
}

// The axis that a launch is cut along: the outermost of several points.
std::size_t cut_axis(const Launch& launch) {
  std::size_t axis = 0;
  while (axis + 1 < static_cast<std::size_t>(launch.rank) && launch.extent[axis] == 1) ++axis;
  return axis;
}
std::int64_t rows_of(const Launch& launch) {
  return launch.extent[cut_axis(launch)];
}

// What a launch touches, by array, of its points from `begin` to `end` along the axis that it is cut along.
class LaunchSpans {
 public:
  LaunchSpans(const Launch& launch, std::span<const int> slots)
      : launch_(launch), slots_(slots), reaches_(launch.arrays.size()) {
    for (const kernel::Node& node : launch.kernel()->kernel->nodes) {
      if (node.op != kernel::Op::Load) continue;
      const auto i = static_cast<std::size_t>(node.argument);
      std::int64_t offset = 0;
      for (std::size_t k = 0; k < node.offset.size(); ++k) offset += node.offset[k] * launch.arrays[i].pitch[k];
      reaches_[i].before = std::min(reaches_[i].before, offset);
      reaches_[i].behind = std::max(reaches_[i].behind, offset);
    }
  }

  std::vector<Span> of(std::int64_t begin, std::int64_t end) const {
    const std::vector<kernel::ArrayArgument>& arguments = launch_.kernel()->kernel->arrays;
    Extents extent = launch_.extent;
    const std::size_t axis = cut_axis(launch_);
    extent[axis] = end - begin;
    std::vector<Span> spans;
    spans.reserve(launch_.arrays.size());
    for (std::size_t i = 0; i < launch_.arrays.size(); ++i) {
      const kernel::BoundArray& array = launch_.arrays[i];
      Span& span =
          spans.emplace_back(span_of(slots_[i], array.base, array.stride, extent.data(), launch_.rank,
                                     itemsize(arguments[i].dtype), arguments[i].access != kernel::Access::Read));
      span.lo += begin * array.stride[axis] + reaches_[i].before;
      span.hi += begin * array.stride[axis] + reaches_[i].behind;
    }
    return spans;
  }

 private:
  // Bytes that are read before and behind the points'.
  struct Reach {
    std::int64_t before = 0, behind = 0;
  };
  const Launch& launch_;
  std::span<const int> slots_;
  std::vector<Reach> reaches_;
};

// None: nobody knows, so all pieces of what it comes after are waited for, and all of what comes after it wait.
std::optional<std::vector<Span>> spans_of(const Instruction& instruction, std::span<const int> slots) {
  if (const auto* launch = std::get_if<Launch>(&instruction.what)) {
    if (!is_plain(*launch)) return {};
    return LaunchSpans(*launch, slots).of(0, rows_of(*launch));
  }
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) {
    const auto span = [&](std::size_t touch, const Strided& box, bool write) {
      return span_of(slots[touch], box.data, box.pitch.data(), copy->extent.data(), copy->rank, copy->itemsize, write);
    };
    return std::vector{span(0, copy->from, false), span(1, copy->to, true)};
  }
  const auto message = [&](const auto& one, bool write) -> std::optional<std::vector<Span>> {
    if (one.items || one.flag || one.shared) return {};
    const std::int64_t byte = 1, extent = static_cast<std::int64_t>(std::max<std::size_t>(one.bytes, 1));
    return std::vector{span_of(slots[0], one.data, &byte, &extent, 1, 1, write)};
  };
  if (const auto* send = std::get_if<Send>(&instruction.what)) return message(*send, false);
  if (const auto* receive = std::get_if<Receive>(&instruction.what)) return message(*receive, true);
  return {};
}

class Wavefront {
 public:
  Wavefront(std::span<const SlottedInstruction> items, const WavefrontMachine& machine, int tracks)
      : items_(items), machine_(machine), tracks_(tracks) {}

  std::vector<Batch> make() {
    if (!find_sweeps()) return {};
    cut();
    if (goes_by_turns()) return {};
    connect();
    if (!pays()) return {};
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (parts_[i].is_cut) change(i);
    }
    return order();
  }

 private:
  struct PieceSpan {
    std::int64_t lo = 0, hi = 0;
    bool write = false;
    int piece = 0;
  };
  // What an item's pieces touch of a slot, by where that begins.
  struct SlotUse {
    bool write = false;
    std::int64_t longest = 0;
    std::vector<PieceSpan> spans;
  };
  // An instruction. One that is cut has a piece for each strip of each track, all others have one.
  struct Part {
    bool is_cut = false;
    bool is_sweep = false;  // touches about as much as the largest one
    std::optional<std::vector<Span>> spans;
    std::int64_t bytes = 0;
    std::int64_t rows = 0;  // of a strip
    int first = 0, count = 0;
    std::unordered_map<int, SlotUse> uses;  // by slot
    std::int64_t lag = 0;                   // its strip k goes at the time k + lag
  };
  struct Piece {
    int part = 0;
    std::int64_t strip = 0;  // on its track
    int track = -1;
    std::int64_t chunk = 0;
    std::vector<int> after;
  };

  const Launch* launch_of(std::size_t i) const { return std::get_if<Launch>(&items_[i].instruction->what); }

  // False where the arrays stay in the caches anyway, or are swept once.
  bool find_sweeps() {
    std::int64_t longest = 0, most_bytes = 0, all_bytes = 0;
    std::unordered_map<int, std::int64_t> of_slot;
    std::vector<std::int64_t> longest_of(items_.size(), 0);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Instruction& instruction = *items_[i].instruction;
      Part& part = parts_.emplace_back();
      part.spans = spans_of(instruction, items_[i].slots);
      if (!part.spans) continue;
      part.bytes = bytes_touched(instruction);
      most_bytes = std::max(most_bytes, part.bytes);
      for (const Span& span : *part.spans) {
        longest_of[i] = std::max(longest_of[i], span.bytes());
        std::int64_t& bytes = of_slot[span.slot];
        all_bytes += std::max<std::int64_t>(span.bytes() - bytes, 0);
        bytes = std::max(bytes, span.bytes());
      }
      longest = std::max(longest, longest_of[i]);
    }
    if (all_bytes <= machine_.cache_bytes) return false;
    // Columns are cut as well: they are everywhere in memory.
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Part& part = parts_[i];
      const Launch* launch = launch_of(i);
      part.is_cut = part.spans && launch && 2 * longest_of[i] >= longest && rows_of(*launch) >= kLeastRows * tracks_;
      part.is_sweep = part.is_cut && 4 * part.bytes >= most_bytes;
      if (!part.is_sweep) continue;
      if (sweeps_ == 0 || part.bytes > parts_[largest_].bytes) largest_ = i;
      ++sweeps_;
    }
    return sweeps_ >= 2;
  }

  // Strips of all sweeps, one behind the other, are to be in the caches at once.
  void cut() {
    const std::int64_t cuts = std::ranges::count(parts_, true, &Part::is_cut);
    const std::int64_t room = machine_.cache_bytes / (2 * (sweeps_ + 1) * tracks_);
    const std::int64_t bytes = std::clamp(room, std::min(kLeastStrip, machine_.cache_bytes / 64), kMostStrip);
    const std::int64_t most = std::max<std::int64_t>(kMostPieces / (cuts * tracks_), 1);
    const std::int64_t wanted =
        std::clamp<std::int64_t>(parts_[largest_].bytes / std::max<std::int64_t>(bytes * tracks_, 1), 1, most);
    const std::int64_t extent = rows_of(*launch_of(largest_));
    const std::int64_t rows = (extent + tracks_ * wanted - 1) / (tracks_ * wanted);
    strips_ = (extent + tracks_ * rows - 1) / (tracks_ * rows);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Part& part = parts_[i];
      part.first = static_cast<int>(pieces_.size());
      if (part.is_cut) {
        cut(i, rows, extent);
      } else {
        add_piece(i, {.part = static_cast<int>(i)}, part.spans.value_or(std::vector<Span>()));
      }
      part.count = static_cast<int>(pieces_.size()) - part.first;
      for (auto& [slot, use] : part.uses) std::ranges::sort(use.spans, {}, &PieceSpan::lo);
    }
  }

  // Whole passes that walk strands, or planes of which a strip has too few to go together, take less than strips in
  // order: a core's prefetchers are busy with several pages then, and what strips find in the last cache comes as late.
  bool goes_by_turns() const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].is_sweep) continue;
      const kernel::Walk walk = launch_of(i)->kernel()->walk;
      const bool has_few_planes = walk == kernel::Walk::Planes && parts_[i].rows < kernel::kPlanesTogether;
      if (walk != kernel::Walk::Strands && !has_few_planes) return false;
    }
    return true;
  }

  // Into strips that are as much of it as `rows` are of `extent`.
  void cut(std::size_t i, std::int64_t rows, std::int64_t extent) {
    Part& part = parts_[i];
    const Launch& launch = *launch_of(i);
    const LaunchSpans spans(launch, items_[i].slots);
    const std::int64_t own = rows_of(launch);
    const std::size_t axis = cut_axis(launch);
    part.rows = std::max<std::int64_t>((rows * own + extent / 2) / extent, 1);
    const bool is_along_memory = std::ranges::all_of(
        launch.arrays, [axis](const kernel::BoundArray& array) { return std::abs(array.stride[axis]) <= kFarCell; });
    if (axis + 1 == static_cast<std::size_t>(launch.rank) && is_along_memory)
      part.rows = (part.rows + kCellsOfALine - 1) / kCellsOfALine * kCellsOfALine;
    const std::int64_t chunks = (own + part.rows - 1) / part.rows;
    for (int track = 0; track < tracks_; ++track) {
      const std::int64_t begin = track * chunks / tracks_, end = (track + 1) * chunks / tracks_;
      for (std::int64_t strip = 0; strip < end - begin; ++strip) {
        const std::int64_t chunk = is_backwards(track) ? end - 1 - strip : begin + strip;
        const std::int64_t first = chunk * part.rows;
        add_piece(i, {static_cast<int>(i), strip, track, chunk, {}}, spans.of(first, std::min(first + part.rows, own)));
      }
    }
  }

  bool is_backwards(int track) const { return (machine_.rank * tracks_ + track) % 2 == 1; }

  void add_piece(std::size_t i, Piece piece, const std::vector<Span>& spans) {
    for (const Span& span : spans) {
      SlotUse& use = parts_[i].uses[span.slot];
      use.write = use.write || span.write;
      use.longest = std::max(use.longest, span.bytes());
      use.spans.push_back({span.lo, span.hi, span.write, static_cast<int>(pieces_.size())});
    }
    pieces_.push_back(std::move(piece));
  }

  // What each piece comes after, and so how far behind the first launch each stays.
  void connect() {
    Ancestors ancestors(items_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part& later = parts_[i];
      for (const int before : items_[i].after) ancestors.add(i, static_cast<std::size_t>(before));
      for (std::size_t before = 0; before < i; ++before) {
        if (ancestors.has(i, before)) connect(parts_[before], later);
      }
      for (int p = later.first; p < later.first + later.count; ++p) {
        std::vector<int>& after = pieces_[static_cast<std::size_t>(p)].after;
        std::ranges::sort(after);
        after.erase(std::unique(after.begin(), after.end()), after.end());
        for (const int q : after) later.lag = std::max(later.lag, time_of(q) - piece(p).strip);
      }
    }
  }

  void connect(const Part& earlier, const Part& later) {
    if (!earlier.spans || !later.spans) {
      for (int p = later.first; p < later.first + later.count; ++p) {
        for (int q = earlier.first; q < earlier.first + earlier.count; ++q) comes_after(p, q);
      }
      return;
    }
    for (const auto& [slot, use] : later.uses) {
      const auto found = earlier.uses.find(slot);
      if (found == earlier.uses.end() || !(use.write || found->second.write)) continue;
      const std::vector<PieceSpan>& before = found->second.spans;
      for (const PieceSpan& one : use.spans) {
        auto other = std::ranges::lower_bound(before, one.lo - found->second.longest, {}, &PieceSpan::lo);
        for (; other != before.end() && other->lo < one.hi; ++other) {
          if (one.lo < other->hi && (one.write || other->write)) comes_after(one.piece, other->piece);
        }
      }
    }
  }

  void comes_after(int p, int q) { pieces_[static_cast<std::size_t>(p)].after.push_back(q); }
  const Piece& piece(int p) const { return pieces_[static_cast<std::size_t>(p)]; }
  const Part& part_of(int p) const { return parts_[static_cast<std::size_t>(piece(p).part)]; }
  std::int64_t time_of(int p) const { return piece(p).strip + part_of(p).lag; }

  // A sweep gains where it finds in the caches what one a few strips before it has touched.
  bool pays() const {
    constexpr std::int64_t kFewStrips = 8;
    std::int64_t all = 0, found = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (!part.is_sweep) continue;
      for (const Span& span : *part.spans) {
        all += span.bytes();
        const bool is_near =
            std::any_of(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(i), [&](const Part& other) {
              return other.is_sweep && std::abs(part.lag - other.lag) <= std::min(kFewStrips, strips_ / 4) &&
                     other.uses.contains(span.slot);
            });
        found += is_near ? span.bytes() : 0;
      }
    }
    return 4 * found >= all;
  }

  // Its chunks are its strips, and what others find in the caches is not written past them.
  void change(std::size_t i) {
    Launch& launch = std::get<Launch>(items_[i].instruction->what);
    launch.chunk = launch.extent;
    launch.chunk[cut_axis(launch)] = parts_[i].rows;
    KernelCode& code = std::get<KernelCode>(launch.code);
    if (!code.streaming || !machine_.kernels || !is_written_for_others(i)) return;
    code.streaming = false;
    code.compiled = machine_.kernels(*code.kernel, {.walk = code.walk});
  }

  bool is_written_for_others(std::size_t i) const {
    for (const auto& [slot, use] : parts_[i].uses) {
      if (!use.write) continue;
      for (std::size_t other = 0; other < parts_.size(); ++other) {
        if (other != i && parts_[other].is_sweep && parts_[other].uses.contains(slot)) return true;
      }
    }
    return false;
  }

  // By time; what goes at the same time, as it stands in the plan.
  std::vector<Batch> order() const {
    std::vector<int> pieces(pieces_.size());
    for (std::size_t p = 0; p < pieces.size(); ++p) pieces[p] = static_cast<int>(p);
    std::ranges::sort(pieces, {}, [this](int p) { return std::tuple(time_of(p), p); });
    std::vector<int> place_of(pieces_.size());
    for (std::size_t place = 0; place < pieces.size(); ++place)
      place_of[static_cast<std::size_t>(pieces[place])] = static_cast<int>(place);
    std::vector<Batch> batches(pieces.size());
    std::vector<int> known_to(pieces.size(), 0);  // by place: the last one that comes after it anyway
    for (std::size_t place = 0; place < pieces.size(); ++place) {
      const Piece& one = piece(pieces[place]);
      Batch& batch = batches[place];
      batch.first = one.part;
      if (one.track >= 0) {
        batch.first_chunk = one.chunk;
        batch.owner = one.track * machine_.threads / tracks_;
      } else {
        batch.chunks = count_chunks(*items_[static_cast<std::size_t>(one.part)].instruction);
      }
      std::vector<int> after;
      for (const int before : one.after) after.push_back(place_of[static_cast<std::size_t>(before)]);
      std::ranges::sort(after, std::greater());
      for (const int before : after) {  // the nearest ones first
        const auto b = static_cast<std::size_t>(before);
        if (known_to[b] == static_cast<int>(place)) continue;
        for (const int earlier : piece(pieces[b]).after)
          known_to[static_cast<std::size_t>(place_of[static_cast<std::size_t>(earlier)])] = static_cast<int>(place);
        batches[b].dependents.push_back(static_cast<int>(place));
        batch.before += static_cast<int>(batches[b].chunks);
      }
    }
    return batches;
  }

  const std::span<const SlottedInstruction> items_;
  const WavefrontMachine& machine_;
  const int tracks_;
  std::vector<Part> parts_;  // by item
  std::size_t largest_ = 0;  // of the sweeps
  std::int64_t sweeps_ = 0, strips_ = 1;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Batch> make_wavefront(std::span<const SlottedInstruction> items, const WavefrontMachine& machine) {
  // Where the first cells follow from the last ones, as at a periodic border, both ends come first: that takes an even
  // number of tracks.
  std::vector<Batch> batches = Wavefront(items, machine, machine.threads).make();
  if (batches.empty() && machine.threads % 2 == 1) batches = Wavefront(items, machine, 2 * machine.threads).make();
  return batches;
}

}  // namespace pilum::scheduler
