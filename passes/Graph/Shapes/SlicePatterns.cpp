//===- SlicePatterns.cpp - slices, insertions and concatenations ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves of elements that aren't views that the host can compute. Front ends
// concatenate, interleave and pad by tensor.insert_slice. As steps of a
// program, each part would pass through memory.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Reading/ExtentFactors.h"
#include "../Reading/FusedOps.h"
#include "../Reading/ReadConvolution.h"
#include "../Reading/ReadGraph.h"
#include "../Reading/RowReads.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

#include <limits>

using namespace mlir;
using namespace carousel;

static bool dependOnData(ArrayRef<OpFoldResult> numbers) {
  return llvm::any_of(numbers, [](OpFoldResult number) {
    auto value = dyn_cast<Value>(number);
    return value && dependsOnData(value);
  });
}

SmallVector<Value>
carousel::getSourceIndices(OpBuilder &builder, tensor::ExtractSliceOp slice,
                           llvm::function_ref<Value(unsigned)> getIndex) {
  Location loc = slice.getLoc();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> strides = slice.getMixedStrides();
  SmallVector<Value> indices;
  unsigned next = 0;
  for (auto [dim, offset] : llvm::enumerate(slice.getMixedOffsets())) {
    Value index = getValueOrCreateConstantIndexOp(builder, loc, offset);
    if (!dropped[dim]) {
      Value step = getIndex(next++);
      if (!isOneInteger(strides[dim]))
        step = arith::MulIOp::create(
            builder, loc, step,
            getValueOrCreateConstantIndexOp(builder, loc, strides[dim]));
      index = isZeroInteger(offset)
                  ? step
                  : arith::AddIOp::create(builder, loc, index, step);
    }
    indices.push_back(index);
  }
  return indices;
}

linalg::GenericOp carousel::createElementwise(
    OpBuilder &builder, Location loc, RankedTensorType type,
    ArrayRef<OpFoldResult> sizes, ValueRange inputs,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> write) {
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps(inputs.size() + 1, map);
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, empty.getType(), inputs, empty, maps, kinds,
      [&](OpBuilder &body, Location, ValueRange elements) {
        linalg::YieldOp::create(body, loc, write(body, elements));
      });
}

Value carousel::resizeInit(OpBuilder &builder, Location loc, Value init,
                           ArrayRef<OpFoldResult> sizes) {
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, getElementTypeOrSelf(init));
  auto fill = init.getDefiningOp<linalg::FillOp>();
  return fill ? linalg::FillOp::create(builder, loc, fill.getInputs(), empty)
                    .getResult(0)
              : empty;
}

Value carousel::cloneBody(OpBuilder &builder, linalg::GenericOp op,
                          ValueRange loops, IRMapping mapping) {
  for (Operation &inner : op.getBody()->without_terminator())
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), loops[index.getDim()]);
    else
      builder.clone(inner, mapping);
  return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
}

void carousel::replaceWithCast(PatternRewriter &rewriter, Operation *op,
                               Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = tensor::CastOp::create(rewriter, op->getLoc(), type, value);
  rewriter.replaceOp(op, value);
}

/// Whether slices are all that reads an op's integers, which it computes of
/// elements at indices of its loops: a concatenation that is taken apart.
static bool isTakenApart(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 0 && op.getNumResults() == 1 &&
         isPointwise(op) &&
         isa<IntegerType>(getElementTypeOrSelf(op.getType(0))) &&
         op.getIndexingMapsArray().front().isIdentity() && !readsInit(op, 0) &&
         llvm::all_of(op->getUsers(), llvm::IsaPred<tensor::ExtractSliceOp>);
}

