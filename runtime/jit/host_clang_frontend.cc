#include "runtime/jit/host_clang_frontend.h"

#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <llvm/Support/MemoryBuffer.h>

#include "runtime/jit/host_clang_backend.h"

namespace pilum::jit {
namespace {

constexpr const char* kFile = "pilum_kernel.cc";  // sanitizers look it up
constexpr const char* kEntry = "pilum_kernel";

// clang -cc1 arguments. -fwrapv: integers wrap. -fno-builtin: fmod is the library's in every form.
std::vector<std::string> frontend_arguments(const ClangRequest& request) {
  std::vector<std::string> arguments = {"-triple",
                                        host_target().triple,
                                        "-target-cpu",
                                        host_target().cpu,
                                        "-O2",
                                        "-disable-llvm-passes",
                                        "-disable-lifetime-markers",
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
                                        "-mprefer-vector-width=512"};
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
  if (request.sanitize.empty()) {
    arguments.push_back("-discard-value-names");
  } else {
    arguments.insert(arguments.end(),
                     {"-debug-info-kind=line-tables-only", "-fdebug-compilation-dir=.", "-mframe-pointer=all"});
  }
  return arguments;
}

}  // namespace

Frontend::Frontend(const ClangRequest& request, bool once) : once_(once) {
  const llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  options->ShowPresumedLoc = true;
  compiler_.createDiagnostics(new clang::TextDiagnosticPrinter(stream_, options.get()), /*ShouldOwnClient=*/true);
  compiler_.getDiagnostics().setIgnoreAllWarnings(true);
  compiler_.setVerboseOutputStream(stream_);
  if (!set_up(request)) return;
  clang::Preprocessor& preprocessor = compiler_.getPreprocessor();
  preprocessor.enableIncrementalProcessing();
  preprocessor.EnterMainSourceFile();
  parser_ = std::make_unique<clang::Parser>(preprocessor, compiler_.getSema(), /*SkipFunctionBodies=*/false);
  parser_->Initialize();
  parse_unit();
}

// What clang::FrontendAction does, for a file that is empty and stays open.
bool Frontend::set_up(const ClangRequest& request) {
  const std::vector<std::string> arguments = frontend_arguments(request);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, compiler_.getDiagnostics())) return false;
  compiler_.setInvocation(std::move(invocation));
  if (!compiler_.createTarget()) return false;
  // Else each function names them all, and the back end, which has them already, reads them again.
  compiler_.getTargetOpts().CPU.clear();
  compiler_.getTargetOpts().Features.clear();
  compiler_.createFileManager();
  compiler_.createSourceManager(compiler_.getFileManager());
  clang::SourceManager& sources = compiler_.getSourceManager();
  const clang::FileEntryRef file = compiler_.getFileManager().getVirtualFileRef(kFile, /*Size=*/0, /*Modified=*/0);
  sources.overrideFileContents(file, llvm::MemoryBuffer::getMemBuffer("", kFile));
  sources.setMainFileID(sources.createFileID(file, clang::SourceLocation(), clang::SrcMgr::C_User));
  compiler_.createPreprocessor(clang::TU_Incremental);
  clang::Preprocessor& preprocessor = compiler_.getPreprocessor();
  preprocessor.getBuiltinInfo().initializeBuiltins(preprocessor.getIdentifierTable(), compiler_.getLangOpts());
  compiler_.createASTContext();
  generator_ = clang::CreateLLVMCodeGen(compiler_.getDiagnostics(), kFile, &compiler_.getVirtualFileSystem(),
                                        compiler_.getHeaderSearchOpts(), compiler_.getPreprocessorOpts(),
                                        compiler_.getCodeGenOpts(), context_);
  compiler_.setASTConsumer(std::unique_ptr<clang::ASTConsumer>(generator_));
  context_.setDiscardValueNames(compiler_.getCodeGenOpts().DiscardValueNames);
  generator_->Initialize(compiler_.getASTContext());
  compiler_.createSema(clang::TU_Incremental, /*CompletionConsumer=*/nullptr);
  compiler_.getDiagnosticClient().BeginSourceFile(compiler_.getLangOpts(), &preprocessor);
  return !failed();
}

std::unique_ptr<llvm::Module> Frontend::parse(const std::string& text, std::string& message) {
  std::unique_ptr<llvm::Module> module;
  if (parser_ && !failed()) {
    if (kernels_ > 0) generator_->StartModule(kFile, context_);
    const std::string number = std::to_string(kernels_++);
    const std::string name = once_ ? kEntry : kEntry + number;
    enter(once_ ? text
                : "namespace k" + number + " {\n#define pilum_kernel " + name + "\n#line 1\n" + text +
                      "\n#undef pilum_kernel\n}\n");
    parse_unit();
    generator_->HandleTranslationUnit(compiler_.getASTContext());
    module.reset(generator_->ReleaseModule());
    if (llvm::Function* function = module ? module->getFunction(name) : nullptr) function->setName(kEntry);
  }
  if (failed()) module.reset();
  if (!module) message = printed_;
  return module;
}

void Frontend::enter(const std::string& text) {
  clang::SourceManager& sources = compiler_.getSourceManager();
  const clang::SourceLocation start = sources.getLocForStartOfFile(sources.getMainFileID());
  const clang::FileID file =
      sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(text, kFile), clang::SrcMgr::C_User, /*LoadedID=*/0,
                           /*LoadedOffset=*/0, start);
  compiler_.getPreprocessor().EnterSourceFile(file, /*Dir=*/nullptr, start);
}

// To the end of the text that has been entered; what follows is another part of the same unit.
void Frontend::parse_unit() {
  clang::Sema& sema = compiler_.getSema();
  compiler_.getASTContext().addTranslationUnitDecl();
  if (parser_->getCurToken().is(clang::tok::annot_repl_input_end)) {
    parser_->ConsumeAnyToken();
    parser_->ExitScope();
    sema.CurContext = nullptr;
    parser_->EnterScope(clang::Scope::DeclScope);
    sema.ActOnTranslationUnitScope(parser_->getCurScope());
  }
  clang::Parser::DeclGroupPtrTy group;
  clang::Sema::ModuleImportState imports;
  for (bool end = parser_->ParseFirstTopLevelDecl(group, imports); !end;
       end = parser_->ParseTopLevelDecl(group, imports)) {
    if (group) generator_->HandleTopLevelDecl(group.get());
  }
}

}  // namespace pilum::jit
