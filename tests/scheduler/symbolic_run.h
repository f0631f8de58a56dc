// Runs plans of all ranks on symbols in place of numbers, in any order that their dependences allow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/memo/bound_plan.h"
#include "scheduler/record/plan.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {

// A value is a hash of how it was computed, so two programs that compute alike have equal symbols, however they are
// fused, cut and copied. Folds add symbols up: their order does not count here.
using Symbol = std::uint64_t;

inline Symbol mix_symbols(Symbol a, Symbol b) {
  a = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;
  return a ^ a >> 29;
}

// Symbols by the address of a cell's first byte. What was never written is a symbol too, one for all.
class SymbolicMemory {
 public:
  static constexpr Symbol kUnwritten = 1;
  Symbol get(std::uintptr_t at) const {
    const auto found = cells_.find(at);
    return found == cells_.end() ? kUnwritten : found->second;
  }
  void set(std::uintptr_t at, std::size_t size, Symbol value) {
    erase(at, size);
    cells_[at] = value;
  }
  std::vector<std::pair<std::size_t, Symbol>> read(std::uintptr_t at, std::size_t bytes) const {
    std::vector<std::pair<std::size_t, Symbol>> found;
    for (auto place = cells_.lower_bound(at); place != cells_.end() && place->first < at + bytes; ++place)
      found.emplace_back(place->first - at, place->second);
    return found;
  }
  void erase(std::uintptr_t at, std::size_t bytes) {
    cells_.erase(cells_.lower_bound(at), cells_.lower_bound(at + bytes));
  }

 private:
  std::map<std::uintptr_t, Symbol> cells_;
};

// What one rank runs: instructions by number, each after some before it; and where the cells of its tiles lie in the
// end, by store and row-major number.
struct RankRun {
  std::vector<Instruction> instructions;
  std::vector<std::vector<int>> predecessors;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uintptr_t> cells;

  // What follows the plans so far. A plan that is bound to a template is taken apart, before it is bound anew.
  void add(const Plan& plan) {
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
      const Instruction& instruction = plan.instructions[i];
      std::vector<int> after;
      for (const InstructionId id : instruction.after) {
        const std::vector<int>& numbers = numbers_.at(id.value);
        after.insert(after.end(), numbers.begin(), numbers.end());
      }
      std::vector<int>& numbers = numbers_[plan.first.value + static_cast<std::int64_t>(i)];
      const auto* bound = std::get_if<ReplayedPlan>(&instruction.what);
      if (!bound) {
        numbers.push_back(append(instruction, after));
        continue;
      }
      const auto first = static_cast<int>(instructions.size());
      const auto& item_befores = bound->run->plan_template().predecessors();
      for (int item = 0; item < bound->run->size(); ++item) {
        std::vector<int> before = after;
        for (const int other : item_befores[static_cast<std::size_t>(item)]) before.push_back(first + other);
        numbers.push_back(append(bound->run->instruction(item), std::move(before)));
      }
      if (numbers.empty()) numbers = after;
      bound->run->end();  // as if it had been run: it may be bound again
    }
  }
  void end(PlannedRank& planned) {
    for (const auto& state : planned.planner().states()) {
      const Shape& shape = state->store->shape;
      for (const ProcessorStore& local : state->local) {
        std::array<std::int64_t, kMaxAxes> x = local.tile.lo;
        for (std::int64_t left = local.tile.cells(); left > 0; --left) {
          std::int64_t number = 0;
          Rect cell{local.tile.rank};
          for (int a = 0; a < cell.rank; ++a) {
            const auto axis = static_cast<std::size_t>(a);
            number = number * shape[a] + x[axis];
            cell.lo[axis] = x[axis];
            cell.hi[axis] = x[axis] + 1;
          }
          for (const auto& instance : local.instances) {
            if (instance->valid.contains(cell))
              cells[{state->store->id.value, number}] = reinterpret_cast<std::uintptr_t>(instance->address(x));
          }
          for (int a = cell.rank - 1; a >= 0; --a) {
            const auto axis = static_cast<std::size_t>(a);
            if (++x[axis] < local.tile.hi[axis]) break;
            x[axis] = local.tile.lo[axis];
          }
        }
      }
    }
  }

 private:
  int append(const Instruction& instruction, std::vector<int> after) {
    instructions.push_back(instruction);
    auto* launch = std::get_if<Launch>(&instructions.back().what);  // of a bound plan the numbers are written anew
    if (launch) launch->scalars = std::make_shared<const std::vector<std::uint64_t>>(*launch->scalars);
    predecessors.push_back(std::move(after));
    return static_cast<int>(instructions.size()) - 1;
  }
  std::map<std::int64_t, std::vector<int>> numbers_;  // by id
};

