// Jobs for the tests of lanes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "runtime/device/host_lane.h"

namespace pilum::device {

// A job made of functions; counts what is called. Tests wait for done_count.
class TestJob final : public Job {
 public:
  explicit TestJob(std::int64_t chunks, std::function<void(std::int64_t)> body = {}, std::function<void()> after = {},
                   std::string label = "")
      : chunks_(chunks), body_(std::move(body)), after_(std::move(after)), label_(std::move(label)) {}
  std::int64_t chunks() const override { return chunks_; }
  void run(std::int64_t chunk) override {
    ++runs;
    if (body_) body_(chunk);
  }
  void done() override {
    if (after_) after_();
    ++done_count;
  }
  std::string label() const override { return label_; }

  std::atomic<int> runs{0};
  std::atomic<int> done_count{0};

 private:
  std::int64_t chunks_;
  std::function<void(std::int64_t)> body_;
  std::function<void()> after_;
  std::string label_;
};

inline std::shared_ptr<TestJob> make_job(std::int64_t chunks, std::function<void(std::int64_t)> body = {},
                                         std::function<void()> after = {}, std::string label = "") {
  return std::make_shared<TestJob>(chunks, std::move(body), std::move(after), std::move(label));
}

}  // namespace pilum::device
