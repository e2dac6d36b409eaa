//===- GroupProduct.cpp - a contraction on vectors ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupProduct.h.
//
//===----------------------------------------------------------------------===//

#include "GroupProduct.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

/// The ops between an argument of the body and a factor, outermost last.
static SmallVector<Operation *> findCasts(Value factor) {
  SmallVector<Operation *> casts;
  while (Operation *cast = factor.getDefiningOp()) {
    casts.push_back(cast);
    factor = cast->getOperand(0);
  }
  return llvm::to_vector(llvm::reverse(casts));
}

static bool isExtension(Operation *op) {
  return isa<arith::ExtFOp, arith::ExtSIOp>(op);
}

static bool keepsZero(Operation *op) {
  return isa<CastOpInterface, RoundTF32Op>(op);
}

/// Adds the product of a contraction whose dimensions have these kinds.
static Value contract(const GroupProgram &program, GroupVectors &vectors,
                      Value lhs, Value rhs, Value sum, ArrayRef<AffineMap> maps,
                      ArrayRef<vector::IteratorType> kinds) {
  OpBuilder &builder = vectors.builder;
  SmallVector<Attribute> iterators;
  for (vector::IteratorType kind : kinds)
    iterators.push_back(
        vector::IteratorTypeAttr::get(builder.getContext(), kind));
  auto isF32 = [](Value value) { return getElementTypeOrSelf(value).isF32(); };
  if (program.usesTF32 && isF32(lhs) && isF32(rhs) && isF32(sum))
    for (Value *factor : {&lhs, &rhs})
      *factor = RoundTF32Op::create(builder, vectors.loc, *factor);
  return vector::ContractionOp::create(
      builder, vectors.loc, lhs, rhs, sum, builder.getAffineMapArrayAttr(maps),
      builder.getArrayAttr(iterators), vector::CombiningKind::ADD);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// Reads the factors of a convolution as matrices: pixels by channels of the
/// image, and these by channels of the result.
class PixelProduct {
public:
  PixelProduct(const GroupProgram &program, unsigned op, GroupVectors &vectors)
      : program(program), vectors(vectors), builder(vectors.builder),
        node(program.graph.problem.ops[op]), image(node.reads.front()),
        loops(getPositions(program, op)) {
    depth = loops[*image.loops.back()];
    for (unsigned dim = 0; dim + 1 < image.loops.size(); ++dim) {
      const GraphWindow *window = image.findWindow(dim);
      std::optional<unsigned> loop = window ? window->kept : image.loops[dim];
      if (loop && vectors.isVector(loops[*loop]))
        kept.push_back(loops[*loop]);
    }
    pixels = countElements(kept);
    kept.push_back(loops[*node.reads[1].loops.back()]);
  }

  StoredVector readImage(Value memref);
  Value multiply(StoredVector factor, StoredVector weights, Value sum);
  /// With zeros behind the channels of the image.
  Value maskImage(Value factor);

private:
  int64_t getTile(unsigned position) const {
    return vectors.schedule.dims[position].tile;
  }
  int64_t countElements(ArrayRef<unsigned> positions) const {
    int64_t elements = 1;
    for (unsigned position : positions)
      elements *= getTile(position);
    return elements;
  }
  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(builder, vectors.loc, value);
  }
  template <typename Op> Value compute(Value lhs, Value rhs) {
    return builder.createOrFold<Op>(vectors.loc, lhs, rhs);
  }

  struct WindowIndex {
    Value index, remainder;
  };
  WindowIndex computeIndex(const GraphWindow &window);
  Value reshape(Value vector, ArrayRef<int64_t> shape);

  const GroupProgram &program;
  GroupVectors &vectors;
  OpBuilder &builder;
  const GraphOp &node;
  const GraphAccess &image;
  SmallVector<unsigned> loops;
  unsigned depth = 0;
  /// Of the result: pixels in the image's order, then channels.
  SmallVector<unsigned> kept;
  int64_t pixels = 1;
};

} // namespace

Value PixelProduct::reshape(Value vector, ArrayRef<int64_t> shape) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getShape() == shape)
    return vector;
  return vector::ShapeCastOp::create(
      builder, vectors.loc, VectorType::get(shape, type.getElementType()),
      vector);
}

