#include <chrono>
#include <deque>
#include <exception>
#include <unordered_map>

#include "runtime/base/check.h"
#include "runtime/comm/errors.h"
#include "runtime/comm/match_table.h"
#include "runtime/comm/request_table.h"
#include "runtime/comm/simulated/simulated_network.h"
#include "runtime/comm/wait.h"

namespace pilum::comm {
namespace {

// Contents up to this size are kept by the network at once, as an eager protocol does; larger ones always, and
// smaller ones by lot, stay in the sender's buffer until they are received, as in a rendezvous.
constexpr std::size_t kEagerBytes = 16 * 1024;

using Clock = std::chrono::steady_clock;

std::uint64_t mix(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// One rank. Time is counted in its own calls of progress(), so what is late does not depend on how threads run; but
// where the rank sleeps between them, nothing is later than `latest`.
class SimulatedCommunicator final : public Communicator {
 public:
  SimulatedCommunicator(std::shared_ptr<SimulatedNetwork> network, int rank, std::chrono::milliseconds latest)
      : network_(std::move(network)), rank_(rank), latest_(latest) {}

  ~SimulatedCommunicator() override {
    if (!finalized_) network_->lose(rank_);
  }

  int rank() const override { return rank_; }
  int size() const override { return network_->size(); }
  std::string name() const override { return "simulated"; }

  Request send(int to, Tag tag, std::span<const std::byte> bytes) override {
    const Turn turn(*this);
    check_peer("send", to, size());
    if (network_->has_left(to)) throw_peer_failed("send", to, "it has left the job");
    Parcel parcel{.from = rank_, .tag = tag};
    if (bytes.size() <= kEagerBytes && lot(rank_, to, tag) % 4 != 0) {
      parcel.kept.assign(bytes.begin(), bytes.end());
      network_->post(to, std::move(parcel));
      return kDoneRequest;
    }
    const Request request = done_.add(false);
    parcel.lent = bytes;
    parcel.send = request;
    network_->post(to, std::move(parcel));
    return request;
  }

  Request receive(int from, Tag tag, std::span<std::byte> bytes) override {
    const Turn turn(*this);
    check_peer("receive", from, size());
    if (const auto parcel = arrived_.take(from, tag)) {
      unpack(*parcel, bytes);
      return kDoneRequest;
    }
    const Request request = done_.add(false);
    receives_.add(from, tag, {request, bytes});
    return request;
  }

  bool test(Request request) override {
    const Turn turn(*this);
    if (request == kDoneRequest) return true;
    if (!done_.at(request)) return false;
    done_.remove(request);
    return true;
  }

  bool progress() override {
    const Turn turn(*this);
    return advance();
  }

  void send_control(int to, std::span<const std::byte> bytes) override {
    const Turn turn(*this);
    check_peer("send_control", to, size());
    check_control_size(bytes.size());
    if (network_->has_left(to)) return;
    network_->post(to, {.from = rank_, .is_control = true, .kept = {bytes.begin(), bytes.end()}});
  }

  std::optional<ControlMessage> poll_control() override {
    const Turn turn(*this);
    if (control_.empty()) advance();
    if (control_.empty()) return std::nullopt;
    std::optional<ControlMessage> message(std::move(control_.front()));
    control_.pop_front();
    return message;
  }

  void barrier() override {
    const Turn turn(*this);
    meet();
  }

  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override {
    const Turn turn(*this);
    network_->write_gather(rank_, bytes);
    meet();
    std::vector<std::byte> all = network_->read_gather();
    meet();
    return all;
  }

  // Does not wait for the others, so that one thread may step all ranks through their ends.
  void finalize() override {
    const Turn turn(*this);
    PILUM_CHECK(done_.size() == 0, "rank {} leaves with {} transfers in flight", rank_, done_.size());
    network_->leave(rank_);
    finalized_ = true;
  }

  // Poisons the network and throws: a process cannot end one of its ranks.
  void abort(int status) override { network_->abort(rank_, status); }

 private:
  struct Receive {
    Request request;
    std::span<std::byte> bytes;
  };
  struct Late {
    std::uint64_t due;
    Parcel parcel;
    Clock::time_point latest;  // of a rank that sleeps between its calls
  };

  // One call: the network must be whole, and no other thread inside.
  class Turn {
   public:
    explicit Turn(SimulatedCommunicator& communicator) : busy_(communicator.busy_) {
      PILUM_CHECK(!busy_.exchange(true, std::memory_order_acquire), "two threads call rank {} at once",
                  communicator.rank_);
      try {
        communicator.network_->check_alive();
      } catch (...) {
        busy_.store(false, std::memory_order_release);
        throw;
      }
    }
    ~Turn() { busy_.store(false, std::memory_order_release); }
    Turn(const Turn&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

  std::uint64_t lot(int from, int to, Tag tag) const {
    const auto ends = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
    return mix(mix(mix(network_->seed() + ends) + tag.window) + tag.message);
  }

  // In calls of progress(): half of the messages come at once, most others soon, a few very late.
  std::uint64_t delay_of(const Parcel& parcel) {
    const Tag tag = parcel.is_control ? Tag{~0u, control_seen_++} : parcel.tag;
    const std::uint64_t drawn = lot(parcel.from, rank_, tag) >> 8;
    if (drawn % 2 == 0) return 0;
    return drawn / 16 % (drawn % 16 == 1 ? 200 : 12);
  }

  bool advance() {
    ++clock_;
    const bool got_mail = network_->collect(rank_, parcels_, copied_);
    for (const Request send : copied_) done_.at(send) = true;
    for (Parcel& parcel : parcels_) {
      std::uint64_t due = clock_ + delay_of(parcel);
      if (parcel.is_control) due = last_control_due_[parcel.from] = std::max(due, last_control_due_[parcel.from]);
      late_.push_back({due, std::move(parcel), Clock::now() + latest_});
    }
    const bool arrived = deliver_due();
    const bool moved = arrived || got_mail;
    idle_.rest(moved);
    return moved;
  }

  // Keeps the order of what stays, so equal tags (equally late) and control messages keep theirs.
  bool deliver_due() {
    std::size_t kept = 0;
    std::exception_ptr error;  // what one message throws loses no other
    const Clock::time_point now = late_.empty() ? Clock::time_point() : Clock::now();
    for (std::size_t i = 0; i < late_.size(); ++i) {
      if (late_[i].due <= clock_ || late_[i].latest <= now) {
        try {
          arrive(std::move(late_[i].parcel));
        } catch (...) {
          error = std::current_exception();
        }
      } else {
        if (kept != i) late_[kept] = std::move(late_[i]);
        ++kept;
      }
    }
    const bool some = kept < late_.size();
    late_.resize(kept);
    if (error) std::rethrow_exception(error);
    return some;
  }

  void arrive(Parcel parcel) {
    if (parcel.is_control) {
      control_.push_back({parcel.from, std::move(parcel.kept)});
    } else if (const auto receive = receives_.take(parcel.from, parcel.tag)) {
      unpack(parcel, receive->bytes);
      done_.at(receive->request) = true;
    } else {
      const int from = parcel.from;
      const Tag tag = parcel.tag;
      arrived_.add(from, tag, std::move(parcel));
    }
  }

  void unpack(const Parcel& parcel, std::span<std::byte> bytes) {
    network_->copy_content(parcel, bytes);
    if (parcel.send) network_->tell_copied(parcel.from, parcel.send);
  }

  void meet() {
    const std::uint64_t round = network_->arrive();
    while (!network_->all_arrived(round)) {
      network_->check_alive();
      advance();
    }
  }

  std::shared_ptr<SimulatedNetwork> network_;
  const int rank_;
  const std::chrono::milliseconds latest_;
  bool finalized_ = false;
  std::atomic<bool> busy_{false};
  IdleSpin idle_;

  std::uint64_t clock_ = 0;
  std::uint32_t control_seen_ = 0;
  std::unordered_map<int, std::uint64_t> last_control_due_;
  std::vector<Late> late_;
  std::vector<Parcel> parcels_;  // scratch of advance()
  std::vector<Request> copied_;

  RequestTable<bool> done_;
  MatchTable<Parcel> arrived_;
  MatchTable<Receive> receives_;
  std::deque<ControlMessage> control_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> make_simulated_network(int ranks, std::uint64_t seed,
                                                                  std::chrono::milliseconds latest) {
  PILUM_CHECK(ranks > 0, "a network of {} ranks", ranks);
  const auto network = std::make_shared<SimulatedNetwork>(ranks, seed);
  std::vector<std::unique_ptr<Communicator>> communicators;
  for (int rank = 0; rank < ranks; ++rank) {
    communicators.push_back(std::make_unique<SimulatedCommunicator>(network, rank, latest));
  }
  return communicators;
}

}  // namespace pilum::comm
