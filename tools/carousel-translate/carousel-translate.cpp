//===- carousel-translate.cpp - from IR to PTX and cubins -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-translate with `--mlir-to-ptx` and `--mlir-to-cubin`: runs
// carousel-lower-to-nvvm on a module with one gpu.module and prints what its
// target's tools make of it.
//
//===----------------------------------------------------------------------===//

#include "../Register.h"

#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/AssemblePTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<std::string> chip("chip", cl::desc("Chip to emit for"),
                                 cl::init("sm_90a"));
static cl::opt<unsigned>
    ptxVersion("ptx-version",
               cl::desc("PTX version times ten, e.g. 86 (0: the default)"),
               cl::init(0));
static cl::opt<unsigned> indexBitwidth("index-bitwidth",
                                       cl::desc("Bits of an index: 32 or 64"),
                                       cl::init(64));
static cl::opt<unsigned>
    optLevel("opt-level", cl::desc("Optimisation level of LLVM, 0 to 3"),
             cl::init(3));
static cl::opt<unsigned>
    debugWaits("debug-waits", cl::init(0),
               cl::desc("Milliseconds after which a wait traps (0: never)"));
static cl::opt<std::string>
    cudaRoot("cuda-root", cl::desc("CUDA toolkit, for libdevice and ptxas"),
             cl::init(CAROUSEL_CUDA_ROOT));

static FailureOr<std::string> lowerAndEmit(Operation *op) {
  // One line per error: the op is in the input, at the location that is named.
  op->getContext()->printOpOnDiagnostic(false);
  PassManager pm(op->getContext(), op->getName().getStringRef());
  carousel::LowerToNVVMOptions options;
  options.chip = chip;
  options.ptxVersion = ptxVersion;
  options.indexBitwidth = indexBitwidth;
  options.optLevel = optLevel;
  options.debugWaits = debugWaits;
  auto modules = llvm::to_vector(op->getRegion(0).getOps<gpu::GPUModuleOp>());
  if (modules.size() != 1) {
    emitError(op->getLoc())
        << "expected one gpu.module, got " << modules.size();
    return failure();
  }
  if (carousel::isTilePhase(modules.front()))
    carousel::buildTileToNVVMPipeline(pm, options);
  else
    carousel::buildLowerToNVVMPipeline(pm, options);
  if (failed(pm.run(op)))
    return failure();
  return carousel::emitPTX(modules.front(), {cudaRoot});
}

static LogicalResult translateToPTX(Operation *op, raw_ostream &output) {
  FailureOr<std::string> ptx = lowerAndEmit(op);
  if (succeeded(ptx))
    output << *ptx;
  return ptx;
}

static LogicalResult translateToCubin(Operation *op, raw_ostream &output) {
  FailureOr<std::string> ptx = lowerAndEmit(op);
  if (failed(ptx))
    return failure();
  llvm::Expected<std::string> cubin =
      carousel::assemblePTX(*ptx, chip, cudaRoot);
  if (!cubin)
    return emitError(op->getLoc()) << llvm::toString(cubin.takeError());
  output << *cubin;
  return success();
}

int main(int argc, char **argv) {
  TranslateFromMLIRRegistration toPTX("mlir-to-ptx", "Emit PTX", translateToPTX,
                                      carousel::registerToolDialects);
  TranslateFromMLIRRegistration toCubin(
      "mlir-to-cubin", "Emit a cubin through ptxas", translateToCubin,
      carousel::registerToolDialects);
  return failed(mlirTranslateMain(argc, argv, "Carousel translation driver"));
}
