#include "numeric/mask_blocks.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "numeric/body_walk.h"
#include "numeric/library_task.h"
#include "numeric/mask_body.h"
#include "pilum/creation.h"
#include "pilum/projection.h"
#include "pilum/task.h"
#include "runtime/base/hash.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using BodyAccess = pilum::detail::Access;
using pilum::detail::BodyCall;
using pilum::detail::BoundStore;
using pilum::detail::FunctionIdentity;
using pilum::detail::StoreArgument;

constexpr std::int64_t kBlocks = 64, kMostBlocks = 4096;  // of a processor; of all
constexpr std::int64_t kRowsOfProcessor = 4;              // at least
constexpr std::int64_t kCell = 8;                         // bytes of those that a mask is mostly computed from
constexpr std::int64_t kLongOnOneRank = 1 << 20;          // below it is sooner counted as it is computed

RowBlocks blocks_of(const Call& call, const Array& mask) {
  const std::int64_t processors = recorder_of(call).processors().count, rows = mask.shape()[0];
  const std::int64_t each = std::min({kBlocks, kMostBlocks / processors, rows / processors});
  return {rows, processors * std::max<std::int64_t>(each, 1)};
}

RowBlocks blocks_of(const Array& mask, const scheduler::TrueCells& count) {
  return {mask.shape()[0], static_cast<std::int64_t>(count.before.size()) - 1};
}

std::int64_t block_of_cell(const scheduler::TrueCells& count, std::int64_t number) {
  return std::upper_bound(count.before.begin(), count.before.end(), number) - count.before.begin() - 1;
}

Box box_of_rows(const Shape& shape, std::int64_t lo, std::int64_t hi) {
  Piece::Bounds from{}, to{};
  for (int axis = 0; axis < shape.rank(); ++axis) to[u(axis)] = shape[axis];
  from[0] = lo;
  to[0] = hi;
  return {shape.rank(), from, to};
}

// What functions of this code do, that know how many cells are true: alike if the numbers are.
FunctionIdentity identity_of(const char& code, const Shape& shape, const scheduler::TrueCells& count,
                             std::size_t itemsize = 0) {
  std::uint64_t hash = mix(itemsize, hash_bytes(std::as_bytes(std::span(count.before))));
  for (int axis = 0; axis < shape.rank(); ++axis) hash = mix(hash, shape[axis]);
  return {reinterpret_cast<std::uintptr_t>(&code), hash >> 1, hash};
}

// `boxes`: of a piece that has points.
Projection cells_by(const FunctionIdentity& identity, std::function<std::vector<Box>(const Piece&)> boxes) {
  auto function = std::make_shared<scheduler::CellFunction>();
  function->identity = identity;
  function->boxes = [boxes = std::move(boxes)](const Piece& piece) {
    return piece.size() > 0 ? boxes(piece) : std::vector<Box>();
  };
  function->takes_pieces = true;
  Projection projection(Projection::Kind::Function);
  projection.function = std::move(function);
  return projection;
}

// `is_cut`: as LibraryBody's.
void launch_blocks(const Call& call, const FunctionIdentity& identity, std::function<void(const BodyCall&)> run,
                   const Shape& domain, const std::vector<StoreArgument>& arguments, bool is_cut = false) {
  auto body =
      std::make_shared<scheduler::TaskBody>(*pilum::detail::make_body(call.name, identity, std::move(run), nullptr));
  body->of_library = !is_cut;
  std::vector<pilum::detail::BodyParameter> parameters;
  std::vector<const StoreArgument*> stores;
  for (const StoreArgument& argument : arguments) {
    parameters.push_back(array_parameter(argument.array, argument.access));
    stores.push_back(&argument);
  }
  pilum::detail::launch(body, Domain(domain, call.where), parameters, stores, {}, 0);
}

