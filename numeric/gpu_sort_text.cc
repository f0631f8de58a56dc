#include "numeric/gpu_sort_text.h"

#include <map>
#include <tuple>

namespace pilum::numeric {
namespace {

// The order of cells as that of unsigned integers: of equal ones, as 0.0 and -0.0 are, and NaNs, the same.
constexpr const char* kKeys = R"(
static __device__ __forceinline__ Bits key_of(Bits bits) {
  constexpr Bits kSign = (Bits)((Bits)1 << (8 * sizeof(Bits) - 1));
  if (kIsFloating) {
    const Bits magnitude = bits & (Bits)~kSign;
    // From -inf, which is 0, over both zeros, to inf; NaNs of either sign are beyond.
    const Bits key = (Bits)((bits & kSign ? (Bits)(0 - magnitude) : magnitude) + kInfinity);
    return key <= (Bits)(2 * kInfinity) ? key : (Bits)(2 * kInfinity + 1);
  }
  return kIsSigned ? bits ^ kSign : bits;
}
static __device__ __forceinline__ unsigned digit_of(Bits bits, int pass) {
  return (unsigned)(key_of(bits) >> (8 * pass)) & 255u;
}

// Cells from the first line's to another's.
static __device__ __forceinline__ long long offset(const Words& words, int steps, unsigned long long line) {
  long long sum = 0;
  for (int axis = (int)words.word[kAxesWord] - 1; axis > 0; --axis) {
    const unsigned long long extent = words.word[kExtentsWord + axis], rest = line / extent;
    sum += (long long)(line - rest * extent) * (long long)words.word[steps + axis];
    line = rest;
  }
  return sum + (long long)line * (long long)words.word[steps];
}
static __device__ __forceinline__ const Bits* array_line(const Words& words, unsigned long long line) {
  return (const Bits*)words.word[kArrayWord] + offset(words, kArrayStepsWord, line);
}

// Scratch memory, in words: tickets of passes, what tiles tell, counts of digits, and what each pass does.
struct Room {
  unsigned long long* tickets;
  volatile unsigned long long* told;
  unsigned long long* counts;
  unsigned long long* steps;
  __device__ Room(const Words& words) {
    const unsigned long long lines = words.word[kLinesWord];
    tickets = (unsigned long long*)words.word[kRoomWord];
    told = tickets + 8;
    counts = tickets + 8 + lines * words.word[kTilesWord] * kBins;
    steps = counts + lines * kPasses * kBins;
  }
};
// What a pass does with a line.
constexpr unsigned kRuns = 1, kFrom = 2, kTo = 8, kIsLast = 32;  // from and to: 0 the array, 1 and 2 buffers
)";

constexpr const char* kCount = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ unsigned counts[kPasses * kBins];
  const Room room(words);
  const unsigned thread = threadIdx.x;
  const unsigned long long part = (unsigned long long)kCountedTiles * kTile, cells = words.word[kCellsWord];
  const unsigned long long parts = (cells + part - 1) / part, line = blockIdx.x / parts, first = blockIdx.x % parts * part;
  for (unsigned i = thread; i < kPasses * kBins; i += kThreads) counts[i] = 0;
  __syncthreads();
  const long long step = (long long)words.word[kArrayStepWord];
  const Bits* const from = array_line(words, words.word[kFirstLineWord] + line) + (long long)first * step;
  const int count = (int)(cells - first < part ? cells - first : part);
  constexpr int kAtOnce = 8;
  for (int begin = (int)thread; begin < count; begin += kAtOnce * kThreads) {
    Bits own[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int i = begin + k * kThreads;
      own[k] = i < count ? from[i * step] : (Bits)0;
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (begin + k * kThreads >= count) break;
      const Bits key = key_of(own[k]);
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) atomicAdd(counts + pass * kBins + ((unsigned)(key >> (8 * pass)) & 255u), 1u);
    }
  }
  __syncthreads();
  unsigned long long* const all = room.counts + line * (kPasses * kBins);
  for (unsigned i = thread; i < kPasses * kBins; i += kThreads) {
    if (counts[i]) atomicAdd(all + i, (unsigned long long)counts[i]);
  }
}
)";

