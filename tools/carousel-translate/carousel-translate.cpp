//===- carousel-translate.cpp - IR to PTX, cubins and CUDA C++ ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-translate with `--mlir-to-ptx`, `--mlir-to-cubin` and `--mlir-to-cuda`:
// lowers a module with one gpu.module and prints the result.
//
//===----------------------------------------------------------------------===//

#include "../support/MLIR/AssemblerOption.h"
#include "../support/MLIR/EscapedErrors.h"
#include "../support/MLIR/Register.h"
#include "../support/MLIR/SourceNames.h"
#include "../support/MLIR/SourceNesting.h"
#include "../support/MLIR/Version.h"
#include "../support/Process/FileSizeLimit.h"

#include "carousel/Dialect/Transforms/VerifyLimits.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/EmitCUDA.h"
#include "carousel/Target/VerifyProducts.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<std::string> chip("chip",
                                 cl::desc("Chip to compile for, e.g. sm_90a"),
                                 cl::init("sm_90a"));
static cl::opt<std::optional<unsigned>>
    ptxVersion("ptx-version",
               cl::desc("PTX version times ten, e.g. 86; if absent, 88"));
static cl::opt<unsigned>
    indexBitwidth("index-bitwidth",
                  cl::desc("Width of the index type in bits: 32 or 64"),
                  cl::init(64));
static cl::opt<unsigned>
    optLevel("opt-level",
             cl::desc("LLVM's optimisation: 2, the passes that ptxas doesn't "
                      "repeat; 1 and 3, LLVM's own levels; 0, none"),
             cl::init(carousel::kDefaultOptLevel));
static cl::opt<std::optional<unsigned>>
    debugWaits("debug-waits",
               cl::desc("Milliseconds after which a wait traps; if absent, "
                        "waits are unbounded"));
static cl::opt<std::string>
    cudaRoot("cuda-root", cl::desc("CUDA toolkit with libdevice and ptxas"),
             cl::init(CAROUSEL_CUDA_ROOT));
static carousel::AssemblerOption assembler;

static cl::opt<bool> lineDirectives(
    "cuda-line-directives", cl::init(false),
    cl::desc("Write #line directives with the IR's locations to CUDA C++"));
static cl::opt<bool>
    locations("cuda-locations", cl::init(true),
              cl::desc("Write comments with the IR's locations to CUDA C++"));

static FailureOr<gpu::GPUModuleOp> getModule(Operation *op) {
  // One line for each error: its location names the op.
  op->getContext()->printOpOnDiagnostic(false);
  auto modules = llvm::to_vector(op->getRegion(0).getOps<gpu::GPUModuleOp>());
  if (modules.size() != 1) {
    emitError(op->getLoc())
        << "expected one gpu.module, got " << modules.size();
    return failure();
  }
  return modules.front();
}

static void registerDialects(MLIRContext *context) {
  DialectRegistry registry;
  carousel::registerToolDialects(registry);
  context->appendDialectRegistry(registry);
}

/// The input's module; null, after an error, if there is none.
static OwningOpRef<ModuleOp> parse(const llvm::SourceMgr &sources,
                                   MLIRContext *context) {
  registerDialects(context);
  if (!carousel::checkNesting(sources))
    return nullptr;
  auto module = parseSourceFile<ModuleOp>(sources, context);
  return module && succeeded(carousel::verifyLimits(*module))
             ? std::move(module)
             : nullptr;
}

static FailureOr<std::string> lowerAndEmit(Operation *op) {
  FailureOr<gpu::GPUModuleOp> module = getModule(op);
  if (failed(module))
    return failure();
  PassManager pm(op->getContext(), op->getName().getStringRef());
  carousel::LowerToNVVMOptions options;
  options.chip = chip;
  options.ptxVersion = ptxVersion.getValue();
  options.indexBitwidth = indexBitwidth;
  options.optLevel = optLevel;
  options.debugWaits = debugWaits.getValue();
  if (carousel::isTilePhase(*module))
    carousel::buildTileToNVVMPipeline(pm, options);
  else
    carousel::buildLowerToNVVMPipeline(pm, options);
  if (failed(pm.run(op)))
    return failure();
  return carousel::emitPTX(*module, {cudaRoot});
}

static LogicalResult
translateToPTX(const std::shared_ptr<llvm::SourceMgr> &sources,
               raw_ostream &output, MLIRContext *context) {
  carousel::EscapedErrors errors(*sources, output);
  OwningOpRef<ModuleOp> op = parse(*sources, context);
  if (!op)
    return failure();
  FailureOr<std::string> ptx = lowerAndEmit(*op);
  if (succeeded(ptx))
    errors.output() << *ptx;
  return ptx;
}

static LogicalResult
translateToCubin(const std::shared_ptr<llvm::SourceMgr> &sources,
                 raw_ostream &output, MLIRContext *context) {
  carousel::EscapedErrors errors(*sources, output);
  OwningOpRef<ModuleOp> op = parse(*sources, context);
  if (!op)
    return failure();
  FailureOr<std::string> ptx = lowerAndEmit(*op);
  if (failed(ptx))
    return failure();
  std::string report;
  llvm::Expected<std::string> cubin =
      carousel::assemblePTX(*ptx, chip, {assembler, cudaRoot}, &report);
  if (!cubin)
    return emitError(op->getLoc()) << llvm::toString(cubin.takeError());
  if (failed(carousel::verifyProducts(*op, report)))
    return failure();
  errors.output() << *cubin;
  return success();
}

static LogicalResult
translateToCUDA(const std::shared_ptr<llvm::SourceMgr> &sources,
                raw_ostream &output, MLIRContext *context) {
  carousel::EscapedErrors errors(*sources, output);
  registerDialects(context);
  if (!carousel::checkNesting(*sources))
    return failure();
  OwningOpRef<ModuleOp> op = carousel::parseWithNames(*sources, context);
  if (!op || failed(carousel::verifyLimits(*op)))
    return failure();
  FailureOr<gpu::GPUModuleOp> module = getModule(*op);
  if (failed(module))
    return failure();
  carousel::LowerToEmitCOptions options;
  options.chip = chip;
  options.ptxVersion = ptxVersion.getValue();
  options.indexBitwidth = indexBitwidth;
  options.debugWaits = debugWaits.getValue();
  PassManager pm(context, (*op)->getName().getStringRef());
  if (carousel::isTilePhase(*module))
    carousel::buildToEmitCPipeline(pm, options);
  else
    carousel::buildLowerToEmitCPipeline(pm, options);
  if (failed(pm.run(*op)))
    return failure();
  carousel::EmitCUDAOptions text;
  text.locations = locations;
  text.lineDirectives = lineDirectives;
  FailureOr<std::string> cuda = carousel::emitCUDA(*module, text);
  if (succeeded(cuda))
    errors.output() << *cuda;
  return cuda;
}

int main(int argc, char **argv) {
  carousel::blockFileSizeSignal();
  TranslateRegistration toPTX("mlir-to-ptx", "Emit PTX", translateToPTX);
  TranslateRegistration toCubin(
      "mlir-to-cubin", "Emit a cubin (see --assembler)", translateToCubin);
  TranslateRegistration toCUDA("mlir-to-cuda", "Emit CUDA C++",
                               translateToCUDA);
  carousel::printVersionOf("carousel-translate");
  return failed(mlirTranslateMain(argc, argv, "Carousel translation driver"));
}
