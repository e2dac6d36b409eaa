//===- DistributionOpInterface.h - vector ops of others ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of ops that other dialects add to the block phase:
// docs/BlockPhase.md, Ops of other dialects.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_DISTRIBUTIONOPINTERFACE_H
#define CAROUSEL_DIALECT_IR_DISTRIBUTIONOPINTERFACE_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace carousel {

/// An element of an operand, by the coordinates of the results' element.
struct ElementSource {
  unsigned operand;
  mlir::AffineMap map;

  bool operator==(const ElementSource &other) const {
    return operand == other.operand && map == other.map;
  }
};

/// The operands' elements at the same coordinates.
llvm::SmallVector<ElementSource> getElementwiseSources(mlir::Operation *op);

/// Whether the op could be one that another dialect adds to the block phase:
/// its results are vectors, and it has no regions and no effects.
bool onlyMakesVectors(mlir::Operation *op);

/// Checks what the interface says of an op whose results are vectors.
mlir::LogicalResult verifyDistribution(mlir::Operation *op);

} // namespace carousel

#include "carousel/Dialect/IR/DistributionOpInterface.h.inc"

namespace carousel {

/// Calls createElements for one element, or for several of them. Emits an error
/// if it returns other values than it was asked for.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
createElements(DistributionOpInterface op, mlir::OpBuilder &builder,
               mlir::ValueRange sources, std::optional<int64_t> count);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_DISTRIBUTIONOPINTERFACE_H
