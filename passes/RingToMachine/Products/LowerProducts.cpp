//===- LowerProducts.cpp - products of tiles become wgmma -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-lower-products. Products of loops with producers stay in flight
// where nothing needs their sums (ProductLoop.h). Others are waited for at
// once.
//
//===----------------------------------------------------------------------===//

#include "IssueProducts.h"
#include "ProductLoop.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERPRODUCTS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct LowerProducts : public carousel::impl::LowerProductsBase<LowerProducts> {
  void runOnOperation() override {
    llvm::SetVector<scf::ForOp> loops;
    WalkResult result = getOperation().walk([&](MultiplyOp op) {
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
        loops.insert(loop);
      return WalkResult(verify(op));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (scf::ForOp loop : loops) {
      auto kernel = loop->getParentOfType<gpu::GPUFuncOp>();
      remark::RemarkOpts options =
          remark::RemarkOpts::name("ProductLoop")
              .category("carousel-lower-products")
              .function(kernel ? kernel.getName() : StringRef());
      ProductLoop products(loop);
      std::string reason = products.explain();
      if (reason.empty()) {
        products.rewrite();
        ++loopsOverlapped;
        remark::passed(products.getLoc(), options) << remark::add(
            "the products of an iteration are in flight until the next "
            "iteration's have begun");
      } else {
        remark::missed(loop.getLoc(), options)
            << remark::add("each product is waited for: {0}", reason);
      }
    }
    SmallVector<MultiplyOp> others;
    getOperation().walk([&](MultiplyOp op) { others.push_back(op); });
    for (MultiplyOp op : others)
      lowerAndWait(op);
    productsWaited += others.size();
  }

  /// C331
  static LogicalResult verify(MultiplyOp op) {
    for (Swizzle swizzle : {op.getSwizzleA(), op.getSwizzleB()})
      if (swizzle == Swizzle::None)
        return op.emitOpError("expected a swizzled tile, got none; load it "
                              "with swizzle(b128)");
    return success();
  }
};

} // namespace
