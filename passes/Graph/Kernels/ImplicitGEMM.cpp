//===- ImplicitGEMM.cpp - a convolution on vectors ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ImplicitGEMM.h.
//
//===----------------------------------------------------------------------===//

#include "ImplicitGEMM.h"

#include "../Reading/ReadConvolution.h"

#include "carousel/Analysis/Graph/ConvolutionTiles.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace carousel;

SmallVector<unsigned> carousel::findSummed(const GroupProgram &program,
                                           unsigned op) {
  SmallVector<unsigned> summed;
  for (auto [position, loop] : llvm::zip_equal(
           getPositions(program, op), program.graph.problem.ops[op].loops))
    if (loop.isReduction && !llvm::is_contained(summed, position))
      summed.push_back(position);
  return summed;
}

Value carousel::contract(const GroupProgram &program, GroupVectors &vectors,
                         ArrayRef<unsigned> summed, StoredVector lhs,
                         StoredVector rhs, Value sum) {
  auto isF32 = [](Value value) { return getElementTypeOrSelf(value).isF32(); };
  if (program.usesTF32 && isF32(lhs.value) && isF32(rhs.value) && isF32(sum))
    for (Value *factor : {&lhs.value, &rhs.value})
      *factor = RoundTF32Op::create(vectors.builder, vectors.loc, *factor);
  AffineExpr m, n, k;
  bindDims(sum.getContext(), m, n, k);
  AffineExpr ofLhs[] = {m, k}, ofRhs[] = {k, n}, ofSum[] = {m, n};
  auto isDepth = [&](unsigned dim) { return llvm::is_contained(summed, dim); };
  if (isDepth(lhs.dims.front()))
    std::swap(ofLhs[0], ofLhs[1]);
  if (!isDepth(rhs.dims.front()))
    std::swap(ofRhs[0], ofRhs[1]);
  using vector::IteratorType;
  return vector::ContractionOp::create(
      vectors.builder, vectors.loc, lhs.value, rhs.value, sum,
      ArrayRef<ArrayRef<AffineExpr>>{ofLhs, ofRhs, ofSum},
      ArrayRef{IteratorType::parallel, IteratorType::parallel,
               IteratorType::reduction});
}

bool carousel::isInterleaved(const GraphAccess &image) {
  return llvm::any_of(image.windows, [&](const GraphWindow &window) {
    return window.stride != 1 && isBesideChannels(image, window.dim);
  });
}

ImageReader::ImageReader(const GroupProgram &program, unsigned op,
                         GroupVectors &vectors)
    : program(program), vectors(vectors), builder(vectors.builder),
      structured(cast<linalg::LinalgOp>(program.graph.ops[op])),
      node(program.graph.problem.ops[op]), image(node.reads.front()),
      loops(getPositions(program, op)) {
  depth = loops[*image.loops.back()];
  for (unsigned dim = 0; dim + 1 < image.loops.size(); ++dim) {
    const GraphWindow *window = image.findWindow(dim);
    std::optional<unsigned> loop = window ? window->along : image.loops[dim];
    if (!loop || !vectors.isVector(loops[*loop]))
      continue;
    box.push_back(loops[*loop]);
    if (window && vectors.isRagged(box.back()))
      open.push_back(box.back());
  }
}

ImplicitGEMM::ImplicitGEMM(const GroupProgram &program, unsigned op,
                           GroupVectors &vectors)
    : ImageReader(program, op, vectors), channels(loops[node.getOwnChannels()]),
      summed(findSummed(program, op)) {
  for (unsigned position : box)
    pixels *= getTile(position);
}

Value ImageReader::getIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, vectors.loc, value);
}

Value ImageReader::reshape(Value vector, ArrayRef<int64_t> shape) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getShape() == shape)
    return vector;
  return vector::ShapeCastOp::create(
      builder, vectors.loc, VectorType::get(shape, type.getElementType()),
      vector);
}

