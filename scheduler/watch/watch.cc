#include "scheduler/watch/watch.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <thread>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/hash.h"

namespace pilum::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 1ms;
constexpr auto kTellEvery = 250ms;
constexpr auto kSuspicion = 3s;  // that messages which do not fit wait for a better word than their sizes

}  // namespace

Watch::Watch(Executor& executor, ControlChannel& channel, bool all_bytes)
    : executor_(executor),
      channel_(channel),
      place_(comm::compute_tree_place(executor.communicator().rank(), executor.communicator().size(), 0)),
      alone_(executor.communicator().size() == 1),
      all_bytes_(all_bytes) {}

void Watch::add(const Operation& operation) {
  add(digest_of(operation, all_bytes_), operation.name, operation.where, sketch_of(operation));
}

void Watch::called(const char* name, std::source_location where) {
  if (alone_) return;
  add(digest_of(name), name, where, {});
}

void Watch::add(const CallDigest& digest, const char* name, std::source_location where, const CallSketch& sketch) {
  hash_ = mix(hash_, digest.whole());
  Call& call = calls_.append();
  call.hash = hash_;
  for (std::size_t part = 0; part < kCallParts; ++part)
    call.parts[part] = static_cast<std::uint16_t>(digest.parts[part] >> 48 ^ digest.parts[part]);
  call.name = name;
  call.file = where.file_name();
  call.line = where.line();
  call.sketch = sketch;
  last_.number.store(count(), std::memory_order_relaxed);
  last_.name.store(call.name, std::memory_order_relaxed);
  last_.file.store(call.file, std::memory_order_relaxed);
  last_.line.store(call.line, std::memory_order_relaxed);
  if (calls_.size() % kCheckCalls == 0) check_point();
}

void Watch::tell_now() {
  next_look_ = {};
  look();
  compare_all(/*waiting=*/false);
  report_up();
}

void Watch::check_point() {
  tell_now();
  while (static_cast<std::int64_t>(calls_.size()) >= kRing) {
    executor_.check();
    executor_.step(Executor::kSpinBudget);
    look();
    std::this_thread::yield();
  }
}

void Watch::confirm(const char* name, std::source_location where, DType dtype, std::span<const std::byte> cells) {
  if (alone_) return;
  add(digest_of(name, dtype, cells, all_bytes_), name, where, {});
  const std::int64_t here = count();
  executor_.wait_until([&] {
    tell_now();
    note_awaited();
    return agreed_below() >= here;
  });
  awaited_.store(-1, std::memory_order_relaxed);
  report_up();
  // The program may wait for a peer by other means next, in MPI say, and make no progress here meanwhile.
  executor_.wait_until([&] { return channel_.is_out(); });
}

Watch::LastCall Watch::last_call() const {
  return {last_.number.load(std::memory_order_relaxed), last_.name.load(std::memory_order_relaxed),
          last_.file.load(std::memory_order_relaxed), last_.line.load(std::memory_order_relaxed)};
}

void Watch::note_awaited() {
  int awaited = -1;
  for (const comm::RankBlock& block : place_.children) {
    const auto child = children_.find(block.first);
    if (awaited < 0 && (child == children_.end() || child->second.same < count())) awaited = block.first;
  }
  awaited_.store(awaited, std::memory_order_relaxed);
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
  const std::string sketch = to_string(call.sketch);
  return std::string("[") + call.name + "] at " + call.file + ":" + std::to_string(call.line) +
         (sketch.empty() ? "" : " (" + sketch + ")");
}

void Watch::send(int to, const Message& message) {
  channel_.send(to, Addressee::Watch,
                std::as_bytes(std::span(&message, 1)).first(offsetof(Message, text) + message.text_bytes));
}

std::int64_t Watch::agreed_below() const {
  std::int64_t least = count();
  for (const comm::RankBlock& block : place_.children) {
    const auto child = children_.find(block.first);
    if (child == children_.end()) return -1;
    least = std::min(least, child->second.same);
  }
  return least;
}

// Tells the parent how far this rank and those below it agree; at the root: tells them all what is agreed.
void Watch::report_up() {
  const std::int64_t mine = this->count(), count = agreed_below();
  if (count < agreed_ || (search_ && search_->known)) return;
  bool all_left = leaving_;
  for (const comm::RankBlock& block : place_.children) {
    const Report& child = children_.at(block.first);
    all_left = all_left && child.left && child.same == mine;
  }
  if (!place_.parent) {
    if (count - agreed_ >= kCheckCalls / 2) agree(count);
    if (all_left && !bye_) {
      bye_ = true;
      for (const comm::RankBlock& block : place_.children) send(block.first, Message{.kind = Kind::Bye});
    }
    return;
  }
  const bool leave = all_left && !told_leave_;
  if (count == told_ && !leave) return;
  told_ = count;
  told_leave_ = told_leave_ || leave;
  send(*place_.parent, Message{.kind = leave ? Kind::Leave : Kind::Check, .count = count, .hash = hash_at(count)});
}

void Watch::agree(std::int64_t count) {
  agreed_hash_ = hash_at(count);
  calls_.drop_first(static_cast<std::size_t>(count - agreed_));
  agreed_ = count;
  for (const comm::RankBlock& block : place_.children) send(block.first, Message{.kind = Kind::Agreed, .count = count});
}

