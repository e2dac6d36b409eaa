//===- SplitGates.cpp - products by halves of a matrix --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-split-gates. Models write a gate by one matrix: the halves of a
// product meet in an elementwise op. Two products by halves of the matrix can
// be one kernel with that op. docs/GraphPhase.md, Gates. An op computes a slice
// of its result if each operand that the slice's loop goes along is a slice,
// too.
//
//===----------------------------------------------------------------------===//

#include "../Grouped/GroupedProducts.h"
#include "../Reading/ExtentFactors.h"
#include "../Reading/ReadConvolution.h"
#include "../Shapes/FuseGraph.h"
#include "../Shapes/Patterns.h"

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace carousel {
#define GEN_PASS_DEF_SPLITGATES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

/// Elements of one dimension.
struct Part {
  unsigned dim = 0;
  int64_t offset = 0, size = 0;
};

/// A product, what reads it before the slices, and these.
struct SlicedProduct {
  linalg::GenericOp product;
  linalg::GenericOp between; ///< null if there is none
  SmallVector<std::pair<tensor::ExtractSliceOp, Part>> slices;

  /// The result of the product.
  Value getResult() const { return product->getResult(0); }
  /// Returns the tensor that the slices are of.
  Value getSource() const {
    return (between ? between : product)->getResult(0);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static bool isElementwise(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() == 0 && !op.hasIndexSemantics() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation();
}

static bool isProduct(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && isContraction(op) &&
         op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
}

/// The part that a slice has, if it has all of the other dimensions.
static std::optional<Part> findPart(tensor::ExtractSliceOp slice) {
  if (slice.getSourceType().getRank() != slice.getType().getRank() ||
      !slice.hasUnitStride())
    return std::nullopt;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes();
  std::optional<Part> found;
  for (unsigned dim = 0; dim != offsets.size(); ++dim) {
    if (isZeroInteger(offsets[dim]) &&
        factorizeExtent(sizes[dim]) == factorizeExtent(slice.getSource(), dim))
      continue;
    std::optional<int64_t> offset = getConstantIntValue(offsets[dim]),
                           size = getConstantIntValue(sizes[dim]);
    if (found || !offset || !size)
      return std::nullopt;
    found = Part{dim, *offset, *size};
  }
  return found;
}

/// The two slices that alone read a value, and that one elementwise op reads.
static bool findSlices(Value value, SlicedProduct &found) {
  Operation *meeting = nullptr;
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    std::optional<Part> part = slice ? findPart(slice) : std::nullopt;
    if (!part)
      return false;
    for (Operation *reader : slice->getUsers()) {
      if (meeting && reader != meeting)
        return false;
      meeting = reader;
    }
    found.slices.push_back({slice, *part});
  }
  if (found.slices.size() != 2 ||
      !isElementwise(dyn_cast_or_null<linalg::GenericOp>(meeting)))
    return false;
  const Part &first = found.slices[0].second, &second = found.slices[1].second;
  return first.dim == second.dim && first.size == second.size;
}

/// The part of the product that a part of its reader needs.
static std::optional<Part> findSource(const SlicedProduct &found,
                                      const Part &part) {
  linalg::GenericOp reader = found.between;
  if (!reader)
    return part;
  AffineExpr loop = reader.getMatchingIndexingMap(reader.getDpsInitOperand(0))
                        .getResult(part.dim);
  for (OpOperand *input : reader.getDpsInputOperands())
    if (input->get() == found.getResult())
      if (std::optional<unsigned> dim =
              reader.getMatchingIndexingMap(input).getResultPosition(loop))
        return Part{*dim, part.offset, part.size};
  return std::nullopt;
}

/// Whether one kernel can have the sums of two products by these factors, and
/// copies of tiles begin where they can.
static bool haveGoodFactors(const SlicedProduct &found) {
  constexpr unsigned kMostBits = 16, kAlignment = 128; // bits
  linalg::GenericOp op = found.product;
  std::optional<Part> source = findSource(found, found.slices[0].second);
  if (!source)
    return false;
  AffineExpr loop =
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResult(source->dim);
  unsigned along = 0;
  for (OpOperand *factor : op.getDpsInputOperands()) {
    Type element = getElementTypeOrSelf(factor->get());
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > kMostBits)
      return false;
    AffineMap map = op.getMatchingIndexingMap(factor);
    std::optional<unsigned> position = map.getResultPosition(loop);
    if (!position)
      continue;
    ++along;
    // Rows that choose their matrices need whole ones (GroupedProducts.h).
    if (findMatrixRead(factor->get().getDefiningOp<linalg::GenericOp>()))
      return false;
    for (const auto &[slice, part] : found.slices)
      if (*position + 1 == map.getNumResults() &&
          part.offset * element.getIntOrFloatBitWidth() % kAlignment != 0)
        return false;
  }
  return along == 1;
}

static std::optional<SlicedProduct> findSliced(linalg::GenericOp op) {
  SlicedProduct found;
  found.product = op;
  if (!isProduct(op))
    return std::nullopt;
  if (op->hasOneUse()) {
    auto reader = dyn_cast<linalg::GenericOp>(*op->user_begin());
    if (isElementwise(reader) &&
        reader.getDpsInitOperand(0)->get() != op.getResult(0))
      found.between = reader;
  }
  if (!findSlices(found.getSource(), found) || !haveGoodFactors(found))
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// The cut
//===----------------------------------------------------------------------===//

static Value takePart(OpBuilder &builder, Location loc, Value tensor,
                      const Part &part) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  offsets[part.dim] = builder.getIndexAttr(part.offset);
  sizes[part.dim] = builder.getIndexAttr(part.size);
  return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes,
                                        strides);
}

