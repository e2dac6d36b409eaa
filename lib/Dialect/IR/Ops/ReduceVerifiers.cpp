//===- ReduceVerifiers.cpp - rules of reductions of one thread ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C29, C42, C45, C46 and C308 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "carousel/Dialect/IR/CarouselReduceOps.h"

using namespace mlir;
using namespace carousel;

LogicalResult VectorReduceOp::verify() {
  MemRefType destination = getDestination().getType();
  if (failed(verifyIndices(*this, destination, getDestinationIndices(),
                           "destination")) ||
      failed(verifyGlobalReduction(*this, getKind(), getType(),
                                   destination.getElementType())))
    return failure();
  // C308
  if (!hasVectorReduction(getKind(), getType()))
    return emitOpError("expected add of f16, bf16 or f32, got ")
           << stringifyReduceKind(getKind()) << " of "
           << stringifyReduceType(getType());
  auto vector = cast<VectorType>(getValue().getType());
  if (vector.getElementType() != destination.getElementType())
    return emitOpError("expected a destination with elements of ")
           << vector.getElementType() << ", got " << destination;
  int64_t bits =
      vector.getNumElements() * getElementBits(vector.getElementType());
  if (vector.getRank() != 1 || vector.isScalable() ||
      !llvm::is_contained<int64_t>({64, 128}, bits))
    return emitOpError("expected a vector of one dimension in 8 or 16 bytes, "
                       "got ")
           << vector;
  return verifyContiguous(*this, destination);
}
