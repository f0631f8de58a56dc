#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "runtime/base/check.h"
#include "runtime/comm/errors.h"
#include "runtime/comm/match_table.h"
#include "runtime/comm/request_table.h"
#include "runtime/comm/transports.h"

namespace pilum::comm {
namespace {

// The only rank. A message to itself is copied once, straight to its receive, when both are posted.
class SelfCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string name() const override { return "self"; }

  Request send(int to, Tag tag, std::span<const std::byte> bytes) override {
    check_peer("send", to, size());
    if (const auto receive = receives_.take(0, tag)) {
      deliver(tag, bytes, receive->bytes);
      done_.at(receive->request) = true;
      return kDoneRequest;
    }
    const Request request = done_.add(false);
    sends_.add(0, tag, {request, bytes});
    return request;
  }

  Request receive(int from, Tag tag, std::span<std::byte> bytes) override {
    check_peer("receive", from, size());
    if (const auto send = sends_.take(0, tag)) {
      deliver(tag, send->bytes, bytes);
      done_.at(send->request) = true;
      return kDoneRequest;
    }
    const Request request = done_.add(false);
    receives_.add(0, tag, {request, bytes});
    return request;
  }

  bool test(Request request) override {
    if (request == kDoneRequest) return true;
    if (!done_.at(request)) return false;
    done_.remove(request);
    return true;
  }

  bool progress() override { return false; }

  void send_control(int to, std::span<const std::byte> bytes) override {
    check_peer("send_control", to, size());
    check_control_size(bytes.size());
    control_.push_back({0, {bytes.begin(), bytes.end()}});
  }

  std::optional<ControlMessage> poll_control() override {
    if (control_.empty()) return std::nullopt;
    std::optional<ControlMessage> message(std::move(control_.front()));
    control_.pop_front();
    return message;
  }

  void barrier() override {}
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override { return {bytes.begin(), bytes.end()}; }
  void finalize() override {}

  void abort(int status) override {
    std::fflush(nullptr);
    std::_Exit(status);
  }

 private:
  struct Send {
    Request request;
    std::span<const std::byte> bytes;
  };
  struct Receive {
    Request request;
    std::span<std::byte> bytes;
  };

  static void deliver(Tag tag, std::span<const std::byte> from, std::span<std::byte> to) {
    if (from.size() != to.size()) throw_size_mismatch(0, tag, to.size(), from.size());
    if (!from.empty()) std::memmove(to.data(), from.data(), from.size());
  }

  RequestTable<bool> done_;
  MatchTable<Send> sends_;
  MatchTable<Receive> receives_;
  std::deque<ControlMessage> control_;
};

}  // namespace

std::unique_ptr<Communicator> make_self_communicator() {
  return std::make_unique<SelfCommunicator>();
}

}  // namespace pilum::comm