// A block a line: counts become where the first cell with a digit goes, and passes whose digit all cells share are
// left out. The last one that runs writes into the result.
constexpr const char* kPlan = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ unsigned long long sums[2][kBins];
  __shared__ unsigned shared;
  const Room room(words);
  const unsigned thread = threadIdx.x;
  const unsigned long long line = blockIdx.x, cells = words.word[kCellsWord];
  if (thread == 0) shared = 0;
  __syncthreads();
  for (int pass = 0; pass < kPasses; ++pass) {
    unsigned long long* const counts = room.counts + (line * kPasses + pass) * kBins;
    const unsigned long long count = counts[thread];
    if (count == cells) atomicOr(&shared, 1u << pass);
    sums[0][thread] = count;
    __syncthreads();
    int side = 0;
    for (unsigned distance = 1; distance < kBins; distance *= 2, side ^= 1) {
      const unsigned long long mine = sums[side][thread];
      sums[side ^ 1][thread] = thread >= distance ? mine + sums[side][thread - distance] : mine;
      __syncthreads();
    }
    counts[thread] = sums[side][thread] - count;
    __syncthreads();
  }
  if (thread != 0) return;
  const unsigned left_out = shared;
  int runs = 0;
  for (int pass = 0; pass < kPasses; ++pass) runs += !(left_out >> pass & 1);
  const bool is_copy = runs == 0;  // by the first pass, for all cells are equal
  if (is_copy) runs = 1;
  unsigned from = 0;
  for (int pass = 0, left = runs; pass < kPasses; ++pass) {
    unsigned long long step = 0;
    if (!(left_out >> pass & 1) || (is_copy && pass == 0)) {
      --left;
      const unsigned to = left % 2 ? 2 : 1;
      step = kRuns + from * kFrom + to * kTo + (left == 0 ? kIsLast : 0);
      from = to;
    }
    room.steps[line * kPasses + pass] = step;
  }
}
)";

// How a block of 256 threads finds where its cells go by a digit, in the order in which they are: a warp's stand behind
// each other, its `kItems` rows of 32. A warp has a count of each digit, in which its threads with the same one, found
// by votes, take a place.
constexpr const char* kRanks = R"(
constexpr int kWarps = kThreads / 32;
struct Bin {
  unsigned total, before;  // cells of the tile with this thread's digit, and with lesser ones
};

// Of the digits of the thread's cells. `rows`: then say where a warp's first cell with a digit goes. Calls
// tell(cells with this thread's digit) as soon as that is known.
template <class Tell>
static __device__ __forceinline__ Bin count_digits(const unsigned (&digits)[kItems], unsigned* rows, const Tell& tell) {
  __shared__ unsigned of_warps[kWarps];
  const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  unsigned* const row = rows + warp * kBins;
#pragma unroll
  for (int i = 0; i < kBins / 32; ++i) row[i * 32 + lane] = 0;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kItems; ++k) atomicAdd(row + digits[k], 1u);
  __syncthreads();
  unsigned total = 0, ahead[kWarps];
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    ahead[w] = total;
    total += rows[w * kBins + thread];
  }
  tell(total);
  unsigned sum = total;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned below = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += below;
  }
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  unsigned before = sum - total;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) before += w < (int)warp ? of_warps[w] : 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) rows[w * kBins + thread] = before + ahead[w];
  __syncthreads();
  return {total, before};
}

// The lanes whose digits have that bit as this one does.
static __device__ __forceinline__ unsigned same_bit(unsigned digit, unsigned bit) {
#ifdef __CUDACC__
  // As below, where the compiler tests the bit twice, in seven instructions.
  unsigned same;
  asm volatile(
      "{ .reg .pred p; .reg .u32 b, v, w; and.b32 b, %1, %2; setp.ne.u32 p, b, 0; vote.sync.ballot.b32 v, p, 0xffffffff; "
      "selp.b32 w, 0, 0xffffffff, p; xor.b32 %0, v, w; }"
      : "=r"(same)
      : "r"(digit), "r"(bit));
  return same;
#else
  return __ballot_sync(~0u, digit & bit) ^ (digit & bit ? 0u : ~0u);
#endif
}