Value ImageReader::permute(Value vector, ArrayRef<unsigned> from,
                           ArrayRef<unsigned> to) {
  SmallVector<int64_t> order =
      llvm::map_to_vector(to, [&](unsigned dim) -> int64_t {
        return llvm::find(from, dim) - from.begin();
      });
  if (llvm::is_sorted(order))
    return vector;
  return vector::TransposeOp::create(builder, vectors.loc, vector, order);
}

/// Where the window of the first pixel begins, of all elements whose index has
/// the same remainder.
ImageReader::WindowIndex ImageReader::computeIndex(const GraphWindow &window) {
  Value index =
      window.along ? vectors.getBegin(loops[*window.along]) : getIndex(0);
  Value step = getIndex(0);
  if (window.tap)
    step = compute<arith::MulIOp>(vectors.getBegin(loops[*window.tap]),
                                  getIndex(window.dilation));
  if (window.stride == 1) {
    if (window.low != 0)
      step = compute<arith::AddIOp>(step, getIndex(-window.low));
    return {compute<arith::AddIOp>(index, step), Value()};
  }
  // Rounded down, also below zero.
  int64_t before = llvm::divideCeilSigned(window.low, window.stride);
  step = compute<arith::AddIOp>(step,
                                getIndex(before * window.stride - window.low));
  Value stride = getIndex(window.stride);
  Value whole = compute<arith::DivUIOp>(step, stride);
  index = compute<arith::AddIOp>(index, whole);
  if (before != 0)
    index = compute<arith::AddIOp>(index, getIndex(-before));
  return {index, compute<arith::RemUIOp>(step, stride)};
}

/// The index of channels in a dimension that has all groups, of all remainders.
Value ImageReader::addGroup(Value index, Value group, Value remainder) {
  Value tensor = program.graph.tensors[image.tensor];
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  Value before = remainder;
  if (remainder && group)
    before = compute<arith::MulIOp>(before, getIndex(shape[shape.size() - 2]));
  if (group)
    before = before ? compute<arith::AddIOp>(before, group) : group;
  return before ? compute<arith::AddIOp>(
                      index,
                      compute<arith::MulIOp>(before, getIndex(shape.back())))
                : index;
}

Value ImageReader::readBox(Value memref) {
  SmallVector<Value> indices;
  SmallVector<int64_t> shape;
  SmallVector<bool> inBounds;
  size_t first = 0;
  bool isInBox = false;
  Value remainder, group;
  auto add = [&](Value index, int64_t tile, bool isInside, bool isChecked) {
    isInBox |= isChecked || tile != 1;
    first += !isInBox;
    indices.push_back(index);
    shape.push_back(tile);
    inBounds.push_back(isInside);
  };
  for (unsigned dim = 0; dim < image.loops.size(); ++dim) {
    bool isLast = dim + 1 == image.loops.size();
    const GraphWindow *window = image.findWindow(dim);
    if (!window) {
      unsigned position = loops[*image.loops[dim]];
      Value index = vectors.getBegin(position);
      if (image.hasGroups && dim + 2 == image.loops.size()) {
        group = index;
        continue;
      }
      if (isLast)
        index = addGroup(index, group, remainder);
      add(index, getTile(position), !vectors.isRagged(position), false);
      continue;
    }
    WindowIndex at = computeIndex(*window);
    add(at.index, window->along ? getTile(loops[*window->along]) : 1, false,
        true);
    if (!at.remainder)
      continue;
    if (isBesideChannels(image, dim))
      remainder = at.remainder;
    else
      add(at.remainder, 1, true, false);
  }
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto type = VectorType::get(ArrayRef(shape).drop_front(first), element);
  AffineMap map = AffineMap::getMinorIdentityMap(shape.size(), type.getRank(),
                                                 builder.getContext());
  Value padding =
      arith::ConstantOp::create(builder, vectors.loc, findPadding(structured));
  return vector::TransferReadOp::create(builder, vectors.loc, type, memref,
                                        indices, padding, map,
                                        ArrayRef(inBounds).drop_front(first));
}

