#include "scheduler/watch.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "scheduler/task_launch.h"

namespace pilum::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 1ms;
constexpr auto kTellEvery = 500ms;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

std::uint64_t mix(std::uint64_t hash, const View& view) {
  hash = mix(hash, static_cast<std::uint64_t>(view.store->id.value));
  for (int axis = 0; axis < view.shape.rank(); ++axis) hash = mix(hash, static_cast<std::uint64_t>(view.shape[axis]));
  for (int k = 0; k < view.map.store_rank; ++k) {
    const partitioner::AxisMap& axis = view.map[k];
    hash = mix(hash, static_cast<std::uint64_t>(axis.offset) * 31 + static_cast<std::uint64_t>(axis.scale) * 7 +
                         static_cast<std::uint64_t>(axis.axis + 1));
  }
  return hash;
}

}  // namespace

Watch::Watch(Executor& executor)
    : executor_(executor),
      place_(comm::compute_tree_place(executor.communicator().rank(), executor.communicator().size(), 0)),
      alone_(executor.communicator().size() == 1) {}

void Watch::recorded(const Operation& operation) {
  if (alone_) return;
  std::uint64_t hash =
      mix(static_cast<std::uint64_t>(operation.kind) << 16 | static_cast<std::uint64_t>(operation.op) << 8 |
              static_cast<std::uint64_t>(operation.fold),
          static_cast<std::uint64_t>(operation.reduced_axes) << 8 | static_cast<std::uint64_t>(operation.compute));
  if (operation.launch) {
    hash = mix(mix(hash, operation.launch->hash), operation.scalars.checked());
    for (const LaunchArgument& argument : operation.launch->arguments) hash = mix(hash, argument.view);
    return add(hash, operation.name, operation.where);
  }
  hash = mix(hash, operation.output);
  for (int i = 0; i < operation.input_count; ++i) {
    const Operand& input = operation.inputs[static_cast<std::size_t>(i)];
    hash = input.is_view() ? mix(hash, input.view) : mix(hash, input.scalar.bits);
  }
  add(hash, operation.name, operation.where);
}

void Watch::called(const char* name, std::source_location where) {
  if (alone_) return;
  std::uint64_t hash = 1;
  for (const char* letter = name; *letter; ++letter) hash = mix(hash, static_cast<unsigned char>(*letter));
  add(hash, name, where);
}

void Watch::add(std::uint64_t hash, const char* name, std::source_location where) {
  hash_ = mix(hash_, hash);
  calls_.push_back({hash_, name, where.file_name(), where.line()});
  if (calls_.size() % kCheckCalls == 0) check_point();
}

void Watch::check_point() {
  next_look_ = {};
  look();
  compare_all();
  report_up();
  while (static_cast<std::int64_t>(calls_.size()) >= kRing) {
    executor_.check();
    executor_.step(Executor::kManyLooks);
    look();
    std::this_thread::yield();
  }
}

std::uint64_t Watch::hash_at(std::int64_t count) const {
  if (count == agreed_) return agreed_hash_;
  PILUM_CHECK(count > agreed_ && count <= agreed_ + static_cast<std::int64_t>(calls_.size()), "count {}", count);
  return calls_[static_cast<std::size_t>(count - agreed_ - 1)].hash;
}

std::string Watch::describe(std::int64_t number) const {
  const std::int64_t index = number - agreed_ - 1;
  if (index < 0 || index >= static_cast<std::int64_t>(calls_.size())) return "no call";
  const Call& call = calls_[static_cast<std::size_t>(index)];
  return std::string("[") + call.name + "] at " + call.file + ":" + std::to_string(call.line);
}

void Watch::send(int to, const Message& message) {
  const std::lock_guard lock(executor_.communication());
  executor_.communicator().send_control(to, std::as_bytes(std::span(&message, 1)));
}

// Tells the parent how far this rank and those below it agree; at the root: tells them all what is agreed.
void Watch::report_up() {
  const std::int64_t mine = agreed_ + static_cast<std::int64_t>(calls_.size());
  std::int64_t count = mine;
  bool all_left = leaving_;
  for (const comm::RankBlock& block : place_.children) {
    const auto child = children_.find(block.first);
    if (child == children_.end()) return;
    all_left = all_left && child->second.left && child->second.same == mine;
    count = std::min(count, child->second.same);
  }
  if (count < agreed_ || search_) return;
  if (!place_.parent) {
    if (count > agreed_) agree(count);
    if (all_left && !bye_) {
      bye_ = true;
      for (const comm::RankBlock& block : place_.children) send(block.first, Message{Kind::Bye});
    }
    return;
  }
  const bool leave = all_left && !told_leave_;
  if (count == told_ && !leave) return;
  told_ = count;
  told_leave_ = told_leave_ || leave;
  send(*place_.parent, Message{leave ? Kind::Leave : Kind::Check, count, hash_at(count)});
}

