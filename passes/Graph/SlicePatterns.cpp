//===- SlicePatterns.cpp - slices, concatenations and reshapes ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SlicePatterns.h.
//
//===----------------------------------------------------------------------===//

#include "SlicePatterns.h"

#include "NumberPatterns.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

static linalg::GenericOp
createElementwise(PatternRewriter &rewriter, Location loc,
                  RankedTensorType type, ArrayRef<OpFoldResult> sizes,
                  ValueRange inputs,
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

/// A slice's type may know less than its sizes.
static void replace(PatternRewriter &rewriter, Operation *op, Value value) {
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
      return failure();
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
    replace(rewriter, op, generic.getResult(0));
    return success();
  }
};

struct UpdateAtData : public OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!dependOnData(op.getMixedOffsets()) ||
        dependOnData(op.getMixedSizes()) || !op.hasUnitStride())
      return failure();
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
    replace(rewriter, op, generic.getResult(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

/// An element is that of the part in which its index lies. Of many parts, each
/// one is copied.
struct Concatenation : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    constexpr size_t kMostParts = 8;
    Location loc = op.getLoc();
    ReifiedRankedShapedTypeDims sizes;
    if (failed(op.reifyResultShapes(rewriter, sizes)))
      return failure();
    SmallVector<Value> inputs(op.getInputs());
    if (inputs.size() > kMostParts) {
      replace(rewriter, op, insertParts(rewriter, op, sizes.front()));
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
    replace(rewriter, op, generic.getResult(0));
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

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// An extent as a product of a constant and of extents of tensors, or of other
/// numbers.
struct Factors {
  int64_t constant = 1;
  /// A tensor and its dimension, or a number and -1.
  SmallVector<std::pair<void *, int64_t>> others;

  bool operator==(const Factors &other) const {
    return constant == other.constant && others == other.others;
  }
  void multiply(const Factors &other) {
    constant *= other.constant;
    llvm::append_range(others, other.others);
    llvm::sort(others);
  }
};

Factors factorizeExtent(Value tensor, int64_t dim);

Factors factorize(OpFoldResult extent) {
  Factors factors;
  if (std::optional<int64_t> known = getConstantIntValue(extent)) {
    factors.constant = *known;
    return factors;
  }
  auto value = cast<Value>(extent);
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    factors = factorize(product.getLhs());
    factors.multiply(factorize(product.getRhs()));
    return factors;
  }
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return factorizeExtent(dim.getSource(), *index);
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>();
      apply && apply.getNumOperands() == 1)
    if (auto product =
            dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0));
        product && product.getKind() == AffineExprKind::Mul &&
        isa<AffineDimExpr, AffineSymbolExpr>(product.getLHS()))
      if (auto factor = dyn_cast<AffineConstantExpr>(product.getRHS())) {
        factors = factorize(apply.getOperand(0));
        factors.constant *= factor.getValue();
        return factors;
      }
  factors.others.push_back({value.getAsOpaquePointer(), -1});
  return factors;
}

/// Of what the tensor is made of.
Factors factorizeExtent(Value tensor, int64_t dim) {
  Factors factors;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim)) {
    factors.constant = type.getDimSize(dim);
    return factors;
  }
  Operation *op = tensor.getDefiningOp();
  if (auto structured = dyn_cast_if_present<linalg::LinalgOp>(op))
    return factorizeExtent(
        structured.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(op))
    return factorize(empty.getMixedSizes()[dim]);
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(op))
    return factorize(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(op)) {
    for (int64_t of : collapse.getReassociationIndices()[dim])
      factors.multiply(factorizeExtent(collapse.getSrc(), of));
    return factors;
  }
  factors.others.push_back({tensor.getAsOpaquePointer(), dim});
  return factors;
}

/// Runs of dimensions of both shapes that have as many elements; or nothing.
bool matchShapes(ArrayRef<Factors> from, ArrayRef<Factors> to,
                 SmallVectorImpl<ReassociationIndices> &ofSource,
                 SmallVectorImpl<ReassociationIndices> &ofResult) {
  size_t i = 0, j = 0;
  while (i != from.size() && j != to.size()) {
    ReassociationIndices in = {int64_t(i)}, out = {int64_t(j)};
    Factors a = from[i++], b = to[j++];
    // The side with less factors goes on.
    while (!(a == b)) {
      bool goesOnWithSource = a.others.size() != b.others.size()
                                  ? a.others.size() < b.others.size()
                                  : a.constant < b.constant;
      if (goesOnWithSource ? i == from.size() : j == to.size())
        return false;
      if (goesOnWithSource) {
        in.push_back(i);
        a.multiply(from[i++]);
      } else {
        out.push_back(j);
        b.multiply(to[j++]);
      }
    }
    ofSource.push_back(in);
    ofResult.push_back(out);
  }
  auto isOne = [](const Factors &extent) { return extent == Factors(); };
  if (ofSource.empty() || !llvm::all_of(from.drop_front(i), isOne) ||
      !llvm::all_of(to.drop_front(j), isOne))
    return false;
  for (; i != from.size(); ++i)
    ofSource.back().push_back(i);
  for (; j != to.size(); ++j)
    ofResult.back().push_back(j);
  return true;
}