// Whether few of the rows that processors look through for their share of the true cells are others': not many more
// bytes than what of these cells is others'. A short result is each processor's, all of it.
bool is_seen_near(const Call& call, const Array& mask, const scheduler::TrueCells& count, std::int64_t array_cell,
                  std::int64_t cell) {
  constexpr std::int64_t kTimesNeeded = 2, kFew = 16 << 10;  // bytes; a processor
  const RowBlocks blocks = blocks_of(mask, count);
  const auto machine = recorder_of(call).processors();
  const std::int64_t processors = machine.count, each = blocks.blocks / processors;
  const bool is_shared = count.count * cell < machine.split_bytes;
  std::int64_t rows = 0, cells = 0;  // of others
  for (std::int64_t p = 0; p < processors; ++p) {
    const std::int64_t own = blocks.rows * p / processors, own_end = blocks.rows * (p + 1) / processors;
    const std::int64_t first = is_shared ? 0 : count.count * p / processors,
                       end = is_shared ? count.count : count.count * (p + 1) / processors;
    if (first == end) continue;
    const std::int64_t seen = blocks.first_row(block_of_cell(count, first)),
                       seen_end = blocks.first_row(block_of_cell(count, end - 1) + 1);
    rows += (seen_end - seen) - std::max<std::int64_t>(std::min(seen_end, own_end) - std::max(seen, own), 0);
    const std::int64_t here = count.before[static_cast<std::size_t>(p * each)],
                       here_end = count.before[static_cast<std::size_t>((p + 1) * each)];
    cells += (end - first) - std::max<std::int64_t>(std::min(end, here_end) - std::max(first, here), 0);
  }
  const std::int64_t row_cells = mask.size() / blocks.rows;
  return rows * row_cells * (1 + array_cell) <= kTimesNeeded * cells * cell + kFew * processors;
}

// Each processor looks through the rows that have its share of the true cells.
void look_through(const Call& call, const Array& out, const Array& mask, const Array* array, const TrueCount& count) {
  static const char code_of_rows = 0, code_of_cells = 0, code_of_numbers = 0;
  const Shape shape = mask.shape();
  const RowBlocks blocks = blocks_of(mask, *count);
  const Projection rows = cells_by(identity_of(code_of_rows, shape, *count), [=](const Piece& piece) {
    const std::int64_t first = block_of_cell(*count, piece.lo(0)), last = block_of_cell(*count, piece.hi(0) - 1);
    return std::vector{box_of_rows(shape, blocks.first_row(first), blocks.first_row(last + 1))};
  });
  std::vector<StoreArgument> arguments{{out, BodyAccess::Write, {}, Fold::Sum}, read_of(mask, rows)};
  if (array) arguments.push_back(read_of(*array, rows));
  const auto run = [blocks, count, rank = shape.rank(), size = array ? itemsize(array->dtype()) : 0,
                    row_cells = shape.elements() / shape[0]](const BodyCall& body) {
    if (body.piece.size() == 0) return;
    const std::int64_t block = block_of_cell(*count, body.piece.lo(0)), row = blocks.first_row(block);
    compress_from(static_cast<std::int64_t>(size), rank, body,
                  {row, count->before[static_cast<std::size_t>(block)], row * row_cells});
  };
  launch_blocks(call, identity_of(array ? code_of_cells : code_of_numbers, shape, *count, itemsize(out.dtype())), run,
                out.shape(), arguments);
}

// Blocks that one task packs: as many of each as of any other, and of one processor.
struct Packs {
  RowBlocks blocks;
  std::int64_t each = 1;  // blocks
  TrueCount count;

  std::int64_t size() const { return blocks.blocks / each; }
  std::int64_t before(std::int64_t pack) const { return count->before[static_cast<std::size_t>(pack * each)]; }
  std::int64_t cells(std::int64_t pack) const { return before(pack + 1) - before(pack); }
  std::int64_t most() const {
    std::int64_t most = 0;
    for (std::int64_t pack = 0; pack < size(); ++pack) most = std::max(most, cells(pack));
    return most;
  }
  // Calls visit(pack, the first of its cells, and behind the last) for those that a piece of all has.
  template <class Visit>
  void for_each_part(const Piece& piece, const Visit& visit) const {
    if (piece.size() == 0) return;
    std::int64_t pack = block_of_cell(*count, piece.lo(0)) / each;
    for (std::int64_t cell = piece.lo(0); cell < piece.hi(0); ++pack) {
      const std::int64_t end = std::min(piece.hi(0), before(pack + 1));
      if (end > cell) visit(pack, cell - before(pack), end - before(pack));
      cell = std::max(cell, end);
    }
  }
};