namespace {

/// Whether a slice is the first elements of pages in each dimension, so that
/// its indices are those of loops, as kernels that read pages want them.
static bool beginsPages(tensor::ExtractSliceOp slice,
                        linalg::GenericOp source) {
  return matchPagedRows(source) && slice.hasUnitStride() &&
         slice.hasZeroOffset();
}

/// A slice whose offsets depend on data reads each element. A part of what is
/// computed of indices, taken apart, or read by pages, is computed alone.
struct SliceOfElements : public OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto source = op.getSource().getDefiningOp<linalg::GenericOp>();
    bool isAtData = dependOnData(op.getMixedOffsets());
    if (isAtData
            ? dependOnData(op.getMixedSizes())
            : !source || !source.getIndexingMapsArray().front().isIdentity() ||
                  (!isOfIndices(source) && !isTakenApart(source) &&
                   !beginsPages(op, source)))
      return rewriter.notifyMatchFailure(
          op, "expected offsets that depend on data, and sizes that do not, or "
              "a part of what is computed of indices, taken apart, or read by "
              "pages");
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped[dim])
        sizes.push_back(size);
    auto part = createElementwise(
        rewriter, op.getLoc(), op.getType(), sizes, {},
        [&](OpBuilder &builder, ValueRange) -> Value {
          SmallVector<Value> indices =
              getSourceIndices(builder, op, [&](unsigned loop) -> Value {
                return linalg::IndexOp::create(builder, op.getLoc(), loop);
              });
          if (!isAtData)
            return cloneBody(builder, source, indices);
          return tensor::ExtractOp::create(builder, op.getLoc(), op.getSource(),
                                           indices);
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

/// The places of a slice in its tensor.
struct Places {
  SmallVector<int64_t> first, last, steps;
};

/// The last place where a slice has all of a dimension of unknown extent.
static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

/// The extents of a tensor: numbers, and the values of those that a
/// tensor.empty has.
static SmallVector<OpFoldResult> findExtents(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    tensor = fill.getOutputs().front();
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  return getAsIndexOpFoldResult(
      tensor.getContext(), cast<RankedTensorType>(tensor.getType()).getShape());
}

static bool isExtent(OpFoldResult size, OpFoldResult extent) {
  auto value = dyn_cast<Value>(size), other = dyn_cast<Value>(extent);
  if (!value || !other || value == other)
    return size == extent;
  auto dim = value.getDefiningOp<tensor::DimOp>(),
       known = other.getDefiningOp<tensor::DimOp>();
  return dim && known && dim.getSource() == known.getSource() &&
         dim.getConstantIndex() &&
         dim.getConstantIndex() == known.getConstantIndex();
}

/// The places of a slice in a tensor of these extents, if all are known.
static std::optional<Places> findPlaces(OffsetSizeAndStrideOpInterface op,
                                        ArrayRef<OpFoldResult> extents) {
  auto offsets = getConstantIntValues(op.getMixedOffsets()),
       steps = getConstantIntValues(op.getMixedStrides());
  if (!offsets || !steps)
    return std::nullopt;
  Places places = {*offsets, {}, *steps};
  for (auto [first, size, step, extent] :
       llvm::zip_equal(*offsets, op.getMixedSizes(), *steps, extents)) {
    std::optional<int64_t> count = getConstantIntValue(size);
    bool isAll = !count && isExtent(size, extent) && first == 0 && step == 1;
    if (!isAll && count.value_or(0) == 0)
      return std::nullopt;
    places.last.push_back(isAll ? kEnd : first + (*count - 1) * step);
  }
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
    SmallVector<OpFoldResult> extents = findExtents(insert.getDest());
    std::optional<Places> taken = findPlaces(op, extents),
                          put = findPlaces(insert, extents);
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
    SmallVector<OpFoldResult> extents = findExtents(op.getDest());
    std::optional<Places> put = findPlaces(op, extents);
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
        taken = findPlaces(slice, extents);
      if (!taken)
        return rewriter.notifyMatchFailure(op, "expected slices only");
      slices.push_back(slice);
      for (size_t dim = 0; dim < low.size(); ++dim) {
        low[dim] = std::min(low[dim], taken->first[dim]);
        high[dim] = std::max(high[dim], taken->last[dim]);
      }
    }
    SmallVector<OpFoldResult> shape;
    for (auto [first, last, extent] : llvm::zip_equal(low, high, extents))
      shape.push_back(
          last == kEnd ? extent
                       : OpFoldResult(rewriter.getIndexAttr(last - first + 1)));
    if (isEqualConstantIntOrValueArray(shape, extents))
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
      Places taken = *findPlaces(slice, extents);
      if (slice.getType() == whole.getType() && taken.first == low &&
          taken.last == high) {
        rewriter.replaceOp(slice, whole);
        continue;
      }
      rewriter.setInsertionPoint(slice);
      rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
          slice, slice.getType(), whole, moved(slice), slice.getMixedSizes(),
          slice.getMixedStrides());
    }
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Where parts are written
//===----------------------------------------------------------------------===//

