// A window's operations, rewritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// What an operation was in the window.
struct Origin {
  int number = 0;                // there
  bool is_part = false;          // it is part of one that was cut, or computes some of its cells again
  bool is_seen_through = false;  // its readers do without it
  bool is_repeated = false;      // it computes a value again for readers that come soon
  // Of a part of one that was cut: the cells of its array that it would compute right, if it had their points too. Not
  // those where what it reads comes of other pieces.
  std::optional<Rect> right;
};

// A window's operations, as they were recorded or as they have been rewritten since.
struct WindowOperations {
  const std::vector<Operation>& operations;
  const std::vector<Origin>* origins = nullptr;  // side by side with them; null: they are the recorded ones

  Origin origin_of(std::size_t number) const {
    return origins ? (*origins)[number] : Origin{.number = static_cast<int>(number)};
  }
};

// Side by side.
struct Rewritten {
  std::vector<Operation> operations;
  std::vector<Origin> origins;

  void add(Operation operation, const Origin& origin) {
    operations.push_back(std::move(operation));
    origins.push_back(origin);
  }
  void add(Rewritten&& others) {
    for (std::size_t i = 0; i < others.operations.size(); ++i) add(std::move(others.operations[i]), others.origins[i]);
  }
};

}  // namespace pilum::scheduler
