//===- carousel-mutate.cpp - tests the tests of synchronisation -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module at the machine phase and prints copies with one synchronising
// op dropped, changed or moved. If the simulated machine reports nothing for a
// mutant, the op is redundant or untested.
//
//===----------------------------------------------------------------------===//

#include "Mutate.h"

#include "../support/MLIR/Diagnostics.h"
#include "../support/MLIR/FrontEndText.h"
#include "../support/MLIR/Register.h"
#include "../support/MLIR/SourceNesting.h"
#include "../support/Process/FileSizeLimit.h"

#include "carousel/Simulator/Simulator.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static int fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "carousel-mutate") << message << '\n';
  return 1;
}

int main(int argc, char **argv) {
  carousel::blockFileSizeSignal();
  llvm::InitLLVM init(argc, argv);
  carousel::mutate::Options options =
      carousel::mutate::parseOptions(argc, argv);
  if (!options.error.empty())
    return fail(options.error);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(options.input, &error);
  if (!input)
    return fail(error);

  DialectRegistry registry;
  carousel::registerToolDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  if (!carousel::checkNesting(sources))
    return 1;
  carousel::ToolDiagnostics diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module =
      carousel::sim::parseNamedModule(sources, &context);
  if (!module) {
    llvm::StringRef why =
        carousel::explainRefusal(sources.getMemoryBuffer(1)->getBuffer());
    return why.empty() ? 1 : fail(why.str());
  }
  if (llvm::Error failure = carousel::mutate::run(*module, options))
    return fail(llvm::toString(std::move(failure)));
  return 0;
}
