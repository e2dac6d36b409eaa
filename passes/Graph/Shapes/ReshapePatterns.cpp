//===- ReshapePatterns.cpp - reshapes to extents that are numbers ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Reading/ExtentFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

Value carousel::linearize(OpBuilder &builder, Location loc,
                          ArrayRef<OpFoldResult> extents,
                          llvm::function_ref<Value(unsigned)> getIndex) {
  if (extents.empty())
    return arith::ConstantIndexOp::create(builder, loc, 0);
  Value number = getIndex(0);
  for (auto [dim, extent] : llvm::drop_begin(llvm::enumerate(extents))) {
    Value index = getIndex(dim);
    Value size = getValueOrCreateConstantIndexOp(builder, loc, extent);
    number = arith::MulIOp::create(builder, loc, number, size);
    number = arith::AddIOp::create(builder, loc, number, index);
  }
  return number;
}

SmallVector<Value> carousel::delinearize(OpBuilder &builder, Location loc,
                                         Value number,
                                         ArrayRef<OpFoldResult> extents) {
  SmallVector<Value> indices(extents.size());
  for (size_t dim = extents.size(); dim-- > 1;) {
    Value size = getValueOrCreateConstantIndexOp(builder, loc, extents[dim]);
    indices[dim] = arith::RemUIOp::create(builder, loc, number, size);
    number = arith::DivUIOp::create(builder, loc, number, size);
  }
  if (!indices.empty())
    indices.front() = number;
  return indices;
}

