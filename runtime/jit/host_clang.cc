// The plug-in: clang 19 and LLVM as libraries. Text → module → a short list of passes → object.
//
// The text is explicit vector code, so what is left to do is to remove the scaffolding: inline helpers, promote
// locals, hoist what does not change. LLVM's own -O2 list takes four times as long for the same loops.
#include "runtime/jit/clang_plugin.h"

#include <memory>
#include <vector>

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
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

// This machine, as LLVM names it.
struct HostTarget {
  std::string triple = llvm::sys::getProcessTriple();
  std::string cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> features;
  const llvm::Target* target = nullptr;

  HostTarget() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    // Loop strength reduction takes half of code generation, and the emitted loops run as fast without it.
    const char* options[] = {"pilum", "-disable-lsr"};
    llvm::cl::ParseCommandLineOptions(2, options);
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      features.emplace_back(1, feature.second ? '+' : '-').append(feature.first());
    }
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(triple, error);
  }

  std::string joined_features() const {
    std::string joined;
    for (const std::string& feature : features) joined += (joined.empty() ? "" : ",") + feature;
    return joined;
  }
};

const HostTarget& host_target() {
  static const HostTarget target;
  return target;
}

bool asks_for(const ClangRequest& request, std::string_view sanitizer) {
  return request.sanitize.find(sanitizer) != std::string::npos;
}

// clang -cc1 arguments. -fwrapv: integers wrap. -fno-builtin: pow is the library's in every form.
std::vector<std::string> frontend_arguments(const ClangRequest& request) {
  std::vector<std::string> arguments = {"-triple",
                                        host_target().triple,
                                        "-target-cpu",
                                        host_target().cpu,
                                        "-O2",
                                        "-disable-llvm-passes",
                                        "-x",
                                        "c++",
                                        "-std=c++20",
                                        "-ffp-contract=off",
                                        "-fwrapv",
                                        "-fno-builtin",
                                        "-relaxed-aliasing",
                                        "-mrelocation-model",
                                        "pic",
                                        "-pic-level",
                                        "2",
                                        "-mprefer-vector-width=512",
                                        "-w"};
  for (const std::string& feature : host_target().features) {
    arguments.insert(arguments.end(), {"-target-feature", feature});
  }
  if (asks_for(request, "address")) arguments.push_back("-fsanitize=address");
  if (asks_for(request, "thread")) arguments.push_back("-fsanitize=thread");
  if (asks_for(request, "undefined")) {
    const std::string checks =
        "alignment,array-bounds,bool,null,pointer-overflow,shift-base,shift-exponent,unreachable";
    arguments.push_back("-fsanitize=" + checks);
    arguments.push_back("-fsanitize-recover=" + checks);
  }
  if (!request.sanitize.empty())
    arguments.insert(arguments.end(),
                     {"-debug-info-kind=line-tables-only", "-fdebug-compilation-dir=.", "-mframe-pointer=all"});
  return arguments;
}

std::unique_ptr<llvm::Module> parse(const ClangRequest& request, llvm::LLVMContext& context, std::string& message) {
  llvm::raw_string_ostream stream(message);
  clang::CompilerInstance compiler;
  auto* printer = new clang::TextDiagnosticPrinter(stream, new clang::DiagnosticOptions);
  compiler.createDiagnostics(printer, /*ShouldOwnClient=*/true);
  compiler.setVerboseOutputStream(stream);

  const std::vector<std::string> arguments = frontend_arguments(request);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, compiler.getDiagnostics())) return nullptr;
  // A file by name only: sanitizers look its name up.
  invocation->getPreprocessorOpts().addRemappedFile("pilum_kernel.cc",
                                                    llvm::MemoryBuffer::getMemBuffer(*request.text).release());
  invocation->getFrontendOpts().Inputs = {
      clang::FrontendInputFile("pilum_kernel.cc", clang::InputKind(clang::Language::CXX))};
  compiler.setInvocation(std::move(invocation));

  clang::EmitLLVMOnlyAction action(&context);
  if (!compiler.ExecuteAction(action)) return nullptr;
  return action.takeModule();
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

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const ClangRequest& request) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  passes.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager tidy;
  tidy.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  tidy.addPass(llvm::EarlyCSEPass());
  if (!request.quick) {
    tidy.addPass(llvm::SimplifyCFGPass());
    tidy.addPass(llvm::InstCombinePass());
    llvm::LoopPassManager hoist;
    hoist.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true));
    hoist.addPass(llvm::LICMPass(llvm::LICMOptions()));
    tidy.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(hoist), /*UseMemorySSA=*/true));
    tidy.addPass(llvm::SimplifyCFGPass());
  }
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(tidy)));
  if (asks_for(request, "address")) passes.addPass(llvm::AddressSanitizerPass(llvm::AddressSanitizerOptions()));
  if (asks_for(request, "thread")) {
    passes.addPass(llvm::ModuleThreadSanitizerPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
  }
  passes.run(module, modules);
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(bool quick) {
  const HostTarget& host = host_target();
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const auto level = quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(host.target->createTargetMachine(
      host.triple, host.cpu, host.joined_features(), options, llvm::Reloc::PIC_, std::nullopt, level));
}

bool generate(llvm::Module& module, llvm::TargetMachine& machine, std::string& object) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) return false;
  passes.run(module);
  object.assign(bytes.begin(), bytes.end());
  return true;
}

}  // namespace
}  // namespace pilum::jit

extern "C" __attribute__((visibility("default"))) bool pilum_clang_compile(const pilum::jit::ClangRequest& request,
                                                                           std::string& object, std::string& message) {
  using namespace pilum::jit;
  if (!host_target().target) {
    message = "clang knows no target " + host_target().triple;
    return false;
  }
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = parse(request, context, message);
  if (!module) return false;
  inline_helpers(*module);
  const auto machine = make_target_machine(request.quick);
  module->setDataLayout(machine->createDataLayout());
  optimise(*module, *machine, request);
  if (!generate(*module, *machine, object)) {
    message = "clang cannot write objects for " + host_target().triple;
    return false;
  }
  return true;
}
