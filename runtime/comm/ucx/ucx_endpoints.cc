#include "runtime/comm/ucx/ucx_endpoints.h"

#include <algorithm>
#include <cstring>

#include "runtime/comm/errors.h"
#include "runtime/comm/ucx/ucx_call.h"
#include "runtime/comm/wait.h"

namespace pilum::comm {
namespace {

// What connecting fails with where the peer's process has ended: its shared memory, or its socket, is gone.
bool means_ended(ucs_status_t status) {
  return status == UCS_ERR_SHMEM_SEGMENT || status == UCS_ERR_ENDPOINT_TIMEOUT || status == UCS_ERR_CONNECTION_RESET;
}

using Key = std::uint64_t;

}  // namespace

UcxEndpoints::UcxEndpoints(UcxWorker& worker, Bootstrap& bootstrap, Key own_key)
    : worker_(worker), peers_(bootstrap.size()) {
  exchange_addresses(bootstrap, own_key);
}

UcxEndpoints::~UcxEndpoints() {
  is_leaving_ = true;
  close_all(UCP_EP_CLOSE_MODE_FORCE);
}

// Addresses differ in length by a rank's devices: padded to the longest.
void UcxEndpoints::exchange_addresses(Bootstrap& bootstrap, Key key) {
  const auto idle = [this] { worker_.progress(); };
  const std::vector<std::byte> address = worker_.get_address();
  std::vector<std::byte> mine(sizeof(key) + address.size());
  std::memcpy(mine.data(), &key, sizeof(key));
  std::memcpy(mine.data() + sizeof(key), address.data(), address.size());
  const std::uint64_t length = mine.size();
  const auto lengths = bootstrap.all_gather(std::as_bytes(std::span(&length, 1)), idle);
  for (std::size_t at = 0; at < lengths.size(); at += sizeof(length)) {
    std::uint64_t other = 0;
    std::memcpy(&other, lengths.data() + at, sizeof(other));
    address_stride_ = std::max<std::size_t>(address_stride_, other);
  }
  address_stride_ = (address_stride_ + 15) / 16 * 16;
  mine.resize(address_stride_);
  addresses_ = bootstrap.all_gather(mine, idle);
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    std::memcpy(&peers_[peer].key, addresses_.data() + address_stride_ * peer, sizeof(Key));
  }
}

const ucp_address_t* UcxEndpoints::address_of(int peer) const {
  return reinterpret_cast<const ucp_address_t*>(addresses_.data() + address_stride_ * peer + sizeof(Key));
}

ucp_ep_h UcxEndpoints::open(int peer, const char* operation) {
  Peer& opened = peers_[peer];
  if (opened.status != UCS_OK) throw_if_failed(operation, peer);
  if (opened.endpoint) [[likely]]
    return opened.endpoint;
  opened.owner = this;
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = address_of(peer);
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = note_failure;
  params.err_handler.arg = &opened;
  const ucs_status_t status = ucp_ep_create(worker_.get(), &params, &opened.endpoint);
  if (means_ended(status)) {
    opened.endpoint = nullptr;
    note_failure(&opened, nullptr, status);
    throw_if_failed(operation, peer);
  }
  check_ucx(status, "ucp_ep_create");
  return opened.endpoint;
}

void UcxEndpoints::note_failure(void* peer, ucp_ep_h, ucs_status_t status) {
  Peer& failed = *static_cast<Peer*>(peer);
  if (failed.owner->is_leaving_ || failed.status != UCS_OK) return;
  failed.status = status;
  ++failed.owner->failed_;
}

void UcxEndpoints::throw_if_failed(const char* operation, int peer) const {
  const ucs_status_t status = peers_[peer].status;
  if (status != UCS_OK) throw_lost_peer(operation, peer, ucs_status_string(status));
}

void UcxEndpoints::throw_if_any_failed(const char* operation) const {
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) throw_if_failed(operation, static_cast<int>(peer));
}

void UcxEndpoints::close_all(ucp_ep_close_mode mode) {
  std::vector<void*> closing;
  for (Peer& peer : peers_) {
    if (!peer.endpoint) continue;
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    // What is broken cannot be flushed.
    param.flags = mode == UCP_EP_CLOSE_MODE_FORCE || peer.status != UCS_OK ? UCP_EP_CLOSE_FLAG_FORCE : 0;
    void* request = ucp_ep_close_nbx(peer.endpoint, &param);
    if (UCS_PTR_IS_PTR(request)) closing.push_back(request);
    peer.endpoint = nullptr;
  }
  for (void* request : closing) {
    IdleSpin idle;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) idle.rest(worker_.progress());
    ucp_request_free(request);
  }
}

}  // namespace pilum::comm
