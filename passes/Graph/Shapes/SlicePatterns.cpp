//===- SlicePatterns.cpp - slices, updates and concatenations
//--------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves elements and isn't a view that the host can compute.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Reading/FusedOps.h"
#include "../Reading/ReadGraph.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

static bool dependOnData(ArrayRef<OpFoldResult> numbers) {
  return llvm::any_of(numbers, [](OpFoldResult number) {
    auto value = dyn_cast<Value>(number);
    return value && dependsOnData(value);
  });
}

/// The index in another tensor of an element of a slice.
static SmallVector<Value> getIndices(OpBuilder &builder, Location loc,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> strides,
                                     const llvm::SmallBitVector &dropped) {
  SmallVector<Value> indices;
  unsigned loop = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value first = getValueOrCreateConstantIndexOp(builder, loc, offset);
    if (dropped[dim]) {
      indices.push_back(first);
      continue;
    }
    Value step = linalg::IndexOp::create(builder, loc, loop++);
    if (!isOneInteger(strides[dim]))
      step = arith::MulIOp::create(
          builder, loc, step,
          getValueOrCreateConstantIndexOp(builder, loc, strides[dim]));
    indices.push_back(arith::AddIOp::create(builder, loc, first, step));
  }
  return indices;
}

linalg::GenericOp carousel::createElementwise(
    PatternRewriter &rewriter, Location loc, RankedTensorType type,
    ArrayRef<OpFoldResult> sizes, ValueRange inputs,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> write) {
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(inputs.size() + 1, map);
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      rewriter, loc, empty.getType(), inputs, empty, maps, kinds,
      [&](OpBuilder &builder, Location, ValueRange elements) {
        linalg::YieldOp::create(builder, loc, write(builder, elements));
      });
}

void carousel::replaceWithCast(PatternRewriter &rewriter, Operation *op,
                               Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = tensor::CastOp::create(rewriter, op->getLoc(), type, value);
  rewriter.replaceOp(op, value);
}

namespace {

struct SliceAtData : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!dependOnData(op.getMixedOffsets()) || dependOnData(op.getMixedSizes()))
      return rewriter.notifyMatchFailure(
          op, "expected offsets that depend on data, and sizes that do not");
    Location loc = op.getLoc();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped[dim])
        sizes.push_back(size);
    auto generic =
        createElementwise(rewriter, loc, op.getType(), sizes, {},
                          [&](OpBuilder &builder, ValueRange) -> Value {
                            return tensor::ExtractOp::create(
                                builder, loc, op.getSource(),
                                getIndices(builder, loc, op.getMixedOffsets(),
                                           op.getMixedStrides(), dropped));
                          });
    replaceWithCast(rewriter, op, generic.getResult(0));
    return success();
  }
};

/// A part of what is computed of indices is computed alone.
struct SliceOfIndices : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto source = op.getSource().getDefiningOp<linalg::GenericOp>();
    if (!source || !isOfIndices(source) || dependOnData(op.getMixedOffsets()) ||
        !source.getIndexingMapsArray().front().isIdentity())
      return rewriter.notifyMatchFailure(
          op, "expected a part of what is computed of indices");
    Location loc = source.getLoc();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped[dim])
        sizes.push_back(size);
    auto part = createElementwise(
        rewriter, loc, op.getType(), sizes, {},
        [&](OpBuilder &builder, ValueRange) -> Value {
          SmallVector<Value> indices =
              getIndices(builder, loc, op.getMixedOffsets(),
                         op.getMixedStrides(), dropped);
          IRMapping mapping;
          for (Operation &inner : source.getBody()->without_terminator())
            if (auto index = dyn_cast<linalg::IndexOp>(inner))
              mapping.map(index.getResult(), indices[index.getDim()]);
            else
              builder.clone(inner, mapping);
          return mapping.lookupOrDefault(
              source.getBody()->getTerminator()->getOperand(0));
        });
    replaceWithCast(rewriter, op, part.getResult(0));
    return success();
  }
};

