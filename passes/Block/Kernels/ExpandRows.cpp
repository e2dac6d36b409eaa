//===- ExpandRows.cpp - accesses of threads to rows of a table ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-expand-rows. Guards and layouts are then those of gathers.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/ExpandRows.h"

#include "carousel/Analysis/Distribution/AccessAlignment.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {
#define GEN_PASS_DEF_EXPANDROWS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct ExpandRows : public carousel::impl::ExpandRowsBase<ExpandRows> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(CarouselDialect::kBlockProgram))
      return;
    getOperation().walk([&](VectorTransferOpInterface op) {
      if (!op.getBase().getDefiningOp<RowsOp>() || becomesTransfer(op))
        return;
      expandVectorRows(op);
      ++expanded;
    });
    getOperation().walk([](RowsOp op) {
      if (op->use_empty())
        op.erase();
    });
  }
};

} // namespace
