//===- FoldConstantCopies.cpp - transposes of constants -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-fold-constant-copies. A model's weights may be constants.
// Transposing them is work for the compiler, not for each launch. Upstream's
// folds of linalg ops don't read resources, which large weights are.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/ConstantBytes.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

namespace carousel {
#define GEN_PASS_DEF_FOLDCONSTANTCOPIES
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// The elements of a constant, also through reshapes, which leave them in the
/// order of memory; or null.
static ElementsAttr findConstant(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (ElementsAttr elements; matchPattern(tensor, m_Constant(&elements)))
      return elements;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return {};
    tensor = op->getOperand(0);
  }
  return {};
}

/// The only input of an op that yields its elements, in another order.
static Value findMoved(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || !op.hasPureTensorSemantics() ||
      ShapedType::isDynamicShape(op.getStaticLoopRanges()))
    return {};
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  if (yield.getValues().front() != op.getBody()->getArgument(0) ||
      !op.getIndexingMapsArray()[0].isPermutation() ||
      !op.getIndexingMapsArray()[1].isPermutation())
    return {};
  return op.getInputs()[0];
}

/// The bytes of all elements, in the order of the result.
static std::string move(linalg::GenericOp op, StringRef bytes, size_t width) {
  AffineMap from = op.getIndexingMapsArray()[0];
  AffineMap to = op.getIndexingMapsArray()[1];
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> sourceStrides = computeStrides(
      cast<RankedTensorType>(op.getInputs()[0].getType()).getShape());
  // The extent of each dimension of the result, and the source's stride.
  SmallVector<int64_t> sizes, strides;
  for (AffineExpr expr : to.getResults()) {
    sizes.push_back(extents[cast<AffineDimExpr>(expr).getPosition()]);
    strides.push_back(sourceStrides[*from.getResultPosition(expr)]);
  }
  std::string moved(bytes.size(), 0);
  SmallVector<int64_t> place(sizes.size());
  int64_t source = 0;
  for (size_t target = 0; target < moved.size(); target += width) {
    std::memcpy(&moved[target], bytes.data() + source * width, width);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      source += strides[dim];
      if (++place[dim] != sizes[dim])
        break;
      source -= sizes[dim] * strides[dim];
      place[dim] = 0;
    }
  }
  return moved;
}

/// The op's result; null if its operand isn't known.
static DenseElementsAttr evaluate(linalg::GenericOp op) {
  Value moved = findMoved(op);
  ElementsAttr elements = moved ? findConstant(moved) : ElementsAttr();
  if (!elements)
    return {};
  auto type = cast<ShapedType>(op->getResult(0).getType());
  if (!type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0 || type.getNumElements() == 0)
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(elements);
      dense && dense.isSplat())
    return DenseElementsAttr::get(type, dense.getSplatValue<Attribute>());
  std::optional<std::string> bytes = getConstantBytes(elements);
  if (!bytes)
    return {};
  std::string result = move(op, *bytes, bytes->size() / type.getNumElements());
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(result.data(), result.size()));
}

/// Structured ops that only move the elements of one constant, and write none
/// of them twice, become constants.
static void foldConstantCopies(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  for (auto op : llvm::make_early_inc_range(func.getOps<linalg::GenericOp>())) {
    DenseElementsAttr elements = evaluate(op);
    if (!elements)
      continue;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, elements);
  }
}

namespace {
struct FoldConstantCopies
    : public carousel::impl::FoldConstantCopiesBase<FoldConstantCopies> {
  using FoldConstantCopiesBase::FoldConstantCopiesBase;

  void runOnOperation() override { foldConstantCopies(getOperation()); }
};

} // namespace
