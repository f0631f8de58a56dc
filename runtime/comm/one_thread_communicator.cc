// For a library that only one thread may call: MPI below MPI_THREAD_MULTIPLE, beside a program that calls it too.
#include <cstdlib>
#include <deque>
#include <thread>
#include <utility>

#include "runtime/comm/request_table.h"
#include "runtime/comm/transports.h"

namespace pilum::comm {
namespace {

// Other threads' transfers and control messages are posted by the next call of the thread that made this; to them,
// nothing moves. An error of such a post is thrown there, from progress(); one of a size leaves the transfer undone, as
// everywhere.
class OneThreadCommunicator final : public Communicator {
 public:
  explicit OneThreadCommunicator(std::unique_ptr<Communicator> inner) : inner_(std::move(inner)) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  std::string name() const override { return inner_->name(); }
  bool reaches_gpus() const override { return inner_->reaches_gpus(); }

  Request send(int to, Tag tag, std::span<const std::byte> bytes) override {
    if (!is_here()) return keep({.is_send = true, .peer = to, .tag = tag, .bytes = bytes});
    post_waiting();
    const Request request = inner_->send(to, tag, bytes);
    return request == kDoneRequest ? kDoneRequest : transfers_.add({.request = request});
  }

  Request receive(int from, Tag tag, std::span<std::byte> bytes) override {
    if (!is_here()) return keep({.peer = from, .tag = tag, .bytes = bytes, .into = bytes.data()});
    post_waiting();
    const Request request = inner_->receive(from, tag, bytes);
    return request == kDoneRequest ? kDoneRequest : transfers_.add({.request = request});
  }

  bool test(Request request) override {
    if (request == kDoneRequest) return true;
    const Transfer transfer = transfers_.at(request);
    // A done one may be asked for by anybody; another may want its library.
    if (transfer.request != kDoneRequest && (!is_here() || !transfer.request || !inner_->test(transfer.request)))
      return false;
    transfers_.remove(request);
    return true;
  }

  bool progress() override {
    if (!is_here()) return false;
    const bool posted = post_waiting();
    return inner_->progress() || posted;
  }

  void send_control(int to, std::span<const std::byte> bytes) override {
    if (is_here()) {
      post_waiting();
      inner_->send_control(to, bytes);
    } else {
      control_.push_back({to, {bytes.begin(), bytes.end()}});
    }
  }

  bool control_is_out() const override { return control_.empty() && inner_->control_is_out(); }

  std::optional<ControlMessage> poll_control() override {
    if (!is_here()) return std::nullopt;
    post_waiting();
    return inner_->poll_control();
  }

  void barrier() override {
    post_waiting();
    inner_->barrier();
  }
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override {
    post_waiting();
    return inner_->all_gather(bytes);
  }
  void finalize() override {
    post_waiting();
    inner_->finalize();
  }
  [[noreturn]] void abort(int status) override {
    inner_->abort(status);
    std::_Exit(status);  // not reached; g++ does not see it through the virtual call
  }

 private:
  struct Transfer {
    Request request = 0;  // the library's; 0: not posted yet
    bool is_send = false;
    int peer = 0;
    Tag tag;
    std::span<const std::byte> bytes;
    std::byte* into = nullptr;
  };

  bool is_here() const { return std::this_thread::get_id() == thread_; }

  Request keep(const Transfer& transfer) {
    const Request request = transfers_.add(transfer);
    waiting_.push_back(request);
    return request;
  }

  bool post_waiting() {
    if (control_.empty() && waiting_.empty()) return false;
    while (!control_.empty()) {
      const ControlMessage message = std::move(control_.front());  // `from` is whom it is for
      control_.pop_front();
      inner_->send_control(message.from, message.bytes);
    }
    while (!waiting_.empty()) {
      Transfer& transfer = transfers_.at(waiting_.front());
      waiting_.pop_front();
      transfer.request = transfer.is_send
                             ? inner_->send(transfer.peer, transfer.tag, transfer.bytes)
                             : inner_->receive(transfer.peer, transfer.tag, {transfer.into, transfer.bytes.size()});
    }
    return true;
  }

  std::unique_ptr<Communicator> inner_;
  const std::thread::id thread_ = std::this_thread::get_id();
  RequestTable<Transfer> transfers_;
  std::deque<Request> waiting_;  // not posted yet
  std::deque<ControlMessage> control_;
};

}  // namespace

std::unique_ptr<Communicator> make_one_thread_communicator(std::unique_ptr<Communicator> inner) {
  return std::make_unique<OneThreadCommunicator>(std::move(inner));
}

}  // namespace pilum::comm
