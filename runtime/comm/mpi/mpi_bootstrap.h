// What starts and ends a job's ranks, over MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "runtime/comm/bootstrap.h"
#include "runtime/comm/communicator.h"

namespace pilum::comm {

class MpiBootstrap final : public Bootstrap {
 public:
  // All ranks that the launcher started; MPI is started where it does not run.
  MpiBootstrap();
  // The ranks of a communicator of the program's, which is duplicated. MPI, and its end, are the program's.
  explicit MpiBootstrap(const HostCommunicator& host);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool on_one_node() const override { return node_size_ == size_; }
  bool any_thread() const override { return any_thread_; }
  // Ours; of these ranks alone.
  MPI_Comm communicator() const { return ranks_; }

  void barrier(const Idle& idle) override;
  [[nodiscard]] std::vector<std::byte> all_gather(std::span<const std::byte> bytes, const Idle& idle) override;
  void finalize() override;
  [[noreturn]] void abort(int status) override;

 private:
  void join(MPI_Comm communicator);
  void count_node();
  void check_launcher() const;

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int node_size_ = 1;
  bool any_thread_ = true;
};

}  // namespace pilum::comm
