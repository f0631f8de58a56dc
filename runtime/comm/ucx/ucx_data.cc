#include "runtime/base/check.h"
#include "runtime/comm/errors.h"
#include "runtime/comm/ucx/ucx_call.h"
#include "runtime/comm/ucx/ucx_communicator.h"

namespace pilum::comm {
namespace {

constexpr int kMessageBits = 24;
constexpr int kWindowBits = 20;
constexpr int kRankBits = 20;
static_assert(kMessageBits + kWindowBits + kRankBits == 64);

// `key` is the receiver's: what a stranger sends matches nothing.
ucp_tag_t compose_tag(std::uint64_t key, int sender, Tag tag) {
  PILUM_CHECK(tag.message >> kMessageBits == 0, "message {} of window {}: at most {} between two ranks", tag.message,
              tag.window, 1 << kMessageBits);
  const std::uint64_t window = tag.window & ((1u << kWindowBits) - 1);
  return key ^
         (static_cast<std::uint64_t>(sender) << (kWindowBits + kMessageBits) | window << kMessageBits | tag.message);
}

}  // namespace

Request UcxCommunicator::send(int to, Tag tag, std::span<const std::byte> bytes) {
  check_peer("send", to, size());
  const ucp_request_param_t param{};
  void* handle = ucp_tag_send_nbx(endpoints_->open(to, "send"), bytes.data(), bytes.size(),
                                  compose_tag(endpoints_->key_of(to), rank(), tag), &param);
  const Transfer transfer{handle, to, tag, bytes.size(), /*is_receive=*/false};
  if (UCS_PTR_IS_PTR(handle)) return keep(transfer);
  finish(transfer, UCS_PTR_STATUS(handle), bytes.size());
  return kDoneRequest;
}

Request UcxCommunicator::receive(int from, Tag tag, std::span<std::byte> bytes) {
  check_peer("receive", from, size());
  endpoints_->open(from, "receive");
  ucp_request_param_t param{};
  // UCX 1.13 does not always fill in the length of a receive that completes at once.
  param.op_attr_mask = UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  void* handle = ucp_tag_recv_nbx(worker_->get(), bytes.data(), bytes.size(), compose_tag(key_, from, tag),
                                  /*tag_mask=*/~ucp_tag_t{0}, &param);
  const Transfer transfer{handle, from, tag, bytes.size(), /*is_receive=*/true};
  if (UCS_PTR_IS_PTR(handle)) return keep(transfer);
  finish(transfer, UCS_PTR_STATUS(handle), bytes.size());
  return kDoneRequest;
}

bool UcxCommunicator::test(Request request) {
  if (request == kDoneRequest) return true;
  const Transfer transfer = transfers_.at(request);
  ucp_tag_recv_info_t info{};
  const ucs_status_t status = transfer.is_receive ? ucp_tag_recv_request_test(transfer.handle, &info)
                                                  : ucp_request_check_status(transfer.handle);
  if (status == UCS_INPROGRESS) {
    if (endpoints_->some_failed()) [[unlikely]]
      endpoints_->throw_if_failed("test", transfer.peer);
    return false;
  }
  ucp_request_free(transfer.handle);
  transfers_.remove(request);
  finish(transfer, status, transfer.is_receive ? info.length : transfer.bytes);
  return true;
}

Request UcxCommunicator::keep(const Transfer& transfer) {
  return transfers_.add(transfer);
}

void UcxCommunicator::finish(const Transfer& transfer, ucs_status_t status, std::size_t received) {
  const char* operation = transfer.is_receive ? "receive" : "send";
  if (status == UCS_ERR_MESSAGE_TRUNCATED) throw_size_mismatch(transfer.peer, transfer.tag, transfer.bytes, received);
  if (status != UCS_OK) throw_lost_peer(operation, transfer.peer, ucs_status_string(status));
  if (received != transfer.bytes) throw_size_mismatch(transfer.peer, transfer.tag, transfer.bytes, received);
}

void UcxCommunicator::cancel_all() {
  transfers_.for_each([&](Transfer& transfer) {
    ucp_request_cancel(worker_->get(), transfer.handle);
    ucp_request_free(transfer.handle);
  });
  for (ControlSend& sent : sent_control_) ucp_request_free(sent.handle);
}

}  // namespace pilum::comm
