// Reading cells that arrays of indices name, of an array that is cut: each rank asks the owners for what it needs.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scheduler/plan/launches.h"
#include "scheduler/plan/picked_partners.h"

namespace pilum::scheduler {

// An exchange by need: messages whose sizes are known only when it runs (CountedItems). Each piece finds the owners of
// its cells and sends them the places, after how many they are; the owners send the rows back; the piece puts them to
// its points. It goes in rounds of points, so that its memory is bounded. Every rank takes part with its pieces and its
// tiles; where nothing is asked, two numbers say so.
class PickedRead {
 public:
  // `pieces`: bound but for their first read.
  PickedRead(PlanBuilder& builder, Instances& instances, const std::vector<BoundPiece>& pieces);
  void plan();

 private:
  using Owner = PickedPartners::Owner;
  using Asker = PickedPartners::Asker;
  using Row = PickedPartners::Row;
  // Of a piece of this rank.
  struct AskerMemory {
    Block *places = nullptr, *numbers = nullptr, *counts = nullptr, *ranges = nullptr, *requests = nullptr;
    Block* rows = nullptr;
    std::int64_t chunks = 1;
  };
  // Of another rank's asker, with an owner here.
  struct AnswerMemory {
    Block *range = nullptr, *requests = nullptr, *rows = nullptr;
  };
  // Memory of a step, in order.
  struct StepMemory {
    std::byte* data;
    Touch touch;
  };

  bool is_local(int processor) const;
  int local_number(int processor) const { return processor - builder_.rank().first_processor(); }
  const machine::Machine& machine() const { return builder_.rank().machine; }
  const Store& store() const { return *task_.reads[0].store(); }
  std::int64_t chunks_for(std::int64_t points) const;
  // Calls visit(asker, owner) for what this rank's pieces ask in this round, or for what others' ask of it.
  template <class Visit>
  void for_each_question(std::int64_t round, bool ours, const Visit& visit) const;

  void allocate();
  void free_all();
  void plan_round(std::int64_t round);
  void find_requests(const Asker& asker, const Rect& points);
  // From the requests to the rows; in logs the rows' memory is numbered by owner.
  void answer(const Asker& asker, const Owner& owner, Block* range, std::int64_t range_at, Block* requests, Block* rows,
              std::int64_t rows_at);
  void place(const Asker& asker, const Rect& points);
  Rect all_requests(const Asker& asker) const { return byte_range(0, partners_.place_bytes() * asker.capacity); }
  PlanBuilder::Items range_items(const Asker& asker, const Owner& owner) const;
  PlanBuilder::Items request_items(const Asker& asker, const Owner& owner) const;
  PlanBuilder::Items row_items(const Asker& asker, const Owner& owner) const;
  template <class Step>
  void emit_step(const char* name, const Step& step, std::int64_t chunks, int processor,
                 const std::vector<StepMemory>& memory);

  PlanBuilder& builder_;
  Instances& instances_;
  const std::vector<BoundPiece>& pieces_;
  const Task& task_;
  StoreState& state_;
  PickedPartners partners_;
  std::map<int, AskerMemory> ours_;                      // by asker, of this rank
  std::map<std::pair<int, int>, AnswerMemory> answers_;  // by asker of another rank, and owner of this one
  std::map<int, const Instance*> tiles_;                 // by owner, of this rank
};

}  // namespace pilum::scheduler
