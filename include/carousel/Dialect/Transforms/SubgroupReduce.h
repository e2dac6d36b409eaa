//===- SubgroupReduce.h - reductions of a warp as shuffles ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns that all lowerings and the simulated machine share.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_SUBGROUPREDUCE_H
#define CAROUSEL_DIALECT_TRANSFORMS_SUBGROUPREDUCE_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Expands gpu.subgroup_reduce to shuffles of `shuffleBits` bits, or of more if
/// the elements are wider.
void populateSubgroupReduce(mlir::RewritePatternSet &patterns,
                            unsigned shuffleBits);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_SUBGROUPREDUCE_H