// Digits become places in the tile.
static __device__ __forceinline__ void rank_digits(unsigned (&spots)[kItems], unsigned* rows) {
  const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
  unsigned* const row = rows + threadIdx.x / 32 * kBins;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    unsigned* const next = row + spots[k];
    unsigned same = ~0u;
#pragma unroll
    for (unsigned bit = 1; bit < kBins; bit *= 2) {
      same &= same_bit(spots[k], bit);
    }
    const unsigned spot = *next + __popc(same & below);
    __syncwarp();
    if (lane == 31 - __clz(same)) *next = spot + 1;
    __syncwarp();
    spots[k] = spot;
  }
}
)";

// Tiles of all lines are taken in order, and tell how many cells they have of each digit; a thread adds for one digit
// what the tiles before told, back to one that knew the sum of all before it. A word that is told has the pass, whether
// it is such a sum, and the number; so what other passes told stays as it is.
constexpr const char* kPass = R"(
// Buffers have cells, but where only places are wanted their keys.
static __device__ __forceinline__ unsigned moved_digit_of(Bits bits, int pass) {
  return kPlaces ? (unsigned)(bits >> (8 * pass)) & 255u : digit_of(bits, pass);
}

constexpr int kMemory = kTile * (int)(kPlaces && sizeof(Bits) < 4 ? 4 : sizeof(Bits));
constexpr unsigned long long kNumber = (1ull << 48) - 1, kIsSum = 1ull << 48;

static __device__ __forceinline__ unsigned long long told_before(volatile unsigned long long* told, long long tile,
                                                                 unsigned long long mark) {
  constexpr int kAtOnce = 4;
  unsigned long long sum = 0;
  for (told += tile * kBins; tile > 0;) {
    unsigned long long words[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) words[k] = k < tile ? told[-(k + 1) * kBins] : 0;
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (words[k] >> 49 != mark) break;
      sum += words[k] & kNumber;
      if (words[k] & kIsSum) return sum;
      --tile;
      told -= kBins;
    }
  }
  return sum;
}

// Where a line's keys and places are in a buffer.
static __device__ __forceinline__ char* keys_of(const Words& words, unsigned buffer, char* result, unsigned long long cell) {
  if (buffer == 1 && words.word[kKeysAWord] == 0) return result;
  return (char*)words.word[buffer == 1 ? kKeysAWord : kKeysBWord] + cell * sizeof(Bits);
}
static __device__ __forceinline__ char* places_of(const Words& words, unsigned buffer, char* result, unsigned long long cell) {
  if (buffer == 1 && words.word[kPlacesAWord] == 0) return result;
  return (char*)words.word[buffer == 1 ? kPlacesAWord : kPlacesBWord] + cell * sizeof(unsigned);
}