struct UpdateAtData : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!dependOnData(op.getMixedOffsets()) ||
        dependOnData(op.getMixedSizes()) || !op.hasUnitStride())
      return rewriter.notifyMatchFailure(
          op, "expected offsets that depend on data, and a dense part of known "
              "sizes");
    Location loc = op.getLoc();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    auto generic = createElementwise(
        rewriter, loc, op.getType(),
        tensor::getMixedSizes(rewriter, loc, op.getDest()), op.getDest(),
        [&](OpBuilder &builder, ValueRange elements) -> Value {
          Value isNew;
          SmallVector<Value> indices;
          for (auto [dim, offset] : llvm::enumerate(offsets)) {
            Value index = arith::SubIOp::create(
                builder, loc, linalg::IndexOp::create(builder, loc, dim),
                getValueOrCreateConstantIndexOp(builder, loc, offset));
            // Below the offset, the difference is a large number.
            Value isInside = arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::ult, index,
                getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]));
            isNew = isNew ? arith::AndIOp::create(builder, loc, isNew, isInside)
                          : isInside;
            if (!dropped[dim])
              indices.push_back(index);
          }
          auto branch = scf::IfOp::create(
              builder, loc, isNew,
              [&](OpBuilder &inner, Location) {
                Value element = tensor::ExtractOp::create(
                    inner, loc, op.getSource(), indices);
                scf::YieldOp::create(inner, loc, element);
              },
              [&](OpBuilder &inner, Location) {
                scf::YieldOp::create(inner, loc, elements.front());
              });
          return branch.getResult(0);
        });
    replaceWithCast(rewriter, op, generic.getResult(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Slices of pads
//===----------------------------------------------------------------------===//

/// The places of a slice in its tensor, if all are known.
struct Places {
  SmallVector<int64_t> first, last, steps;
};

static std::optional<Places> findPlaces(OffsetSizeAndStrideOpInterface op) {
  auto offsets = getConstantIntValues(op.getMixedOffsets()),
       sizes = getConstantIntValues(op.getMixedSizes()),
       steps = getConstantIntValues(op.getMixedStrides());
  if (!offsets || !sizes || !steps || llvm::is_contained(*sizes, 0))
    return std::nullopt;
  Places places = {*offsets, {}, *steps};
  for (auto [offset, size, step] : llvm::zip_equal(*offsets, *sizes, *steps))
    places.last.push_back(offset + (size - 1) * step);
  return places;
}

/// A slice of what was inserted is one of its source. Gradients of pools and of
/// convolutions pad an image, and take parts of it that lie inside.
struct SliceInside : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto insert = op.getSource().getDefiningOp<tensor::InsertSliceOp>();
    if (!insert || insert.getDroppedDims().any() || !insert.hasUnitStride())
      return rewriter.notifyMatchFailure(op, "expected an insertion");
    std::optional<Places> taken = findPlaces(op), put = findPlaces(insert);
    if (!taken || !put)
      return rewriter.notifyMatchFailure(op, "expected known places");
    SmallVector<OpFoldResult> offsets;
    for (size_t dim = 0; dim < put->first.size(); ++dim) {
      if (taken->first[dim] < put->first[dim] ||
          taken->last[dim] > put->last[dim])
        return rewriter.notifyMatchFailure(op, "expected places inside");
      offsets.push_back(
          rewriter.getIndexAttr(taken->first[dim] - put->first[dim]));
    }
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, op.getType(), insert.getSource(), offsets, op.getMixedSizes(),
        op.getMixedStrides());
    return success();
  }
};

/// A pad of which only slices are read ends where these do.
struct SlicedPad : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Places> put = findPlaces(op);
    TypedAttr fill = findFill(op.getDest());
    if (!put || !fill || op.getDroppedDims().any() || !op.hasUnitStride() ||
        op->use_empty())
      return rewriter.notifyMatchFailure(op, "expected a pad");
    // The inserted tensor stays whole: kernels write it in place.
    SmallVector<int64_t> low = put->first, high = put->last;
    SmallVector<tensor::ExtractSliceOp> slices;
    for (Operation *user : op->getUsers()) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      std::optional<Places> taken;
      if (slice)
        taken = findPlaces(slice);
      if (!taken)
        return rewriter.notifyMatchFailure(op, "expected slices only");
      slices.push_back(slice);
      for (size_t dim = 0; dim < low.size(); ++dim) {
        low[dim] = std::min(low[dim], taken->first[dim]);
        high[dim] = std::max(high[dim], taken->last[dim]);
      }
    }
    SmallVector<int64_t> shape;
    for (auto [first, last] : llvm::zip_equal(low, high))
      shape.push_back(last - first + 1);
    if (ArrayRef(shape) == op.getDestType().getShape())
      return rewriter.notifyMatchFailure(op, "expected places that none reads");
    Location loc = op.getLoc();
    auto moved = [&](OffsetSizeAndStrideOpInterface slice) {
      SmallVector<OpFoldResult> offsets;
      for (auto [offset, first] :
           llvm::zip_equal(*getConstantIntValues(slice.getMixedOffsets()), low))
        offsets.push_back(rewriter.getIndexAttr(offset - first));
      return offsets;
    };
    Value start = arith::ConstantOp::create(rewriter, loc, fill);
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, shape, start.getType());
    Value whole =
        linalg::FillOp::create(rewriter, loc, start, empty).getResult(0);
    whole = tensor::InsertSliceOp::create(rewriter, loc, op.getSource(), whole,
                                          moved(op), op.getMixedSizes(),
                                          op.getMixedStrides());
    for (tensor::ExtractSliceOp slice : slices) {
      rewriter.setInsertionPoint(slice);
      rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
          slice, slice.getType(), whole, moved(slice), slice.getMixedSizes(),
          slice.getMixedStrides());
    }
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

