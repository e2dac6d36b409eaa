//===- ReadProduct.cpp - what products multiply ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReadProduct.h.
//
//===----------------------------------------------------------------------===//

#include "ReadProduct.h"

#include "ReadGraph.h"

#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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

static bool keepsZero(Operation *op) {
  return isa<CastOpInterface, RoundTF32Op>(op);
}

/// Whether products have a factor's only conversion themselves: products of
/// integers have signs.
static bool isPartOfProduct(ArrayRef<Operation *> casts) {
  return casts.size() == 1 && isa<arith::ExtFOp, arith::ExtSIOp>(casts[0]);
}

bool carousel::isBit(const ProductFactor &factor) {
  return factor.casts.size() == 1 && isa<arith::ExtUIOp>(factor.casts[0]) &&
         factor.casts[0]->getOperand(0).getType().isInteger(1);
}

std::array<ProductFactor, 2> carousel::findFactors(linalg::LinalgOp op) {
  std::array<ProductFactor, 2> factors;
  for (Value value :
       findCombination(op)->element.getDefiningOp()->getOperands()) {
    SmallVector<Operation *> casts = findCasts(value);
    auto argument =
        cast<BlockArgument>(casts.empty() ? value : casts[0]->getOperand(0));
    factors[argument.getArgNumber()] = {op.getMatchingOpOperand(argument),
                                        value.getType(), casts,
                                        llvm::all_of(casts, keepsZero)};
  }
  auto getNarrow = [](const ProductFactor &factor) -> Type {
    Type element = getElementTypeOrSelf(factor.input->get());
    return isBit(factor) ? IntegerType::get(element.getContext(), 8) : element;
  };
  if (getNarrow(factors[0]) == getNarrow(factors[1]) &&
      llvm::all_of(factors, [](const ProductFactor &factor) {
        return isPartOfProduct(factor.casts) || isBit(factor);
      }))
    for (ProductFactor &factor : factors) {
      factor.type = getNarrow(factor);
      if (!isBit(factor))
        factor.casts.clear();
    }
  return factors;
}

ProductUnit carousel::findProductUnit(linalg::LinalgOp op) {
  std::array<ProductFactor, 2> factors = findFactors(op);
  Type left = factors[0].type, right = factors[1].type;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  // Warpgroups multiply 8-bit floats, and instructions of other chips what they
  // are extended to.
  bool isFloat8 = isa<Float8E4M3FNType, Float8E5M2Type>(left) &&
                  isa<Float8E4M3FNType, Float8E5M2Type>(right);
  constexpr unsigned kBits = 5; // of a tile's extents
  bool isAdded = findCombination(op)->kind == vector::CombiningKind::ADD;
  if (isAdded &&
      (isFloat8 ? sum.isF32()
                : left == right &&
                      hasMatrixInstructions({kBits, kBits, kBits}, left, sum,
                                            /*isRounded=*/false)))
    return ProductUnit::TensorCores;
  return isAdded && left.isF32() && right.isF32() && sum.isF32()
             ? ProductUnit::RoundingCores
             : ProductUnit::Threads;
}
