#include <cstring>
#include <utility>

#include "runtime/base/log.h"
#include "runtime/comm/errors.h"
#include "runtime/comm/ucx/ucx_call.h"
#include "runtime/comm/ucx/ucx_communicator.h"

namespace pilum::comm {
namespace {

constexpr unsigned kControlId = 0;

// What a control message begins with.
struct Head {
  std::uint64_t key = 0;
  std::uint32_t sender = 0;
  std::uint32_t unused = 0;
};
static_assert(sizeof(Head) == 16);

}  // namespace

void UcxCommunicator::accept_control() {
  ucp_am_handler_param_t param{};
  param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB |
                     UCP_AM_HANDLER_PARAM_FIELD_ARG;
  param.id = kControlId;
  param.flags = UCP_AM_FLAG_WHOLE_MSG;
  param.cb = take_control;
  param.arg = this;
  check_ucx(ucp_worker_set_am_recv_handler(worker_->get(), &param), "ucp_worker_set_am_recv_handler");
}

ucs_status_t UcxCommunicator::take_control(void* self, const void*, size_t, void* data, size_t length,
                                           const ucp_am_recv_param_t*) {
  auto& ranks = *static_cast<UcxCommunicator*>(self);
  const auto* bytes = static_cast<const std::byte*>(data);
  Head head;
  if (length >= sizeof(head)) std::memcpy(&head, data, sizeof(head));
  if (length >= sizeof(head) && head.key == ranks.key_) [[likely]] {
    ranks.control_.push_back({static_cast<int>(head.sender), {bytes + sizeof(head), bytes + length}});
  } else if (!std::exchange(ranks.has_warned_, true)) {
    log("comm").warn("rank {} drops control messages without the job's key: another program reaches its port",
                     ranks.rank());
  }
  return UCS_OK;
}

void UcxCommunicator::send_control(int to, std::span<const std::byte> bytes) {
  check_peer("send_control", to, size());
  check_control_size(bytes.size());
  const Head head{.key = endpoints_->key_of(to), .sender = static_cast<std::uint32_t>(rank())};
  std::vector<std::byte> content(sizeof(head) + bytes.size());
  std::memcpy(content.data(), &head, sizeof(head));
  if (!bytes.empty()) std::memcpy(content.data() + sizeof(head), bytes.data(), bytes.size());

  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  void* handle = ucp_am_send_nbx(endpoints_->open(to, "send_control"), kControlId, /*header=*/nullptr,
                                 /*header_length=*/0, content.data(), content.size(), &param);
  if (UCS_PTR_IS_PTR(handle)) {
    sent_control_.push_back({handle, std::move(content)});
  } else if (UCS_PTR_STATUS(handle) != UCS_OK) {
    throw_lost_peer("send_control", to, ucs_status_string(UCS_PTR_STATUS(handle)));
  }
}

// A failed one needs no word here: its endpoint has failed too.
void UcxCommunicator::release_sent_control() {
  while (!sent_control_.empty() && ucp_request_check_status(sent_control_.front().handle) != UCS_INPROGRESS) {
    ucp_request_free(sent_control_.front().handle);
    sent_control_.pop_front();
  }
}

std::optional<ControlMessage> UcxCommunicator::poll_control() {
  if (control_.empty()) progress();
  if (control_.empty()) return std::nullopt;
  std::optional<ControlMessage> message(std::move(control_.front()));
  control_.pop_front();
  return message;
}

}  // namespace pilum::comm
