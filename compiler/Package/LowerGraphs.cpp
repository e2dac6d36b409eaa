//===- LowerGraphs.cpp - graphs of a module to programs -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LowerGraphs.h.
//
//===----------------------------------------------------------------------===//

#include "LowerGraphs.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace carousel;

/// Helpers of a graph are called by functions on tensors, too.
static bool isGraph(func::FuncOp func) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return !func.isExternal() &&
         (llvm::any_of(func.getArgumentTypes(), isTensor) ||
          llvm::any_of(func.getResultTypes(), isTensor));
}

static bool isProgram(func::FuncOp func) {
  return func->hasAttr(CarouselDialect::kProgram);
}

LogicalResult carousel::lowerGraphs(ModuleOp module,
                                    const CompilePackageOptions &options,
                                    PassManagers &managers) {
  if (llvm::any_of(module.getOps<func::FuncOp>(), isGraph)) {
    std::string name = "graphs, accumulate " + options.accumulate +
                       ", products " + options.products + ", libraries " +
                       std::to_string(options.libraries);
    auto build = [&](OpPassManager &pm) {
      GraphToBlockOptions lowering;
      lowering.products = options.products;
      lowering.libraries = options.libraries;
      lowering.accumulate = options.accumulate;
      buildGraphToBlockPipeline(pm, lowering);
    };
    if (failed(managers.run({name, build, Verification::EachPass}, module)))
      return failure();
  }
  // The passes inline functions and make others.
  if (llvm::none_of(module.getOps<func::FuncOp>(), isProgram))
    return success();
  auto build = [](OpPassManager &pm) {
    OpPassManager &program = pm.nest<func::FuncOp>();
    program.addPass(createLowerAffinePass());
    program.addPass(createCanonicalizerPass());
    program.addPass(createCSEPass());
    program.addPass(createPlanArena());
  };
  return managers.run({"programs", build, Verification::EachPass}, module);
}
