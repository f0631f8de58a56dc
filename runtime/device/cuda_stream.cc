#include "runtime/device/cuda_stream.h"

#include "runtime/base/check.h"

namespace pilum::device {

CudaStream::CudaStream(const CudaCalls& cuda, int priority) : cuda_(cuda) {
  // Non-blocking: a library that uses the null stream must not join our streams.
  cuda_.call(&CudaDriver::cuStreamCreateWithPriority, &stream_, CU_STREAM_NON_BLOCKING, priority);
}

// What fails here failed before, and was thrown then.
CudaStream::~CudaStream() {
  for (CUevent event : pending_) static_cast<void>(cuda_.attempt(&CudaDriver::cuEventDestroy_v2, event));
  for (CUevent event : free_) static_cast<void>(cuda_.attempt(&CudaDriver::cuEventDestroy_v2, event));
  static_cast<void>(cuda_.attempt(&CudaDriver::cuStreamDestroy_v2, stream_));
}

std::int64_t CudaStream::record_event() {
  const CUevent event = take_event();
  pending_.push_back(event);
  ++made_;
  cuda_.call(&CudaDriver::cuEventRecord, event, stream_);
  return made_;
}

bool CudaStream::completed(std::int64_t number) {
  const CUevent event = cuda_event_of(number);
  if (!event) return true;
  if (!is_done(event)) return false;
  forget_until(number);  // the stream is in order: one question answers for all before
  return true;
}

CUevent CudaStream::cuda_event_of(std::int64_t number) const {
  PILUM_CHECK(number <= made_, "event {} of {} made", number, made_);
  const std::int64_t first = made_ - static_cast<std::int64_t>(pending_.size()) + 1;
  return number < first ? nullptr : pending_[static_cast<std::size_t>(number - first)];
}

void CudaStream::finish() {
  cuda_.call(&CudaDriver::cuStreamSynchronize, stream_);
  forget_until(made_);
}

// Events that only other streams wait for are never asked for, so their events are collected here.
CUevent CudaStream::take_event() {
  while (free_.empty() && !pending_.empty() && is_done(pending_.front())) {
    forget_until(made_ - static_cast<std::int64_t>(pending_.size()) + 1);
  }
  CUevent event = nullptr;
  if (free_.empty()) {
    cuda_.call(&CudaDriver::cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
  } else {
    event = free_.back();
    free_.pop_back();
  }
  return event;
}

bool CudaStream::is_done(CUevent event) const {
  const CUresult result = cuda_.attempt(&CudaDriver::cuEventQuery, event);
  if (result == CUDA_SUCCESS) return true;
  if (result == CUDA_ERROR_NOT_READY) return false;
  cuda_.fail(&CudaDriver::cuEventQuery, result);
}

void CudaStream::forget_until(std::int64_t number) {
  for (std::int64_t first = made_ - static_cast<std::int64_t>(pending_.size()) + 1; first <= number; ++first) {
    free_.push_back(pending_.front());
    pending_.pop_front();
  }
}

}  // namespace pilum::device
