#include "numeric/listed_cells.h"

#include <array>
#include <cstring>

#include "numeric/array_state.h"
#include "numeric/body_walk.h"
#include "numeric/library_task.h"
#include "runtime/base/check.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;

// A cell's bytes, in as many words as they need.
constexpr std::int64_t kWord = sizeof(std::uint64_t);
std::size_t words_of(std::int64_t itemsize) {
  return static_cast<std::size_t>((itemsize + kWord - 1) / kWord);
}

// The form: the cell's size. Stores: the result. Scalars: its extents, and the cells. Calls visit(where a cell of the
// piece lies, its words).
template <class Visit>
void for_each_listed(std::span<const std::int64_t> form, const BodyCall& call, const Visit& visit) {
  const pilum::detail::BoundStore& out = call.stores[0];
  const int rank = call.piece.rank();
  const std::uint64_t* const cells = call.scalars + rank;
  for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
    std::uint64_t number = 0;
    for (int axis = 0; axis < rank; ++axis)
      number = number * call.scalars[axis] + static_cast<std::uint64_t>(point[u(axis)]);
    visit(static_cast<std::byte*>(out.first) + cells_to(out, point, rank) * form[0],
          cells + number * words_of(form[0]));
  });
}

void write_cells(std::span<const std::int64_t> form, const BodyCall& call) {
  for_each_listed(form, call, [&](std::byte* to, const std::uint64_t* words) {
    std::memcpy(to, words, static_cast<std::size_t>(form[0]));
  });
}

// Words: 0 the size of a cell, 1 how many; then where each lies, and two words of each.
constexpr std::size_t kPlaces = 2, kCells = kPlaces + kMostListedCells, kListedWords = kCells + 2 * kMostListedCells;

constexpr const char* kText = R"(
struct Words {
  unsigned long long word[50];
};
extern "C" __global__ void __launch_bounds__(32) pilum_kernel(const Words words) {
  const unsigned i = threadIdx.x;
  if (i >= words.word[1]) return;
  const unsigned long long place = words.word[2 + i], cell = words.word[18 + 2 * i];
  switch (words.word[0]) {
    case 1: *(unsigned char*)place = (unsigned char)cell; break;
    case 2: *(unsigned short*)place = (unsigned short)cell; break;
    case 4: *(unsigned*)place = (unsigned)cell; break;
    case 8: *(unsigned long long*)place = cell; break;
    default:
      ((unsigned long long*)place)[0] = cell;
      ((unsigned long long*)place)[1] = words.word[19 + 2 * i];
  }
}
)";
static_assert(kListedWords == 50 && kPlaces == 2 && kCells == 18, "as the text has them");

void issue_cells(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  static const std::string text = kText;
  std::array<std::uint64_t, kListedWords> words{static_cast<std::uint64_t>(form[0])};
  for_each_listed(form, call, [&](std::byte* to, const std::uint64_t* cell) {
    const std::size_t number = words[1]++;
    words[kPlaces + number] = reinterpret_cast<std::uint64_t>(to);
    std::copy_n(cell, words_of(form[0]), words.begin() + kCells + 2 * static_cast<std::ptrdiff_t>(number));
  });
  where.launch({where.jit.get(text)->image(), {1, 1, 1}, {32, 1, 1}, words});
}

}  // namespace

void record_listed_cells(const Call& call, const Array& out, std::span<const std::byte> cells) {
  const Shape& shape = out.shape();
  const auto itemsize = static_cast<std::int64_t>(pilum::itemsize(out.dtype()));
  PILUM_CHECK(out.size() <= kMostListedCells && static_cast<std::int64_t>(cells.size()) == out.size() * itemsize,
              "{} bytes for {} cells", cells.size(), out.size());
  std::array<std::uint64_t, kMaxAxes + 2 * kMostListedCells> numbers{};
  std::size_t count = 0;
  for (const std::int64_t extent : shape) numbers[count++] = static_cast<std::uint64_t>(extent);
  for (std::size_t at = 0; at < cells.size(); at += static_cast<std::size_t>(itemsize), count += words_of(itemsize))
    std::memcpy(&numbers[count], &cells[at], static_cast<std::size_t>(itemsize));
  LibraryBody body{write_cells, {itemsize}};
  body.parameters = {array_parameter(out, pilum::detail::Access::Write)};
  body.parameters.resize(1 + count, integer_parameter());
  body.issue = issue_cells;
  const pilum::detail::StoreArgument arguments[] = {{out, pilum::detail::Access::Write, {}, Fold::Sum}};
  launch(call, body, shape, arguments, std::span(numbers).first(count));
}

}  // namespace pilum::numeric
