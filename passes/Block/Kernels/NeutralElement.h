//===- NeutralElement.h - what a reduction ignores --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_KERNELS_NEUTRALELEMENT_H
#define CAROUSEL_PASSES_BLOCK_KERNELS_NEUTRALELEMENT_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace carousel {

/// The element that doesn't change the others' combination.
mlir::TypedAttr getNeutralElement(mlir::OpBuilder &builder,
                                  mlir::vector::CombiningKind kind,
                                  mlir::Type type);

/// Returns an empty extremum or sum: for those that ignore NaN, infinite.
mlir::TypedAttr getStart(mlir::OpBuilder &builder,
                         mlir::vector::CombiningKind kind, mlir::Type type);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_KERNELS_NEUTRALELEMENT_H