static bool isElementwiseOp(Operation *op) {
  auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() == 0;
}

/// Whether the op computes on the elements that it reads: no product, whose
/// factors are better in memory, and no copy, which may be for a convolution.
static bool computesOnElements(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && !isContraction(generic) &&
         !linalg::isaConvolutionOpInterface(generic) && !hasWindows(generic) &&
         !llvm::hasSingleElement(*generic.getBody());
}

/// Whether a part is the result of a kernel that could write it in place: of a
/// reduction or a product, or of ops on the elements of one. Nothing else reads
/// it.
static bool isOfKernel(Value part) {
  SmallVector<Value> open = {part};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !op->hasOneUse())
      continue;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
      open.push_back(op->getOperand(0));
    else if (isElementwiseOp(op))
      llvm::append_range(open, cast<linalg::GenericOp>(op).getInputs());
    else if (isa<linalg::GenericOp>(op))
      return true;
  }
  return false;
}

/// Concatenates parts before dimensions of them are joined, all in the same
/// way: kernels write parts of a tensor that aren't reshaped. Null where the
/// parts' extents behind the first of the joined dimensions differ.
static Value concatBeforeCollapse(tensor::ConcatOp op,
                                  PatternRewriter &rewriter) {
  SmallVector<Value> parts;
  auto first = op.getInputs().front().getDefiningOp<tensor::CollapseShapeOp>();
  if (!first)
    return {};
  SmallVector<ReassociationIndices> groups = first.getReassociationIndices();
  int64_t axis = groups[op.getDim()].front();
  for (Value input : op.getInputs()) {
    auto collapse = input.getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || collapse.getReassociationIndices() != ArrayRef(groups))
      return {};
    auto isSame = [&](int64_t dim) {
      return dim == axis || (collapse.getSrcType().getDimSize(dim) ==
                                 first.getSrcType().getDimSize(dim) &&
                             !first.getSrcType().isDynamicDim(dim));
    };
    if (!llvm::all_of(llvm::seq<int64_t>(0, first.getSrcType().getRank()),
                      isSame))
      return {};
    parts.push_back(collapse.getSrc());
  }
  auto whole = tensor::ConcatOp::create(rewriter, op.getLoc(), axis, parts);
  return tensor::CollapseShapeOp::create(rewriter, op.getLoc(), whole, groups);
}