// A pack for each core.
Packs packs_of(const Call& call, const RowBlocks& blocks, const TrueCount& count) {
  const auto processors = recorder_of(call).processors();
  std::int64_t packs = processors.count;
  while (2 * packs <= processors.cores && blocks.blocks % (2 * packs) == 0) packs *= 2;
  return {blocks, blocks.blocks / packs, count};
}

// The true cells of a pack, one after the other, to a row of packed ones.
void fill_pack(std::int64_t itemsize, int rank, const BodyCall& call, const Packs& packs, std::int64_t pack,
               std::int64_t row_cells) {
  if (packs.cells(pack) == 0) return;
  const std::int64_t row = packs.blocks.first_row(pack * packs.each);
  const auto bytes = itemsize > 0 ? itemsize : static_cast<std::int64_t>(sizeof(std::int64_t));
  BoundStore stores[] = {call.stores[0], call.stores[1], call.stores[itemsize > 0 ? 2 : 1]};
  stores[0].first = static_cast<std::byte*>(stores[0].first) + (pack - stores[0].lo[0]) * stores[0].stride[0] * bytes;
  stores[0].stride[0] = stores[0].stride[1];
  compress_from(itemsize, rank, {Piece({0}, {packs.cells(pack)}), stores, nullptr}, {row, 0, row * row_cells});
}

// Of the packed cells, those that are a piece's.
void unpack(std::int64_t itemsize, const BodyCall& call, const Packs& packs) {
  const BoundStore &out = call.stores[0], &packed = call.stores[1];
  visit_size(itemsize, [&]<class T>(T) {
    T* to = static_cast<T*>(out.first) + (call.piece.lo(0) - out.lo[0]) * out.stride[0];
    packs.for_each_part(call.piece, [&](std::int64_t pack, std::int64_t first, std::int64_t end) {
      const T* const from = static_cast<const T*>(packed.first) + cells_to(packed, {pack, first}, 2);
      for (std::int64_t i = 0; i < end - first; ++i) to[i * out.stride[0]] = from[i * packed.stride[1]];
      to += (end - first) * out.stride[0];
    });
  });
}

// Each processor puts the true cells of its own rows together, and those of them are sent that are others' share.
void pack_and_send(const Call& call, const Array& out, const Array& mask, const Array* array, const TrueCount& count) {
  static const char code_of_rows = 0, code_of_cells = 0, code_of_numbers = 0, code_of_packed = 0, code = 0;
  const Shape shape = mask.shape();
  const Packs packs = packs_of(call, blocks_of(mask, *count), count);
  const std::int64_t row_cells = shape.elements() / shape[0];
  const Array packed = empty(Shape{packs.size(), packs.most()}, out.dtype(), call.where);
  const Projection rows = cells_by(identity_of(code_of_rows, shape, *count), [=](const Piece& piece) {
    const RowBlocks& blocks = packs.blocks;
    return std::vector{
        box_of_rows(shape, blocks.first_row(piece.lo(0) * packs.each), blocks.first_row(piece.hi(0) * packs.each))};
  });
  std::vector<StoreArgument> arguments{{packed, BodyAccess::Write, {}, Fold::Sum}, read_of(mask, rows)};
  if (array) arguments.push_back(read_of(*array, rows));
  const auto fill = [packs, row_cells, rank = shape.rank(),
                     size = array ? itemsize(array->dtype()) : 0](const BodyCall& body) {
    for (std::int64_t pack = body.piece.lo(0); pack < body.piece.hi(0); ++pack)
      fill_pack(static_cast<std::int64_t>(size), rank, body, packs, pack, row_cells);
  };
  launch_blocks(call, identity_of(array ? code_of_cells : code_of_numbers, shape, *count, itemsize(out.dtype())), fill,
                Shape{packs.size()}, arguments, /*is_cut=*/true);
  const Projection cells = cells_by(identity_of(code_of_packed, shape, *count), [packs](const Piece& piece) {
    std::vector<Box> boxes;
    packs.for_each_part(piece, [&](std::int64_t pack, std::int64_t first, std::int64_t end) {
      boxes.push_back(Box({pack, first}, {pack + 1, end}));
    });
    return boxes;
  });
  const auto take = [packs, size = itemsize(out.dtype())](const BodyCall& body) {
    unpack(static_cast<std::int64_t>(size), body, packs);
  };
  launch_blocks(call, identity_of(code, shape, *count, itemsize(out.dtype())), take, out.shape(),
                {{out, BodyAccess::Write, {}, Fold::Sum}, read_of(packed, cells)});
}

}  // namespace

