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
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Package/ReportDecisions.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

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

/// Asks for a record, wherever a pass may write one.
static void askForDecisions(ModuleOp module) {
  Attribute none = ArrayAttr::get(module.getContext(), {});
  module->setAttr(kDecisionsAttr, none);
  for (auto func : module.getOps<func::FuncOp>())
    func->setAttr(kDecisionsAttr, none);
}

/// Sorted by function, and of each one in the order of the passes.
static std::vector<GraphDecision> takeDecisions(ModuleOp module) {
  auto isBefore = [](StringRef first, StringRef second) {
    return first.compare_numeric(second) < 0;
  };
  std::multimap<std::string, GraphDecision, decltype(isBefore)> sorted(
      isBefore);
  auto take = [&](Operation *holder) {
    for (GraphDecision &decision : takeGraphDecisions(holder))
      sorted.emplace(decision.function, decision);
  };
  for (auto func : module.getOps<func::FuncOp>())
    take(func);
  take(module);
  auto decisions = llvm::make_second_range(sorted);
  return {decisions.begin(), decisions.end()};
}

static LogicalResult lower(ModuleOp module,
                           const CompilePackageOptions &options,
                           PassManagers &managers) {
  if (llvm::any_of(module.getOps<func::FuncOp>(), isGraph)) {
    auto products =
        llvm::StringSwitch<std::optional<ProductFactors>>(options.products)
            .Case("exact", ProductFactors::Exact)
            .Case("tf32", ProductFactors::TF32)
            .Default(std::nullopt);
    if (!products)
      return emitError(module.getLoc(),
                       "expected exact or tf32 for products, got '")
             << options.products << "'";
    auto sums =
        llvm::StringSwitch<std::optional<ContractionSums>>(options.accumulate)
            .Case("f32", ContractionSums::F32)
            .Case("as-written", ContractionSums::AsWritten)
            .Default(std::nullopt);
    if (!sums)
      return emitError(module.getLoc(),
                       "expected f32 or as-written for accumulate, got '")
             << options.accumulate << "'";
    std::string name = "graphs, accumulate " + options.accumulate +
                       ", products " + options.products + ", libraries " +
                       std::to_string(options.libraries) + ", streams " +
                       std::to_string(options.streams);
    auto build = [&](OpPassManager &pm) {
      GraphToBlockOptions lowering;
      lowering.products = *products;
      lowering.libraries = options.libraries;
      lowering.streams = options.streams;
      lowering.accumulate = *sums;
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

FailureOr<std::vector<GraphDecision>>
carousel::lowerGraphs(ModuleOp module, const CompilePackageOptions &options,
                      PassManagers &managers) {
  askForDecisions(module);
  if (failed(lower(module, options, managers)))
    return failure();
  std::vector<GraphDecision> decisions = takeDecisions(module);
  bool hasErrors = false;
  for (const GraphDecision &decision : decisions) {
    bool isError = llvm::any_of(decision.misses, [&](Miss miss) {
      return llvm::is_contained(options.errors, getKind(miss));
    });
    hasErrors |= isError;
    if (isError || (decision.isWarning &&
                    options.misses != CompilePackageOptions::Misses::Ignore))
      emitMisses(decision.location, decision.text, decision.misses, isError);
  }
  if (hasErrors)
    return failure();
  return decisions;
}
