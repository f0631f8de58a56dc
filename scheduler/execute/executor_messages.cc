// The executor's way with messages.
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "scheduler/execute/executor.h"

namespace pilum::scheduler {

comm::Request Executor::post(const Instruction& instruction) {
  if (const auto* send = std::get_if<Send>(&instruction.what))
    return communicator_.send(send->to, send->tag, {send->data, send->bytes});
  const auto& receive = std::get<Receive>(instruction.what);
  return communicator_.receive(receive.from, receive.tag, {receive.data, receive.bytes});
}

void Executor::suspect(const comm::SizeMismatch& mismatch) {
  const Instruction* waiting = nullptr;
  for (const Transfer& transfer : transfers_) {
    const auto* receive = std::get_if<Receive>(&transfer.instruction().what);
    if (receive && receive->from == mismatch.from && receive->tag == mismatch.tag) waiting = &transfer.instruction();
  }
  suspect(mismatch, waiting);
}

void Executor::transfer(Node* node) {
  const auto* send = std::get_if<Send>(&node->instruction->what);
  const auto* receive = std::get_if<Receive>(&node->instruction->what);
  try {
    if (send && send->shared) make_offer(*node, *send);
    const std::lock_guard lock(communication_);
    if (failed()) return;
    comm::Request request = 0;
    if (send && send->shared) {
      request = offer(*node, *send);
    } else if (receive && receive->shared) {
      node->message = std::make_unique<SharedMessage>();
      node->message->is_receive = true;
      request = communicator_.receive(receive->from, receive->tag,
                                      std::as_writable_bytes(std::span(&node->message->offer, 1)));
    } else {
      request = post(*node->instruction);
    }
    transfers_.push_back({request, node});
    add_transfers(1);
  } catch (const comm::SizeMismatch& mismatch) {
    suspect(mismatch, node->instruction);
  } catch (...) {
    fail(std::current_exception());
  }
}

// The receiver's answer has the message's number, and this bit.
constexpr std::uint32_t kTaken = 1u << 23;

// Where the data are. Not while the communicator is held: GPUs may be busy with others for a while.
void Executor::make_offer(Node& node, const Send& send) {
  const std::lock_guard lock(graph_lock_);
  device::Gpu& gpu = *gpus_[static_cast<std::size_t>(node.instruction->processor)];
  node.message = std::make_unique<SharedMessage>();
  node.message->offer = {gpu.share(const_cast<std::byte*>(send.data)), send.bytes};
}

// Says so, and waits until they were taken.
comm::Request Executor::offer(Node& node, const Send& send) {
  SharedMessage& message = *node.message;
  add_transfers(1);
  offers_.push_back(communicator_.send(send.to, send.tag, std::as_bytes(std::span(&message.offer, 1))));
  return communicator_.receive(send.to, {send.tag.window, send.tag.message | kTaken}, std::span(&message.taken, 1));
}

// The offer is here: the node goes on as a copy of the GPU.
void Executor::take(Node& node) {
  const auto& receive = std::get<Receive>(node.instruction->what);
  const std::lock_guard lock(graph_lock_);
  if (failed()) return;
  try {
    PILUM_CHECK(node.message->offer.bytes == receive.bytes, "an offer of {} bytes for {}", node.message->offer.bytes,
                receive.bytes);
    const int queue = queue_of(node.instruction->processor, device::Stream::Copies);
    device::Gpu& gpu = gpu_of(queue);
    gpu.copy(device::Stream::Copies, {receive.data, gpu.open_share(node.message->offer.share), receive.bytes});
    node.event = gpu.record_event(device::Stream::Copies);
    graph_.move_to_queue(node, queue);
    GpuStream& own = stream(queue);
    node.order = own.next_order++;
    own.issued.push_back(&node);
    on_gpus_.fetch_add(1, std::memory_order_relaxed);
  } catch (const std::exception& error) {
    fail(std::make_exception_ptr(RuntimeError(explain(*node.instruction, error.what()))));
  }
}

void Executor::acknowledge(Node& node) {
  const auto& receive = std::get<Receive>(node.instruction->what);
  static const std::byte taken{1};
  const std::lock_guard lock(communication_);
  try {
    offers_.push_back(
        communicator_.send(receive.from, {receive.tag.window, receive.tag.message | kTaken}, {&taken, 1}));
    add_transfers(1);
  } catch (...) {
    fail(std::current_exception());
  }
}

bool Executor::poll() {
  if (transfer_count_.load(std::memory_order_acquire) == 0) return false;
  std::unique_lock lock(communication_, std::try_to_lock);
  if (!lock.owns_lock() || failed()) return false;
  thread_local std::vector<Transfer> found;  // its memory; what follows an arrival may come here again
  std::vector<Transfer> arrived = std::exchange(found, {});
  arrived.clear();
  bool moved = false;
  std::size_t unfit = 0;
  try {
    moved = communicator_.progress();
    std::erase_if(transfers_, [&](Transfer& transfer) {
      try {
        if (!communicator_.test(transfer.request)) return false;
      } catch (const comm::SizeMismatch& mismatch) {
        suspect(mismatch, &transfer.instruction());
        ++unfit;
        return true;
      }
      arrived.push_back(std::move(transfer));
      return true;
    });
    add_transfers(-static_cast<int>(unfit));
    // Offers and answers: nobody waits for them but their buffers.
    const std::size_t sent = std::erase_if(offers_, [&](comm::Request request) { return communicator_.test(request); });
    add_transfers(-static_cast<int>(sent));
    moved = moved || sent > 0;
  } catch (const comm::SizeMismatch& mismatch) {
    suspect(mismatch);
    return false;
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
  if (arrived.empty()) {
    found = std::move(arrived);
    return moved;
  }
  add_transfers(-static_cast<int>(arrived.size()));
  lock.unlock();  // what follows an arrival may be another transfer
  for (const Transfer& transfer : arrived) {
    Node* node = transfer.node;
    if (transfer.run) {
      finish_message(*transfer.run, transfer.item);
    } else if (node->message && node->message->is_receive) {
      take(*node);
    } else {
      complete(node);
    }
  }
  arrived.clear();
  found = std::move(arrived);
  return true;
}

}  // namespace pilum::scheduler
