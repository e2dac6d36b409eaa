//===- CarouselReduceOps.h - reductions of one thread -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes that CarouselReduceOps.td generates, and what chips can do.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_H
#define CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselReduceOps.h.inc"

namespace carousel {

/// PTX ISA, red: the first chip and the PTX version that have vectors.
inline constexpr unsigned kVectorReduceSM = 90, kVectorReducePTX = 81;

/// The fewest bytes of one.
inline constexpr int64_t kLeastVectorReduction = 8;

/// Whether there are reductions of several elements of this kind and type.
inline bool hasVectorReduction(ReduceKind kind, ReduceType type) {
  return kind == ReduceKind::Add &&
         (type == ReduceType::F16 || type == ReduceType::BF16 ||
          type == ReduceType::F32);
}

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_H
