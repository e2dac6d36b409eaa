//===- GuardBoxes.cpp - variants in which boxes are apart -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones a kernel whose loads could run ahead of its stores if a condition on
// the launch held. The clone has the condition as a guard, which the planner of
// rings takes as a fact.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/BoxGuards.h"
#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-guard-boxes"

namespace carousel {
#define GEN_PASS_DEF_GUARDBOXES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Whether the kernel has what plans of rings need (C174 and C175, which
/// --carousel-circular-buffer checks): a block, and engines.
static bool canPlan(gpu::GPUFuncOp kernel) {
  return getKnownBlock(kernel) &&
         !kernel
              .walk([](Operation *op) {
                auto transfer = dyn_cast<TransferOpInterface>(op);
                return transfer && !transfer.getEngineAttr()
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

static ArrayRef<GuardAttr> getGuards(gpu::GPUFuncOp kernel) {
  auto variant = kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
  return variant ? variant.getGuards() : ArrayRef<GuardAttr>();
}

namespace {

struct GuardBoxes : public carousel::impl::GuardBoxesBase<GuardBoxes> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<ChipModel> target = getChipModel(module);
    if (failed(target))
      return signalPassFailure();
    SymbolTable symbols(module);
    for (auto kernel : llvm::to_vector(module.getOps<gpu::GPUFuncOp>()))
      if (kernel.isKernel() && !kernel.isExternal() && canPlan(kernel))
        makeVariant(kernel, *target, symbols);
    markAnalysesPreserved<RingPlanning>();
  }

  void makeVariant(gpu::GPUFuncOp kernel, const ChipModel &target,
                   SymbolTable &symbols) {
    SmallVector<GuardAttr> added = findBoxGuards(kernel);
    std::string name = getKernelName(kernel).str();
    SmallVector<GuardAttr> all(getGuards(kernel));
    llvm::append_range(all, added);
    // The pass may have run before.
    auto isMade = [&](gpu::GPUFuncOp other) {
      return getKernelName(other) == name && getGuards(other) == ArrayRef(all);
    };
    if (added.empty() ||
        llvm::any_of(getOperation().getOps<gpu::GPUFuncOp>(), isMade))
      return;
    gpu::GPUFuncOp variant = kernel.clone();
    variant.setName((kernel.getName() + "_apart").str());
    symbols.insert(variant, Block::iterator(kernel));
    addGuards(variant, name, added);
    if (!isBetter(planRings(variant, target),
                  getChildAnalysis<RingPlanning>(kernel).plan)) {
      symbols.erase(variant);
      return;
    }
    addGuards(kernel, name, {});
    ++variants;
    report(kernel, variant, added);
  }

  void report(gpu::GPUFuncOp kernel, gpu::GPUFuncOp variant,
              ArrayRef<GuardAttr> added) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "variant @" << variant.getName() << " for launches with: ";
    llvm::interleaveComma(added, os);
    LDBG() << kernel.getLoc() << ": " << text;
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Variant")
                                        .category(getArgument())
                                        .function(kernel.getName()))
        << text;
  }
};

} // namespace
