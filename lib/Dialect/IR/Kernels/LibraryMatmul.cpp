//===- LibraryMatmul.cpp - products that a library computes ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel.library_matmul: its effects, and C220, C227, C228 and C297 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"

#include "carousel/Dialect/IR/CarouselOps.h"

using namespace mlir;
using namespace carousel;

void LibraryMatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!isa<MemRefType>(getOutput().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getLhsMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getRhsMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getOutputMutable());
  for (OpOperand &added :
       llvm::concat<OpOperand>(getBiasMutable(), getResidualMutable()))
    effects.emplace_back(MemoryEffects::Read::get(), &added);
  for (OpOperand &scratch : getScratchMutable()) {
    effects.emplace_back(MemoryEffects::Read::get(), &scratch);
    effects.emplace_back(MemoryEffects::Write::get(), &scratch);
  }
}

// C227
static LogicalResult verifyElements(LibraryMatmulOp op) {
  if (Value scratch = op.getScratch()) {
    auto type = cast<MemRefType>(scratch.getType());
    if (type.getRank() != 1 || !type.getElementType().isInteger(8))
      return op.emitOpError("expected scratch of one dimension of i8, got ")
             << type;
  }
  Type lhs = getElementTypeOrSelf(op.getLhs());
  Type rhs = getElementTypeOrSelf(op.getRhs());
  Type output = getElementTypeOrSelf(op.getOutput());
  if (lhs != rhs || !(lhs.isF32() || lhs.isF16() || lhs.isBF16()))
    return op.emitOpError("expected factors of f32, f16 or bf16, both of the "
                          "same, got ")
           << lhs << " and " << rhs;
  if (!output.isF32() && output != lhs)
    return op.emitOpError("expected a result of f32 or of the factors' ")
           << lhs << ", got " << output;
  if (op.getTf32() && !lhs.isF32())
    return op.emitOpError("expected tf32 for factors of f32, got ") << lhs;
  return success();
}

/// Whether the loops before the last three are batches, and these m, n and k.
static bool hasUsualLoops(LibraryMatmulOp op) {
  auto isIn = [&](unsigned operand, unsigned loop) {
    return op.getIndexingMap(operand).isFunctionOfDim(loop);
  };
  unsigned m = op.countBatches(), n = m + 1, k = m + 2;
  for (unsigned batch = 0; batch < m; ++batch)
    if (!isIn(2, batch) || (!isIn(0, batch) && !isIn(1, batch)))
      return false;
  return isIn(0, m) && !isIn(1, m) && isIn(2, m) && !isIn(0, n) && isIn(1, n) &&
         isIn(2, n) && isIn(0, k) && isIn(1, k) && !isIn(2, k);
}

// C228
static LogicalResult verifyMaps(LibraryMatmulOp op) {
  ArrayAttr maps = op.getIndexingMaps();
  auto fail = [&]() -> LogicalResult {
    return op.emitOpError("expected three projected permutations of loops "
                          "(batches, m, n, k), to (m, k), (k, n) and (m, n) "
                          "with the batches, got ")
           << maps;
  };
  if (maps.size() != 3)
    return fail();
  unsigned loops = op.getIndexingMap(0).getNumDims();
  if (loops < 3)
    return fail();
  SmallVector<int64_t> extents(loops, ShapedType::kDynamic);
  for (unsigned operand = 0; operand < 3; ++operand) {
    AffineMap map = op.getIndexingMap(operand);
    auto type = cast<ShapedType>(op->getOperand(operand).getType());
    if (map.getNumDims() != loops || map.getNumSymbols() != 0 ||
        map.getNumResults() != type.getRank() ||
        !map.isProjectedPermutation(/*allowZeroInResults=*/false))
      return fail();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t &known = extents[map.getDimPosition(dim)];
      int64_t extent = type.getDimSize(dim);
      if (ShapedType::isStatic(known) && ShapedType::isStatic(extent) &&
          known != extent)
        return op.emitOpError("expected extents that agree along loop ")
               << map.getDimPosition(dim) << ", got " << known << " and "
               << extent;
      if (ShapedType::isDynamic(known))
        known = extent;
    }
  }
  return hasUsualLoops(op) ? success() : fail();
}

// C297
static LogicalResult verifyAdded(LibraryMatmulOp op) {
  auto output = cast<ShapedType>(op.getOutput().getType());
  auto agree = [](int64_t known, int64_t extent) {
    return ShapedType::isDynamic(known) || ShapedType::isDynamic(extent) ||
           known == extent;
  };
  if (Value bias = op.getBias()) {
    auto type = cast<ShapedType>(bias.getType());
    AffineExpr n = getAffineDimExpr(op.countBatches() + 1, op.getContext());
    int64_t extent =
        output.getDimSize(*op.getIndexingMap(2).getResultPosition(n));
    if (type.getRank() != 1 ||
        type.getElementType() != output.getElementType() ||
        !agree(type.getDimSize(0), extent))
      return op.emitOpError("expected a bias of one dimension, as long as n "
                            "and with elements of ")
             << output.getElementType() << ", got " << type;
  }
  if (Value residual = op.getResidual()) {
    auto type = cast<ShapedType>(residual.getType());
    if (type.getRank() != output.getRank() ||
        type.getElementType() != output.getElementType() ||
        !llvm::all_of_zip(output.getShape(), type.getShape(), agree))
      return op.emitOpError("expected a residual of the result's extents and "
                            "elements, got ")
             << type << " and " << output;
  }
  return success();
}

LogicalResult LibraryMatmulOp::verify() {
  if (failed(verifyMemory(*this)))
    return failure();
  if (failed(verifyElements(*this)))
    return failure();
  if (failed(verifyMaps(*this)))
    return failure();
  return verifyAdded(*this);
}