extern "C" __global__ void __launch_bounds__(256, kBlocks) pilum_kernel(const Words words) {
  __shared__ unsigned long long memory[(kMemory > kThreads / 32 * kBins * 4 ? kMemory : kThreads / 32 * kBins * 4) / 8];
  __shared__ long long targets[kBins];
  __shared__ long long array_offset, result_offset;
  __shared__ unsigned ticket;
  const Room room(words);
  const int pass = (int)words.word[kPassWord];
  const unsigned thread = threadIdx.x, lines = (unsigned)words.word[kLinesWord];
  const unsigned step_of_first = (unsigned)room.steps[pass];  // on its way with the ticket
  if (thread == 0) {
    const unsigned taken = (unsigned)atomicAdd(room.tickets + pass, 1ull);
    const unsigned long long line = words.word[kFirstLineWord] + taken % lines;
    ticket = taken;
    array_offset = offset(words, kArrayStepsWord, line);
    result_offset = offset(words, kResultStepsWord, line);
  }
  __syncthreads();
  // Neighbours are of different lines: where these lie side by side they share what is fetched, and nobody waits long.
  const unsigned line = ticket % lines, tile = ticket / lines;
  const unsigned step = lines == 1 ? step_of_first : (unsigned)room.steps[line * (unsigned long long)kPasses + pass];
  if (!(step & kRuns)) return;
  const bool is_last = step & kIsLast, from_array = (step / kFrom & 3) == 0;
  const unsigned long long cells = words.word[kCellsWord], first = (unsigned long long)tile * kTile, line_cell = line * cells;
  const int count = (int)(cells - first < kTile ? cells - first : kTile);
  const int begin = (int)(thread / 32 * 32 * kItems + thread % 32);
  char* const result = (char*)words.word[kResultWord] + result_offset * (long long)(kPlaces ? sizeof(long long) : sizeof(Bits));
  Bits own[kItems];
  {
    const long long jump = from_array ? (long long)words.word[kArrayStepWord] : 1;
    const Bits* at = from_array ? (const Bits*)words.word[kArrayWord] + array_offset
                                : (const Bits*)keys_of(words, step / kFrom & 3, result, line_cell);
    at += (long long)(first + begin) * jump;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      own[k] = begin + 32 * k < count ? *at : (Bits)0;
      at += 32 * jump;
    }
  }
  const unsigned long long bin_start = room.counts[(line * (unsigned long long)kPasses + pass) * kBins + thread];
  if (kPlaces && from_array) {
#pragma unroll
    for (int k = 0; k < kItems; ++k) own[k] = key_of(own[k]);
  }
  // What is behind the line has the greatest digit, and stands last in the tile.
  unsigned spots[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) spots[k] = begin + 32 * k < count ? moved_digit_of(own[k], pass) : 255u;
  unsigned* const rows = (unsigned*)memory;
  volatile unsigned long long* const told = room.told + line * words.word[kTilesWord] * kBins + thread;
  const unsigned long long mark = pass + 1;
  unsigned real = 0;
  const Bin bin = count_digits(spots, rows, [&](unsigned total) {
    real = thread == kBins - 1 ? total - (unsigned)(kTile - count) : total;
    told[(unsigned long long)tile * kBins] = mark << 49 | (tile == 0 ? kIsSum : 0) | real;
  });
  rank_digits(spots, rows);
  __syncthreads();
  Bits* const keys = (Bits*)memory;
#pragma unroll
  for (int k = 0; k < kItems; ++k) keys[spots[k]] = own[k];
  unsigned long long before = 0;
  if (tile > 0) {
    before = told_before(told, tile, mark);
    told[(unsigned long long)tile * kBins] = mark << 49 | kIsSum | (before + real);
  }
  // Of the digit: where the tile's cell 0 would go.
  const long long start = (long long)(bin_start + before) - (long long)bin.before;
  const bool moves_keys = !kPlaces || !is_last;
  const long long jump = !kPlaces && is_last ? (long long)words.word[kResultStepWord] * (int)sizeof(Bits) : sizeof(Bits);
  targets[thread] = start * jump;
  __syncthreads();
  if (moves_keys) {
    char* const to = is_last ? result : keys_of(words, step / kTo & 3, result, line_cell);
    long long behind = thread * jump;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int i = k * kThreads + (int)thread;
      const Bits bits = keys[i];
      Bits* const target = (Bits*)(to + (targets[moved_digit_of(bits, pass)] + behind));
      if (i < count) *target = bits;
      behind += kThreads * jump;
    }
  }
  if (kPlaces) {
    unsigned digits[(kItems + 3) / 4] = {};
#pragma unroll
    for (int k = 0; k < kItems; ++k) digits[k / 4] |= moved_digit_of(keys[k * kThreads + thread], pass) << (k % 4 * 8);
    unsigned own_places[kItems];
    const unsigned* const from = (const unsigned*)places_of(words, step / kFrom & 3, result, line_cell) + first;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int i = begin + 32 * k;
      own_places[k] = from_array ? (unsigned)first + i : i < count ? from[i] : 0;
    }
    __syncthreads();
    unsigned* const places = (unsigned*)memory;