namespace {

/// Runs of dimensions of both shapes that have as many elements; or nothing.
bool matchShapes(ArrayRef<ExtentFactors> from, ArrayRef<ExtentFactors> to,
                 SmallVectorImpl<ReassociationIndices> &ofSource,
                 SmallVectorImpl<ReassociationIndices> &ofResult) {
  size_t i = 0, j = 0;
  while (i != from.size() && j != to.size()) {
    ReassociationIndices in = {int64_t(i)}, out = {int64_t(j)};
    ExtentFactors a = from[i++], b = to[j++];
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
  auto isOne = [](const ExtentFactors &extent) {
    return extent == ExtentFactors();
  };
  if (ofSource.empty() || !llvm::all_of(from.drop_front(i), isOne) ||
      !llvm::all_of(to.drop_front(j), isOne))
    return false;
  for (; i != from.size(); ++i)
    ofSource.back().push_back(i);
  for (; j != to.size(); ++j)
    ofResult.back().push_back(j);
  return true;
}

SmallVector<ExtentFactors> factorizeAll(ArrayRef<OpFoldResult> extents) {
  return llvm::map_to_vector(
      extents, [](OpFoldResult extent) { return factorizeExtent(extent); });
}

/// The extents that a reshape is given, if they are indices or constants.
std::optional<SmallVector<OpFoldResult>> getExtents(tensor::ReshapeOp op) {
  auto made = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  auto type = cast<RankedTensorType>(op.getType());
  bool isIndices = made && made.getType().getElementType().isIndex();
  if (!isIndices && !type.hasStaticShape())
    return std::nullopt;
  Builder builder(op.getContext());
  SmallVector<OpFoldResult> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    extents.push_back(type.isDynamicDim(dim)
                          ? OpFoldResult(made.getElements()[dim])
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
      return rewriter.notifyMatchFailure(op,
                                         "expected extents of reshapes only");
    SmallVector<Value> indices;
    for (Value number : op.getElements())
      indices.push_back(arith::IndexCastOp::create(
          rewriter, op.getLoc(), rewriter.getIndexType(), number));
    rewriter.replaceOpWithNewOp<tensor::FromElementsOp>(
        op,
        RankedTensorType::get(op.getType().getShape(), rewriter.getIndexType()),
        indices);
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
      return rewriter.notifyMatchFailure(op, "expected tensors with ranks");
    std::optional<SmallVector<OpFoldResult>> to = getExtents(op);
    SmallVector<ExtentFactors> from;
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      from.push_back(factorizeExtent(op.getSource(), dim));
    SmallVector<ReassociationIndices> ofSource, ofResult;
    if (!to || to->empty() ||
        !matchShapes(from, factorizeAll(*to), ofSource, ofResult))
      return rewriter.notifyMatchFailure(
          op, "expected runs of dimensions with the same product");
    Location loc = op.getLoc();
    Value value = op.getSource();
    if (ofSource.size() != from.size())
      value = tensor::CollapseShapeOp::create(rewriter, loc, value, ofSource);
    if (ofResult.size() != to->size()) {
      // Known extents of the result may be unknown ones of the source.
      value = tensor::ExpandShapeOp::create(
          rewriter, loc, result, castTo(rewriter, loc, value, ofResult, result),
          ofResult, *to);
    }
    replaceWithCast(rewriter, op, value);
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

/// The extents that both shapes divide into, the last ones first: of 4 x 6 and
/// 8 x 3, these are 3, 2 and 4. The shapes have as many elements, and no extent
/// of 1. Nothing if there are none.
std::optional<SmallVector<int64_t>> divideBoth(ArrayRef<int64_t> first,
                                               ArrayRef<int64_t> second) {
  SmallVector<int64_t> common;
  int64_t a = 1, b = 1; // what is left of the dimension at hand
  while (a != 1 || b != 1 || !first.empty() || !second.empty()) {
    for (auto [rest, shape] : {std::pair(&a, &first), std::pair(&b, &second)})
      if (*rest == 1 && !shape->empty()) {
        *rest = shape->back();
        *shape = shape->drop_back();
      }
    int64_t part = std::min(a, b);
    if (part <= 1 || a % part != 0 || b % part != 0)
      return std::nullopt;
    common.push_back(part);
    a /= part;
    b /= part;
  }
  return common;
}

/// For each extent of a shape, the parts that it is divided into: all of the
/// only one, one of each, or those whose product is a known extent.
SmallVector<ReassociationIndices> findRuns(ArrayRef<OpFoldResult> parts,
                                           ArrayRef<OpFoldResult> shape,
                                           int64_t next) {
  SmallVector<ReassociationIndices> runs;
  if (shape.size() == 1)
    return {llvm::to_vector<2>(llvm::seq<int64_t>(next, next + parts.size()))};
  bool isWhole = shape.size() == parts.size();
  for (OpFoldResult extent : shape) {
    runs.push_back({next++});
    int64_t product = isWhole ? 1 : *getConstantIntValue(parts.front());
    parts = parts.drop_front();
    while (!isWhole && product != getConstantIntValue(extent)) {
      product *= *getConstantIntValue(parts.front());
      parts = parts.drop_front();
      runs.back().push_back(next++);
    }
  }
  return runs;
}

/// Neighbours that are joined and divided in another way are first divided into
/// what both ways have in common, and then joined. So the division can go to
/// the op before, and the union to the one after it, where they cost nothing.
struct ExpandOfCollapse : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto collapse = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    // Sizes are made after that, since an op that is made is a change.
    if (!collapse || !isDivided(collapse, expand))
      return rewriter.notifyMatchFailure(
          expand, "expected a collapsed tensor that is divided otherwise");
    Location loc = expand.getLoc();
    SmallVector<OpFoldResult> from =
        tensor::getMixedSizes(rewriter, loc, collapse.getSrc());
    SmallVector<OpFoldResult> to = expand.getMixedOutputShape();
    SmallVector<OpFoldResult> all;
    SmallVector<ReassociationIndices> divided, joined;
    for (auto [own, others] :
         llvm::zip_equal(collapse.getReassociationIndices(),
                         expand.getReassociationIndices())) {
      auto source = ArrayRef(from).slice(own.front(), own.size());
      auto result = ArrayRef(to).slice(others.front(), others.size());
      SmallVector<OpFoldResult> parts;
      if (!divide(rewriter, source, result, parts))
        return rewriter.notifyMatchFailure(
            expand, "expected parts that divide each other");
      llvm::append_range(divided, findRuns(parts, source, all.size()));
      llvm::append_range(joined, findRuns(parts, result, all.size()));
      llvm::append_range(all, parts);
    }
    auto type = RankedTensorType::get(decomposeMixedValues(all).first,
                                      expand.getResultType().getElementType());
    Value value = tensor::ExpandShapeOp::create(
        rewriter, loc, type, collapse.getSrc(), divided, all);
    value = tensor::CollapseShapeOp::create(rewriter, loc, value, joined);
    replaceWithCast(rewriter, expand, value);
    return success();
  }

  /// Whether there are parts, and more than each shape has extents: otherwise,
  /// one of the two follows from the other.
  static bool isDivided(tensor::CollapseShapeOp collapse,
                        tensor::ExpandShapeOp expand) {
    ArrayRef<int64_t> from = collapse.getSrcType().getShape();
    ArrayRef<int64_t> to = expand.getResultType().getShape();
    size_t count = 0;
    for (auto [own, others] :
         llvm::zip_equal(collapse.getReassociationIndices(),
                         expand.getReassociationIndices())) {
      if (own.size() == 1 || others.size() == 1) {
        count += std::max(own.size(), others.size());
        continue;
      }
      ArrayRef<int64_t> source = from.slice(own.front(), own.size());
      ArrayRef<int64_t> result = to.slice(others.front(), others.size());
      if (ShapedType::isDynamicShape(source) ||
          ShapedType::isDynamicShape(result) || llvm::is_contained(source, 1) ||
          llvm::is_contained(result, 1))
        return false;
      std::optional<SmallVector<int64_t>> common = divideBoth(source, result);
      if (!common)
        return false;
      count += common->size();
    }
    return count != from.size() && count != to.size();
  }

  static bool divide(OpBuilder &builder, ArrayRef<OpFoldResult> source,
                     ArrayRef<OpFoldResult> result,
                     SmallVectorImpl<OpFoldResult> &parts) {
    if (source.size() == 1 || result.size() == 1) {
      llvm::append_range(parts, source.size() == 1 ? result : source);
      return true;
    }
    std::optional<SmallVector<int64_t>> first = getConstantIntValues(source);
    std::optional<SmallVector<int64_t>> second = getConstantIntValues(result);
    if (!first || !second || llvm::is_contained(*first, 1) ||
        llvm::is_contained(*second, 1))
      return false;
    std::optional<SmallVector<int64_t>> common = divideBoth(*first, *second);
    if (!common)
      return false;
    for (int64_t part : llvm::reverse(*common))
      parts.push_back(builder.getIndexAttr(part));
    return true;
  }
};

/// Neighbours that are joined, and divided as they were: upstream's folds have
/// known extents.
struct ExpandToSource : public OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto collapse = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || collapse.getSrcType() != expand.getResultType() ||
        collapse.getReassociationIndices() != expand.getReassociationIndices())
      return rewriter.notifyMatchFailure(expand, "expected its source's type");
    for (auto [dim, size] : llvm::enumerate(expand.getMixedOutputShape())) {
      auto value = dyn_cast<Value>(size);
      auto extent =
          value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
      if (value && (!extent || extent.getSource() != collapse.getSrc() ||
                    extent.getConstantIndex() != int64_t(dim)))
        return rewriter.notifyMatchFailure(expand, "expected its extents");
    }
    rewriter.replaceOp(expand, collapse.getSrc());
    return success();
  }
};

