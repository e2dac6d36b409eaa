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

/// A register of an operand.
struct RegisterSource {
  unsigned operand;
  uint32_t number;
};
using RegisterSources = llvm::SmallVector<RegisterSource>;

/// Where the registers of an op's result, in `layout`, come from. The plan has
/// given operands layouts with which no element leaves its thread.
RegisterSources findSources(mlir::OpResult result,
                            llvm::ArrayRef<const LinearLayout *> operands,
                            const LinearLayout &layout);
/// A vector of registers of one operand or two.
mlir::Value takeRegisters(ThreadProgram &program, mlir::ValueRange operands,
                          llvm::ArrayRef<RegisterSource> sources);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_RESHAPEVECTORS_H
