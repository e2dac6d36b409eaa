//===- LowerGathers.cpp - values of a cluster's CTAs ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-lower-gathers. Constraint C214 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/ExpandGathers.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERGATHERS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct LowerGathers : public carousel::impl::LowerGathersBase<LowerGathers> {
  using LowerGathersBase::LowerGathersBase;

  void runOnOperation() override {
    unsigned count = 0;
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(expandGathers(kernel, count)))
        return signalPassFailure();
    gathers += count;
    if (count == 0)
      markAllAnalysesPreserved();
  }
};

} // namespace
