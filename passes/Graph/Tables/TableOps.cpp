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

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;
using utils::IteratorType;

Value carousel::createElements(RewriterBase &rewriter, Location loc, Value init,
                               ValueRange inputs, ArrayRef<AffineMap> maps,
                               ComputeElement compute) {
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  SmallVector<AffineMap> all(maps);
  all.push_back(rewriter.getMultiDimIdentityMap(rank));
  return linalg::GenericOp::create(
             rewriter, loc, init.getType(), inputs, init, all,
             SmallVector<IteratorType>(rank, IteratorType::parallel),
             [&](OpBuilder &inner, Location, ValueRange elements) {
               SmallVector<Value> indices;
               for (int64_t loop = 0; loop != rank; ++loop)
                 indices.push_back(linalg::IndexOp::create(inner, loc, loop));
               linalg::YieldOp::create(
                   inner, loc, compute(inner, indices, elements.drop_back()));
               for (Value index : indices)
                 if (index.use_empty())
                   rewriter.eraseOp(index.getDefiningOp());
             })
      .getResult(0);
}

Value carousel::createElements(RewriterBase &rewriter, Location loc,
                               ArrayRef<int64_t> shape, Type element,
                               ValueRange inputs, ArrayRef<AffineMap> maps,
                               ComputeElement compute, ValueRange sizes) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, element, sizes);
  return createElements(rewriter, loc, empty, inputs, maps, compute);
}

Value carousel::createReduction(OpBuilder &builder, Location loc,
                                ArrayRef<int64_t> shape, Type type,
                                ValueRange inputs,
                                ArrayRef<SmallVector<unsigned>> loops,
                                bool isMaximum, ComputeElement compute,
                                ValueRange sizes) {
  unsigned rank = shape.size() + 1;
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type, sizes);
  Value start = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(type, isMaximum ? -1 : 0));
  Value init = linalg::FillOp::create(builder, loc, start, empty).getResult(0);
  SmallVector<AffineMap> maps;
  for (ArrayRef<unsigned> own : loops)
    maps.push_back(
        AffineMap::getMultiDimMapWithTargets(rank, own, builder.getContext()));
  maps.push_back(builder.getMultiDimIdentityMap(rank).dropResult(rank - 1));
  SmallVector<IteratorType> kinds(shape.size(), IteratorType::parallel);
  kinds.push_back(IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), inputs, init, maps, kinds,
             [&](OpBuilder &inner, Location, ValueRange elements) {
               SmallVector<Value> indices;
               for (unsigned loop = 0; loop != rank; ++loop)
                 indices.push_back(linalg::IndexOp::create(inner, loc, loop));
               Value element =
                   IndexBuilder(inner, loc)
                       .integer(compute(inner, indices, elements.drop_back()),
                                type);
               Value before = elements.back();
               Value sum =
                   isMaximum
                       ? arith::MaxSIOp::create(inner, loc, before, element)
                             .getResult()
                       : arith::AddIOp::create(inner, loc, before, element)
                             .getResult();
               linalg::YieldOp::create(inner, loc, sum);
             })
      .getResult(0);
}

Value carousel::createBranch(OpBuilder &builder, Location loc, Type type,
                             Value condition,
                             llvm::function_ref<Value(OpBuilder &)> write,
                             TypedAttr otherwise) {
  if (!otherwise)
    otherwise = cast<TypedAttr>(builder.getZeroAttr(type));
  auto yield = [&](OpBuilder &inner, Value value) {
    scf::YieldOp::create(inner, loc, value);
  };
  return scf::IfOp::create(
             builder, loc, condition,
             [&](OpBuilder &inner, Location) { yield(inner, write(inner)); },
             [&](OpBuilder &inner, Location) {
               yield(inner, arith::ConstantOp::create(inner, loc, otherwise));
             })
      .getResult(0);
}

linalg::GenericOp carousel::createWithBodyOf(RewriterBase &rewriter,
                                             linalg::GenericOp from,
                                             ValueRange inputs, Value init,
                                             ArrayRef<AffineMap> maps,
                                             ArrayRef<IteratorType> kinds) {
  auto made = linalg::GenericOp::create(rewriter, from.getLoc(), init.getType(),
                                        inputs, init, maps, kinds);
  rewriter.cloneRegionBefore(from.getRegion(), made.getRegion(),
                             made.getRegion().begin());
  return made;
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
  return createWithBodyOf(rewriter, product, factors, init, maps, kinds)
      .getResult(0);
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