namespace {

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

/// An element is that of the part in which its index lies. Each one of many
/// parts is inserted, and of those that kernels write in place, unless ops read
/// elements.
struct ConcatenationToElements : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    constexpr size_t kMostParts = 8;
    Location loc = op.getLoc();
    SmallVector<Value> inputs(op.getInputs());
    bool areInPlace = llvm::all_of(inputs, isOfKernel) &&
                      !llvm::all_of(op->getUsers(), computesOnElements);
    if (areInPlace)
      if (Value whole = concatBeforeCollapse(op, rewriter)) {
        replaceWithCast(rewriter, op, whole);
        // Parts have one use, and are erased once.
        for (Value input : inputs)
          if (input.use_empty() && input.getDefiningOp())
            rewriter.eraseOp(input.getDefiningOp());
        return success();
      }
    if (inputs.size() > kMostParts || areInPlace) {
      FailureOr<SmallVector<Value>> whole = op.decomposeOperation(rewriter);
      if (failed(whole))
        return rewriter.notifyMatchFailure(op, "expected sizes of its parts");
      rewriter.replaceOp(op, *whole);
      return success();
    }
    ReifiedRankedShapedTypeDims sizes;
    if (failed(op.reifyResultShapes(rewriter, sizes)))
      return rewriter.notifyMatchFailure(op,
                                         "expected sizes that can be computed");
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
  patterns.add<SliceOfElements, UpdateAtData, ConcatenationToElements>(
      patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Insertions
//===----------------------------------------------------------------------===//

namespace {

/// Where a part is along the dimension that the parts divide.
struct Part {
  tensor::InsertSliceOp insert;
  int64_t offset, size, stride;

  int64_t getLast() const { return offset + (size - 1) * stride; }
};

/// Parts of a tensor, the one that is inserted last first.
struct Parts {
  SmallVector<Part> parts;
  Value base; ///< a tensor.empty, or what is filled with a constant
  TypedAttr fill;
  int64_t axis;
  int64_t extent; ///< of the axis
  bool coversAll;
};

} // namespace

/// The dimension of which a slice is a part, or nullopt if there are several.
/// A slice that is all of the tensor is one of the last dimension.
static std::optional<int64_t> findAxis(tensor::InsertSliceOp insert) {
  std::optional<int64_t> axis;
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(insert.getMixedOffsets(), insert.getMixedSizes(),
                       insert.getMixedStrides())) {
    if (isZeroInteger(offset) && isOneInteger(stride) &&
        factorizeExtent(size) == factorizeExtent(insert.getDest(), dim))
      continue;
    if (axis)
      return std::nullopt;
    axis = dim;
  }
  return axis.value_or(insert.getDestType().getRank() - 1);
}

/// Splats and fills are constants; of a tensor.empty, any elements do.
static TypedAttr findBase(Value base) {
  auto element = cast<RankedTensorType>(base.getType()).getElementType();
  if (base.getDefiningOp<tensor::EmptyOp>())
    return element.isIntOrIndexOrFloat()
               ? Builder(element.getContext()).getZeroAttr(element)
               : TypedAttr();
  if (TypedAttr fill = findFill(base))
    return fill;
  SplatElementsAttr splat;
  return matchPattern(base, m_Constant(&splat))
             ? splat.getSplatValue<TypedAttr>()
             : TypedAttr();
}

static std::optional<Parts> findParts(tensor::InsertSliceOp last) {
  constexpr size_t kMostParts = 8;
  constexpr int64_t kLongest = 1 << 16;
  Parts found;
  if (last.getDestType().getRank() == 0)
    return std::nullopt;
  found.base = last;
  while (auto insert = found.base.getDefiningOp<tensor::InsertSliceOp>()) {
    std::optional<int64_t> axis = findAxis(insert);
    if (!axis || (insert != last && *axis != found.axis) ||
        found.parts.size() == kMostParts)
      return std::nullopt;
    found.axis = *axis;
    std::optional<int64_t> offset =
        getConstantIntValue(insert.getMixedOffsets()[*axis]);
    std::optional<int64_t> size =
        getConstantIntValue(insert.getMixedSizes()[*axis]);
    std::optional<int64_t> stride =
        getConstantIntValue(insert.getMixedStrides()[*axis]);
    if (!offset || !size || !stride || *size <= 0 || *stride <= 0)
      return std::nullopt;
    found.parts.push_back({insert, *offset, *size, *stride});
    found.base = insert.getDest();
  }
  found.fill = findBase(found.base);
  found.extent = last.getDestType().getDimSize(found.axis);
  if (!found.fill || ShapedType::isDynamic(found.extent) ||
      found.extent > kLongest)
    return std::nullopt;
  llvm::BitVector covered(found.extent);
  for (const Part &part : found.parts)
    // C294 is for slices outside of their tensors.
    if (part.offset < 0 || part.getLast() >= found.extent)
      return std::nullopt;
  for (const Part &part : found.parts)
    for (int64_t at = part.offset; at <= part.getLast(); at += part.stride)
      covered.set(at);
  found.coversAll = covered.all();
  return found;
}

//===----------------------------------------------------------------------===//
// Slices that are worth it
//===----------------------------------------------------------------------===//

static bool isWorthIt(tensor::InsertSliceOp last, const Parts &parts) {
  if (llvm::all_of(last->getUsers(), computesOnElements))
    return true;
  auto isResult = [](Operation *user) {
    return isa<func::ReturnOp, tensor::CastOp, tensor::ExpandShapeOp,
               tensor::CollapseShapeOp>(user) ||
           computesOnElements(user);
  };
  return parts.coversAll && llvm::all_of(last->getUsers(), isResult) &&
         llvm::none_of(parts.parts, [](Part part) {
           return isOfKernel(part.insert.getSource());
         });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

/// Reads an element in the body of the op that stands for the parts.
class PartReader {
public:
  PartReader(const Parts &all, Location loc) : all(all), loc(loc) {}

  Value read(OpBuilder &builder) {
    tensor::InsertSliceOp last = all.parts.front().insert;
    for (int64_t dim = 0; dim != last.getDestType().getRank(); ++dim)
      indices.push_back(linalg::IndexOp::create(builder, loc, dim));
    return read(builder, all.parts);
  }

private:
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Value read(OpBuilder &builder, ArrayRef<Part> parts) {
    if (parts.empty())
      return arith::ConstantOp::create(builder, loc, all.fill);
    // All elements that aren't in the other parts are in the first one.
    if (parts.size() == 1 && all.coversAll)
      return extract(builder, parts.front());
    auto branch = scf::IfOp::create(
        builder, loc, isInside(builder, parts.front()),
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, extract(inner, parts.front()));
        },
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, read(inner, parts.drop_front()));
        });
    return branch.getResult(0);
  }

  Value isInside(OpBuilder &builder, const Part &part) {
    Value index = indices[all.axis], inside;
    auto require = [&](arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
      Value holds = arith::CmpIOp::create(builder, loc, predicate, lhs,
                                          constant(builder, rhs));
      inside =
          inside ? arith::AndIOp::create(builder, loc, inside, holds) : holds;
    };
    if (part.offset >= part.stride)
      require(arith::CmpIPredicate::uge, index, part.offset);
    if (part.getLast() + part.stride < all.extent)
      require(arith::CmpIPredicate::ule, index, part.getLast());
    if (part.stride != 1)
      require(arith::CmpIPredicate::eq,
              arith::RemUIOp::create(builder, loc, index,
                                     constant(builder, part.stride)),
              part.offset % part.stride);
    return inside ? inside : arith::ConstantIntOp::create(builder, loc, 1, 1);
  }

  Value extract(OpBuilder &builder, const Part &part) {
    tensor::InsertSliceOp insert = part.insert;
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    SmallVector<Value> place;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      if (dropped.test(dim))
        continue;
      Value own = index;
      if (int64_t(dim) == all.axis && part.offset != 0)
        own = arith::SubIOp::create(builder, loc, own,
                                    constant(builder, part.offset));
      if (int64_t(dim) == all.axis && part.stride != 1)
        own = arith::DivUIOp::create(builder, loc, own,
                                     constant(builder, part.stride));
      place.push_back(own);
    }
    return tensor::ExtractOp::create(builder, loc, insert.getSource(), place);
  }

  const Parts &all;
  Location loc;
  SmallVector<Value> indices;
};

