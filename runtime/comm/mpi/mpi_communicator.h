// Ranks that talk through MPI alone: what is used where UCX is not there.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "runtime/comm/bootstrap.h"
#include "runtime/comm/communicator.h"
#include "runtime/comm/errors.h"
#include "runtime/comm/match_table.h"
#include "runtime/comm/request_table.h"

namespace pilum::comm {

// MPI's tags are too few for ours (32,767 are sure), so messages are not matched by MPI. Everything starts with a
// frame on MPI tag 0, which MPI keeps in order between two ranks:
//
//   0        4        8        12       16       24          32
//   | kind   | window | message| unused | bytes  | first tag | content, at most 4096 bytes
//
//   control   content is a control message
//   whole     content is the message
//   announce  the message follows in chunks on MPI tags `first tag`, `first tag` + 1, ...
//
// Frames are received into a ring of receives from any rank and matched here by (rank, window, message). Chunk tags
// are counted per receiver and reused after MPI_TAG_UB chunks, so no two that are in flight share one.
// Data: mpi_data.cc; frames and control: mpi_frames.cc; start and end: mpi_communicator.cc.
class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(std::shared_ptr<Bootstrap> bootstrap);
  ~MpiCommunicator() override;

  int rank() const override { return bootstrap_->rank(); }
  int size() const override { return bootstrap_->size(); }
  std::string name() const override { return "mpi"; }

  Request send(int to, Tag tag, std::span<const std::byte> bytes) override;
  Request receive(int from, Tag tag, std::span<std::byte> bytes) override;
  bool test(Request request) override;
  bool progress() override;

  void send_control(int to, std::span<const std::byte> bytes) override;
  std::optional<ControlMessage> poll_control() override;
  bool control_is_out() const override { return sent_frames_.empty(); }

  void barrier() override;
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override;
  void finalize() override;
  [[noreturn]] void abort(int status) override;

 private:
  enum class Kind : std::uint32_t { Control, Whole, Announce };
  struct Header {
    Kind kind = Kind::Control;
    Tag tag;
    std::uint32_t unused = 0;
    std::uint64_t bytes = 0;
    std::uint64_t first_tag = 0;
  };
  struct Frame {
    Header header;
    std::array<std::byte, kMaxControlBytes> content;
  };
  static_assert(sizeof(Header) == 32 && offsetof(Frame, content) == 32);

  struct FrameSend {
    std::unique_ptr<Frame> frame;
    MPI_Request request;
    int to;
  };
  // A message that came before its receive.
  struct Arrival {
    Header header;
    std::vector<std::byte> content;
  };
  struct Expectation {
    Request request;
    std::span<std::byte> bytes;
  };
  struct Transfer {
    int peer = 0;
    int open_chunks = 0;
    bool is_matched = true;
  };

  void post_frame(int to, Header header, std::span<const std::byte> content);
  bool receive_frames();
  void handle_frame(int from, const Frame& frame, std::span<const std::byte> content);
  bool release_sent_frames();
  void flush_frames();

  void send_chunks(Request request, int to, std::uint64_t first_tag, std::span<const std::byte> bytes);
  void receive_chunks(Request request, int from, const Header& announced, std::span<std::byte> bytes);
  bool advance_chunks();
  int chunk_tag(std::uint64_t sequence) const { return 1 + static_cast<int>(sequence % chunk_tags_); }

  std::shared_ptr<Bootstrap> bootstrap_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::uint64_t chunk_tags_ = 32766;
  std::vector<std::uint64_t> next_chunk_;  // by receiver

  std::vector<std::unique_ptr<Frame>> ring_;
  std::vector<MPI_Request> ring_requests_;
  std::size_t ring_head_ = 0;
  std::deque<FrameSend> sent_frames_;
  std::vector<std::unique_ptr<Frame>> spare_frames_;
  std::deque<ControlMessage> control_;

  RequestTable<Transfer> transfers_;
  MatchTable<Arrival> arrived_;
  MatchTable<Expectation> expected_;
  std::vector<MPI_Request> chunk_requests_;  // parallel: in flight, and whose
  std::vector<Request> chunk_owners_;
  std::vector<int> finished_;  // scratch of advance_chunks()
  std::vector<MPI_Status> statuses_;
};

}  // namespace pilum::comm