/// Makes an op's init of the part's size.
static Value makeInit(OpBuilder &builder, Value init, const Part &part) {
  Location loc = init.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, init);
  sizes[part.dim] = builder.getIndexAttr(part.size);
  return resizeInit(builder, loc, init, sizes);
}

/// The part of an op's result; `known` stands for an operand of that part.
static Value computePart(OpBuilder &builder, linalg::GenericOp op,
                         const Part &part, Value whole, Value known) {
  OpOperand *own = op.getDpsInitOperand(0);
  AffineExpr loop = op.getMatchingIndexingMap(own).getResult(part.dim);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<unsigned> dim =
        op.getMatchingIndexingMap(&operand).getResultPosition(loop);
    Part ofOperand = part;
    ofOperand.dim = dim.value_or(0);
    operands.push_back(
        !dim              ? operand.get()
        : &operand == own ? makeInit(builder, operand.get(), part)
        : operand.get() == whole
            ? known
            : takePart(builder, op.getLoc(), operand.get(), ofOperand));
  }
  Operation *clone =
      mlir::clone(builder, op, operands.back().getType(), operands);
  return clone->getResult(0);
}

static void cut(const SlicedProduct &found) {
  for (auto [slice, part] : found.slices) {
    OpBuilder builder(slice);
    Value value =
        computePart(builder, found.product, *findSource(found, part), {}, {});
    if (found.between)
      value =
          computePart(builder, found.between, part, found.getResult(), value);
    slice.replaceAllUsesWith(value);
  }
  for (Operation *slice : llvm::make_first_range(found.slices))
    slice->erase();
  for (Operation *op : {found.between, found.product})
    if (op)
      op->erase();
}

/// Makes two products of each one that only two slices read, possibly behind an
/// elementwise op, if one elementwise op reads both slices. Returns how many it
/// has cut.
static unsigned cutProducts(func::FuncOp func) {
  SmallVector<SlicedProduct> products;
  func.walk([&](linalg::GenericOp op) {
    if (std::optional<SlicedProduct> found = findSliced(op))
      products.push_back(std::move(*found));
  });
  for (const SlicedProduct &found : products)
    cut(found);
  return products.size();
}

namespace {
struct SplitGates : public carousel::impl::SplitGatesBase<SplitGates> {
  using SplitGatesBase::SplitGatesBase;

  void runOnOperation() override {
    unsigned changed = cutProducts(getOperation());
    cut += changed;
    if (changed != 0 && failed(fuseGraph(getOperation())))
      signalPassFailure();
  }
};

} // namespace