struct InsertedParts : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op->use_empty())
      return rewriter.notifyMatchFailure(op, "expected a use");
    std::optional<Parts> parts = findParts(op);
    if (!parts || !isWorthIt(op, *parts))
      return rewriter.notifyMatchFailure(op,
                                         "expected parts that are worth an op");
    Location loc = op.getLoc();
    auto generic =
        createElementwise(rewriter, loc, op.getType(),
                          tensor::getMixedSizes(rewriter, loc, parts->base), {},
                          [&](OpBuilder &builder, ValueRange) {
                            return PartReader(*parts, loc).read(builder);
                          });
    replaceWithCast(rewriter, op, generic.getResult(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// Parts of one element along the axis that are computed of the same elements,
/// as the low and the high bits of packed weights are: all are computed where
/// these are read, and one is chosen.
struct StackedParts : public OpRewritePattern<tensor::InsertSliceOp> {
  explicit StackedParts(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  /// A part without the axis, if it is computed of one tensor.
  static linalg::GenericOp findSource(const Parts &all, Part part) {
    Value source = part.insert.getSource();
    if (auto expand = source.getDefiningOp<tensor::ExpandShapeOp>())
      source = expand.getSrc();
    auto type = cast<RankedTensorType>(source.getType());
    RankedTensorType whole = part.insert.getDestType();
    SmallVector<int64_t> shape(whole.getShape());
    shape.erase(shape.begin() + all.axis);
    auto op = source.getDefiningOp<linalg::GenericOp>();
    bool isCopied = op && op.getNumDpsInputs() == 1 && isElementwiseOp(op) &&
                    op.getNumDpsInits() == 1;
    return isCopied && type.getShape() == ArrayRef(shape) ? op
                                                          : linalg::GenericOp();
  }

  static bool areStacked(const Parts &all) {
    linalg::GenericOp first;
    for (const Part &part : all.parts) {
      linalg::GenericOp op = findSource(all, part);
      if (part.size != 1 || !op)
        return false;
      if (!first)
        first = op;
      if (op.getInputs() != first.getInputs() ||
          op.getIndexingMapsArray() != first.getIndexingMapsArray())
        return false;
    }
    return all.coversAll && all.extent == int64_t(all.parts.size());
  }

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op->use_empty())
      return rewriter.notifyMatchFailure(op, "expected a use");
    std::optional<Parts> all = findParts(op);
    if (!all || !areStacked(*all))
      return rewriter.notifyMatchFailure(op, "expected parts that are stacked");
    Location loc = op.getLoc();
    // In the order of their places.
    llvm::sort(all->parts, [](const Part &a, const Part &b) {
      return a.offset < b.offset;
    });
    AffineMap whole = rewriter.getMultiDimIdentityMap(op.getType().getRank());
    SmallVector<AffineMap> maps(all->parts.size(), whole.dropResult(all->axis));
    maps.push_back(whole);
    SmallVector<Value> inputs;
    for (const Part &part : all->parts)
      inputs.push_back(findSource(*all, part).getResult(0));
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, all->base),
        op.getType().getElementType());
    SmallVector<utils::IteratorType> kinds(op.getType().getRank(),
                                           utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), inputs, empty, maps, kinds,
        [&](OpBuilder &builder, Location, ValueRange elements) {
          Value index = linalg::IndexOp::create(builder, loc, all->axis);
          Value chosen = elements.front();
          for (size_t at = 1; at != inputs.size(); ++at) {
            Value number = arith::ConstantIndexOp::create(builder, loc, at);
            Value isAt = arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::eq, index, number);
            chosen = arith::SelectOp::create(builder, loc, isAt, elements[at],
                                             chosen);
          }
          linalg::YieldOp::create(builder, loc, chosen);
        });
    replaceWithCast(rewriter, op, generic.getResult(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Concatenations by elements
//===----------------------------------------------------------------------===//

/// Front ends lower concatenations to an op that looks for each element in
/// which part it is. Parts are inserted instead, which is also how they are
/// named elsewhere.
struct ConcatenatedElements : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  using Read = Concatenation::Part;

  /// The loop of which an index is, less a constant.
  static std::optional<std::pair<int64_t, int64_t>> readIndex(Value index) {
    IntegerAttr offset;
    if (auto difference = index.getDefiningOp<arith::SubIOp>();
        difference && matchPattern(difference.getRhs(), m_Constant(&offset)))
      index = difference.getLhs();
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    if (!loop)
      return std::nullopt;
    return std::pair<int64_t, int64_t>(loop.getDim(),
                                       offset ? offset.getInt() : 0);
  }

  /// Adds the part between two places along the axis.
  static bool readPart(linalg::GenericOp op, Value element, int64_t axis,
                       int64_t start, int64_t end,
                       SmallVectorImpl<Read> &parts) {
    auto read = element.getDefiningOp<tensor::ExtractOp>();
    if (!read || read.getIndices().size() != op.getNumLoops())
      return false;
    Value part = read.getTensor(), whole = op.getOutputs()[0];
    auto ofPart = cast<RankedTensorType>(part.getType()),
         ofWhole = cast<RankedTensorType>(whole.getType());
    for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
      auto place = readIndex(index);
      bool isAxis = int64_t(dim) == axis;
      // The only index of a dimension.
      if (!isAxis && matchPattern(index, m_Zero()) &&
          ofPart.getDimSize(dim) == 1 && ofWhole.getDimSize(dim) == 1)
        continue;
      if (!place || place->first != int64_t(dim) ||
          place->second != (isAxis ? start : 0))
        return false;
      if (isAxis ? ofPart.getDimSize(dim) != end - start
                 : !(factorizeExtent(part, dim) == factorizeExtent(whole, dim)))
        return false;
    }
    parts.push_back({part, start});
    return true;
  }

  /// Whether a part's runs of memory fill an access. The indices of a place are
  /// joined from single elements, and aren't better in memory.
  static bool isLong(Read read, int64_t axis) {
    constexpr int64_t kLeastBits = 128;
    auto type = cast<RankedTensorType>(read.value.getType());
    Type element = type.getElementType();
    int64_t bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    for (int64_t extent : type.getShape().drop_front(axis))
      bits *= ShapedType::isDynamic(extent) ? kLeastBits : extent;
    return bits >= kLeastBits;
  }

  static bool readParts(linalg::GenericOp op, int64_t &axis,
                        SmallVectorImpl<Read> &parts) {
    Value element = op.getBody()->getTerminator()->getOperand(0);
    int64_t start = 0;
    while (auto branch = element.getDefiningOp<scf::IfOp>()) {
      auto below = branch.getCondition().getDefiningOp<arith::CmpIOp>();
      auto loop = below ? below.getLhs().getDefiningOp<linalg::IndexOp>()
                        : linalg::IndexOp();
      IntegerAttr end;
      if (!loop || branch.getNumResults() != 1 ||
          below.getPredicate() != arith::CmpIPredicate::ult ||
          !matchPattern(below.getRhs(), m_Constant(&end)) ||
          (!parts.empty() && axis != int64_t(loop.getDim())))
        return false;
      axis = loop.getDim();
      if (!readPart(op, branch.thenYield().getOperand(0), axis, start,
                    end.getInt(), parts))
        return false;
      start = end.getInt();
      element = branch.elseYield().getOperand(0);
    }
    return !parts.empty() &&
           readPart(op, element, axis, start,
                    cast<RankedTensorType>(op.getType(0)).getDimSize(axis),
                    parts);
  }

  static bool readAll(linalg::GenericOp op, Concatenation &found) {
    return op.hasPureTensorSemantics() && op.getNumDpsInputs() == 0 &&
           op.getNumDpsInits() == 1 && isElementwiseOp(op) &&
           op.getIndexingMapsArray()[0].isIdentity() &&
           readParts(op, found.axis, found.parts);
  }

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    Concatenation found;
    if (!readAll(op, found) || !llvm::all_of(found.parts, [&](Read read) {
          return isLong(read, found.axis);
        }))
      return rewriter.notifyMatchFailure(op, "expected long parts");
    Location loc = op.getLoc();
    Value whole = op.getOutputs()[0];
    unsigned rank = op.getNumLoops();
    SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)),
        steps(rank, rewriter.getIndexAttr(1));
    for (auto [part, start] : found.parts) {
      offsets[found.axis] = rewriter.getIndexAttr(start);
      whole = tensor::InsertSliceOp::create(
          rewriter, loc, part, whole, offsets,
          tensor::getMixedSizes(rewriter, loc, part), steps);
    }
    rewriter.replaceOp(op, whole);
    return success();
  }
};

} // namespace

