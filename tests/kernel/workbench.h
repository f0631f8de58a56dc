// Memory to run kernels on, and ways to run them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "runtime/jit/jit.h"
#include "runtime/kernel/host/emit.h"
#include "runtime/kernel/ir/kernel.h"
#include "runtime/kernel/ir/kernel_call.h"

namespace pilum::kernel::test {

// Cells of one dtype in a padded layout, `margin` cells on each side of each axis, starting `shift` cells past a
// 64-byte line. Padding and margins are random too: a stray write shows.
struct Field {
  DType dtype = DType::Float64;
  int rank = 1;
  std::array<std::int64_t, 8> extent{}, pitch{};  // pitch in bytes
  std::int64_t margin = 2, shift = 0;
  std::vector<char> bytes;

  static Field make(DType dtype, const std::vector<std::int64_t>& extent, std::int64_t shift = 0,
                    std::int64_t margin = 2);
  char* cell(const std::array<std::int64_t, 8>& x);  // in memory, may be a margin's
  std::size_t cells() const { return bytes.size() / itemsize(dtype); }
};

enum class Numbers { Any, Small };  // Any: NaN, infinities, zeros of both signs, extremes; Small: whole, -9..9
void fill(Field& field, Numbers numbers, std::mt19937_64& random);

// Domain axis a follows store axis axis[a] (-1: none) by step[a], from the cell start.
struct Binding {
  int field = 0;
  std::array<int, 8> axis{-1, -1, -1, -1, -1, -1, -1, -1};
  std::array<std::int64_t, 8> step{};
  std::array<std::int64_t, 8> start{};

  static Binding identity(int field, int rank);
  // Of a field that has the axes that are not reduced (bits).
  static Binding folded(int field, int rank, unsigned reduced);
};

// Of the axes that are not reduced; of a whole array one.
std::vector<std::int64_t> kept_extent(const std::vector<std::int64_t>& extent, unsigned reduced);

struct Problem {
  Kernel kernel;
  std::array<std::int64_t, 8> lo{}, extent{};
  std::vector<Field> fields;
  std::vector<Binding> bindings;  // by array argument
  std::vector<std::uint64_t> scalars;
};

// Runs on a copy of the problem's fields, and returns them.
std::vector<Field> run_with(const Problem& problem, const std::function<void(const KernelCall&)>& function);
std::vector<Field> run_interpreted(const Problem& problem);
std::vector<Field> run_compiled(const Problem& problem, const EmitOptions& options, const std::string& compiler = "");
// In the form that a kernel may run at first.
std::vector<Field> run_quick(const Problem& problem, const EmitOptions& options);

// "" when the same: bits, but for NaNs; else the first difference. Floats may differ by `ulps`, and beyond that by
// `relative` times the larger one's size or 1.
std::string difference(const std::vector<Field>& a, const std::vector<Field>& b, double ulps = 0, double relative = 0);

// One in the process for each compiler and form; nothing stays on disk.
jit::Jit& shared_jit(const std::string& compiler, jit::CodeForm form = jit::CodeForm::Optimized);

inline const EmitOptions kPlain{};
inline const EmitOptions kStreaming{.streaming = true};
inline const EmitOptions kScalar{.scalar = true};
inline const EmitOptions kPadded{.padded = true};
inline const EmitOptions kStrands{.streaming = true, .walk = Walk::Strands};
inline const EmitOptions kPlanes{.streaming = true, .walk = Walk::Planes};

}  // namespace pilum::kernel::test