Value countElements(OpBuilder &builder, Location loc,
                    ArrayRef<OpFoldResult> extents) {
  Value count = arith::ConstantIndexOp::create(builder, loc, 1);
  for (OpFoldResult extent : extents)
    count = builder.createOrFold<arith::MulIOp>(
        loc, count, getValueOrCreateConstantIndexOp(builder, loc, extent));
  return count;
}

/// A launch checks what nothing says before.
void requireAsManyElements(OpBuilder &builder, Location loc,
                           ArrayRef<OpFoldResult> from,
                           ArrayRef<OpFoldResult> to) {
  Value equal = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, countElements(builder, loc, from),
      countElements(builder, loc, to));
  if (matchPattern(equal, m_One()))
    return;
  cf::AssertOp::create(builder, loc, equal,
                       "expected the result of a reshape to have as many "
                       "elements as its operand");
}

/// Extents that aren't known to fit: elements are found by their indices.
struct ReshapeOfElements : public OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto result = dyn_cast<RankedTensorType>(op.getType());
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!result || !source)
      return rewriter.notifyMatchFailure(op, "expected tensors with ranks");
    Location loc = op.getLoc();
    std::optional<SmallVector<OpFoldResult>> to = getExtents(op);
    if (!to || !isa<func::FuncOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(
          op, "expected extents that are values of a function");
    SmallVector<OpFoldResult> from =
        tensor::getMixedSizes(rewriter, loc, op.getSource());
    requireAsManyElements(rewriter, loc, from, *to);
    auto generic = createElementwise(
        rewriter, loc, result, *to, {},
        [&](OpBuilder &builder, ValueRange) -> Value {
          Value number =
              linearize(builder, loc, *to, [&](unsigned dim) -> Value {
                return linalg::IndexOp::create(builder, loc, dim);
              });
          SmallVector<Value> indices = delinearize(builder, loc, number, from);
          return tensor::ExtractOp::create(builder, loc, op.getSource(),
                                           indices);
        });
    replaceWithCast(rewriter, op, generic.getResult(0));
    return success();
  }
};

} // namespace

void carousel::populateReshapePatterns(RewritePatternSet &patterns) {
  patterns
      .add<ShapeOfIntegers, ReshapeOfRuns, ExpandOfCollapse, ExpandToSource>(
          patterns.getContext());
}

void carousel::populateOtherReshapePatterns(RewritePatternSet &patterns) {
  patterns.add<ReshapeOfElements>(patterns.getContext());
}
