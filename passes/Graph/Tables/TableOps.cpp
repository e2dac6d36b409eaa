//===- TableOps.cpp - ops that compute tables of integers -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TableOps.h.
//
//===----------------------------------------------------------------------===//

#include "TableOps.h"

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

Value carousel::createElements(OpBuilder &builder, Location loc, Value init,
                               ValueRange inputs, ArrayRef<AffineMap> maps,
                               ComputeElement compute) {
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  SmallVector<AffineMap> all(maps);
  all.push_back(builder.getMultiDimIdentityMap(rank));
  return linalg::GenericOp::create(
             builder, loc, init.getType(), inputs, init, all,
             SmallVector<IteratorType>(rank, IteratorType::parallel),
             [&](OpBuilder &inner, Location, ValueRange elements) {
               SmallVector<Value> indices;
               for (int64_t loop = 0; loop != rank; ++loop)
                 indices.push_back(linalg::IndexOp::create(inner, loc, loop));
               linalg::YieldOp::create(
                   inner, loc, compute(inner, indices, elements.drop_back()));
             })
      .getResult(0);
}

Value carousel::createElements(IRRewriter &rewriter, Location loc,
                               ArrayRef<int64_t> shape, Type element,
                               ValueRange inputs, ArrayRef<AffineMap> maps,
                               ComputeElement compute, ValueRange sizes) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element, sizes);
  return createElements(rewriter, loc, empty, inputs, maps, compute);
}

Value carousel::createReduction(IRRewriter &rewriter, Location loc,
                                ArrayRef<int64_t> shape, Type type,
                                ValueRange inputs,
                                ArrayRef<SmallVector<unsigned>> loops,
                                bool isMaximum, ComputeElement compute,
                                ValueRange sizes) {
  unsigned rank = shape.size() + 1;
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, type, sizes);
  Value start = arith::ConstantOp::create(
      rewriter, loc, rewriter.getIntegerAttr(type, isMaximum ? -1 : 0));
  Value init = linalg::FillOp::create(rewriter, loc, start, empty).getResult(0);
  SmallVector<AffineMap> maps;
  for (ArrayRef<unsigned> own : loops) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : own)
      exprs.push_back(rewriter.getAffineDimExpr(loop));
    maps.push_back(AffineMap::get(rank, 0, exprs, rewriter.getContext()));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank).dropResult(rank - 1));
  SmallVector<IteratorType> kinds(shape.size(), IteratorType::parallel);
  kinds.push_back(IteratorType::reduction);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), inputs, init, maps, kinds,
             [&](OpBuilder &builder, Location, ValueRange elements) {
               SmallVector<Value> indices;
               for (unsigned loop = 0; loop != rank; ++loop)
                 indices.push_back(linalg::IndexOp::create(builder, loc, loop));
               Value element =
                   Numbers(builder, loc)
                       .integer(compute(builder, indices, elements.drop_back()),
                                type);
               Value before = elements.back();
               Value sum =
                   isMaximum
                       ? arith::MaxSIOp::create(builder, loc, before, element)
                             .getResult()
                       : arith::AddIOp::create(builder, loc, before, element)
                             .getResult();
               linalg::YieldOp::create(builder, loc, sum);
             })
      .getResult(0);
}

Value carousel::createProduct(RewriterBase &rewriter, linalg::GenericOp product,
                              ArrayRef<int64_t> shape, ValueRange factors,
                              ArrayRef<AffineMap> maps,
                              ArrayRef<IteratorType> kinds) {
  Location loc = product.getLoc();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, shape, getElementTypeOrSelf(product.getResult(0)));
  auto fill = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Value init = linalg::FillOp::create(rewriter, loc, fill.getInputs(), empty)
                   .getResult(0);
  auto own = linalg::GenericOp::create(rewriter, loc, empty.getType(), factors,
                                       init, maps, kinds);
  IRMapping mapping;
  product.getRegion().cloneInto(&own.getRegion(), mapping);
  return own.getResult(0);
}

BlockArgument carousel::addInput(RewriterBase &rewriter, linalg::GenericOp op,
                                 Value tensor, AffineMap map,
                                 std::optional<unsigned> place) {
  unsigned at = place.value_or(op.getNumDpsInputs());
  SmallVector<Value> inputs(op.getInputs());
  inputs.insert(inputs.begin() + at, tensor);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + at, map);
  BlockArgument element;
  rewriter.modifyOpInPlace(op, [&] {
    element = op.getBody()->insertArgument(at, getElementTypeOrSelf(tensor),
                                           op.getLoc());
    op.getInputsMutable().assign(inputs);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  return element;
}