void Watch::look() {
  if (alone_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookEvery;
  while (const std::optional<comm::ControlMessage> message = channel_.take(Addressee::Watch)) {
    Message content;
    PILUM_CHECK(message->bytes.size() >= offsetof(Message, text) && message->bytes.size() < sizeof content,
                "a control message of {} bytes", message->bytes.size());
    std::memcpy(&content, message->bytes.data(), message->bytes.size());
    handle(message->from, content);
  }
  judge_suspicion();
  if (now < next_tell_) return;
  next_tell_ = now + kTellEvery;
  compare_all(/*waiting=*/true);
  report_up();
}

// Messages that do not fit one another come of calls that differ: which ones is found out meanwhile, or was.
void Watch::judge_suspicion() {
  if (!executor_.is_suspicious()) return;
  const auto now = Clock::now();
  if (!suspected_) {
    suspected_ = now;
    next_tell_ = {};
  }
  if (now - *suspected_ > kSuspicion) executor_.fail_suspicion();
}

void Watch::compare_all(bool waiting) {
  for (auto& [child, report] : children_) compare(child, report, waiting);
}

void Watch::handle(int from, const Message& message) {
  switch (message.kind) {
    case Kind::Check:
    case Kind::Leave: {
      Report& report = children_[from];
      report.open.push_back({message.count, message.hash});
      report.count = message.count;
      report.left = message.kind == Kind::Leave;
      compare(from, report, /*waiting=*/false);
      if (leaving_ || report.count - agreed_ >= kCheckCalls) report_up();
      break;
    }
    case Kind::Agreed: agree(message.count); break;
    case Kind::AskHash:  // what is agreed is known to the asker too
      send(from, Message{.kind = Kind::HashAt,
                         .count = message.count,
                         .hash = message.count < agreed_ ? 0 : hash_at(message.count)});
      break;
    case Kind::HashAt:
      if (search_ && search_->child == from) narrow(message);
      break;
    case Kind::AskCall: {
      Message answer{.kind = Kind::CallAt, .count = message.count};
      const std::string text = describe(message.count);
      answer.text_bytes = static_cast<std::uint32_t>(std::min(text.size(), answer.text.size() - 1));
      std::memcpy(answer.text.data(), text.data(), answer.text_bytes);
      if (const std::int64_t index = message.count - agreed_ - 1; index >= 0 && message.count <= count())
        answer.parts = calls_[static_cast<std::size_t>(index)].parts;
      send(from, answer);
      break;
    }
    case Kind::CallAt: fail(message, from);
    case Kind::Bye:
      bye_ = true;
      for (const comm::RankBlock& block : place_.children) send(block.first, message);
      break;
  }
}

void Watch::fail(const Message& other, int child) {
  const std::int64_t number = other.count;
  std::string parts;
  if (const std::int64_t index = number - agreed_ - 1; index >= 0 && number <= count() && other.text[0] == '[') {
    std::array<bool, kCallParts> differ{};
    for (std::size_t part = 0; part < kCallParts; ++part)
      differ[part] = calls_[static_cast<std::size_t>(index)].parts[part] != other.parts[part];
    parts = name_parts(differ);
    if (!parts.empty()) parts = "; they differ in: " + parts;
  }
  const auto error = std::make_exception_ptr(
      RuntimeError("[Runtime] ranks recorded different calls: number " + std::to_string(number) + " is " +
                   describe(number) + " on rank " + std::to_string(executor_.communicator().rank()) + ", and " +
                   other.text.data() + " on rank " + std::to_string(child) + parts +
                   ". Every rank must make the same calls, with the same values, in the same order"));
  executor_.fail(error);
  std::rethrow_exception(error);
}

// A child that is ahead is compared at what it told, when this rank gets there; while this rank waits, perhaps for
// ever, at this rank's count. One that has left with fewer calls never gets here.
void Watch::compare(int child, Report& report, bool waiting) {
  const std::int64_t mine = count();
  if (search_) return;
  for (; !report.open.empty() && report.open.front().count <= mine; report.open.pop_front()) {
    const Told& told = report.open.front();
    if (told.count > report.same && told.count > agreed_ && told.hash != hash_at(told.count)) {
      search_ = Search{child, std::max(agreed_, report.same), told.count};
      return continue_search();
    }
    report.same = std::max(report.same, told.count);
  }
  if (report.left && report.count < mine) {
    search_ = Search{child, report.count, report.count + 1};
  } else if ((waiting || leaving_) && report.count > mine && mine > report.same) {
    search_ = Search{child, std::max(agreed_, report.same), mine, /*known=*/false};
  } else {
    return;
  }
  continue_search();
}

void Watch::narrow(const Message& answer) {
  Search& search = *search_;
  const bool same = answer.count <= agreed_ || answer.hash == hash_at(answer.count);
  if (same) {
    Report& report = children_.at(search.child);
    report.same = std::max(report.same, answer.count);
    search.same = std::max(search.same, answer.count);
    if (!search.known) return search_.reset();
  } else {
    search.different = answer.count;
    search.known = true;
  }
  continue_search();
}

void Watch::continue_search() {
  const Search& search = *search_;
  if (!search.known) {
    send(search.child, Message{.kind = Kind::AskHash, .count = search.different});
  } else if (search.different - search.same > 1) {
    send(search.child, Message{.kind = Kind::AskHash, .count = search.same + (search.different - search.same) / 2});
  } else {
    send(search.child, Message{.kind = Kind::AskCall, .count = search.different});
  }
}

void Watch::leave() {
  if (alone_) return;
  leaving_ = true;
  next_tell_ = {};
  executor_.wait_until([this] {
    next_look_ = {};
    look();
    note_awaited();
    return bye_;
  });
}

}  // namespace pilum::scheduler