GroupValue ImageReader::read(Value memref) {
  SmallVector<unsigned> stored = box;
  if (vectors.isVector(depth))
    stored.push_back(depth);
  SmallVector<int64_t> shape;
  for (unsigned position : stored)
    shape.push_back(getTile(position));
  GroupValue result;
  Value read = readBox(memref);
  if (stored.empty()) {
    SmallVector<int64_t> first(cast<VectorType>(read.getType()).getRank(), 0);
    result.value = vector::ExtractOp::create(builder, vectors.loc, read, first);
    return result;
  }
  result.dims = vectors.findVectorDims(stored);
  result.value = permute(reshape(read, shape), stored, result.dims);
  return result;
}

StoredVector ImplicitGEMM::readImage(Value memref) {
  StoredVector stored;
  stored.value = reshape(readBox(memref), {pixels, getTile(depth)});
  stored.dims = {box.front(), depth};
  // Behind the channels are those of the next remainder.
  if (node.isWgrad() ? open.empty()
                     : !(isInterleaved(image) || image.hasGroups) ||
                           !vectors.isRagged(depth))
    stored.padding = cast<TypedAttr>(
        builder.getZeroAttr(getElementTypeOrSelf(stored.value)));
  return stored;
}

StoredVector ImplicitGEMM::makeImage(Type element) {
  StoredVector stored;
  stored.padding = cast<TypedAttr>(builder.getZeroAttr(element));
  stored.value = arith::ConstantOp::create(
      builder, vectors.loc,
      builder.getZeroAttr(VectorType::get({pixels, getTile(depth)}, element)));
  stored.dims = {box.front(), depth};
  return stored;
}

Value ImplicitGEMM::maskImage(Value factor) {
  if (node.isWgrad() ? open.empty() : !vectors.isRagged(depth))
    return factor;
  Value mask;
  if (node.isWgrad())
    mask = reshape(vectors.expand({vectors.createMask(open), open, {}}, box),
                   {pixels, 1});
  else
    mask = vectors.createMask(depth);
  auto type = cast<VectorType>(factor.getType());
  mask = vector::BroadcastOp::create(builder, vectors.loc,
                                     type.clone(builder.getI1Type()), mask);
  Value zeros = arith::ConstantOp::create(builder, vectors.loc,
                                          builder.getZeroAttr(type));
  return arith::SelectOp::create(builder, vectors.loc, mask, factor, zeros);
}

Value ImplicitGEMM::multiply(StoredVector factor, StoredVector weights,
                             Value sum) {
  if (node.isWgrad())
    return sumPixels(factor, weights, sum);
  SmallVector<unsigned> kept = box;
  kept.push_back(channels);
  // The sum has its dimensions in the schedule's order.
  SmallVector<unsigned> order = vectors.findVectorDims(kept);
  SmallVector<int64_t> tiles = llvm::map_to_vector(
      kept, [&](unsigned position) { return getTile(position); });
  sum = reshape(permute(sum, order, kept), {pixels, tiles.back()});
  sum = contract(program, vectors, summed, factor, weights, sum);
  return permute(reshape(sum, tiles), kept, order);
}

Value ImplicitGEMM::sumPixels(StoredVector factor, StoredVector weights,
                              Value sum) {
  // The kernel's result has its dimensions in the schedule's order.
  SmallVector<unsigned> stored = box;
  stored.push_back(channels);
  weights.value = reshape(permute(weights.value, weights.dims, stored),
                          {pixels, getTile(channels)});
  weights.dims = {box.front(), channels};
  // The sum has its dimensions in the schedule's order.
  if (channels < depth)
    std::swap(factor, weights);
  return contract(program, vectors, summed, factor, weights, sum);
}
