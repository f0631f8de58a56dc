#include "runtime/comm/ucx/ucx_communicator.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "pilum/error.h"
#include "runtime/comm/transports.h"
#include "runtime/comm/ucx/ucx_call.h"
#include "runtime/comm/wait.h"

namespace pilum::comm {
namespace {

// Tells all ranks whether UCX works on each of them, so that they throw, or use another transport, together.
void agree_that_it_works(Bootstrap& bootstrap, const std::string& failure) {
  const auto works = std::byte{failure.empty()};
  const auto all = bootstrap.all_gather(std::span(&works, 1), [] {});
  const auto broken = std::find(all.begin(), all.end(), std::byte{0});
  if (broken == all.end()) return;
  if (!failure.empty()) throw RuntimeError(failure);
  throw RuntimeError(fmt::format("[Runtime] UCX does not work on rank {}: see its error, or use the transport mpi.",
                                 broken - all.begin()));
}

std::uint64_t draw_key() {
  std::random_device kernel;
  return static_cast<std::uint64_t>(kernel()) << 32 | kernel();
}

std::unique_ptr<UcxWorker> make_worker(Bootstrap& bootstrap) {
  std::unique_ptr<UcxWorker> worker;
  std::string failure;
  try {
    worker = std::make_unique<UcxWorker>(bootstrap.size(), bootstrap.on_one_node());
  } catch (const RuntimeError& error) {
    failure = error.what();
  }
  agree_that_it_works(bootstrap, failure);
  return worker;
}

}  // namespace

UcxCommunicator::UcxCommunicator(std::shared_ptr<Bootstrap> bootstrap)
    : key_(draw_key()), bootstrap_(std::move(bootstrap)), worker_(make_worker(*bootstrap_)) {
  accept_control();
  endpoints_ = std::make_unique<UcxEndpoints>(*worker_, *bootstrap_, key_);
}

// Without finalize() the job is failing: what is in flight is given up, peers are not waited for.
UcxCommunicator::~UcxCommunicator() {
  if (!worker_) return;
  endpoints_->expect_leaving();
  cancel_all();
}

bool UcxCommunicator::progress() {
  const bool moved = worker_->progress();
  if (!sent_control_.empty()) release_sent_control();
  if (endpoints_->some_failed()) [[unlikely]]
    endpoints_->throw_if_any_failed("progress");
  return moved;
}

void UcxCommunicator::barrier() {
  bootstrap_->barrier([this] { progress(); });
}

std::vector<std::byte> UcxCommunicator::all_gather(std::span<const std::byte> bytes) {
  return bootstrap_->all_gather(bytes, [this] { progress(); });
}

void UcxCommunicator::finalize() {
  PILUM_CHECK(transfers_.size() == 0, "rank {} leaves with {} transfers in flight", rank(), transfers_.size());
  wait_until(*this, [this] { return sent_control_.empty(); });
  barrier();
  endpoints_->expect_leaving();
  endpoints_->close_all(UCP_EP_CLOSE_MODE_FLUSH);
  bootstrap_->barrier([this] { worker_->progress(); });  // peers may still be closing
  endpoints_.reset();
  worker_.reset();
  bootstrap_->finalize();
}

void UcxCommunicator::abort(int status) {
  bootstrap_->abort(status);
  std::_Exit(status);  // not reached; g++ does not see it through the virtual call
}

std::unique_ptr<Communicator> make_ucx_communicator(std::shared_ptr<Bootstrap> bootstrap) {
  return std::make_unique<UcxCommunicator>(std::move(bootstrap));
}

}  // namespace pilum::comm
