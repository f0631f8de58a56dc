// The ways to the peers, opened at first use, and which peers are gone.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/comm/bootstrap.h"
#include "runtime/comm/ucx/ucx_worker.h"

namespace pilum::comm {

// An endpoint is opened for sending and for receiving: UCX watches only peers that have one. A broken one stays
// broken; its peer is named by throw_if_failed().
class UcxEndpoints {
 public:
  // Exchanges the workers' addresses and keys; every rank calls it.
  UcxEndpoints(UcxWorker& worker, Bootstrap& bootstrap, std::uint64_t own_key);
  ~UcxEndpoints();
  UcxEndpoints(const UcxEndpoints&) = delete;
  UcxEndpoints& operator=(const UcxEndpoints&) = delete;

  // Throws if the peer is gone, naming `operation`.
  ucp_ep_h open(int peer, const char* operation);
  // What every message to the peer carries.
  std::uint64_t key_of(int peer) const { return peers_[peer].key; }
  bool some_failed() const { return failed_ > 0; }
  void throw_if_failed(const char* operation, int peer) const;
  void throw_if_any_failed(const char* operation) const;

  // From here on a broken endpoint is a peer that leaves in order.
  void expect_leaving() { is_leaving_ = true; }
  void close_all(ucp_ep_close_mode mode);

 private:
  struct Peer {
    ucp_ep_h endpoint = nullptr;
    ucs_status_t status = UCS_OK;
    std::uint64_t key = 0;
    UcxEndpoints* owner = nullptr;
  };

  void exchange_addresses(Bootstrap& bootstrap, std::uint64_t key);
  const ucp_address_t* address_of(int peer) const;
  static void note_failure(void* peer, ucp_ep_h endpoint, ucs_status_t status);

  UcxWorker& worker_;
  std::vector<Peer> peers_;           // never resized: UCX points to its elements
  std::vector<std::byte> addresses_;  // each rank's key, then its address
  std::size_t address_stride_ = 0;
  int failed_ = 0;
  bool is_leaving_ = false;
};

}  // namespace pilum::comm
