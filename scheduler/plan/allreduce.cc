#include "scheduler/plan/allreduce.h"

#include <algorithm>

#include "runtime/comm/tree.h"

namespace pilum::scheduler {
namespace {

// A result of so many bytes each processor folds for itself: that takes no longer than a copy of it.
constexpr std::int64_t kFoldedByEach = 64 << 10;

}  // namespace

Allreduce::Allreduce(PlanBuilder& builder, const Argument& reduction, bool gathered, int shares)
    : builder_(builder),
      store_(*reduction.store()),
      fold_(reduction.footprint.fold),
      gathered_(gathered),
      shares_(shares) {
  if (!gathered) return;
  whole_.rect = Rect::of(store_.shape);
  bytes_ = static_cast<std::int64_t>(itemsize(store_.dtype));
  for (int axis = whole_.rect.rank - 1; axis >= 0; --axis) {
    whole_.pitch[static_cast<std::size_t>(axis)] = bytes_;
    bytes_ *= whole_.rect.extent(axis);
  }
  const std::int64_t all = bytes_ * std::max(shares_, 1);
  whole_.block = builder_.allocate_shared(static_cast<std::size_t>(all), 0, store_.id);
  if (shares_ == 0) start(/*share=*/0);
}

// The block's log speaks of bytes.
Rect Allreduce::bytes_of(int share) const {
  return byte_range(share * bytes_, (share + 1) * bytes_);
}

// No parts: the identity everywhere.
void Allreduce::start(int share) {
  Instance own = whole_;
  own.origin += share * bytes_;
  fold(*whole_.block, /*count=*/0, /*starts=*/true, own, bytes_of(share), /*processor=*/0);
}

FoldTarget Allreduce::next_target(const Rect& cells) {
  const int share = next_++;
  const bool covers = cells == whole_.rect;
  if (!covers) start(share);
  return {whole_.block,
          bytes_of(share),
          {whole_.address(cells.lo) + share * bytes_, whole_.pitch},
          /*start=*/covers};
}

// `count` boxes of the whole store, one after the other from the start of the block.
void Allreduce::fold(Block& parts, std::int64_t count, bool starts, const Instance& to, const Rect& touched,
                     int processor) {
  FoldParts step{fold_,
                 store_.dtype,
                 starts,
                 count > 0 ? parts.data : nullptr,
                 count,
                 {to.address(whole_.rect.lo), to.pitch},
                 std::max(whole_.rect.rank, 1),
                 {}};
  step.extent[0] = 1;
  for (int axis = 0; axis < whole_.rect.rank; ++axis)
    step.extent[static_cast<std::size_t>(axis)] = whole_.rect.extent(axis);
  std::vector<Touch> touches;  // in the order of the pointers
  if (count > 0) touches.push_back({&parts, byte_range(0, count * bytes_), false});
  touches.push_back({to.block, touched, true});
  builder_.emit(step, processor, touches);
}

void Allreduce::finish(const std::vector<Instance*>& outputs) {
  const bool is_alone = builder_.rank().machine.ranks == 1;
  if (shares_ > 1 && is_alone && bytes_ <= kFoldedByEach) {
    for (std::size_t p = 0; p < outputs.size(); ++p) {
      if (outputs[p]) fold(*whole_.block, shares_, /*starts=*/true, *outputs[p], whole_.rect, static_cast<int>(p));
    }
    return builder_.free(whole_.block, 0);
  }
  if (shares_ > 1) {
    Block* shares = whole_.block;
    whole_.block = builder_.allocate_shared(static_cast<std::size_t>(bytes_), 0, store_.id);
    fold(*shares, shares_, /*starts=*/true, whole_, byte_range(0, bytes_), 0);
    builder_.free(shares, 0);
  }
  if (!is_alone) fold_across_ranks();
  for (std::size_t p = 0; p < outputs.size(); ++p) {
    if (outputs[p]) builder_.unpack(whole_.block, Region(whole_.rect), *outputs[p], store_, static_cast<int>(p));
  }
  builder_.free(whole_.block, 0);
}

void Allreduce::fold_across_ranks() {
  const auto bytes = static_cast<std::size_t>(bytes_);
  const comm::TreePlace place =
      comm::compute_tree_place(builder_.rank().rank, builder_.rank().machine.ranks, /*root=*/0);
  for (const comm::RankBlock& child : place.children) {
    Block* share = builder_.allocate_shared(bytes, 0, store_.id);
    builder_.receive_block(child.first, share, bytes, store_.id);
    fold(*share, /*count=*/1, /*starts=*/false, whole_, byte_range(0, bytes_), 0);
    builder_.free(share, 0);
  }
  if (place.parent) {
    builder_.send_block(*place.parent, whole_.block, bytes, store_.id);
    builder_.receive_block(*place.parent, whole_.block, bytes, store_.id);
  }
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
    builder_.send_block(child->first, whole_.block, bytes, store_.id);
  }
}

}  // namespace pilum::scheduler
