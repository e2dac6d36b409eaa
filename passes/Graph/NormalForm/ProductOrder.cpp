//===- ProductOrder.cpp - the order of what products exchange -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProductOrder.h. The type of a value changes between two ops that both
// name its dimensions by maps, so that no element moves.
//
//===----------------------------------------------------------------------===//

#include "ProductOrder.h"

#include "../Reading/ReadConvolution.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace carousel;

/// The dimensions of `factor` in the order in which the product should have
/// them: those of the result, and then those that are summed over. Nothing if
/// it isn't a factor of all of its loops, each once.
static std::optional<SmallVector<int64_t>> findOrder(linalg::GenericOp product,
                                                     OpOperand &factor) {
  AffineMap own = product.getMatchingIndexingMap(&factor);
  if (!own.isProjectedPermutation())
    return std::nullopt;
  SmallVector<int64_t> order;
  auto append = [&](AffineMap other) {
    for (AffineExpr loop : other.getResults())
      if (std::optional<unsigned> dim = own.getResultPosition(loop);
          dim && !llvm::is_contained(order, *dim))
        order.push_back(*dim);
  };
  append(product.getMatchingIndexingMap(product.getDpsInitOperand(0)));
  append(product.getMatchingIndexingMap(product.getDpsInputOperand(1)));
  if (order.size() != own.getNumResults())
    return std::nullopt;
  return order;
}

static bool isProduct(linalg::GenericOp op) {
  return op && op.getNumDpsInits() == 1 && op.getNumDpsInputs() == 2 &&
         isContraction(op);
}

/// What the product's result begins as, with its dimensions in another order;
/// null if it isn't one value.
static Value permuteInit(OpBuilder &builder, linalg::GenericOp product,
                         ArrayRef<int64_t> order) {
  auto fill =
      product.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  auto like = fill ? fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>()
                   : tensor::EmptyOp();
  if (!like)
    return {};
  Location loc = product.getLoc();
  SmallVector<OpFoldResult> sizes =
      applyPermutation(like.getMixedSizes(), order);
  Value empty = tensor::EmptyOp::create(builder, loc, sizes,
                                        like.getType().getElementType());
  return linalg::FillOp::create(builder, loc, fill.getInputs(), empty)
      .getResult(0);
}

static AffineMap permuteResults(AffineMap map, ArrayRef<int64_t> order) {
  SmallVector<AffineExpr> results = applyPermutation(map.getResults(), order);
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        map.getContext());
}

static void setMap(linalg::GenericOp op, OpOperand &operand, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[operand.getOperandNumber()] = map;
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

void carousel::orderProducts(func::FuncOp func) {
  SmallVector<linalg::GenericOp> products;
  func.walk([&](linalg::GenericOp op) {
    if (isProduct(op))
      products.push_back(op);
  });
  // The last one of a chain comes first: those before it follow.
  for (linalg::GenericOp product : llvm::reverse(products)) {
    Value result = product.getResult(0);
    if (!result.hasOneUse())
      continue;
    OpOperand &factor = *result.getUses().begin();
    auto user = dyn_cast<linalg::GenericOp>(factor.getOwner());
    if (!isProduct(user) || factor.getOperandNumber() != 0)
      continue;
    std::optional<SmallVector<int64_t>> order = findOrder(user, factor);
    if (!order || isIdentityPermutation(*order))
      continue;
    OpBuilder builder(product);
    Value init = permuteInit(builder, product, *order);
    if (!init)
      continue;
    OpOperand &own = *product.getDpsInitOperand(0);
    setMap(product, own,
           permuteResults(product.getMatchingIndexingMap(&own), *order));
    own.set(init);
    result.setType(init.getType());
    setMap(user, factor,
           permuteResults(user.getMatchingIndexingMap(&factor), *order));
  }
}
