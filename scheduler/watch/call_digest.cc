#include "scheduler/watch/call_digest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "runtime/base/dtype_visit.h"
#include "runtime/base/hash.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// Odd numbers without a pattern (SplitMix64), one for each word of a view: their products are added, which takes no
// longer than the last of them, where a chain of mixes takes as long as all.
constexpr std::size_t kViewWords = 4 * kMaxAxes;
constexpr auto kFactors = [] {
  std::array<std::uint64_t, kViewWords> factors{};
  std::uint64_t state = 0;
  for (std::uint64_t& factor : factors) {
    state += 0x9e3779b97f4a7c15u;
    factor = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    factor = (factor ^ factor >> 27) * 0x94d049bb133111ebu;
    factor = (factor ^ factor >> 31) | 1;
  }
  return factors;
}();

void add_view(CallDigest& digest, const View& view) {
  digest[CallPart::Arrays] = mix(digest[CallPart::Arrays], view.store->digest);
  std::uint64_t sum = 0;
  for (int axis = 0; axis < view.shape.rank(); ++axis)
    sum += static_cast<std::uint64_t>(view.shape[axis]) * kFactors[static_cast<std::size_t>(axis)];
  for (int k = 0; k < view.map.store_rank; ++k) {
    const partitioner::AxisMap& axis = view.map[k];
    const auto place = static_cast<std::size_t>(kMaxAxes + 3 * k);
    sum += static_cast<std::uint64_t>(axis.offset) * kFactors[place];
    sum += static_cast<std::uint64_t>(axis.scale) * kFactors[place + 1];
    sum += static_cast<std::uint64_t>(axis.axis + 1) * kFactors[place + 2];
  }
  digest[CallPart::Views] = mix(digest[CallPart::Views], sum);
}

// About kSampledBytes of them, in runs of 64 spread over the whole; the first and the last are among them.
std::uint64_t hash_sample(std::span<const std::byte> bytes, bool all_bytes) {
  if (all_bytes || bytes.size() <= kSampledBytes) return hash_bytes(bytes);
  constexpr std::size_t kRun = 64, kRuns = kSampledBytes / kRun;
  std::uint64_t hash = mix(0, static_cast<std::uint64_t>(bytes.size()));
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::size_t at =
        (bytes.size() - kRun) / (kRuns - 1) * run + (bytes.size() - kRun) % (kRuns - 1) * run / (kRuns - 1);
    hash = mix(hash, hash_bytes(bytes.subspan(at, kRun)));
  }
  return hash;
}

template <class T>
std::vector<std::byte> with_one_nan(std::span<const std::byte> cells) {
  std::vector<std::byte> copy(cells.begin(), cells.end());
  for (std::size_t at = 0; at + sizeof(T) <= copy.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, copy.data() + at, sizeof value);
    if (value == value) continue;
    value = T(__builtin_nan(""));
    std::memcpy(copy.data() + at, &value, sizeof value);
  }
  return copy;
}

bool has_nan(DType dtype, std::span<const std::byte> cells) {
  const auto found = [&]<class T>(T) {
    bool nan = false;
    for (std::size_t at = 0; at + sizeof(T) <= cells.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, cells.data() + at, sizeof value);
      nan |= value != value;
    }
    return nan;
  };
  const DType part = detail::part_of(dtype);
  return is_floating(part) && visit_real_dtype(part, found);
}

// What is of one kind of operation alone, besides pack_kind().
struct DigestKind {
  CallDigest& digest;
  bool all_bytes;

  void operator()(const Elementwise& elementwise) const {
    add_view(digest, elementwise.output);
    for (std::size_t i = 0; i < elementwise.inputs.size(); ++i) {
      const Operand& input = elementwise.inputs[i];
      if (input.is_view()) {
        add_view(digest, input.view);
        continue;
      }
      std::uint64_t& numbers = digest[CallPart::Numbers];
      numbers = mix(mix(numbers, input.scalar.bits),
                    static_cast<std::uint64_t>(input.scalar.dtype) << 8 | static_cast<std::uint64_t>(i + 1));
    }
  }
  void operator()(const Reduction& reduction) const {
    add_view(digest, reduction.output);
    add_view(digest, reduction.input);
  }
  void operator()(const Import& import) const {
    add_view(digest, import.output);
    digest[CallPart::Data] = hash_sample(*import.cells, all_bytes);
  }
  void operator()(const ReshapedCopy& copy) const {
    add_view(digest, copy.output);
    add_view(digest, copy.input);
  }
  void operator()(const TaskCall& call) const {
    digest[CallPart::Operation] = mix(digest[CallPart::Operation], call.launch->hash);
    digest[CallPart::Data] = call.launch->captured;
    digest[CallPart::Numbers] = call.scalars.checked();
    for (const Argument& argument : call.launch->arguments) add_view(digest, argument.view);
  }
};

}  // namespace

