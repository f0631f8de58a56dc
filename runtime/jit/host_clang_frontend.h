// Text → module. Private to the plug-in.
#pragma once

#include <memory>
#include <string>

#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Parse/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "runtime/jit/clang_plugin.h"

namespace pilum::jit {

// One translation unit to which kernel after kernel is added, as clang's interpreter does it: setting clang up takes
// longer than a kernel's text. Each kernel has a namespace and a module of its own; the unit grows, so it is thrown
// away at times. One thread at a time.
class Frontend {
 public:
  // once: for one kernel, whose names reports may show: there is no namespace. Of the request, the text is not looked
  // at.
  Frontend(const ClangRequest& request, bool once);

  // Null: `message` says why, and the unit is of no more use. The module must go before the unit.
  std::unique_ptr<llvm::Module> parse(const std::string& text, std::string& message);
  int kernels() const { return kernels_; }

 private:
  bool set_up(const ClangRequest& request);
  void enter(const std::string& text);
  void parse_unit();
  bool failed() { return compiler_.getDiagnostics().hasErrorOccurred(); }

  const bool once_;
  std::string printed_;
  llvm::raw_string_ostream stream_{printed_};
  llvm::LLVMContext context_;
  clang::CompilerInstance compiler_;
  clang::CodeGenerator* generator_ = nullptr;  // compiler_'s
  std::unique_ptr<clang::Parser> parser_;      // null: clang could not be set up
  int kernels_ = 0;
};

}  // namespace pilum::jit
