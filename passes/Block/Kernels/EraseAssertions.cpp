//===- EraseAssertions.cpp - assertions that aren't wanted ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-erase-assertions. Assertions cost nothing where they are off: what
// is computed for them alone goes with them, before any pass plans the kernel.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_ERASEASSERTIONS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Erases an op, and then each op that it alone has used or been in.
static void eraseWithCauses(Operation *op) {
  llvm::SmallSetVector<Operation *, 8> causes;
  auto erase = [&](Operation *op) {
    causes.insert(op->getParentOp());
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp())
          causes.insert(source);
    });
    op->walk([&](Operation *inner) { causes.remove(inner); });
    op->erase();
  };
  erase(op);
  while (!causes.empty()) {
    Operation *cause = causes.pop_back_val();
    if (isOpTriviallyDead(cause))
      erase(cause);
  }
}

namespace {

struct EraseAssertions
    : public carousel::impl::EraseAssertionsBase<EraseAssertions> {
  void runOnOperation() override {
    // Kernels of the tile phase keep theirs, and so do functions beside them.
    auto isOfTiles = [](gpu::GPUFuncOp kernel) {
      return !kernel->hasAttr(CarouselDialect::kBlockProgram);
    };
    bool hasTiles =
        llvm::any_of(getOperation().getOps<gpu::GPUFuncOp>(), isOfTiles);
    SmallVector<cf::AssertOp> assertions;
    getOperation().walk([&](cf::AssertOp op) {
      auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
      if (kernel ? !isOfTiles(kernel) : !hasTiles)
        assertions.push_back(op);
    });
    llvm::for_each(assertions, eraseWithCauses);
    erased += assertions.size();
    if (assertions.empty())
      markAllAnalysesPreserved();
  }
};

} // namespace
