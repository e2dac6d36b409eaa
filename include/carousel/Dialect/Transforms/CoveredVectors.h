//===- CoveredVectors.h - vectors that cover an extent ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block program with `width` and `covers` means the same with vectors of
// another width, as long as they cover the extent, if each of its ops does.
// docs/BlockPhase.md, Width.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_COVEREDVECTORS_H
#define CAROUSEL_DIALECT_TRANSFORMS_COVEREDVECTORS_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>
#include <string>

namespace carousel {

/// Whether the type is a vector that covers the extent in some dimension.
bool isCovered(mlir::Type type, int64_t width);
/// Whether the op has an operand, a result or an argument of a region that is.
bool hasCovered(mlir::Operation *op, int64_t width);
/// Whether an operand or a result covers the extent in several dimensions. It
/// has no parts along the extent: chunks of both would be a diagonal.
bool coversTwice(mlir::Operation *op, int64_t width);

/// An op that means something else, or nothing, at another width.
struct FixedWidth {
  mlir::Operation *op;
  std::string reason; ///< "'vector.extract' takes a part of ..."
};
/// The first one of a kernel without calls; nullopt if its vectors can have
/// another width.
std::optional<FixedWidth> findFixedWidth(mlir::gpu::GPUFuncOp kernel,
                                         int64_t width);
/// The reason of one op, or an empty string.
std::string explainFixedWidth(mlir::Operation *op, int64_t width);

/// Replaces the extent `from` of vectors by `to`, in types and constants. The
/// kernel has no op of a fixed width.
void resizeVectors(mlir::gpu::GPUFuncOp kernel, int64_t from, int64_t to);

/// The covered extent as an index, which is not negative. Null if the
/// expression has no value in a kernel: it is made of extents, numbers and
/// constants only otherwise.
mlir::Value createExtent(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::gpu::GPUFuncOp kernel, ExprAttr expr);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_COVEREDVECTORS_H
