// What reads and writes of cells that arrays of indices name have in common: pieces of points find the owners of their
// cells, and write requests to each, numbered.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "scheduler/plan/launches.h"
#include "scheduler/plan/picked_partners.h"
#include "scheduler/record/host_body.h"

namespace pilum::scheduler {

// An exchange by need: messages whose sizes are known only when it runs (CountedItems). Each piece finds the owners of
// its cells and sends them the places, after how many they are. Every rank takes part with its pieces and its tiles;
// where nothing is asked, two numbers say so.
class PickedExchange {
 protected:
  using Owner = PickedPartners::Owner;
  using Asker = PickedPartners::Asker;
  using Row = PickedPartners::Row;
  static constexpr std::int64_t kWord = 8;           // bytes of a place, a number, a count
  static constexpr std::int64_t kRange = 2 * kWord;  // the first and how many
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
  // How a row lies in an instance: its first cell, and its axes in bytes.
  struct RowPlace {
    std::array<std::int64_t, kMaxAxes> first{};
    RowShape shape;
  };

  // `task`: over the points; its first read is the array, the others the indices; its body locates (TaskBody::locate).
  PickedExchange(PlanBuilder& builder, const Task& task, PickedPartners::Rounds rounds);

  bool is_local(int processor) const;
  int local_number(int processor) const { return processor - builder_.rank().first_processor(); }
  const machine::Machine& machine() const { return builder_.rank().machine; }
  const Store& store() const { return *task_.reads[0].store(); }
  std::int64_t chunks_for(std::int64_t points) const;
  // Calls visit(asker, owner) for what this rank's pieces ask in this round, or for what others' ask of it. Between two
  // ranks both find them in the same order.
  template <class Visit>
  void for_each_question(std::int64_t round, bool ours, const Visit& visit) const {
    for (const Asker& asker : partners_.askers()) {
      if (round >= asker.rounds || is_local(asker.processor) != ours) continue;
      for (const Owner& owner : partners_.owners()) {
        if (!ours && !is_local(owner.processor)) continue;
        if (asker.row_of(owner).bytes > 0) visit(asker, owner);
      }
    }
  }

  void allocate();
  void free_all();
  // `indices`: the instances of the task's other reads. Of the group `own` nothing is requested (-1: of each).
  void find_requests(const Asker& asker, const Rect& points, const std::vector<const Instance*>& indices, int own = -1);
  Rect all_requests(const Asker& asker) const { return byte_range(0, partners_.place_bytes() * asker.capacity); }
  Rect all_rows() const { return byte_range(0, machine().processors()); }  // in logs numbered by owner
  PlanBuilder::Items range_items(const Asker& asker, const Owner& owner) const;
  PlanBuilder::Items request_items(const Asker& asker, const Owner& owner) const;
  PlanBuilder::Items row_items(const Asker& asker, const Owner& owner) const;
  void send(int to, const PlanBuilder::Items& items, int processor) {
    builder_.send_items(machine().rank_of(to), items, store().id, local_number(processor));
  }
  void receive(int from, const PlanBuilder::Items& items, int processor) {
    builder_.receive_items(machine().rank_of(from), items, store().id, local_number(processor));
  }
  // What an asker's rows are in the memory of an owner's tile.
  RowPlace row_in_tile(const Asker& asker, const Owner& owner, const Instance& tile) const;
  // Sets a step's axes to the chosen ones of the tile.
  template <class Step>
  void set_chosen_axes(Step& step, const Owner& owner, const Instance& tile) const {
    for (const int k : partners_.chosen_axes()) {
      step.extent[u(step.axes)] = owner.tile.extent(k);
      step.pitch[u(step.axes++)] = tile.pitch[u(k)];
    }
  }
  // How the rows of the points lie where a point moves by `stride`.
  std::vector<PointRows> rows_by_point(const Asker& asker, const Rect& points, const Extents& stride) const;
  template <class Step>
  void emit_step(const char* name, const Step& step, std::int64_t chunks, int processor,
                 const std::vector<StepMemory>& memory) {
    emit_body(name, [step](const detail::BodyCall& call) { step.run(call); }, chunks, processor, memory);
  }

  PlanBuilder& builder_;
  const Task& task_;
  PickedPartners partners_;
  std::map<int, AskerMemory> ours_;                      // by asker, of this rank
  std::map<std::pair<int, int>, AnswerMemory> answers_;  // by asker of another rank, and owner of this one

 private:
  void emit_body(const char* name, std::function<void(const detail::BodyCall&)> run, std::int64_t chunks, int processor,
                 const std::vector<StepMemory>& memory);
};

}  // namespace pilum::scheduler
