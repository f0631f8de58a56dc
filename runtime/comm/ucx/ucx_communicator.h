// Ranks that talk through UCX: shared memory, RDMA, TCP, whatever joins two of them fastest.
#pragma once

#include <ucp/api/ucp.h>

#include <deque>
#include <memory>
#include <vector>

#include "runtime/comm/bootstrap.h"
#include "runtime/comm/communicator.h"
#include "runtime/comm/request_table.h"
#include "runtime/comm/ucx/ucx_endpoints.h"
#include "runtime/comm/ucx/ucx_worker.h"

namespace pilum::comm {

// Data are UCX tag messages, which match by this tag:
//
//   63         44 43         24 23          0
//   | sender     | window      | message    |
//
// The window is taken modulo 2^20: windows in flight between two ranks are far fewer. The whole is taken exclusive-or
// with the receiver's key. Control messages are active messages, so that they never wait behind unmatched data and are
// no load on its matching. They begin with the receiver's key, 8 bytes, and the sender's rank, 4; without the key they
// are dropped. MPI starts and ends the ranks (Bootstrap). A peer that dies is noticed within about a second, if
// anything was ever sent to it or is received from it; from then on progress(), and test() of what is not done, throw.
// Data: ucx_data.cc; control: ucx_control.cc; start and end: ucx_communicator.cc.
class UcxCommunicator final : public Communicator {
 public:
  explicit UcxCommunicator(std::shared_ptr<Bootstrap> bootstrap);
  ~UcxCommunicator() override;

  int rank() const override { return bootstrap_->rank(); }
  int size() const override { return bootstrap_->size(); }
  std::string name() const override { return "ucx"; }
  bool reaches_gpus() const override { return worker_->reaches_cuda(); }

  Request send(int to, Tag tag, std::span<const std::byte> bytes) override;
  Request receive(int from, Tag tag, std::span<std::byte> bytes) override;
  bool test(Request request) override;
  bool progress() override;

  void send_control(int to, std::span<const std::byte> bytes) override;
  std::optional<ControlMessage> poll_control() override;
  bool control_is_out() const override { return sent_control_.empty(); }

  void barrier() override;
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override;
  void finalize() override;
  [[noreturn]] void abort(int status) override;

 private:
  struct Transfer {
    void* handle = nullptr;  // UCX's request
    int peer = 0;
    Tag tag;
    std::size_t bytes = 0;
    bool is_receive = false;
  };
  // Lives until UCX has sent it.
  struct ControlSend {
    void* handle = nullptr;
    std::vector<std::byte> bytes;
  };

  Request keep(const Transfer& transfer);
  void finish(const Transfer& transfer, ucs_status_t status, std::size_t received);
  void cancel_all();

  void accept_control();
  void release_sent_control();
  static ucs_status_t take_control(void* self, const void* header, size_t header_length, void* data, size_t length,
                                   const ucp_am_recv_param_t* param);

  // Random bits that every message to this rank carries, and that the ranks of the job alone know: the network shows
  // them to who can read it, but who merely reaches a rank's port cannot speak for another rank.
  const std::uint64_t key_;
  std::shared_ptr<Bootstrap> bootstrap_;
  std::unique_ptr<UcxWorker> worker_;
  std::unique_ptr<UcxEndpoints> endpoints_;
  RequestTable<Transfer> transfers_;
  std::deque<ControlSend> sent_control_;
  std::deque<ControlMessage> control_;
  bool has_warned_ = false;
};

}  // namespace pilum::comm