bool is_counted_by_blocks(const Call& call, const Array& mask) {
  const auto processors = recorder_of(call).processors();
  const std::int64_t least = processors.ranks > 1 ? processors.split_bytes / kCell : kLongOnOneRank;
  return !processors.are_gpus && mask.size() >= least && mask.ndim() > 0 &&
         mask.shape()[0] >= kRowsOfProcessor * processors.count;
}

scheduler::TrueCells count_blocks(const Call& call, const Array& mask) {
  static const char code = 0;
  const RowBlocks blocks = blocks_of(call, mask);
  const int rank = mask.ndim();
  const Array counts = zeros(Shape{blocks.blocks}, DType::Int64, call.where);
  Projection rows(Projection::Kind::Affine);
  rows.axes.push_back({0, 1, 0, 1});
  for (int axis = 1; axis < rank; ++axis) rows.axes.push_back({-1, 0, 0, mask.shape()[axis]});
  const std::vector<StoreArgument> arguments{{counts, BodyAccess::Reduce, Projection(pilum::all), Fold::Sum},
                                             read_of(mask, rows)};
  const std::uint64_t hash = mix(mix(1, blocks.rows), blocks.blocks);
  launch_blocks(
      Call{"count_nonzero", call.where}, {reinterpret_cast<std::uintptr_t>(&code), hash >> 1, hash},
      [blocks, rank](const BodyCall& body) { count_rows(blocks, rank, body); }, Shape{blocks.rows}, arguments,
      /*is_cut=*/true);
  scheduler::TrueCells count;
  count.before.push_back(0);
  for (const std::int64_t here : counts.to_vector<std::int64_t>(call.where))
    count.before.push_back(count.before.back() + here);
  count.count = count.before.back();
  return count;
}

void compress_blocks(const Call& call, const Array& out, const Array& mask, const Array* array,
                     const TrueCount& count) {
  const std::int64_t size = static_cast<std::int64_t>(itemsize(out.dtype()));
  const bool is_near = is_seen_near(call, mask, *count, array ? size : 0, size);
  return is_near ? look_through(call, out, mask, array, count) : pack_and_send(call, out, mask, array, count);
}

void spread_blocks(const Call& call, const Array& array, const Array& mask, const Array& values,
                   const TrueCount& count) {
  static const char code_of_rows = 0, code_of_values = 0, code = 0;
  const Shape shape = mask.shape();
  const RowBlocks blocks = blocks_of(mask, *count);
  const Projection rows = cells_by(identity_of(code_of_rows, shape, *count), [=](const Piece& piece) {
    return std::vector{box_of_rows(shape, blocks.first_row(blocks.block_of(piece.lo(0))), piece.hi(0))};
  });
  const Projection taken = cells_by(identity_of(code_of_values, shape, *count), [=](const Piece& piece) {
    const auto first = static_cast<std::size_t>(blocks.block_of(piece.lo(0)));
    const auto last = static_cast<std::size_t>(blocks.block_of(piece.hi(0) - 1));
    return std::vector{Box({count->before[first]}, {count->before[last + 1]})};
  });
  const auto run = [blocks, count, rank = shape.rank(), size = itemsize(array.dtype())](const BodyCall& body) {
    if (body.piece.size() == 0) return;
    const std::int64_t block = blocks.block_of(body.piece.lo(0));
    spread_from(static_cast<std::int64_t>(size), rank, body,
                {blocks.first_row(block), count->before[static_cast<std::size_t>(block)], 0});
  };
  launch_blocks(call, identity_of(code, shape, *count, itemsize(array.dtype())), run, array.shape(),
                {{array, BodyAccess::ReadWrite, {}, Fold::Sum}, read_of(mask, rows), read_of(values, taken)});
}

}  // namespace pilum::numeric