std::uint64_t CallDigest::whole() const {
  std::uint64_t hash = 0;
  for (const std::uint64_t part : parts) hash = mix(hash, part);
  return hash;
}

std::uint64_t digest_of(const Store& store) {
  std::uint64_t hash = mix(mix(0, store.id.value), static_cast<std::uint64_t>(store.dtype));
  for (const std::int64_t extent : store.shape) hash = mix(hash, extent);
  return hash;
}

CallDigest digest_of(const Operation& operation, bool all_bytes) {
  CallDigest digest;
  // Loops are known by where their calls stand too (PeriodFinder), and cuts follow from loops.
  digest[CallPart::Operation] = mix(pack_kind(operation), pack_place(operation.where));
  std::visit(DigestKind{digest, all_bytes}, operation.what);
  return digest;
}

CallDigest digest_of(const char* name) {
  CallDigest digest;
  digest[CallPart::Operation] = hash_bytes(std::as_bytes(std::span(name, std::strlen(name))));
  return digest;
}

CallDigest digest_of(const char* name, DType dtype, std::span<const std::byte> cells, bool all_bytes) {
  CallDigest digest = digest_of(name);
  std::vector<std::byte> copy;
  if (has_nan(dtype, cells)) {
    copy = visit_real_dtype(detail::part_of(dtype), [&]<class T>(T) { return with_one_nan<T>(cells); });
    cells = copy;
  }
  digest[CallPart::Data] = hash_sample(cells, all_bytes);
  return digest;
}

CallSketch sketch_of(const Operation& operation) {
  CallSketch sketch;
  const auto take_extents = [&sketch](int rank, const auto& extent) {
    sketch.rank = static_cast<std::int8_t>(rank);
    for (int axis = 0; axis < std::min(rank, 3); ++axis) sketch.extents[static_cast<std::size_t>(axis)] = extent(axis);
  };
  if (const TaskLaunch* launch = operation.launch()) {
    take_extents(launch->domain.rank, [&](int axis) { return launch->domain.extent(axis); });
    if (!launch->arguments.empty()) sketch.dtype = launch->arguments.front().footprint.dtype;
    return sketch;
  }
  const View& output = *operation.output();
  take_extents(output.shape.rank(), [&](int axis) { return output.shape[axis]; });
  sketch.dtype = output.store->dtype;
  if (const Elementwise* elementwise = operation.elementwise()) {
    for (const Operand& input : elementwise->inputs) {
      if (sketch.has_number) break;
      sketch.has_number = !input.is_view();
      sketch.number = input.scalar;
    }
  }
  return sketch;
}

std::string to_string(const CallSketch& sketch) {
  if (sketch.rank < 0) return "";
  std::string text = std::string(name(sketch.dtype)) + " of (";
  for (int axis = 0; axis < sketch.rank; ++axis) {
    if (axis == 3) text += ", …";
    if (axis >= 3) break;
    text += (axis ? ", " : "") + std::to_string(sketch.extents[static_cast<std::size_t>(axis)]);
  }
  text += sketch.rank == 1 ? ",)" : ")";
  return sketch.has_number ? text + ", number " + to_string(sketch.number) : text;
}

std::string name_parts(std::span<const bool, kCallParts> differ) {
  constexpr const char* kNames[kCallParts] = {"the operation", "arrays, their shapes or dtypes", "slices", "numbers",
                                              "imported, read or captured values"};
  std::string text;
  for (std::size_t part = 0; part < kCallParts; ++part) {
    if (differ[part]) text += (text.empty() ? "" : "; ") + std::string(kNames[part]);
  }
  return text;
}

}  // namespace pilum::scheduler
