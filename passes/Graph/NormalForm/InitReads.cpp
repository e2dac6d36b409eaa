//===- InitReads.cpp - elementwise ops that read their inits --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is built again: the inputs that it has, then the inits that its body
// reads, with their maps. The body reads the new inputs instead.
//
//===----------------------------------------------------------------------===//

#include "InitReads.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

static bool isRead(linalg::GenericOp op, OpOperand &init) {
  return !op.getMatchingBlockArgument(&init).use_empty();
}

static Value makeEmpty(OpBuilder &builder, Location loc, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  return tensor::EmptyOp::create(builder, loc,
                                 tensor::getMixedSizes(builder, loc, like),
                                 type.getElementType(), type.getEncoding());
}

static void makeReadInitsInputs(linalg::GenericOp op) {
  IRRewriter rewriter(op);
  SmallVector<Value> inputs(op.getInputs()), inits;
  SmallVector<AffineMap> maps, initMaps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  SmallVector<BlockArgument> read;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    initMaps.push_back(op.getMatchingIndexingMap(&init));
    if (!isRead(op, init)) {
      inits.push_back(init.get());
      continue;
    }
    inputs.push_back(init.get());
    maps.push_back(initMaps.back());
    read.push_back(op.getMatchingBlockArgument(&init));
    inits.push_back(makeEmpty(rewriter, op.getLoc(), init.get()));
  }
  maps.append(initMaps);
  auto other = linalg::GenericOp::create(
      rewriter, op.getLoc(), op->getResultTypes(), inputs, inits, maps,
      op.getIteratorTypesArray(), /*bodyBuild=*/nullptr,
      llvm::to_vector(op->getDiscardableAttrs()));
  Block *body = op.getBody();
  unsigned numInputs = op.getNumDpsInputs();
  for (auto [index, argument] : llvm::enumerate(read)) {
    Value now = body->insertArgument(numInputs + index, argument.getType(),
                                     argument.getLoc());
    rewriter.replaceAllUsesWith(argument, now);
  }
  rewriter.inlineRegionBefore(op.getRegion(), other.getRegion(),
                              other.getRegion().begin());
  rewriter.replaceOp(op, other);
}

void carousel::makeReadInitsInputs(func::FuncOp func) {
  SmallVector<linalg::GenericOp> ops;
  func.walk([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics() &&
        op.getNumParallelLoops() == op.getNumLoops() &&
        llvm::any_of(op.getDpsInitsMutable(),
                     [&](OpOperand &init) { return isRead(op, init); }))
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops)
    ::makeReadInitsInputs(op);
}
