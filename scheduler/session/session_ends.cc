// Which arrays nobody holds any more, on any rank.
#include <algorithm>

#include "scheduler/analyze/parts.h"
#include "scheduler/record/task_launch.h"
#include "scheduler/session/session.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kTimesSplit = 4;  // of bytes worth cutting, on each processor: that takes longer than a message
constexpr std::int64_t kBitsOfWord = 64;
constexpr std::uint32_t kLastMessage = (1U << 24) - 1;  // of a window: its data do not come that far

// Large and cut, and no plan has touched it: all ranks find the same ones.
bool is_new_and_cut(const Store& store) {
  return store.large && !store.gathered && !store.state && !store.resting && store.ended == NamesEnded::Unknown;
}

}  // namespace

// On its way while the ranks agree: whole where that failed, too.
struct Session::EndsOnWay {
  std::vector<std::uint64_t> ours, theirs;  // bit k: nobody holds the k-th one
};

// The new arrays of the window that is to be planned, in order of their ids: which of its operations are at hand, and
// in which order, is this rank's own business.
std::vector<Store*> Session::new_arrays(const std::vector<Operation>& operations) const {
  std::vector<Store*> arrays;
  const auto add = [&](Store& store) {
    if (is_new_and_cut(store)) arrays.push_back(&store);
  };
  for (const Operation& operation : operations)
    for_each_view(operation, [&](const View& view, bool) { add(*view.store); });
  if (operations.empty() && repeated_.is_complete()) repeated_.window().for_each_planned_store(add);
  std::ranges::sort(arrays, {}, [](const Store* store) { return store->id.value; });
  arrays.erase(std::unique(arrays.begin(), arrays.end()), arrays.end());
  return arrays;
}

// A value that nobody holds need not be made: but whether one is held each rank knows of its own names alone, and what
// messages follow from must be the same on all. So they tell one another, of windows with a value so large that it
// takes no time beside it (not with many small ones, so that it follows from a loop's body, and not from how many of
// these a window has). Where they do not, all may be held.
void Session::agree_on_ends(const std::vector<Operation>& operations) {
  const machine::Machine& machine = parts_.machine;
  if (machine.ranks == 1) return;
  const std::vector<Store*> arrays = new_arrays(operations);
  const std::int64_t least = kTimesSplit * min_bytes_to_split(machine) * machine.processors();
  if (std::ranges::none_of(arrays, [&](const Store* store) { return bytes_of(*store) >= least; })) return;
  auto ends = std::make_shared<EndsOnWay>();
  ends->ours.resize((arrays.size() + kBitsOfWord - 1) / kBitsOfWord);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k]->handles == 0) ends->ours[k / kBitsOfWord] |= std::uint64_t{1} << k % kBitsOfWord;
  }
  if (executes()) {
    const Operation& last = operations.empty() ? repeated_.window().operations().back() : operations.back();
    agree(ends, last.name, last.where);
  }
  for (std::size_t k = 0; k < arrays.size(); ++k)
    arrays[k]->ended = ends->ours[k / kBitsOfWord] >> k % kBitsOfWord & 1 ? NamesEnded::Yes : NamesEnded::No;
}

// Each rank tells what it knows to the one that is 1, 2, 4, … ranks behind it; then it knows what as many have told it
// (Hensgen, Finkel and Manber: Two algorithms for barrier synchronization, 1988).
void Session::agree(const std::shared_ptr<EndsOnWay>& ends, const char* operation, std::source_location where) {
  ends_on_way_ = ends;
  ends->theirs.resize(ends->ours.size());
  const int ranks = parts_.machine.ranks;
  std::uint32_t round = 0;
  for (int distance = 1; distance < ranks; distance *= 2, ++round) {
    auto plan = std::make_unique<Plan>();
    plan->window = next_window_;
    plan->first = InstructionId{next_instruction_};
    const comm::Tag tag{static_cast<std::uint32_t>(next_window_), kLastMessage - round};
    const std::size_t bytes = ends->ours.size() * sizeof(std::uint64_t);
    const auto add = [&](auto message) { plan->instructions.push_back({std::move(message), {}, 0, operation, where}); };
    add(Receive{(rank() + ranks - distance) % ranks, tag, reinterpret_cast<std::byte*>(ends->theirs.data()), bytes,
                StoreId{-1}});
    add(Send{(rank() + distance) % ranks, tag, reinterpret_cast<const std::byte*>(ends->ours.data()), bytes,
             StoreId{-1}});
    const InstructionId first = plan->first;
    next_instruction_ += static_cast<std::int64_t>(plan->instructions.size());
    const InstructionId end{next_instruction_};
    executor_.submit(std::move(plan));
    executor_.wait_until([&] { return executor_.are_done(first, end); });
    for (std::size_t word = 0; word < ends->ours.size(); ++word) ends->ours[word] &= ends->theirs[word];
  }
  ends_on_way_ = nullptr;
}

}  // namespace pilum::scheduler
