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

#include "../support/MLIR/EscapedErrors.h"
#include "../support/MLIR/Register.h"
#include "../support/MLIR/SourceNesting.h"
#include "../support/MLIR/Version.h"
#include "../support/Process/FileSizeLimit.h"

#include "carousel/Dialect/Transforms/VerifyLimits.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <string>
#include <vector>

using namespace mlir;

//===----------------------------------------------------------------------===//
// --debug-only for release LLVM
//
// LDBG() prints in builds with assertions. LLVM has --debug-only only if LLVM
// itself was built with assertions, which packaged releases are not.
//===----------------------------------------------------------------------===//

/// Adds `--debug-only` in a build with assertions, unless LLVM has it.
static void registerDebugOnlyOption() {
#ifndef NDEBUG
  if (llvm::cl::getRegisteredOptions().contains("debug-only"))
    return;
  static std::vector<std::string> types;
  static llvm::cl::list<std::string> option(
      "debug-only", llvm::cl::CommaSeparated, llvm::cl::value_desc("pass,..."),
      llvm::cl::desc("Print the decisions of these passes, by name"),
      llvm::cl::callback([](const std::string &type) {
        types.push_back(type);
        std::vector<const char *> names;
        for (const std::string &name : types)
          names.push_back(name.c_str());
        llvm::DebugFlag = true;
        llvm::setCurrentDebugTypes(names.data(), names.size());
      }));
#endif
}

//===----------------------------------------------------------------------===//
// A check before all passes
//===----------------------------------------------------------------------===//

namespace {
/// The pass isn't registered: no command line names it.
struct CheckLimits : PassWrapper<CheckLimits, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckLimits)

  StringRef getName() const override { return "CheckLimits"; }
  void runOnOperation() override {
    if (failed(carousel::verifyLimits(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

/// The same run of mlir-opt, which begins with verifyLimits
/// (carousel/Dialect/Transforms/VerifyLimits.h). `config` must outlive it.
static MlirOptMainConfig checkLimitsFirst(const MlirOptMainConfig &config) {
  MlirOptMainConfig checked = config;
  checked.setPassPipelineSetupFn([&config](PassManager &pm) {
    pm.addPass(std::make_unique<CheckLimits>());
    return config.setupPassPipeline(pm);
  });
  return checked;
}

//===----------------------------------------------------------------------===//
// The optimizer driver
//===----------------------------------------------------------------------===//

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
  registerDebugOnlyOption();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Carousel optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(
      run(input, output, registry, checkLimitsFirst(config)));
}
