//===- FreeVectors.h - vectors that threads compute -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors whose elements follow from their coordinates: constants, masks, steps
// and copies of scalars. Each thread makes them where it needs them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_FREEVECTORS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_FREEVECTORS_H

#include "../Threads/ThreadProgram.h"

#include "mlir/IR/IRMapping.h"

#include <optional>

namespace carousel {

/// Whether threads compute the op's vector from their coordinates: constants,
/// masks, steps, copies of scalars, poison.
bool isFreeVector(mlir::Operation *op);

/// `scalars` has those that the vector is made of.
mlir::Value makeFreeVector(ThreadProgram &program, mlir::Value vector,
                           const LinearLayout &layout,
                           const mlir::IRMapping &scalars);

/// The dimension along which an op's first operand counts, if the op compares
/// such steps; nullopt otherwise.
std::optional<unsigned> findComparedSteps(mlir::Operation *op);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_FREEVECTORS_H
