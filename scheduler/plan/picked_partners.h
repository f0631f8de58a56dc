// Who asks whom for cells that arrays of indices name (picked_read.h), and how much at a time: geometry alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/plan/picked_steps.h"
#include "scheduler/plan/plan_builder.h"

namespace pilum::scheduler {

// True where a task's body tells which cells it reads (TaskBody::locate), and asking for them moves fewer bytes than
// giving each piece all that it may read; of an array that has been asked and has not changed since, an eighth of them.
// Follows from what all ranks know. On GPUs, never.
[[nodiscard]] bool pays_to_ask(const Task& task, const PlanningRank& rank);

// The same on every rank. Along some axes of the domain the array moves and no index does: for one choice a point gets
// a row, a box along these axes.
class PickedPartners {
 public:
  // What a piece gets for each place from an owner in some part along the axes of rows. Empty: nothing.
  struct Row {
    Rect points;  // of the piece: as many along the other axes as it has
    std::int64_t bytes = 0;
    std::int64_t from = 0;  // bytes: of the first such row in the piece's memory
  };
  // A processor that has a tile.
  struct Owner {
    int processor = 0;
    Rect tile;
    int group = 0;     // of owners, among whom places are numbered (ChosenAxes)
    int row_part = 0;  // which part of rows it has
  };
  // A processor and its piece. Its points are asked for in rounds.
  struct Asker {
    int processor = 0;
    Rect piece, points;                     // points: at one coordinate along the axes of rows
    std::vector<Row> rows;                  // by part
    std::int64_t row_bytes = 0;             // of all parts
    Extents round{};                        // extents of a round's points
    std::int64_t rounds = 0, capacity = 0;  // rounds; points of the largest
    const Row& row_of(const Owner& owner) const { return rows[static_cast<std::size_t>(owner.row_part)]; }
  };

  // Many: as many rounds as keep the memory of owners bounded; one: none of them bounds it.
  enum class Rounds : std::uint8_t { Many, One };
  PickedPartners(const Task& task, const StoreState& state, const machine::Machine& machine, Rounds rounds);

  const std::vector<Owner>& owners() const { return owners_; }
  const std::vector<Asker>& askers() const { return askers_; }  // by processor; without rounds: it asks nothing
  std::shared_ptr<const ChosenAxes> chosen() const { return chosen_; }
  const std::vector<int>& chosen_axes() const { return chosen_axes_; }  // of the store: no rows run along them
  bool is_row_axis(int axis) const { return row_axes_ >> axis & 1; }    // of the domain
  const AffineMap& map() const { return map_; }                         // from the domain to the store
  std::int64_t itemsize() const { return itemsize_; }
  std::int64_t place_bytes() const { return place_bytes_; }  // of a request
  [[nodiscard]] static Rect points_of_round(const Asker& asker, std::int64_t round);
  // Points and all of the piece along the axes of rows.
  [[nodiscard]] Rect with_rows(const Asker& asker, const Rect& points) const;

 private:
  void find_owners(const AffineMap& view, const Tiling& tiling, int processors);
  void find_askers(const Tiling& distribution, const StoreState& state, const machine::Machine& machine, Rounds rounds);
  Row find_row(const Asker& asker, const Rect& tile) const;
  void cut_rounds(Asker& asker, std::int64_t memory) const;

  AffineMap map_;
  std::int64_t itemsize_ = 8;
  std::uint32_t row_axes_ = 0;  // bit a: rows run along the domain's axis a
  std::int64_t place_bytes_ = 8;
  std::shared_ptr<ChosenAxes> chosen_ = std::make_shared<ChosenAxes>();
  std::vector<int> chosen_axes_;
  std::vector<Owner> owners_;
  std::vector<Rect> row_parts_;  // tiles of owners of the first group, by part
  std::vector<Asker> askers_;
};

}  // namespace pilum::scheduler