void Watch::agree(std::int64_t count) {
  agreed_hash_ = hash_at(count);
  calls_.erase(calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(count - agreed_));
  agreed_ = count;
  for (const comm::RankBlock& block : place_.children) send(block.first, Message{Kind::Agreed, count});
}

void Watch::look() {
  if (alone_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookEvery;
  while (true) {
    std::optional<comm::ControlMessage> message;
    {
      const std::lock_guard lock(executor_.communication());
      executor_.communicator().progress();
      message = executor_.communicator().poll_control();
    }
    if (!message) break;
    Message content;
    PILUM_CHECK(message->bytes.size() == sizeof content, "a control message of {} bytes", message->bytes.size());
    std::memcpy(&content, message->bytes.data(), sizeof content);
    handle(message->from, content);
  }
  if (now < next_tell_) return;
  next_tell_ = now + kTellEvery;
  compare_all();
  report_up();
}

void Watch::compare_all() {
  for (auto& [child, report] : children_) compare(child, report);
}

void Watch::handle(int from, const Message& message) {
  switch (message.kind) {
    case Kind::Check:
    case Kind::Leave: {
      Report& report = children_[from];
      report = {message.count, message.hash, message.kind == Kind::Leave, report.same};
      compare(from, report);
      if (leaving_ || report.count - agreed_ >= kCheckCalls) report_up();
      break;
    }
    case Kind::Agreed:
      agree(message.count);
      break;
    case Kind::AskHash:
      send(from, Message{Kind::HashAt, message.count, hash_at(message.count)});
      break;
    case Kind::HashAt:
      if (!search_ || search_->child != from) break;
      (message.hash == hash_at(message.count) ? search_->same : search_->different) = message.count;
      continue_search();
      break;
    case Kind::AskCall: {
      Message answer{Kind::CallAt, message.count};
      std::snprintf(answer.text, sizeof answer.text, "%s", describe(message.count).c_str());
      send(from, answer);
      break;
    }
    case Kind::CallAt:
      throw RuntimeError("[Runtime] ranks recorded different calls: number " + std::to_string(message.count) + " is " +
                         describe(message.count) + " on rank " + std::to_string(executor_.communicator().rank()) +
                         ", and " + message.text + " on rank " + std::to_string(from) +
                         ". Every rank must make the same calls, with the same values, in the same order");
    case Kind::Bye:
      bye_ = true;
      for (const comm::RankBlock& block : place_.children) send(block.first, message);
      break;
  }
}

// A child that is ahead is compared when this rank gets there. One that has left with fewer calls never gets here.
void Watch::compare(int child, Report& report) {
  const std::int64_t mine = agreed_ + static_cast<std::int64_t>(calls_.size());
  if (search_ || (report.count <= report.same && !report.left)) return;
  if (report.count <= mine) {
    const bool same = report.count < agreed_ || report.hash == hash_at(report.count);
    if (same) report.same = std::max(report.same, report.count);
    if (same && !(report.left && report.count < mine)) return;
    search_ = same ? Search{child, report.count, report.count + 1} : Search{child, agreed_, report.count};
  } else if (leaving_) {
    search_ = Search{child, agreed_, mine + 1};
  } else {
    return;
  }
  continue_search();
}

void Watch::continue_search() {
  Search& search = *search_;
  if (search.different - search.same > 1) {
    send(search.child, Message{Kind::AskHash, search.same + (search.different - search.same) / 2});
  } else {
    send(search.child, Message{Kind::AskCall, search.different});
  }
}

void Watch::leave() {
  if (alone_) return;
  called("~Runtime", std::source_location::current());
  leaving_ = true;
  next_tell_ = {};
  int rounds = 0;
  while (!bye_) {
    next_look_ = {};
    look();
    executor_.check();
    if (++rounds > 100) std::this_thread::sleep_for(std::chrono::microseconds(rounds > 2000 ? 500 : 20));
  }
}

}  // namespace pilum::scheduler
