#include "runtime/device/cuda_times.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "runtime/base/check.h"

namespace pilum::device {
namespace {

constexpr std::int64_t kOriginEvery = 1'000'000'000;  // ns

std::int64_t steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

// What fails here failed before, and was thrown then.
CudaTimes::~CudaTimes() {
  for (const auto& [number, mark] : marks_)
    static_cast<void>(cuda_.attempt(&CudaDriver::cuEventDestroy_v2, mark.event));
  for (const Origin& origin : origins_) {
    if (origin.event) static_cast<void>(cuda_.attempt(&CudaDriver::cuEventDestroy_v2, origin.event));
  }
  for (CUevent event : free_) static_cast<void>(cuda_.attempt(&CudaDriver::cuEventDestroy_v2, event));
  if (stream_) static_cast<void>(cuda_.attempt(&CudaDriver::cuStreamDestroy_v2, stream_));
}

std::int64_t CudaTimes::mark(CUstream stream) {
  const std::size_t origin = find_origin();
  const CUevent event = take_event();
  marks_.emplace(++made_, Mark{event, origin});
  ++origins_[origin].marks;
  cuda_.call(&CudaDriver::cuEventRecord, event, stream);
  return made_;
}

std::optional<std::int64_t> CudaTimes::take(std::int64_t number) {
  const auto found = marks_.find(number);
  PILUM_CHECK(found != marks_.end(), "time {} of {} is not to be taken", number, made_);
  const Mark mark = found->second;
  const CUresult reached = cuda_.attempt(&CudaDriver::cuEventQuery, mark.event);
  if (reached == CUDA_ERROR_NOT_READY) return std::nullopt;
  if (reached != CUDA_SUCCESS) cuda_.fail(&CudaDriver::cuEventQuery, reached);
  Origin& origin = origins_[mark.origin];
  float milliseconds = 0;
  cuda_.call(&CudaDriver::cuEventElapsedTime, &milliseconds, origin.event, mark.event);
  free_.push_back(mark.event);
  marks_.erase(found);
  const std::int64_t time = origin.time + std::llround(static_cast<double>(milliseconds) * 1e6);
  if (--origin.marks == 0 && mark.origin + 1 != origins_.size()) free_.push_back(std::exchange(origin.event, nullptr));
  return time;
}

std::size_t CudaTimes::find_origin() {
  if (origins_.empty() || steady_now() - origins_.back().time > kOriginEvery) {
    if (!stream_) cuda_.call(&CudaDriver::cuStreamCreateWithPriority, &stream_, unsigned{CU_STREAM_NON_BLOCKING}, 0);
    const CUevent event = take_event();
    cuda_.call(&CudaDriver::cuEventRecord, event, stream_);
    cuda_.call(&CudaDriver::cuStreamSynchronize, stream_);
    if (!origins_.empty() && origins_.back().marks == 0) {
      free_.push_back(origins_.back().event);
      origins_.pop_back();
    }
    origins_.push_back({event, steady_now(), 0});
  }
  return origins_.size() - 1;
}

CUevent CudaTimes::take_event() {
  if (!free_.empty()) {
    const CUevent event = free_.back();
    free_.pop_back();
    return event;
  }
  CUevent event = nullptr;
  cuda_.call(&CudaDriver::cuEventCreate, &event, unsigned{CU_EVENT_DEFAULT});
  return event;
}

}  // namespace pilum::device