#pragma unroll
    for (int k = 0; k < kItems; ++k) places[spots[k]] = own_places[k];
    const long long place_jump = is_last ? (long long)words.word[kResultStepWord] * 8 : 4;
    targets[thread] = start * place_jump;
    char* const to = is_last ? result : places_of(words, step / kTo & 3, result, line_cell);
    __syncthreads();
    long long behind = thread * place_jump;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int i = k * kThreads + (int)thread;
      char* const target = to + (targets[digits[k / 4] >> (k % 4 * 8) & 255] + behind);
      if (i < count) {
        if (is_last) {
          *(long long*)target = (long long)places[i];
        } else {
          *(unsigned*)target = places[i];
        }
      }
      behind += kThreads * place_jump;
    }
  }
}
)";

// Short lines: a block sorts as many as fit, all passes in shared memory, by the cells' digits and then by those of the
// line's number. Cells are numbered in the order in which they lie in memory, along lines or across them: bit 0 of the
// word says which, bit 1 that of the result.
constexpr const char* kShort = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  constexpr int kCounts = kThreads / 32 * kBins * 4, kMemory = kTile * (int)sizeof(Bits);
  __shared__ unsigned long long memory[(kMemory > kCounts ? kMemory : kCounts) / 8];
  __shared__ unsigned short numbers[kTile];
  __shared__ unsigned differing[2];
  const unsigned thread = threadIdx.x;
  const unsigned cells = (unsigned)words.word[kCellsWord];
  const unsigned long long per = words.word[kTilesWord], first = words.word[kFirstLineWord] + blockIdx.x * per;
  const unsigned long long left = words.word[kLinesWord] - first;
  const unsigned lines = (unsigned)(left < per ? left : per);
  const int count = (int)(lines * cells);
  const bool across = words.word[kPassWord] & 1, to_across = words.word[kPassWord] & 2;
  const long long step = (long long)words.word[kArrayStepWord], to_step = (long long)words.word[kResultStepWord];
  Bits* const keys = (Bits*)memory;
#pragma unroll 4
  for (int k = 0; k < kItems; ++k) {
    const int i = k * kThreads + (int)thread;
    const unsigned line = across ? i % lines : i / cells, cell = across ? i / lines : i % cells;
    keys[i] = i < count ? array_line(words, first + line)[cell * step] : (Bits)0;
    numbers[i] = (unsigned short)i;
  }
  if (thread < 2) differing[thread] = 0;
  __syncthreads();
  {
    const Bits like = key_of(keys[0]);
    Bits bits = 0;
    for (int i = (int)thread; i < count; i += kThreads) bits |= key_of(keys[i]) ^ like;
    if ((unsigned)bits) atomicOr(differing, (unsigned)bits);
    if (sizeof(Bits) > 4 && (unsigned)((unsigned long long)bits >> 32))
      atomicOr(differing + 1, (unsigned)((unsigned long long)bits >> 32));
  }
  __syncthreads();
  const unsigned long long differ = differing[0] | (unsigned long long)differing[1] << 32;
  const int rounds = kPasses + (lines > 1) + (lines > 256), begin = (int)(thread / 32 * 32 * kItems + thread % 32);
  for (int round = 0; round < rounds; ++round) {
    if (round < kPasses && !(differ >> (8 * round) & 255)) continue;
    Bits own[kItems];
    unsigned spots[kItems];
    unsigned short own_numbers[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int i = begin + 32 * k;
      own[k] = keys[i];
      const unsigned number = own_numbers[k] = numbers[i];
      unsigned digit = 255;
      if (i < count) {
        digit = round < kPasses ? digit_of(own[k], round)
                                : (across ? number % lines : number / cells) >> (8 * (round - kPasses)) & 255;
      }
      spots[k] = digit;
    }
    __syncthreads();
    unsigned* const rows = (unsigned*)memory;
    count_digits(spots, rows, [](unsigned) {});
    rank_digits(spots, rows);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      keys[spots[k]] = own[k];
      numbers[spots[k]] = own_numbers[k];
    }
    __syncthreads();
  }
#pragma unroll 4
  for (int k = 0; k < kItems; ++k) {
    const int i = k * kThreads + (int)thread;
    if (i >= count) break;
    const unsigned line = to_across ? i % lines : i / cells, cell = to_across ? i / lines : i % cells;
    const unsigned at = line * cells + cell, number = numbers[at];
    const long long to = offset(words, kResultStepsWord, first + line) + cell * to_step;
    if (kPlaces) {
      ((long long*)words.word[kResultWord])[to] = across ? number / lines : number % cells;
    } else {
      ((Bits*)words.word[kResultWord])[to] = keys[at];
    }
  }
}
)";

