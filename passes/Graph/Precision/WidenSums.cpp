//===- WidenSums.cpp - sums of narrow floats ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WidenSums.h.
//
//===----------------------------------------------------------------------===//

#include "WidenSums.h"

#include "../Reading/ReadConvolution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

static bool isNarrow(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() < 32;
}

static bool isProduct(linalg::LinalgOp op) {
  return isContraction(op) || hasWindows(op);
}

/// What a conversion between floats converts, or the value itself.
static Value skipCast(Value value) {
  Operation *cast = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(cast)
             ? cast->getOperand(0)
             : value;
}

/// The op of a body that adds an element to the sum so far, or multiplies both,
/// or null.
static Operation *findStep(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  BlockArgument before = body.getArgument(op.getNumDpsInputs());
  Operation *step =
      skipCast(body.getTerminator()->getOperand(0)).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::MulFOp>(step) ||
      !before.hasOneUse() || op.getNumReductionLoops() == 0)
    return nullptr;
  Value lhs = skipCast(step->getOperand(0)),
        rhs = skipCast(step->getOperand(1));
  return lhs == before || rhs == before ? step : nullptr;
}

namespace {

class Widening {
public:
  explicit Widening(linalg::GenericOp op)
      : op(op), builder(op), loc(op.getLoc()), f32(builder.getF32Type()) {}

  linalg::GenericOp run() {
    Value init = op.getDpsInits().front();
    auto type = cast<RankedTensorType>(init.getType());
    auto sums = linalg::GenericOp::create(
        builder, loc, type.clone(f32), op.getInputs(), widen(init),
        op.getIndexingMapsArray(), op.getIteratorTypesArray(),
        [&](OpBuilder &body, Location, ValueRange arguments) {
          writeBody(body, arguments);
        });
    op.getResult(0).replaceAllUsesWith(
        convert<arith::TruncFOp>(sums.getResult(0), type.getElementType()));
    op.erase();
    return sums;
  }

private:
  /// What the sums begin with, in f32.
  Value widen(Value init) {
    auto fill = init.getDefiningOp<linalg::FillOp>();
    if (!fill)
      return convert<arith::ExtFOp>(init, f32);
    Value number = arith::ExtFOp::create(builder, loc, f32, fill.value());
    return linalg::FillOp::create(builder, loc, number, makeEmpty(init, f32))
        .getResult(0);
  }

  Value makeEmpty(Value like, Type element) {
    return tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, like), element);
  }

  /// Element by element.
  template <typename Cast> Value convert(Value tensor, Type element) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<AffineMap> maps(2,
                                builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, type.clone(element), tensor,
               makeEmpty(tensor, element), maps, iterators,
               [&](OpBuilder &body, Location, ValueRange arguments) {
                 Value number =
                     Cast::create(body, loc, element, arguments.front());
                 linalg::YieldOp::create(body, loc, number);
               })
        .getResult(0);
  }

  /// A contraction's body has a product, a sum and conversions, which become
  /// those to f32. Of others, only the sum is one of f32.
  void writeBody(OpBuilder &body, ValueRange arguments) {
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments(), arguments);
    bool isAll = isProduct(op);
    Operation *step = isAll ? nullptr : findStep(op);
    Value sum = op.getBody()->getArguments().back();
    for (Operation &inner : op.getBody()->without_terminator()) {
      Value cast =
          inner.getNumResults() == 1 ? skipCast(inner.getResult(0)) : Value();
      if (isa<arith::ExtFOp, arith::TruncFOp>(inner) &&
          (isAll || cast == sum || cast.getDefiningOp() == step)) {
        mapping.map(inner.getResult(0), mapping.lookup(cast));
        continue;
      }
      Operation *clone = body.clone(inner, mapping);
      if (!isAll && &inner != step)
        continue;
      OpBuilder::InsertionGuard guard(body);
      body.setInsertionPoint(clone);
      for (OpOperand &operand : clone->getOpOperands())
        operand.set(toF32(body, operand.get()));
      clone->getResult(0).setType(f32);
    }
    Operation *end = op.getBody()->getTerminator();
    linalg::YieldOp::create(body, loc, mapping.lookup(end->getOperand(0)));
  }

  Value toF32(OpBuilder &body, Value number) {
    if (!isNarrow(number.getType()))
      return number;
    return arith::ExtFOp::create(body, loc, f32, number);
  }

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  Type f32;
};

} // namespace

linalg::GenericOp carousel::widenProduct(linalg::GenericOp op) {
  return isNarrow(getElementTypeOrSelf(op.getResult(0).getType()))
             ? Widening(op).run()
             : op;
}

unsigned carousel::widenSums(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> narrow;
  func.walk([&](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
        isNarrow(getElementTypeOrSelf(op->getResult(0).getType())) &&
        (isProduct(op) ? isa<linalg::GenericOp>(op) : findStep(op) != nullptr))
      narrow.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  for (linalg::LinalgOp op : narrow) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    Widening(generic ? generic : *linalg::generalizeNamedOp(rewriter, op))
        .run();
  }
  return narrow.size();
}