/// Where the window of the first pixel begins, of all elements whose index has
/// the same remainder.
PixelProduct::WindowIndex
PixelProduct::computeIndex(const GraphWindow &window) {
  Value index =
      window.kept ? vectors.getBegin(loops[*window.kept]) : getIndex(0);
  Value step = getIndex(0);
  if (window.reduced)
    step = compute<arith::MulIOp>(vectors.getBegin(loops[*window.reduced]),
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

/// The box of an image that the pixels of this program need for one element of
/// the kernel. What is outside of the image is zero.
StoredVector PixelProduct::readImage(Value memref) {
  SmallVector<Value> indices;
  SmallVector<int64_t> shape;
  SmallVector<bool> inBounds;
  size_t first = 0;
  bool isInBox = false;
  Value remainder;
  auto add = [&](Value index, int64_t tile, bool isInside, bool isChecked) {
    isInBox |= isChecked || tile != 1;
    first += !isInBox;
    indices.push_back(index);
    shape.push_back(tile);
    inBounds.push_back(isInside);
  };
  bool isInterleaved = false;
  for (unsigned dim = 0; dim < image.loops.size(); ++dim) {
    bool isLast = dim + 1 == image.loops.size();
    const GraphWindow *window = image.findWindow(dim);
    if (!window) {
      unsigned position = loops[*image.loops[dim]];
      Value index = vectors.getBegin(position);
      if (isLast && remainder) {
        auto tensor = cast<RankedTensorType>(
            program.graph.tensors[image.tensor].getType());
        index = compute<arith::AddIOp>(
            index, compute<arith::MulIOp>(remainder,
                                          getIndex(tensor.getDimSize(dim))));
      }
      add(index, getTile(position), !vectors.isRagged(position), false);
      continue;
    }
    WindowIndex at = computeIndex(*window);
    add(at.index, window->kept ? getTile(loops[*window->kept]) : 1, false,
        true);
    if (!at.remainder)
      continue;
    isInterleaved |= dim + 2 == image.loops.size();
    if (dim + 2 == image.loops.size())
      remainder = at.remainder;
    else
      add(at.remainder, 1, true, false);
  }
  StoredVector stored;
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  TypedAttr zero = cast<TypedAttr>(builder.getZeroAttr(element));
  auto type = VectorType::get(ArrayRef(shape).drop_front(first), element);
  AffineMap map = AffineMap::getMinorIdentityMap(shape.size(), type.getRank(),
                                                 builder.getContext());
  Value box = vector::TransferReadOp::create(
      builder, vectors.loc, type, memref, indices,
      arith::ConstantOp::create(builder, vectors.loc, zero), map,
      ArrayRef(inBounds).drop_front(first));
  stored.value = reshape(box, {pixels, getTile(depth)});
  // Behind the channels are those of the next remainder.
  if (!isInterleaved || !vectors.isRagged(depth))
    stored.padding = zero;
  return stored;
}

Value PixelProduct::maskImage(Value factor) {
  if (!vectors.isRagged(depth))
    return factor;
  auto type = cast<VectorType>(factor.getType());
  Value mask = vector::BroadcastOp::create(builder, vectors.loc,
                                           type.clone(builder.getI1Type()),
                                           vectors.createMask(depth));
  Value zeros = arith::ConstantOp::create(builder, vectors.loc,
                                          builder.getZeroAttr(type));
  return arith::SelectOp::create(builder, vectors.loc, mask, factor, zeros);
}

Value PixelProduct::multiply(StoredVector factor, StoredVector weights,
                             Value sum) {
  Location loc = vectors.loc;
  // The sum has its dimensions in the schedule's order.
  SmallVector<unsigned> order = vectors.findVectorDims(kept);
  SmallVector<int64_t> forth, back(kept.size()), tiles;
  for (auto [at, position] : llvm::enumerate(kept)) {
    forth.push_back(llvm::find(order, position) - order.begin());
    back[forth.back()] = at;
    tiles.push_back(getTile(position));
  }
  auto permute = [&](Value vector, ArrayRef<int64_t> permutation) -> Value {
    if (llvm::is_sorted(permutation))
      return vector;
    return vector::TransposeOp::create(builder, loc, vector, permutation);
  };
  sum = reshape(permute(sum, forth), {pixels, tiles.back()});
  AffineExpr m, n, k;
  bindDims(builder.getContext(), m, n, k);
  bool isDepthFirst = weights.dims.front() == depth;
  AffineMap maps[] = {AffineMap::get(3, 0, {m, k}, builder.getContext()),
                      isDepthFirst
                          ? AffineMap::get(3, 0, {k, n}, builder.getContext())
                          : AffineMap::get(3, 0, {n, k}, builder.getContext()),
                      AffineMap::get(3, 0, {m, n}, builder.getContext())};
  using vector::IteratorType;
  sum = contract(program, vectors, factor.value, weights.value, sum, maps,
                 {IteratorType::parallel, IteratorType::parallel,
                  IteratorType::reduction});
  return permute(reshape(sum, tiles), back);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value carousel::multiply(const GroupProgram &program, unsigned op,
                         GroupMemory &memory, GroupVectors &vectors,
                         Value sum) {
  OpBuilder &builder = vectors.builder;
  const GroupSchedule &schedule = program.schedule;
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  Operation *product = findCombination(structured)->element.getDefiningOp();
  SmallVector<OpOperand *> inputs = structured.getDpsInputOperands();
  const GraphOp &node = program.graph.problem.ops[op];
  std::optional<PixelProduct> pixels;
  StoredVector factors[2];
  if (node.kind == GraphOpKind::Convolution) {
    pixels.emplace(program, op, vectors);
    factors[0] = pixels->readImage(
        memory.getParameter(program.graph.tensors[node.reads.front().tensor]));
  } else {
    factors[0] = memory.readFactor(op, inputs[0]);
  }
  factors[1] = memory.readFactor(op, inputs[1]);
  // Extensions are part of products, if both factors have them.
  bool haveSameType = getElementTypeOrSelf(factors[0].value) ==
                      getElementTypeOrSelf(factors[1].value);
  bool isZeroBehind = true;
  for (Value factor : product->getOperands()) {
    SmallVector<Operation *> casts = findCasts(factor);
    auto argument = cast<BlockArgument>(
        casts.empty() ? factor : casts.front()->getOperand(0));
    StoredVector &stored = factors[argument.getArgNumber()];
    isZeroBehind &= stored.padding && llvm::all_of(casts, keepsZero) &&
                    (matchPattern(stored.padding, m_Zero()) ||
                     matchPattern(stored.padding, m_PosZeroFloat()));
    if (haveSameType && llvm::all_of(casts, isExtension))
      continue;
    for (Operation *extension : casts) {
      OperationState state(vectors.loc, extension->getName());
      state.addOperands(stored.value);
      state.addTypes(cast<VectorType>(stored.value.getType())
                         .clone(extension->getResult(0).getType()));
      state.addAttributes(extension->getAttrs());
      stored.value = builder.create(state)->getResult(0);
    }
  }
  if (pixels) {
    if (!isZeroBehind) {
      factors[0].value = pixels->maskImage(factors[0].value);
      TypedAttr zero = cast<TypedAttr>(
          builder.getZeroAttr(getElementTypeOrSelf(factors[1].value)));
      factors[1].value =
          vectors.maskReduced({factors[1].value, factors[1].dims, {}}, zero);
    }
    return pixels->multiply(factors[0], factors[1], sum);
  }
  SmallVector<unsigned> dims =
      vectors.findVectorDims(getPositions(program, op));
  SmallVector<unsigned> kept = dims;
  llvm::erase_if(kept,
                 [&](unsigned dim) { return schedule.dims[dim].isReduced; });
  // The factor with the sum's first dimension is on the left.
  if (!llvm::is_contained(factors[0].dims, kept.front()))
    std::swap(factors[0], factors[1]);
  if (!isZeroBehind)
    for (StoredVector &factor : factors) {
      TypedAttr zero = cast<TypedAttr>(
          builder.getZeroAttr(getElementTypeOrSelf(factor.value)));
      factor.value = vectors.maskReduced({factor.value, factor.dims, {}}, zero);
    }
  MLIRContext *context = builder.getContext();
  auto getMap = [&](ArrayRef<unsigned> own) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : own)
      exprs.push_back(
          getAffineDimExpr(llvm::find(dims, dim) - dims.begin(), context));
    return AffineMap::get(dims.size(), 0, exprs, context);
  };
  SmallVector<vector::IteratorType> kinds;
  for (unsigned dim : dims)
    kinds.push_back(schedule.dims[dim].isReduced
                        ? vector::IteratorType::reduction
                        : vector::IteratorType::parallel);
  SmallVector<AffineMap> maps = {getMap(factors[0].dims),
                                 getMap(factors[1].dims), getMap(kept)};
  return contract(program, vectors, factors[0].value, factors[1].value, sum,
                  maps, kinds);
}