struct BitsOf {
  const char* type;
  int items;   // of a thread in a pass
  int blocks;  // that are to be resident
  const char* infinity;
};

BitsOf bits_of(DType dtype) {
  switch (itemsize(dtype)) {
    case 1: return {"unsigned char", 24, 3, "0"};
    case 2: return {"unsigned short", 24, 3, "0x7c00"};
    case 4: return {"unsigned", 24, 3, "0x7f800000u"};
    default: return {"unsigned long long", 18, 3, "0x7ff0000000000000ull"};
  }
}

std::string number(const char* name, std::int64_t value) {
  return std::string("constexpr int ") + name + " = " + std::to_string(value) + ";\n";
}

std::string common_text(DType dtype, int items, bool places) {
  const BitsOf bits = bits_of(dtype);
  std::string text = std::string("typedef ") + bits.type + " Bits;\nstruct Words { unsigned long long word[" +
                     std::to_string(kSortWords) + "]; };\n";
  const std::pair<const char*, std::int64_t> numbers[] = {{"kThreads", kSortThreads},
                                                          {"kBins", 256},
                                                          {"kItems", items},
                                                          {"kTile", items * kSortThreads},
                                                          {"kPasses", itemsize(dtype)},
                                                          {"kBlocks", bits.blocks},
                                                          {"kCountedTiles", kCountedTiles},
                                                          {"kRoomWord", kRoomWord},
                                                          {"kCellsWord", kCellsWord},
                                                          {"kTilesWord", kTilesWord},
                                                          {"kLinesWord", kLinesWord},
                                                          {"kFirstLineWord", kFirstLineWord},
                                                          {"kPassWord", kPassWord},
                                                          {"kArrayWord", kArrayWord},
                                                          {"kArrayStepWord", kArrayStepWord},
                                                          {"kResultWord", kResultWord},
                                                          {"kResultStepWord", kResultStepWord},
                                                          {"kKeysAWord", kKeysAWord},
                                                          {"kKeysBWord", kKeysBWord},
                                                          {"kPlacesAWord", kPlacesAWord},
                                                          {"kPlacesBWord", kPlacesBWord},
                                                          {"kAxesWord", kAxesWord},
                                                          {"kExtentsWord", kExtentsWord},
                                                          {"kArrayStepsWord", kArrayStepsWord},
                                                          {"kResultStepsWord", kResultStepsWord}};
  for (const auto& [name, value] : numbers) text += number(name, value);
  const auto flag = [](const char* name, bool value) {
    return std::string("constexpr bool ") + name + " = " + (value ? "true" : "false") + ";\n";
  };
  return text + flag("kPlaces", places) + flag("kIsFloating", is_floating(dtype)) +
         flag("kIsSigned", is_signed(dtype)) + "constexpr Bits kInfinity = (Bits)" + bits.infinity + ";\n" + kKeys;
}

}  // namespace

bool has_sort_texts(DType dtype) {
  return !is_complex(dtype);
}

std::int64_t sort_tile(DType dtype) {
  return kSortThreads * bits_of(dtype).items;
}

const std::string& sort_text(SortStep step, DType dtype, bool places) {
  thread_local std::map<std::tuple<SortStep, DType, bool>, std::string> written;
  std::string& text = written[{step, dtype, places}];
  if (!text.empty()) return text;
  const int items = step == SortStep::Short ? static_cast<int>(kShortTile / kSortThreads) : bits_of(dtype).items;
  text = common_text(dtype, items, places);
  switch (step) {
    case SortStep::Count: return text += kCount;
    case SortStep::Plan: return text += kPlan;
    case SortStep::Pass: return text += std::string(kRanks) + kPass;
    case SortStep::Short: return text += std::string(kRanks) + kShort;
  }
  __builtin_unreachable();
}

}  // namespace pilum::numeric