/// An element is that of the part in which its index lies. Each one of many
/// parts is copied.
struct Concatenation : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    constexpr size_t kMostParts = 8;
    Location loc = op.getLoc();
    ReifiedRankedShapedTypeDims sizes;
    if (failed(op.reifyResultShapes(rewriter, sizes)))
      return rewriter.notifyMatchFailure(op,
                                         "expected sizes that can be computed");
    SmallVector<Value> inputs(op.getInputs());
    if (inputs.size() > kMostParts) {
      replaceWithCast(rewriter, op, insertParts(rewriter, op, sizes.front()));
      return success();
    }
    SmallVector<Value> ends;
    Value end;
    for (Value input : ArrayRef(inputs).drop_back()) {
      Value extent = getValueOrCreateConstantIndexOp(
          rewriter, loc,
          tensor::getMixedSize(rewriter, loc, input, op.getDim()));
      end = end ? arith::AddIOp::create(rewriter, loc, end, extent) : extent;
      ends.push_back(end);
    }
    auto generic = createElementwise(
        rewriter, loc, op.getResultType(), sizes.front(), {},
        [&](OpBuilder &builder, ValueRange) {
          SmallVector<Value> indices;
          for (int64_t dim = 0; dim < op.getRank(); ++dim)
            indices.push_back(linalg::IndexOp::create(builder, loc, dim));
          return readPart(builder, loc, op.getDim(), inputs, ends, indices);
        });
    replaceWithCast(rewriter, op, generic.getResult(0));
    return success();
  }

  /// What computes a part can write it to where it is wanted.
  static Value insertParts(PatternRewriter &rewriter, tensor::ConcatOp op,
                           ArrayRef<OpFoldResult> sizes) {
    Location loc = op.getLoc();
    Value result = tensor::EmptyOp::create(rewriter, loc, sizes,
                                           op.getResultType().getElementType());
    OpFoldResult zero = rewriter.getIndexAttr(0),
                 one = rewriter.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets(op.getRank(), zero);
    SmallVector<OpFoldResult> strides(op.getRank(), one);
    AffineExpr a, b;
    bindSymbols(op.getContext(), a, b);
    for (Value input : op.getInputs()) {
      SmallVector<OpFoldResult> extents =
          tensor::getMixedSizes(rewriter, loc, input);
      result = tensor::InsertSliceOp::create(rewriter, loc, input, result,
                                             offsets, extents, strides);
      OpFoldResult &offset = offsets[op.getDim()];
      offset = affine::makeComposedFoldedAffineApply(
          rewriter, loc, a + b, {offset, extents[op.getDim()]});
    }
    return result;
  }

  static Value readPart(OpBuilder &builder, Location loc, uint64_t dim,
                        ArrayRef<Value> inputs, ArrayRef<Value> ends,
                        ArrayRef<Value> indices, Value begin = {}) {
    if (inputs.size() > 1) {
      Value isFirst = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, indices[dim], ends.front());
      auto branch = scf::IfOp::create(
          builder, loc, isFirst,
          [&](OpBuilder &inner, Location) {
            scf::YieldOp::create(
                inner, loc,
                readPart(inner, loc, dim, inputs.front(), {}, indices, begin));
          },
          [&](OpBuilder &inner, Location) {
            scf::YieldOp::create(inner, loc,
                                 readPart(inner, loc, dim, inputs.drop_front(),
                                          ends.drop_front(), indices,
                                          ends.front()));
          });
      return branch.getResult(0);
    }
    SmallVector<Value> place(indices);
    if (begin)
      place[dim] = arith::SubIOp::create(builder, loc, place[dim], begin);
    return tensor::ExtractOp::create(builder, loc, inputs.front(), place);
  }
};

} // namespace

void carousel::populatePaddedSlicePatterns(RewritePatternSet &patterns) {
  patterns.add<SliceInside, SlicedPad>(patterns.getContext());
}

void carousel::populateSlicePatterns(RewritePatternSet &patterns) {
  patterns.add<SliceAtData, SliceOfIndices, UpdateAtData, Concatenation>(
      patterns.getContext());
}