std::optional<Concatenation> carousel::readConcatenation(Operation *op) {
  Concatenation found;
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    found.axis = concat.getDim();
    int64_t start = 0;
    for (Value input : concat.getInputs()) {
      int64_t extent =
          cast<RankedTensorType>(input.getType()).getDimSize(found.axis);
      if (ShapedType::isDynamic(extent))
        return std::nullopt;
      found.parts.push_back({input, start});
      start += extent;
    }
    return found;
  } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (ConcatenatedElements::readAll(generic, found))
      return found;
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    std::optional<Parts> all = findParts(insert);
    if (!all || !all->coversAll)
      return std::nullopt;
    found.axis = all->axis;
    int64_t sum = 0;
    for (Part &part : all->parts) {
      if (part.stride != 1 || part.insert.getSourceType().getRank() !=
                                  insert.getDestType().getRank())
        return std::nullopt;
      found.parts.push_back({part.insert.getSource(), part.offset});
      sum += part.size;
    }
    if (sum == all->extent)
      return found;
  }
  return std::nullopt;
}

void carousel::populateConcatenationPatterns(RewritePatternSet &patterns) {
  patterns.add<ConcatenatedElements>(patterns.getContext());
}

void carousel::populateInsertPatterns(RewritePatternSet &patterns) {
  patterns.add<InsertedParts, StackedParts>(patterns.getContext());
}
