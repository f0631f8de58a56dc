#include "numeric/block_counts.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/body_walk.h"
#include "numeric/dtype_rules.h"
#include "numeric/library_task.h"
#include "numeric/line_search.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/projection.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

using BodyAccess = pilum::detail::Access;
using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

constexpr std::int64_t kBlock = 1 << 16;          // numbers
constexpr std::int64_t kMostCells = kBlock / 16;  // of a block: to clear and to add them is little beside counting

// Counts the places 0 … cells - 1 of `count` numbers into a line; place(i) of one that has none is `cells`. By turns
// into four tables: a number that is like the one before does not wait for its count.
template <class Place>
void count_places(std::int64_t count, const Line<std::int64_t>& counts, const Place& place) {
  constexpr std::size_t kTables = 4;
  const auto cells = static_cast<std::size_t>(counts.count);
  std::vector<std::uint32_t> tables(kTables * (cells + 1));  // a block has fewer
  std::array<std::uint32_t*, kTables> table;
  for (std::size_t k = 0; k < kTables; ++k) table[k] = tables.data() + k * (cells + 1);
  std::int64_t i = 0;
  for (; i + std::int64_t{kTables} <= count; i += kTables) {
    for (std::size_t k = 0; k < kTables; ++k) ++table[k][place(i + static_cast<std::int64_t>(k))];
  }
  for (; i < count; ++i) ++table[0][place(i)];
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::int64_t sum = 0;
    for (const std::uint32_t* one : table) sum += one[cell];
    counts[static_cast<std::int64_t>(cell)] = sum;
  }
}

// Calls visit(the block's numbers, its line of counts) for each block of a piece. Stores: the counts, a row a block;
// the numbers.
template <class T, class Visit>
void for_each_block(const BodyCall& call, const Visit& visit) {
  const BoundStore &out = call.stores[0], &numbers = call.stores[1];
  for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
    const std::int64_t begin = point[0] * kBlock, end = std::min(begin + kBlock, numbers.hi[0]);
    visit(Line<const T>{static_cast<const T*>(numbers.first) + (begin - numbers.lo[0]) * numbers.stride[0],
                        numbers.stride[0], end - begin},
          Line<std::int64_t>{static_cast<std::int64_t*>(out.first) + cells_to(out, point, 1), out.stride[1],
                             out.hi[1] - out.lo[1]});
  });
}

// The form: the numbers' dtype.
void count_numbers(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_real_dtype(static_cast<DType>(form[0]), [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      for_each_block<T>(call, [](const Line<const T>& numbers, const Line<std::int64_t>& counts) {
        const auto cells = static_cast<std::uint64_t>(counts.count);
        count_places(numbers.count, counts,
                     [&](std::int64_t i) { return std::min(static_cast<std::uint64_t>(numbers[i]), cells); });
      });
    }
  });
}

// The bin of a number; as many as there are where it is in none.
template <class E>
class Bins {
 public:
  explicit Bins(const BoundStore& edges)
      : edges_{static_cast<const E*>(edges.first), edges.stride[0], edges.hi[0] - edges.lo[0]},
        bins_(edges_.count - 1),
        last_(edges_[bins_]),
        first_(static_cast<double>(edges_[0])),
        scale_(static_cast<double>(bins_) / (static_cast<double>(last_) - first_)) {}

  std::uint64_t bin_of(E number) const {
    const double place = (static_cast<double>(number) - first_) * scale_;
    if (place >= 0 && place < static_cast<double>(bins_)) [[likely]] {
      const auto guess = static_cast<std::int64_t>(place);
      if (edges_[guess] <= number && number < edges_[guess + 1]) [[likely]]
        return static_cast<std::uint64_t>(guess);
    }
    if (!(edges_[0] <= number && number <= last_)) return static_cast<std::uint64_t>(bins_);
    return static_cast<std::uint64_t>(std::min(count_among_even(edges_, number), bins_) - 1);
  }

 private:
  Line<const E> edges_;
  std::int64_t bins_;
  E last_;
  double first_, scale_;
};

// The form: the numbers' dtype, the edges'. Stores: the counts, the numbers, the edges.
void count_bins(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto count = [&]<class T, class E>(T, E) {
    const Bins<E> bins(call.stores[2]);
    for_each_block<T>(call, [&](const Line<const T>& numbers, const Line<std::int64_t>& counts) {
      count_places(numbers.count, counts, [&](std::int64_t i) { return bins.bin_of(static_cast<E>(numbers[i])); });
    });
  };
  if (static_cast<DType>(form[1]) == DType::Float32) return count(float{}, float{});
  visit_real_dtype(static_cast<DType>(form[0]), [&]<class T>(T) { count(T{}, double{}); });
}

// The blocks' counts added.
Array launch_counts(const Call& call, LibraryBody&& body, const Array& numbers, std::int64_t cells,
                    const Array* edges) {
  const std::int64_t blocks = (numbers.size() + kBlock - 1) / kBlock;
  const Array each = empty({blocks, cells}, DType::Int64, call.where);
  Projection block(Projection::Kind::Affine);
  block.axes = {AxisCells{0, kBlock, 0, kBlock}};
  std::vector<pilum::detail::StoreArgument> arguments{{each, BodyAccess::Write, {}, Fold::Sum},
                                                      read_of(numbers, std::move(block))};
  if (edges) arguments.push_back(read_of(*edges, pilum::all));
  for (const auto& argument : arguments) body.parameters.push_back(array_parameter(argument.array, argument.access));
  body.is_cut = true;
  launch(call, body, {blocks}, arguments);
  return total(call, each, DType::Int64, {0}, false);
}

bool is_worth_while(const Call& call, const Array& numbers, std::int64_t cells) {
  return numbers.size() > 0 && cells > 0 && cells <= kMostCells && !recorder_of(call).processors().are_gpus;
}

}  // namespace

std::optional<Array> count_by_blocks(const Call& call, const Array& numbers, std::int64_t cells) {
  if (!is_worth_while(call, numbers, cells)) return {};
  return launch_counts(call, {count_numbers, {static_cast<std::int64_t>(numbers.dtype())}}, numbers, cells, nullptr);
}

std::optional<Array> count_in_even_bins(const Call& call, const Array& numbers, const Array& edges) {
  const DType own = numbers.dtype(), dtype = promote(edges.dtype(), own);
  const bool is_known =
      dtype == edges.dtype() && (dtype == DType::Float64 || (dtype == DType::Float32 && own == dtype));
  if (!is_known || is_complex(own) || !is_worth_while(call, numbers, edges.size() - 1)) return {};
  return launch_counts(call, {count_bins, {static_cast<std::int64_t>(own), static_cast<std::int64_t>(dtype)}}, numbers,
                       edges.size() - 1, &edges);
}

}  // namespace pilum::numeric
