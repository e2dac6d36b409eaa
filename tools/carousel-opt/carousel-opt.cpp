//===- carousel-opt.cpp - the optimizer driver ----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with Carousel's dialect, passes and pipelines.
//
//===----------------------------------------------------------------------===//

#include "CheckLimits.h"

#include "../support/MLIR/DebugOnlyOption.h"
#include "../support/MLIR/EscapedErrors.h"
#include "../support/MLIR/Register.h"
#include "../support/MLIR/SourceNesting.h"
#include "../support/MLIR/Version.h"
#include "../support/Process/FileSizeLimit.h"

#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static LogicalResult fail(StringRef message) {
  llvm::errs() << message << '\n';
  return failure();
}

/// MlirOptMain, with a look at the input before it is parsed.
static LogicalResult run(StringRef inputName, StringRef outputName,
                         DialectRegistry &registry,
                         const MlirOptMainConfig &config) {
  if (inputName == "-" &&
      llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  if (!input)
    return fail(error);
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputName, &error);
  if (!output)
    return fail(error);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(input->getMemBufferRef(),
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  carousel::EscapedErrors errors(sources, output->os());
  if (!carousel::checkNesting(sources) ||
      failed(MlirOptMain(errors.output(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  carousel::blockFileSizeSignal();
  DialectRegistry registry;
  carousel::registerToolDialects(registry);
  registerAllPasses();
  carousel::registerCarouselPasses();
  carousel::registerPipelines();
  carousel::printVersionOf("carousel-opt");
  carousel::registerDebugOnlyOption();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Carousel optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(
      run(input, output, registry, carousel::checkLimitsFirst(config)));
}
