//===- WidenContractions.cpp - sums of contractions -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WidenContractions.h.
//
//===----------------------------------------------------------------------===//

#include "WidenContractions.h"

#include "../Reading/ReadConvolution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

static bool isNarrow(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() < 32;
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

  /// A contraction's body has a product, a sum and conversions. These become
  /// those to f32.
  void writeBody(OpBuilder &body, ValueRange arguments) {
    IRMapping mapping;
    for (auto [old, argument] :
         llvm::zip_equal(op.getBody()->getArguments(), arguments))
      mapping.map(old, toF32(body, argument));
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(inner)) {
        mapping.map(inner.getResult(0), mapping.lookup(inner.getOperand(0)));
        continue;
      }
      Operation *clone = body.clone(inner, mapping);
      clone->getResult(0).setType(f32);
    }
    Operation *end = op.getBody()->getTerminator();
    linalg::YieldOp::create(body, loc, mapping.lookup(end->getOperand(0)));
  }

  Value toF32(OpBuilder &body, Value argument) {
    if (!isNarrow(argument.getType()))
      return argument;
    return arith::ExtFOp::create(body, loc, f32, argument);
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

unsigned carousel::widenContractions(func::FuncOp func) {
  SmallVector<linalg::GenericOp> narrow;
  func.walk([&](linalg::GenericOp op) {
    if ((isContraction(op) || hasWindows(op)) && op.getNumDpsInits() == 1 &&
        isNarrow(getElementTypeOrSelf(op.getResult(0).getType())))
      narrow.push_back(op);
  });
  for (linalg::GenericOp op : narrow)
    Widening(op).run();
  return narrow.size();
}
