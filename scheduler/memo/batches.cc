#include "scheduler/memo/batches.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/base/ancestors.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {
namespace {

// About how long an item takes, of those that are tiny, and a batch of them: a thread needs some 300 ns to see what
// another one has done.
constexpr double kTinySeconds = 1.6e-6, kBatchSeconds = 3e-6;

// Cells that lie apart are a line of the cache each.
double seconds_of(const Launch& launch) {
  constexpr double kByte = 1 / 20e9, kLine = 2e-9;
  double points = 1, point = 0;
  for (int axis = 0; axis < launch.rank; ++axis)
    points *= static_cast<double>(launch.extent[static_cast<std::size_t>(axis)]);
  for (const kernel::BoundArray& array : launch.arrays)
    point += std::min(static_cast<double>(std::abs(array.stride[launch.rank - 1])) * kByte, kLine);
  return points * point;
}

double seconds_of(const Instruction& instruction) {
  constexpr double kItem = 60e-9, kByte = 1 / 20e9;
  const auto* launch = std::get_if<Launch>(&instruction.what);
  if (launch && launch->kernel() && launch->kernel()->kernel) return kItem + seconds_of(*launch);
  return kItem + kByte * static_cast<double>(bytes_touched(instruction));
}

bool is_tiny(const Instruction& instruction) {
  return !is_message(instruction) && count_chunks(instruction) == 1 && seconds_of(instruction) <= kTinySeconds;
}

class Batches {
 public:
  Batches(const std::vector<const Instruction*>& items, const std::vector<std::vector<int>>& predecessors)
      : items_(items), predecessors_(predecessors), batch_of_(items.size()), leads_to_message_(items.size(), false) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!is_message(*items[i])) continue;
      has_messages_ = true;
      for (const int before : predecessors[i]) leads_to_message_[static_cast<std::size_t>(before)] = true;
    }
  }

  std::vector<Batch> make() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (joins_last(i)) {
        ++batches_.back().count;
        seconds_ += seconds_of(*items_[i]);
      } else {
        Batch& batch = batches_.emplace_back();
        batch.first = static_cast<int>(i);
        batch.chunks = count_chunks(*items_[i]);
        seconds_ = seconds_of(*items_[i]);
      }
      batch_of_[i] = batches_.size() - 1;
    }
    connect();
    return std::move(batches_);
  }

 private:
  bool joins_last(std::size_t i) const {
    if (i == 0 || !is_tiny(*items_[i]) || !is_tiny(*items_[i - 1]) || leads_to_message_[i - 1]) return false;
    return seconds_ + seconds_of(*items_[i]) <= kBatchSeconds && (!has_messages_ || waits_for_the_same(i));
  }

  // As the last batch does, but for what is in it: so that neither what this item leads to nor what the others lead to
  // goes later, a message, say, that is to be under way while the rest is computed.
  bool waits_for_the_same(std::size_t i) const {
    const auto first = static_cast<std::size_t>(batches_.back().first);
    const std::vector<int>& of_first = predecessors_[first];
    const bool waits_inside =
        std::ranges::any_of(predecessors_[i], [&](int before) { return static_cast<std::size_t>(before) >= first; });
    return (waits_inside || predecessors_[i] == of_first) && std::ranges::all_of(predecessors_[i], [&](int before) {
             return static_cast<std::size_t>(before) >= first || std::ranges::count(of_first, before) > 0;
           });
  }

  // The nearest ones alone: what they come after themselves need not be waited for.
  void connect() {
    Ancestors ancestors(batches_.size());
    for (std::size_t b = 0; b < batches_.size(); ++b) {
      std::vector<int> all;
      for (int i = batches_[b].first; i < batches_[b].first + batches_[b].count; ++i) {
        for (const int before : predecessors_[static_cast<std::size_t>(i)]) {
          if (batch_of_[static_cast<std::size_t>(before)] != b)
            all.push_back(static_cast<int>(batch_of_[static_cast<std::size_t>(before)]));
        }
      }
      for (const int before : ancestors.add_nearest(b, std::move(all))) {
        Batch& earlier = batches_[static_cast<std::size_t>(before)];
        earlier.dependents.push_back(static_cast<int>(b));
        batches_[b].before += static_cast<int>(earlier.chunks);
      }
    }
  }

  const std::vector<const Instruction*>& items_;
  const std::vector<std::vector<int>>& predecessors_;
  std::vector<std::size_t> batch_of_;
  std::vector<bool> leads_to_message_;
  bool has_messages_ = false;
  std::vector<Batch> batches_;
  double seconds_ = 0;  // of the last one
};

}  // namespace

std::vector<Batch> make_batches(const std::vector<const Instruction*>& items,
                                const std::vector<std::vector<int>>& predecessors) {
  return Batches(items, predecessors).make();
}

}  // namespace pilum::scheduler
