//===- ElementOps.h - what computes elements of vectors ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code of a thread for ops that compute elements from others: elementwise
// ops, and those that implement DistributionOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ELEMENTOPS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ELEMENTOPS_H

#include "ReshapeVectors.h"

#include "carousel/Dialect/IR/DistributionOpInterface.h"

namespace carousel {

/// The results of an elementwise op for `count` registers of each vector.
llvm::SmallVector<mlir::Value> computeElements(ThreadProgram &program,
                                               mlir::Operation *op,
                                               mlir::ValueRange operands,
                                               int64_t count);

/// The results, in `layout`, of an op with sources of its own. The plan has
/// given operands layouts with which no element leaves its thread.
llvm::SmallVector<mlir::Value>
computeFromSources(ThreadProgram &program, DistributionOpInterface op,
                   llvm::ArrayRef<DistributedVector> operands,
                   const LinearLayout &layout);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_ELEMENTOPS_H
