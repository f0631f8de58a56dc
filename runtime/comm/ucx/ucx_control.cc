#include <cstring>

#include "runtime/comm/errors.h"
#include "runtime/comm/ucx/ucx_call.h"
#include "runtime/comm/ucx/ucx_communicator.h"

namespace pilum::comm {
namespace {

constexpr unsigned kControlId = 0;
using SenderRank = std::uint32_t;

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
  SenderRank from = 0;
  std::memcpy(&from, data, sizeof(from));
  const auto* bytes = static_cast<const std::byte*>(data);
  static_cast<UcxCommunicator*>(self)->control_.push_back(
      {static_cast<int>(from), {bytes + sizeof(from), bytes + length}});
  return UCS_OK;
}

void UcxCommunicator::send_control(int to, std::span<const std::byte> bytes) {
  check_peer("send_control", to, size());
  check_control_size(bytes.size());
  const auto from = static_cast<SenderRank>(rank());
  std::vector<std::byte> content(sizeof(from) + bytes.size());
  std::memcpy(content.data(), &from, sizeof(from));
  if (!bytes.empty()) std::memcpy(content.data() + sizeof(from), bytes.data(), bytes.size());

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
