#include "scheduler/execute/message_pump.h"

#include <span>
#include <string>

#include "scheduler/execute/explain.h"
#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {
namespace {

// The receiver's acknowledgement has the message's number, and this bit.
constexpr std::uint32_t kTaken = 1u << 23;

comm::Tag acknowledgement_of(comm::Tag tag) {
  return {tag.window, tag.message | kTaken};
}

}  // namespace

comm::Request MessagePump::post(const Instruction& instruction) {
  if (const auto* send = std::get_if<Send>(&instruction.what))
    return communicator_.send(send->to, send->tag, content_of(*send));
  const auto& receive = std::get<Receive>(instruction.what);
  return communicator_.receive(receive.from, receive.tag, content_of(receive));
}

// Says where the data are, and waits until they were copied.
comm::Request MessagePump::post_offer(Node& node, const Send& send) {
  SharedMessage& message = *node.message;
  add_transfers(1);
  offers_.push_back(communicator_.send(send.to, send.tag, std::as_bytes(std::span(&message.offer, 1))));
  return communicator_.receive(send.to, acknowledgement_of(send.tag), std::span(&message.taken, 1));
}

comm::Request MessagePump::await_offer(Node& node, const Receive& receive) {
  node.message = std::make_unique<SharedMessage>();
  node.message->is_receive = true;
  return communicator_.receive(receive.from, receive.tag, std::as_writable_bytes(std::span(&node.message->offer, 1)));
}

void MessagePump::post(Node& node) {
  const auto* send = std::get_if<Send>(&node.instruction->what);
  const auto* receive = std::get_if<Receive>(&node.instruction->what);
  const ScopedLock lock(lock_);
  if (failure_.failed()) return;
  try {
    comm::Request request = 0;
    if (send && send->shared) {
      request = post_offer(node, *send);
    } else if (receive && receive->shared) {
      request = await_offer(node, *receive);
    } else {
      request = post(*node.instruction);
    }
    transfers_.push_back({request, &node});
    add_transfers(1);
  } catch (const comm::SizeMismatch& mismatch) {
    failure_.suspect(mismatch, node.instruction);
  } catch (...) {
    failure_.fail(std::current_exception());
  }
}

bool MessagePump::post(BoundPlan& run, int batch) {
  const ScopedLock lock(lock_);
  if (failure_.failed()) return false;
  try {
    const comm::Request request = post(run.first_of(batch));
    if (request == comm::kDoneRequest) return true;
    transfers_.push_back({request, nullptr, run.shared_from_this(), batch});
    add_transfers(1);
  } catch (const comm::SizeMismatch& mismatch) {
    failure_.suspect(mismatch, &run.first_of(batch));
  } catch (...) {
    failure_.fail(std::current_exception());
  }
  return false;
}

void MessagePump::acknowledge(const Receive& receive) {
  static const std::byte taken{1};
  const ScopedLock lock(lock_);
  try {
    offers_.push_back(communicator_.send(receive.from, acknowledgement_of(receive.tag), {&taken, 1}));
    add_transfers(1);
  } catch (...) {
    failure_.fail(std::current_exception());
  }
}

bool MessagePump::move(std::vector<Transfer>& arrived) {
  if (failure_.failed()) return false;
  bool moved = false;
  std::size_t unfit = 0;
  try {
    moved = communicator_.progress();
    std::erase_if(transfers_, [&](Transfer& transfer) PILUM_REQUIRES(lock_) {
      try {
        if (!communicator_.test(transfer.request)) return false;
      } catch (const comm::SizeMismatch& mismatch) {
        failure_.suspect(mismatch, &transfer.instruction());
        ++unfit;
        return true;
      }
      arrived.push_back(std::move(transfer));
      return true;
    });
    add_transfers(-static_cast<int>(arrived.size() + unfit));
    const std::size_t sent = std::erase_if(
        offers_, [&](comm::Request request) PILUM_REQUIRES(lock_) { return communicator_.test(request); });
    add_transfers(-static_cast<int>(sent));
    return moved || sent > 0 || !arrived.empty();
  } catch (const comm::SizeMismatch& mismatch) {
    suspect(mismatch);
  } catch (...) {
    failure_.fail(std::current_exception());
    arrived.clear();
  }
  return !arrived.empty();
}

void MessagePump::suspect(const comm::SizeMismatch& mismatch) {
  const Instruction* waiting = nullptr;
  for (const Transfer& transfer : transfers_) {
    const auto* receive = std::get_if<Receive>(&transfer.instruction().what);
    if (receive && receive->from == mismatch.from && receive->tag == mismatch.tag) waiting = &transfer.instruction();
  }
  failure_.suspect(mismatch, waiting);
}

// A receive rather than a send: it is the peer who keeps this rank waiting.
Activity MessagePump::describe_activity() {
  const ScopedLock lock(lock_);
  const auto number_of = [](comm::Tag tag) {
    return std::to_string(tag.message) + " of window " + std::to_string(tag.window);
  };
  const Instruction* sending = nullptr;
  for (const Transfer& transfer : transfers_) {
    const Instruction& instruction = transfer.instruction();
    const auto* receive = std::get_if<Receive>(&instruction.what);
    if (!receive) {
      sending = &instruction;
      continue;
    }
    return {receive->from, "waits for message " + number_of(receive->tag) + " from rank " +
                               std::to_string(receive->from) + ", for " + name_and_place(instruction)};
  }
  if (!sending) return {};
  const Send& send = std::get<Send>(sending->what);
  return {send.to, "waits for rank " + std::to_string(send.to) + " to take message " + number_of(send.tag) + ", for " +
                       name_and_place(*sending)};
}

}  // namespace pilum::scheduler
