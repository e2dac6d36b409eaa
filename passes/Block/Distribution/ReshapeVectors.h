//===- ReshapeVectors.h - changes of shape in registers ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Broadcasts, transposes, casts, parts and pairs: each register of the result
// is a register of an operand.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_RESHAPEVECTORS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_RESHAPEVECTORS_H

#include "../Threads/ThreadProgram.h"

namespace carousel {

struct DistributedVector {
  mlir::Value registers;      ///< or a scalar
  const LinearLayout *layout; ///< null for a scalar
};

/// The registers of an op's result, in `layout`. The plan has given operands
/// layouts with which no element leaves its thread.
mlir::Value reshapeVector(ThreadProgram &program, mlir::OpResult result,
                          llvm::ArrayRef<DistributedVector> operands,
                          const LinearLayout &layout);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_RESHAPEVECTORS_H
