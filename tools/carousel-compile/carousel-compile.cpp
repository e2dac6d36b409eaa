//===- carousel-compile.cpp - compiles IR to a package --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the kernels of one file for one or several chips and writes the
// package (docs/Package.md). Progress goes to stderr, the summary to stdout.
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"

#include "../support/MLIR/Diagnostics.h"
#include "../support/MLIR/FrontEndText.h"
#include "../support/MLIR/Register.h"
#include "../support/MLIR/SourceNames.h"
#include "../support/MLIR/SourceNesting.h"
#include "../support/MLIR/UseCodeCache.h"
#include "../support/Process/FileSizeLimit.h"
#include "../support/Process/Interrupt.h"

#include "carousel/Package/CompilePackage.h"
#include "carousel/Package/ReportDecisions.h"
#include "carousel/Package/WritePackage.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace carousel;

static constexpr llvm::StringLiteral kTool = "carousel-compile";

static int fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), kTool)
      << escapeControls(message.str()) << '\n';
  return 1;
}

static void printReport(const CompileToolOptions &options,
                        const Package &package) {
  using Explain = CompileToolOptions::Explain;
  EscapedStream out(llvm::outs());
  if (options.explain == Explain::JSON)
    return explainDecisionsAsJSON(out, package);
  if (options.explain == Explain::SVG)
    return drawGraphs(out, package);
  if (options.explain == Explain::Text) {
    explainGraphs(out, package);
    return explainDecisions(out, package);
  }
  if (options.quiet)
    return;
  printSummary(llvm::outs(), package);
  llvm::outs() << '\n';
  printDecisions(out, package);
}

int main(int argc, char **argv) {
  blockFileSizeSignal();
  llvm::InitLLVM init(argc, argv);
  installToolOutOfMemoryHandlers();
  CompileToolOptions options = parseCompileToolOptions(argc, argv);
  if (!options.error.empty())
    return fail(options.error);
  // What can't be written needn't be compiled.
  if (llvm::Error error = checkPackageDirectory(options.output))
    return fail(llvm::toString(std::move(error)));
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(options.input, &error);
  if (!input)
    return fail(error);

  DialectRegistry registry;
  registerToolDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  if (!checkNesting(sources))
    return 1;
  ToolDiagnostics diagnostics(sources, &context);
  // Names are for the text that people read; they change no other.
  OwningOpRef<ModuleOp> module =
      options.compile.cuda ? parseWithNames(sources, &context)
                           : parseSourceFile<ModuleOp>(sources, &context);
  if (!module) {
    llvm::StringRef why =
        explainRefusal(sources.getMemoryBuffer(1)->getBuffer());
    return why.empty() ? 1 : fail(why.str());
  }
  if (options.compile.chips.empty())
    return fail("expected chips to compile for, --chip sm_90a,...");
  // A module that isn't written out has no line to point at.
  if (auto loc = dyn_cast<FileLineColLoc>(module->getLoc());
      loc && loc.getLine() == 0)
    (*module)->setLoc(FileLineColLoc::get(loc.getFilename(), 1, 1));
  if (!options.quiet)
    options.compile.progress = [](const CompileStep &step) {
      llvm::errs() << '[' << step.number << '/' << step.count << "] "
                   << step.module << " for " << step.chip << '\n';
    };
  if (!options.hasOthers)
    if (std::string error = useCodeCache(options.compile); !error.empty())
      return fail(error);
  FailureOr<Package> package = compilePackage(*module, options.compile);
  if (failed(package))
    return 1;
  InterruptGuard guard;
  if (llvm::Error error = writePackage(package->files, options.output,
                                       InterruptGuard::isInterrupted))
    return fail(llvm::toString(std::move(error)));
  printReport(options, *package);
  return 0;
}
