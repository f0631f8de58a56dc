// Shows each stage's records, as text and as DOT.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/base/config.h"
#include "runtime/kernel/body/device_body.h"
#include "scheduler/print/fusion_log.h"
#include "scheduler/record/plan.h"
#include "scheduler/record/task.h"

namespace pilum::scheduler {

[[nodiscard]] std::string to_text(const Operation& operation);
[[nodiscard]] std::string to_text(const Task& task);
[[nodiscard]] std::string to_text(const Instruction& instruction, InstructionId id);

// Graphs for Graphviz: a node a record, an arrow a dependence (operations and tasks: through a store).
[[nodiscard]] std::string to_dot(const std::vector<Operation>& operations);
[[nodiscard]] std::string to_dot(const std::vector<Task>& tasks);
[[nodiscard]] std::string to_dot(const Plan& plan);

// Something is printed that names stores and instructions as they are this time: plans must be made each time then.
[[nodiscard]] bool prints_every_plan(const Config& config);

// Prints what `--print` and `--print-dot` ask for: on standard error, and into files of a folder, named by rank and
// window. Rank 0's alone, unless all output is asked for. Throws pilum::ValueError when the folder cannot be written.
class Printer {
 public:
  Printer(const Config& config, int rank, int ranks = 1);
  void print_operations(int window, const std::vector<Operation>& operations);
  void print_tasks(int window, const std::vector<Task>& tasks);
  void print_plan(const Plan& plan);
  // Somebody asks what fused and why not.
  bool shows_fusion() const { return shows_fusion_; }
  // The window's groups, if there were none like them; what to count when its plan is found again.
  FusionEntry print_fusion(int window, std::span<const FusedGroup> groups, const WindowEnd& end);
  void count_again(const FusionEntry& entry) { fusion_.count_again(entry); }
  void count_direct(std::size_t operations) {
    if (shows_fusion_) fusion_.count_direct(operations);
  }
  // At the end: how often windows came again.
  void print_counts();
  // Each text once.
  void print_kernel(const kernel::Kernel& kernel, const jit::CompiledKernel& compiled);
  void print_body(const kernel::BodySource& body, const jit::CompiledKernel& compiled);

 private:
  bool shows(const char* stage) const;
  void write_dot(int window, const char* stage, const std::string& dot) const;
  void put(const std::string& text) const;

  std::string stages_;
  bool shows_fusion_ = false;
  FusionLog fusion_;
  std::string folder_;
  int rank_;
  std::set<const jit::CompiledKernel*> printed_;
};

}  // namespace pilum::scheduler
