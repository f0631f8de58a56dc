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
  whole_.block = allocate(all);
  if (shares_ == 0) start(/*share=*/0);
}

Allreduce::Allreduce(PlanBuilder& builder, const Argument& first, int cells)
    : builder_(builder),
      store_(*first.store()),
      fold_(first.footprint.fold),
      gathered_(true),
      shares_(builder.rank().machine.processors_per_rank) {
  whole_.rect = Rect::of({0}, {cells});
  whole_.pitch[0] = static_cast<std::int64_t>(itemsize(store_.dtype));
  bytes_ = cells * whole_.pitch[0];
  whole_.block = allocate(bytes_ * shares_);
  for (int share = 0; share < shares_; ++share) start(share);
}

FoldTarget Allreduce::target(int processor, int cell) const {
  const std::int64_t size = whole_.pitch[0], at = processor * bytes_ + cell * size;
  return {whole_.block, byte_range(at, at + size), {whole_.block->data + at, {}}, /*start=*/false};
}

// Where messages go through the host, there.
Block* Allreduce::allocate(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  return builder_.rank().has_mail_with_all() ? builder_.allocate(size, 0, store_.id)
                                             : builder_.allocate_shared(size, 0, store_.id);
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

// `count` boxes of the whole store, one after the other from byte `at` of the block on.
void Allreduce::fold(Block& parts, std::int64_t count, bool starts, const Instance& to, const Rect& touched,
                     int processor, std::int64_t at) {
  FoldParts step{fold_,
                 store_.dtype,
                 starts,
                 count > 0 ? parts.data + at : nullptr,
                 count,
                 {to.address(whole_.rect.lo), to.pitch},
                 std::max(whole_.rect.rank, 1),
                 {}};
  step.extent[0] = 1;
  for (int axis = 0; axis < whole_.rect.rank; ++axis)
    step.extent[static_cast<std::size_t>(axis)] = whole_.rect.extent(axis);
  std::vector<Touch> touches;  // in the order of the pointers
  if (count > 0) touches.push_back({&parts, byte_range(at, at + count * bytes_), false});
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
  fold_shares();
  if (!is_alone) fold_across_ranks();
  for (std::size_t p = 0; p < outputs.size(); ++p) {
    if (outputs[p]) builder_.unpack(whole_.block, Region(whole_.rect), *outputs[p], store_, static_cast<int>(p));
  }
  builder_.free(whole_.block, 0);
}

// Of this rank.
void Allreduce::fold_shares() {
  if (shares_ <= 1) return;
  Block* shares = whole_.block;
  whole_.block = allocate(bytes_);
  fold(*shares, shares_, /*starts=*/true, whole_, byte_range(0, bytes_), 0);
  builder_.free(shares, 0);
}

void Allreduce::finish_cells(const std::vector<Store*>& stores, const std::vector<std::vector<Instance*>>& outputs) {
  fold_shares();
  fold_across_ranks();
  for (std::size_t cell = 0; cell < stores.size(); ++cell) {
    const auto at = static_cast<std::int64_t>(cell) * whole_.pitch[0];
    const Store& store = *stores[cell];
    for (std::size_t p = 0; p < outputs[cell].size(); ++p)
      builder_.unpack(whole_.block, Region(Rect::of(store.shape)), *outputs[cell][p], store, static_cast<int>(p), at);
  }
  builder_.free(whole_.block, 0);
}

bool Allreduce::is_folded_by_each() const {
  constexpr int kMostRanks = 8;  // beyond, messages to all take longer than a tree
  const PlanningRank& rank = builder_.rank();
  return rank.has_mail_with_all() && rank.machine.ranks <= kMostRanks && bytes_ <= kFoldedByEach;
}

void Allreduce::fold_across_ranks() {
  is_folded_by_each() ? fold_by_each() : fold_up_and_down();
}

void Allreduce::fold_up_and_down() {
  const comm::TreePlace place =
      comm::compute_tree_place(builder_.rank().rank, builder_.rank().machine.ranks, /*root=*/0);
  for (const comm::RankBlock& child : place.children) receive_and_fold(child.first);
  if (place.parent) {
    send_whole(*place.parent);
    receive_whole(*place.parent);
  }
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) send_whole(child->first);
}

