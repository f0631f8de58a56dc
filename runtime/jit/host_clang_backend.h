// Module → a short list of passes → object. Private to the plug-in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "runtime/jit/clang_plugin.h"

namespace pilum::jit {

// This machine, as LLVM names it. `target` is null where LLVM cannot write its code.
struct HostTarget {
  std::string triple, cpu;
  std::vector<std::string> features;
  const llvm::Target* target = nullptr;

  HostTarget();
};
const HostTarget& host_target();

bool asks_for(const ClangRequest& request, std::string_view sanitizer);

// Takes one module after another; one thread at a time. What does not change from one to the next, a target with its
// tables and both lists of passes, is made once. Of the request, the text is not looked at.
class Backend {
 public:
  explicit Backend(const ClangRequest& request);
  // False: LLVM cannot write objects for this machine.
  bool works() const { return works_; }
  std::string compile(llvm::Module& module);

 private:
  void add_passes(const ClangRequest& request);

  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::ModulePassManager tidy_, combine_, hoist_, instrument_;
  llvm::SmallVector<char, 0> bytes_;
  llvm::raw_svector_ostream stream_{bytes_};
  llvm::legacy::PassManager generate_;  // to stream_
  bool works_ = false;
};

}  // namespace pilum::jit
