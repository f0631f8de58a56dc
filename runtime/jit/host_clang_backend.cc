// The text is explicit vector code, so what is left to do is to remove the scaffolding: inline helpers, promote
// locals, hoist what does not change. LLVM's own -O2 list takes four times as long for the same loops.
#include "runtime/jit/host_clang_backend.h"

#include <optional>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>
#include <llvm/Transforms/Instrumentation/ThreadSanitizer.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace pilum::jit {
namespace {

// Instructions of a kernel that is done after the tidying: code generation combines and hoists what so short a loop
// needs. Doing it here takes a fifth of the time; without it loops of this size run as fast, sums 2 % and logarithms 6
// % slower.
constexpr unsigned kSmall = 64;

std::string joined(const std::vector<std::string>& features) {
  std::string text;
  for (const std::string& feature : features) text += (text.empty() ? "" : ",") + feature;
  return text;
}

// Of kernels with a sanitizer hundreds are compiled for each that runs for long.
bool is_quick(const ClangRequest& request) {
  return request.baseline || !request.sanitize.empty();
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(bool quick) {
  const HostTarget& host = host_target();
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const auto level = quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(host.target->createTargetMachine(
      host.triple, host.cpu, joined(host.features), options, llvm::Reloc::PIC_, std::nullopt, level));
}

// Masks and casts are put in a form that code generation knows well: without that they take 6 % longer.
bool converts_vectors(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if ((llvm::isa<llvm::CastInst>(instruction) || llvm::isa<llvm::CmpInst>(instruction)) &&
          instruction.getType()->isVectorTy()) {
        return true;
      }
    }
  }
  return false;
}

void inline_helpers(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.hasLocalLinkage() || function.hasLinkOnceLinkage()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
}

}  // namespace

HostTarget::HostTarget() : triple(llvm::sys::getProcessTriple()), cpu(llvm::sys::getHostCPUName().str()) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  // Loop strength reduction takes half of code generation, and the emitted loops run as fast without it. Without
  // scheduling, a sixth, sums in the caches are 4 % slower.
  const char* options[] = {"pilum", "-disable-lsr"};
  llvm::cl::ParseCommandLineOptions(std::size(options), options);
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.emplace_back(1, feature.second ? '+' : '-').append(feature.first());
  }
  std::string error;
  target = llvm::TargetRegistry::lookupTarget(triple, error);
}

const HostTarget& host_target() {
  static const HostTarget& target = *new HostTarget;  // threads that compile may outlive the statics
  return target;
}

bool asks_for(const ClangRequest& request, std::string_view sanitizer) {
  return request.sanitize.find(sanitizer) != std::string::npos;
}

Backend::Backend(const ClangRequest& request) : machine_(make_target_machine(is_quick(request))) {
  llvm::PassBuilder builder(machine_.get());
  builder.registerModuleAnalyses(modules_);
  builder.registerCGSCCAnalyses(components_);
  builder.registerFunctionAnalyses(functions_);
  builder.registerLoopAnalyses(loops_);
  builder.crossRegisterProxies(loops_, functions_, components_, modules_);
  add_passes(request);
  works_ = !machine_->addPassesToEmitFile(generate_, stream_, nullptr, llvm::CodeGenFileType::ObjectFile);
}

void Backend::add_passes(const ClangRequest& request) {
  tidy_.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  tidy_.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager tidy;
  tidy.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  tidy.addPass(llvm::EarlyCSEPass());
  if (!request.baseline) {
    tidy.addPass(llvm::SimplifyCFGPass());
    combine_.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InstCombinePass()));
    llvm::LoopPassManager loops;
    loops.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true));
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    llvm::FunctionPassManager hoist;
    hoist.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
    hoist.addPass(llvm::SimplifyCFGPass());
    hoist_.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(hoist)));
  }
  tidy_.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(tidy)));
  if (asks_for(request, "address")) instrument_.addPass(llvm::AddressSanitizerPass(llvm::AddressSanitizerOptions()));
  if (asks_for(request, "thread")) {
    instrument_.addPass(llvm::ModuleThreadSanitizerPass());
    instrument_.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
  }
}

std::string Backend::compile(llvm::Module& module) {
  inline_helpers(module);
  module.setDataLayout(machine_->createDataLayout());
  tidy_.run(module, modules_);
  const bool small = module.getInstructionCount() <= kSmall;
  if (!small || converts_vectors(module)) combine_.run(module, modules_);
  if (!small) hoist_.run(module, modules_);
  instrument_.run(module, modules_);
  // What is known of this module must not be taken for the next one's.
  modules_.clear();
  components_.clear();
  functions_.clear();
  loops_.clear();
  bytes_.clear();
  generate_.run(module);
  return std::string(bytes_.begin(), bytes_.end());
}

}  // namespace pilum::jit