void Allreduce::receive_and_fold(int child) {
  if (builder_.rank().has_mail_with_all()) {
    const PlanBuilder::Parcel parcel = builder_.receive_parcel(child, bytes_, store_, 0);
    fold(*parcel.block, /*count=*/1, /*starts=*/false, whole_, byte_range(0, bytes_), 0, parcel.at);
    return builder_.end_parcel(parcel, 0);
  }
  const auto bytes = static_cast<std::size_t>(bytes_);
  Block* share = builder_.allocate_shared(bytes, 0, store_.id);
  builder_.receive_block(child, share, bytes, store_.id);
  fold(*share, /*count=*/1, /*starts=*/false, whole_, byte_range(0, bytes_), 0);
  builder_.free(share, 0);
}

void Allreduce::send_whole(int to) {
  if (builder_.rank().has_mail_with_all()) return builder_.send_parcel(to, whole_.block, 0, bytes_, store_, 0);
  builder_.send_block(to, whole_.block, static_cast<std::size_t>(bytes_), store_.id);
}

void Allreduce::receive_whole(int from) {
  if (!builder_.rank().has_mail_with_all())
    return builder_.receive_block(from, whole_.block, static_cast<std::size_t>(bytes_), store_.id);
  const PlanBuilder::Parcel parcel = builder_.receive_parcel(from, bytes_, store_, 0);
  builder_.copy_bytes(parcel.block, parcel.at, whole_.block, 0, bytes_, store_, 0);
  builder_.end_parcel(parcel, 0);
}

// Every rank has the others' shares.
void Allreduce::fold_by_each() {
  const int ranks = builder_.rank().machine.ranks, own = builder_.rank().rank;
  const PlanBuilder::NoReuse hold(builder_);
  for (int step = 1; step < ranks; ++step) send_whole((own + step) % ranks);
  std::vector<PlanBuilder::Parcel> parcels(static_cast<std::size_t>(ranks));
  for (int step = 1; step < ranks; ++step) {
    const int from = (own + ranks - step) % ranks;
    parcels[static_cast<std::size_t>(from)] = builder_.receive_parcel(from, bytes_, store_, 0);
  }
  parcels[static_cast<std::size_t>(own)] = {whole_.block, 0, bytes_, own};
  Block* all = fold_subtree(/*rank=*/0, parcels);
  for (int step = 1; step < ranks; ++step)
    builder_.end_parcel(parcels[static_cast<std::size_t>((own + ranks - step) % ranks)], 0);
  if (all == whole_.block) return;
  builder_.free(whole_.block, 0);
  whole_.block = all;
}

// What this rank of the tree would send up, in a block of its own, or in place where its share is this rank's.
Block* Allreduce::fold_subtree(int rank, const std::vector<PlanBuilder::Parcel>& parcels) {
  const PlanBuilder::Parcel& share = parcels[static_cast<std::size_t>(rank)];
  Instance sum = whole_;
  if (share.block != whole_.block) {
    sum.block = builder_.allocate(static_cast<std::size_t>(bytes_), 0, store_.id);
    builder_.copy_bytes(share.block, share.at, sum.block, 0, bytes_, store_, 0);
  }
  const comm::TreePlace place = comm::compute_tree_place(rank, builder_.rank().machine.ranks, /*root=*/0);
  for (const comm::RankBlock& child : place.children) {
    const PlanBuilder::Parcel& other = parcels[static_cast<std::size_t>(child.first)];
    const bool is_leaf = child.count == 1;
    Block* of_child = is_leaf ? other.block : fold_subtree(child.first, parcels);
    fold(*of_child, /*count=*/1, /*starts=*/false, sum, byte_range(0, bytes_), 0, is_leaf ? other.at : 0);
    if (!is_leaf && of_child != whole_.block) builder_.free(of_child, 0);
  }
  return sum.block;
}

}  // namespace pilum::scheduler
