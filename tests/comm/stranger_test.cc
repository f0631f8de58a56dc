// Who reaches a rank's UCX worker without the job's key disturbs nothing: two ranks on two threads, and a third
// process's worth of UCX that knows their addresses and the layout of their messages.
#include <gtest/gtest.h>
#include <ucp/api/ucp.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "runtime/comm/transports.h"
#include "runtime/comm/wait.h"

namespace pilum::comm {
namespace {

constexpr int kRanks = 2;
constexpr std::size_t kKeyBytes = 8;  // before each address

// Where the two threads meet.
struct Meeting {
  std::mutex mutex;
  std::array<std::vector<std::byte>, kRanks> given;
  std::array<std::uint64_t, kRanks> rounds{};
  std::vector<std::byte> longest;  // what all of the longest gathering gave: the addresses
};

class ThreadBootstrap final : public Bootstrap {
 public:
  ThreadBootstrap(int rank, Meeting& meeting) : rank_(rank), meeting_(meeting) {}
  int rank() const override { return rank_; }
  int size() const override { return kRanks; }
  bool on_one_node() const override { return true; }
  void barrier(const Idle& idle) override { all_gather({}, idle); }
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes, const Idle& idle) override {
    const auto all_are_at = [&](std::uint64_t round) {
      const std::lock_guard lock(meeting_.mutex);
      return meeting_.rounds[0] >= round && meeting_.rounds[1] >= round;
    };
    const auto step = [&](auto&& then) {
      {
        const std::lock_guard lock(meeting_.mutex);
        then();
        ++meeting_.rounds[rank_];
        ++round_;
      }
      while (!all_are_at(round_)) idle();
    };
    std::vector<std::byte> all;
    step([&] { meeting_.given[rank_].assign(bytes.begin(), bytes.end()); });
    step([&] {
      for (const auto& given : meeting_.given) all.insert(all.end(), given.begin(), given.end());
      if (all.size() > meeting_.longest.size()) meeting_.longest = all;
    });
    return all;
  }
  void finalize() override {}
  [[noreturn]] void abort(int status) override { std::_Exit(status); }

 private:
  int rank_;
  Meeting& meeting_;
  std::uint64_t round_ = 0;
};

class Stranger {
 public:
  explicit Stranger(std::span<const std::byte> address) {
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_TAG | UCP_FEATURE_AM;
    EXPECT_EQ(ucp_init(&params, nullptr, &context_), UCS_OK);
    ucp_worker_params_t worker{};
    EXPECT_EQ(ucp_worker_create(context_, &worker, &worker_), UCS_OK);
    ucp_ep_params_t endpoint{};
    endpoint.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    endpoint.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    endpoint.address = reinterpret_cast<const ucp_address_t*>(address.data());
    EXPECT_EQ(ucp_ep_create(worker_, &endpoint, &endpoint_), UCS_OK);
  }
  ~Stranger() {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    finish(ucp_ep_close_nbx(endpoint_, &param));
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }
  void send(ucp_tag_t tag, int value) {
    const ucp_request_param_t param{};
    finish(ucp_tag_send_nbx(endpoint_, &value, sizeof(value), tag, &param));
  }
  void send_control(const std::vector<std::byte>& bytes) {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_AM_SEND_FLAG_EAGER;
    finish(ucp_am_send_nbx(endpoint_, /*id=*/0, nullptr, 0, bytes.data(), bytes.size(), &param));
    finish(ucp_worker_flush_nbx(worker_, &flush_));
  }

 private:
  void finish(void* request) {
    ucs_status_t status = UCS_PTR_STATUS(request);
    if (UCS_PTR_IS_PTR(request)) {
      while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS) ucp_worker_progress(worker_);
      ucp_request_free(request);
    }
    EXPECT_EQ(status, UCS_OK) << ucs_status_string(status);
  }
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  ucp_request_param_t flush_{};
};

int receive_int(Communicator& ranks, int from, Tag tag) {
  int value = 0;
  wait(ranks, ranks.receive(from, tag, std::as_writable_bytes(std::span(&value, 1))));
  return value;
}

TEST(Stranger, CannotSpeakForARank) {
  constexpr Tag kTag{.window = 3, .message = 5};
  Meeting meeting;
  std::atomic<bool> has_spoken = false, is_over = false;
  std::thread sender([&] {
    const auto ranks = make_ucx_communicator(std::make_shared<ThreadBootstrap>(1, meeting));
    while (!has_spoken) ranks->progress();
    const int right = 42;
    wait(*ranks, ranks->send(0, kTag, std::as_bytes(std::span(&right, 1))));
    ranks->send_control(0, std::as_bytes(std::span(&right, 1)));
    while (!is_over) ranks->progress();
    ranks->finalize();
  });
  const auto ranks = make_ucx_communicator(std::make_shared<ThreadBootstrap>(0, meeting));
  try {
    // Rank 0's address is the first; 0 and 1 as a key are as good as any but the right one.
    Stranger stranger(std::span(meeting.longest).subspan(kKeyBytes, meeting.longest.size() / kRanks - kKeyBytes));
    std::thread speech([&] {
      stranger.send(ucp_tag_t{1} << 44 | ucp_tag_t{3} << 24 | 5, 13);
      stranger.send_control(std::vector<std::byte>(20, std::byte{0}));
      stranger.send_control(std::vector<std::byte>(3, std::byte{1}));
      has_spoken = true;
    });
    while (!has_spoken) ranks->progress();
    speech.join();
    EXPECT_EQ(receive_int(*ranks, 1, kTag), 42);
    std::optional<ControlMessage> first;
    wait_until(*ranks, [&] { return (first = ranks->poll_control()).has_value(); });
    EXPECT_EQ(first->from, 1);
    EXPECT_EQ(first->bytes.size(), sizeof(int));
    EXPECT_FALSE(ranks->poll_control().has_value());
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
  is_over = true;
  ranks->finalize();
  sender.join();
}

}  // namespace
}  // namespace pilum::comm
