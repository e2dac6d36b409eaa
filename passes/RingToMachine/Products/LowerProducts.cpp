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

#include "CarryFactors.h"
#include "IssueProducts.h"
#include "LateWaits.h"
#include "PartLoop.h"
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
      if (isOnePromotedPart(op))
        op.removePromoteAttr();
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
      Location loc = loop.getLoc();
      ProductLoop products(loop);
      std::string reason = products.explain();
      if (reason.empty()) {
        products.rewrite();
        ++loopsOverlapped;
        remark::passed(loc, options) << remark::add(
            "{0}", products.hasParts()
                       ? "the products of half an iteration are in flight "
                         "while threads prepare the other half's factor"
                   : products.preparesFactors()
                       ? "the products of an iteration are in flight while "
                         "threads prepare the next one's factors"
                       : "the products of an iteration are in flight until the "
                         "next iteration's have begun");
      } else if (PartLoop parts(loop); parts.explain().empty()) {
        parts.rewrite();
        ++loopsOverlapped;
        remark::passed(loc, options)
            << remark::add("threads add the sums of an iteration while the "
                           "product of the next one is in flight");
      } else {
        remark::missed(loc, options)
            << remark::add("each product is waited for: {0}",
                           parts.isCandidate() ? parts.explain() : reason);
      }
    }
    lowerOthers();
    SmallVector<scf::ForOp> all;
    getOperation().walk([&](scf::ForOp loop) { all.push_back(loop); });
    for (scf::ForOp loop : all)
      factorsCarried += carryFactors(loop);
  }

  /// Products that aren't in flight across iterations.
  void lowerOthers() {
    llvm::MapVector<Block *, SmallVector<MultiplyOp>> others;
    SmallVector<MultiplyOp> promoted;
    getOperation().walk([&](MultiplyOp op) {
      if (!isa<scf::ForOp>(op->getParentOp()))
        remark::missed(op.getLoc(),
                       remark::RemarkOpts::name("Product").category(
                           "carousel-lower-products"))
            << remark::add("the product is waited for: it isn't in the body of "
                           "an scf.for");
      if (op.getPromote())
        promoted.push_back(op);
      else
        others[op->getBlock()].push_back(op);
    });
    for (auto &[block, products] : others) {
      unsigned late = lowerAndWaitLate(products);
      productsLate += late;
      productsWaited += products.size() - late;
    }
    for (MultiplyOp op : promoted)
      lowerPromoted(op);
    productsWaited += promoted.size();
  }

  /// C331
  static LogicalResult verify(MultiplyOp op) {
    for (OpOperand *tile : op.getConsumedTiles()) {
      Swizzle swizzle =
          tile == &op.getAMutable() ? op.getSwizzleA() : op.getSwizzleB();
      if (swizzle == Swizzle::None || swizzle > Swizzle::B128)
        return op.emitOpError("expected a tile that is swizzled by b32, b64 or "
                              "b128, got ")
               << stringifySwizzle(swizzle) << "; load it with swizzle(b128)";
      auto type = cast<MemRefType>(tile->get().getType());
      int64_t row =
          getMatrixExtents(type)[1] * type.getElementTypeBitWidth() / 8;
      if (row % *getSwizzleSpan(swizzle) != 0)
        return op.emitOpError("expected rows in multiples of ")
               << *getSwizzleSpan(swizzle) << " bytes with "
               << stringifySwizzle(swizzle) << ", got " << row;
    }
    return success();
  }
};

} // namespace
