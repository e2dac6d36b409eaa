//===- VectorParts.h - parts of vectors -------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The box of elements that an op takes from a vector, or replaces in it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_VECTORPARTS_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_VECTORPARTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace carousel {

struct VectorPart {
  /// Returns the part of a vector.extract, insert, extract_strided_slice or
  /// insert_strided_slice; nullopt for other ops.
  static std::optional<VectorPart> of(mlir::Operation *op);

  mlir::VectorType whole;
  /// The offset in each dimension of the whole vector. Values are known at run
  /// time only.
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<int64_t> sizes;
  /// Leading dimensions, of one element each, that the part's own type lacks.
  unsigned numDropped;

  /// The extents of the part's own type; none for a scalar.
  llvm::ArrayRef<int64_t> getShape() const {
    return llvm::ArrayRef(sizes).drop_front(numDropped);
  }
  bool isScalar() const { return numDropped == sizes.size(); }

  /// Whether bits of an element's coordinates in the whole say whether it is in
  /// the part: in each dimension the part has all elements, or a power of two
  /// from a constant multiple of it on. So each thread has its own elements of
  /// both.
  bool isAligned() const;
  /// A constant offset at which the whole has no element.
  std::optional<int64_t> findOutside() const;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_VECTORPARTS_H