/// The extents that a reshape is given; nothing if they aren't indices.
SmallVector<OpFoldResult> getExtents(tensor::ReshapeOp op) {
  auto made = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  auto type = cast<RankedTensorType>(op.getType());
  if (!made || !made.getType().getElementType().isIndex())
    return {};
  Builder builder(op.getContext());
  SmallVector<OpFoldResult> extents;
  for (auto [dim, number] : llvm::enumerate(made.getElements()))
    extents.push_back(type.isDynamicDim(dim)
                          ? OpFoldResult(number)
                          : builder.getIndexAttr(type.getDimSize(dim)));
  return extents;
}

/// The integers of a reshape's shape are indices, so that they are simplified.
struct ShapeOfIntegers : public OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    Type element = op.getType().getElementType();
    if (element.isIndex() || !element.isInteger() ||
        !llvm::all_of(op->getUsers(), [&](Operation *user) {
          auto reshape = dyn_cast<tensor::ReshapeOp>(user);
          return reshape && reshape.getShape() == op.getResult();
        }))
      return failure();
    SmallVector<Value> indices;
    for (Value number : op.getElements())
      indices.push_back(arith::IndexCastOp::create(
          rewriter, op.getLoc(), rewriter.getIndexType(), number));
    rewriter.replaceOpWithNewOp<tensor::FromElementsOp>(op, indices);
    return success();
  }
};

struct ReshapeOfRuns : public OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !result)
      return failure();
    SmallVector<OpFoldResult> to = getExtents(op);
    SmallVector<Factors> from;
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      from.push_back(factorizeExtent(op.getSource(), dim));
    SmallVector<ReassociationIndices> ofSource, ofResult;
    if (to.empty() || !matchShapes(from, llvm::map_to_vector(to, factorize),
                                   ofSource, ofResult))
      return failure();
    Location loc = op.getLoc();
    Value value = op.getSource();
    if (ofSource.size() != from.size())
      value = tensor::CollapseShapeOp::create(rewriter, loc, value, ofSource);
    if (ofResult.size() != to.size()) {
      // Known extents of the result may be unknown ones of the source.
      value = tensor::ExpandShapeOp::create(
          rewriter, loc, result, castTo(rewriter, loc, value, ofResult, result),
          ofResult, to);
    }
    replace(rewriter, op, value);
    return success();
  }

  static Value castTo(PatternRewriter &rewriter, Location loc, Value value,
                      ArrayRef<ReassociationIndices> runs,
                      RankedTensorType result) {
    SmallVector<int64_t> shape;
    for (const ReassociationIndices &run : runs) {
      int64_t extent = 1;
      for (int64_t dim : run)
        extent = result.isDynamicDim(dim) || ShapedType::isDynamic(extent)
                     ? ShapedType::kDynamic
                     : extent * result.getDimSize(dim);
      shape.push_back(extent);
    }
    auto type = RankedTensorType::get(shape, result.getElementType());
    if (value.getType() == type)
      return value;
    return tensor::CastOp::create(rewriter, loc, type, value);
  }
};

/// Extents that aren't known to fit: elements are found by their numbers.
struct ReshapeOfElements : public OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto result = dyn_cast<RankedTensorType>(op.getType());
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!result || !source)
      return failure();
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> to = getExtents(op);
    if (to.empty())
      return failure();
    SmallVector<OpFoldResult> from =
        tensor::getMixedSizes(rewriter, loc, op.getSource());
    auto generic = createElementwise(
        rewriter, loc, result, to, {},
        [&](OpBuilder &builder, ValueRange) -> Value {
          Value number = arith::ConstantIndexOp::create(builder, loc, 0);
          for (auto [dim, extent] : llvm::enumerate(to)) {
            Value size = getValueOrCreateConstantIndexOp(builder, loc, extent);
            number = arith::MulIOp::create(builder, loc, number, size);
            number = arith::AddIOp::create(
                builder, loc, number,
                linalg::IndexOp::create(builder, loc, dim));
          }
          SmallVector<Value> indices(from.size());
          for (size_t dim = from.size(); dim-- > 1;) {
            Value size =
                getValueOrCreateConstantIndexOp(builder, loc, from[dim]);
            indices[dim] = arith::RemUIOp::create(builder, loc, number, size);
            number = arith::DivUIOp::create(builder, loc, number, size);
          }
          if (!indices.empty())
            indices.front() = number;
          return tensor::ExtractOp::create(builder, loc, op.getSource(),
                                           indices);
        });
    replace(rewriter, op, generic.getResult(0));
    return success();
  }
};

} // namespace

void carousel::populateSlicePatterns(RewritePatternSet &patterns) {
  patterns.add<SliceAtData, UpdateAtData, Concatenation, ShapeOfIntegers,
               ReshapeOfRuns>(patterns.getContext());
}

void carousel::populateOtherReshapePatterns(RewritePatternSet &patterns) {
  patterns.add<ReshapeOfElements>(patterns.getContext());
}