// All ranks of a machine together.
class SymbolicRun {
 public:
  using Cells = std::map<std::pair<std::int64_t, std::int64_t>, Symbol>;  // by store and row-major number

  // In an order by chance. Throws where ranks wait for each other.
  Cells run(const std::vector<RankRun>& ranks, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    memories_.assign(ranks.size(), {});
    struct Node {
      std::size_t rank, number;
    };
    std::vector<std::vector<std::size_t>> waits(ranks.size());
    std::vector<std::vector<std::vector<std::size_t>>> then(ranks.size());
    std::vector<Node> ready;
    std::size_t left = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const std::size_t count = ranks[rank].instructions.size();
      then[rank].resize(count);
      left += count;
      for (std::size_t i = 0; i < count; ++i) {
        waits[rank].push_back(ranks[rank].predecessors[i].size());
        for (const int before : ranks[rank].predecessors[i]) then[rank][static_cast<std::size_t>(before)].push_back(i);
        if (waits[rank][i] == 0) ready.push_back({rank, i});
      }
    }
    std::size_t tries = 0;
    while (!ready.empty()) {
      const std::size_t choice = random() % ready.size();
      const Node node = ready[choice];
      if (!step(static_cast<int>(node.rank), ranks[node.rank].instructions[node.number])) {
        if (++tries > 1000 * (ready.size() + 1)) break;  // messages that nobody sends
        continue;
      }
      tries = 0;
      --left;
      ready[choice] = ready.back();
      ready.pop_back();
      for (const std::size_t next : then[node.rank][node.number])
        if (--waits[node.rank][next] == 0) ready.push_back({node.rank, next});
    }
    if (left > 0) throw std::runtime_error(std::to_string(left) + " instructions never run");
    Cells cells;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      for (const auto& [cell, address] : ranks[rank].cells) cells.emplace(cell, memories_[rank].get(address));
    return cells;
  }

 private:
  using Address = std::uintptr_t;
  static Address at(const void* base, const std::int64_t* pitch, const Extents& x, int rank, std::int64_t more = 0) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) more += x[a] * pitch[a];
    return reinterpret_cast<Address>(base) + static_cast<Address>(more);
  }
  template <class Visit>
  static void for_each_point(int rank, const Extents& extent, Visit visit) {
    Extents x{};
    while (true) {
      visit(x);
      int a = rank - 1;
      while (a >= 0 && ++x[static_cast<std::size_t>(a)] == extent[static_cast<std::size_t>(a)])
        x[static_cast<std::size_t>(a--)] = 0;
      if (a < 0) return;
    }
  }
  // False: what it waits for has not come.
  bool step(int rank, const Instruction& instruction) {
    SymbolicMemory& memory = memories_[static_cast<std::size_t>(rank)];
    if (const auto* send = std::get_if<Send>(&instruction.what)) {
      mail_[{rank, send->to, send->tag.window, send->tag.message}] =
          memory.read(reinterpret_cast<Address>(send->data), send->bytes);
    } else if (const auto* receive = std::get_if<Receive>(&instruction.what)) {
      const auto mail = mail_.find({receive->from, rank, receive->tag.window, receive->tag.message});
      if (mail == mail_.end()) return false;
      const auto data = reinterpret_cast<Address>(receive->data);
      memory.erase(data, receive->bytes);
      for (const auto& [offset, value] : mail->second) memory.set(data + offset, 1, value);
      mail_.erase(mail);
    } else {
      std::visit([&](const auto& what) { run(memory, what); }, instruction.what);
    }
    return true;
  }
  void run(SymbolicMemory& memory, const Copy& copy) {
    for_each_point(copy.rank, copy.extent, [&](const Extents& x) {
      memory.set(at(copy.to.data, copy.to.pitch.data(), x, copy.rank), copy.itemsize,
                 memory.get(at(copy.from.data, copy.from.pitch.data(), x, copy.rank)));
    });
  }
  void run(SymbolicMemory& memory, const FoldParts& fold) {
    const std::size_t size = itemsize(fold.dtype);
    std::int64_t cells = 1, number = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(fold.rank); ++a) cells *= fold.extent[a];
    for_each_point(fold.rank, fold.extent, [&](const Extents& x) {
      const Address to = at(fold.to.data, fold.to.pitch.data(), x, fold.rank);
      Symbol sum = fold.start ? 0 : memory.get(to);
      for (std::int64_t part = 0; part < fold.part_count; ++part)
        sum += memory.get(reinterpret_cast<Address>(fold.parts) + static_cast<Address>(part * cells + number) * size);
      memory.set(to, size, sum);
      ++number;
    });
  }
  void run(SymbolicMemory& memory, const Launch& launch) {
    const kernel::Kernel& kernel = *launch.kernel()->kernel;
    std::map<Address, std::pair<std::size_t, Symbol>> written;  // at the end: a task reads all before it writes
    std::vector<Symbol> values(kernel.nodes.size());
    const auto value_of = [&](kernel::ValueId id) { return id < 0 ? 0 : values[static_cast<std::size_t>(id)]; };
    Extents chunks{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(launch.rank); ++a)
      chunks[a] = (launch.extent[a] + launch.chunk[a] - 1) / launch.chunk[a];
    for_each_point(launch.rank, launch.extent, [&](const Extents& x) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const kernel::Node& node = kernel.nodes[i];
        const auto argument = static_cast<std::size_t>(node.argument);
        Symbol symbol = mix_symbols(static_cast<Symbol>(node.op) + 100, static_cast<Symbol>(node.dtype));
        if (node.op == kernel::Op::Load) {
          std::int64_t offset = 0;
          for (std::size_t k = 0; k < kMaxAxes; ++k) offset += node.offset[k] * launch.arrays[argument].pitch[k];
          symbol = memory.get(at(launch.arrays[argument].base, launch.arrays[argument].stride, x, launch.rank, offset));
        } else if (node.op == kernel::Op::Argument) {
          symbol = mix_symbols(7, launch.scalars->at(argument));
        } else if (node.op == kernel::Op::Constant) {
          symbol = mix_symbols(7, node.bits);
        } else if (node.op == kernel::Op::Index) {
          const auto axis = static_cast<std::size_t>(node.axis);
          symbol = mix_symbols(symbol, static_cast<Symbol>(launch.lo[axis] + x[axis]));
        } else {
          for (const kernel::ValueId operand : {node.a, node.b, node.c})
            symbol = mix_symbols(symbol, value_of(operand));
        }
        values[i] = symbol;
      }
      std::int64_t chunk = 0;
      for (std::size_t a = 0; a < static_cast<std::size_t>(launch.rank); ++a)
        chunk = chunk * chunks[a] + x[a] / launch.chunk[a];
      const auto target = [&](std::int16_t array) {
        const auto i = static_cast<std::size_t>(array);
        const std::int64_t step = launch.chunk_step.empty() ? 0 : launch.chunk_step[i];
        return at(launch.arrays[i].base, launch.arrays[i].stride, x, launch.rank, chunk * step);
      };
      const auto size = [&](std::int16_t array) {
        return itemsize(kernel.arrays[static_cast<std::size_t>(array)].dtype);
      };
      for (const kernel::StoreOutput& store : kernel.stores)
        written[target(store.argument)] = {size(store.argument), value_of(store.value)};
      for (const kernel::Accumulation& fold : kernel.accumulations) {
        auto& [bytes, sum] = written[target(fold.argument)];
        bytes = size(fold.argument);
        sum += mix_symbols(static_cast<Symbol>(fold.fold), value_of(fold.value));
      }
    });
    for (const auto& [address, cell] : written) memory.set(address, cell.first, cell.second);
  }
  void run(SymbolicMemory&, const Allocate&) {}
  void run(SymbolicMemory&, const Free&) {}
  template <class Other>
  void run(SymbolicMemory&, const Other&) {
    throw std::logic_error("an instruction that has no symbols");
  }

  std::vector<SymbolicMemory> memories_;
  std::map<std::array<std::int64_t, 4>, std::vector<std::pair<std::size_t, Symbol>>> mail_;  // from, to, window, number
};

// Cells that differ, a few of them.
inline std::string find_difference(const SymbolicRun::Cells& a, const SymbolicRun::Cells& b) {
  std::string text;
  for (const auto& [cell, symbol] : a) {
    const auto other = b.find(cell);
    if (other != b.end() && other->second == symbol) continue;
    text += " s" + std::to_string(cell.first) + "[" + std::to_string(cell.second) + "]";
    if (text.size() > 100) return text;
  }
  return text.empty() && a.size() != b.size() ? "other cells" : text;
}

}  // namespace pilum::scheduler
