// This rank's side of UCX: one context and one worker, which moves everything.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <vector>

namespace pilum::comm {

// Owns both; not movable, because UCX keeps pointers to it. One thread at a time.
class UcxWorker {
 public:
  UcxWorker(int ranks, bool on_one_node);
  ~UcxWorker();
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;

  ucp_worker_h get() const { return worker_; }
  // Whether this UCX knows CUDA's memory: it is built so, and finds the driver.
  bool reaches_cuda() const;
  bool progress() { return ucp_worker_progress(worker_) != 0; }
  // What peers need to connect to this worker.
  std::vector<std::byte> get_address() const;

 private:
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
};

}  // namespace pilum::comm
