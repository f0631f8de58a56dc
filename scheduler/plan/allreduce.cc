#include "scheduler/plan/allreduce.h"

#include "runtime/comm/tree.h"

namespace pilum::scheduler {

Allreduce::Allreduce(PlanBuilder& builder, const Store& store, bool gathered)
    : builder_(builder), store_(store), gathered_(gathered) {
  if (!gathered) return;
  whole_.rect = Rect::of(store.shape);
  auto pitch = static_cast<std::int64_t>(itemsize(store.dtype));
  for (int axis = whole_.rect.rank - 1; axis >= 0; --axis) {
    whole_.pitch[static_cast<std::size_t>(axis)] = pitch;
    pitch *= whole_.rect.extent(axis);
  }
  bytes_ = static_cast<std::size_t>(pitch);
  whole_.block = builder_.allocate_shared(bytes_, 0, store.id);
  // No parts: the identity everywhere.
  FoldParts start{kernel::Fold::Sum,
                  store.dtype,
                  true,
                  nullptr,
                  0,
                  {whole_.block->data, whole_.pitch},
                  std::max(whole_.rect.rank, 1),
                  {}};
  for (const Argument& reduction : builder_.task().reductions) {
    if (reduction.store().get() == &store) start.fold = reduction.footprint.fold;
  }
  start.extent[0] = 1;
  for (int axis = 0; axis < whole_.rect.rank; ++axis) {
    start.extent[static_cast<std::size_t>(axis)] = whole_.rect.extent(axis);
  }
  builder_.emit(start, 0, {Touch{whole_.block, byte_range(0, static_cast<std::int64_t>(bytes_)), true}});
}

// The block's log speaks of bytes: a share touches all of it, which keeps the processors' order.
FoldTarget Allreduce::target(const Rect& cells) const {
  return {whole_.block,
          byte_range(0, static_cast<std::int64_t>(bytes_)),
          {whole_.address(cells.lo), whole_.pitch},
          /*start=*/false};
}

void Allreduce::fold_in(kernel::Fold fold, Block* parts) {
  FoldParts step{
      fold, store_.dtype, false, parts->data, 1, {whole_.block->data, whole_.pitch}, std::max(whole_.rect.rank, 1), {}};
  step.extent[0] = 1;
  for (int axis = 0; axis < whole_.rect.rank; ++axis) {
    step.extent[static_cast<std::size_t>(axis)] = whole_.rect.extent(axis);
  }
  const Rect all = byte_range(0, static_cast<std::int64_t>(bytes_));
  builder_.emit(step, 0, {Touch{parts, all, false}, Touch{whole_.block, all, true}});
}

void Allreduce::finish(kernel::Fold fold, const std::vector<Instance*>& outputs) {
  const comm::TreePlace place =
      comm::compute_tree_place(builder_.rank().rank, builder_.rank().machine.ranks, /*root=*/0);
  for (const comm::RankBlock& child : place.children) {
    Block* share = builder_.allocate_shared(bytes_, 0, store_.id);
    builder_.receive_block(child.first, share, bytes_, store_.id);
    fold_in(fold, share);
    builder_.free(share, 0);
  }
  if (place.parent) {
    builder_.send_block(*place.parent, whole_.block, bytes_, store_.id);
    builder_.receive_block(*place.parent, whole_.block, bytes_, store_.id);
  }
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
    builder_.send_block(child->first, whole_.block, bytes_, store_.id);
  }
  for (std::size_t p = 0; p < outputs.size(); ++p) {
    if (outputs[p]) builder_.unpack(whole_.block, Region(whole_.rect), *outputs[p], store_, static_cast<int>(p));
  }
  builder_.free(whole_.block, 0);
}

}  // namespace pilum::scheduler
