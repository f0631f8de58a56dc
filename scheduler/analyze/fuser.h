// Groups operations into tasks.
#pragma once

#include <vector>

#include "scheduler/analyze/window.h"
#include "scheduler/record/fusion_notes.h"
#include "scheduler/record/task.h"

namespace pilum::scheduler {

// The window's operations as tasks, in an order that keeps every dependence. Operations over one domain, cut alike,
// become one task, independent ones moved together; a task reads everything it reads before it writes, so an
// operation that needs a neighbour's new value starts another one. Which operations stand together is a function of
// the operations, the tilings and which values all ranks know to be gone; only what gets memory depends on the handles
// that live on this one. `notes`: gets what each task is made of and why the next one is another; null: nobody asks.
[[nodiscard]] std::vector<Task> fuse(std::vector<Operation>& operations, std::vector<WindowStore>& stores,
                                     const machine::Machine& machine, FusionNotes* notes = nullptr);

// How many tasks these become. `later`: recorded, and not of their window.
[[nodiscard]] std::size_t count_tasks(std::vector<Operation> operations, const std::vector<Operation>& later,
                                      const machine::Machine& machine);

// For each task the stores that die with the window and that no later task touches.
[[nodiscard]] std::vector<std::vector<Store*>> find_deaths(const std::vector<Task>& tasks,
                                                           const std::vector<WindowStore>& stores);

}  // namespace pilum::scheduler
