//===- Views.h - the buffers of memrefs -------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows subviews, casts and similar ops to the memref that they view. Results
// of regions and calls aren't followed: they are roots.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_VIEWS_H
#define CAROUSEL_ANALYSIS_VALUES_VIEWS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace carousel {

/// The elements that an op of upstream's memref or vector dialect accesses.
struct ElementAccess {
  mlir::Value memref;
  bool writes; ///< also where it reads, as an atomic does
};
/// nullopt for an op that accesses no memref.
std::optional<ElementAccess> findElementAccess(mlir::Operation *op);

/// The allocation, argument or other value that a memref is a view of.
mlir::Value getRootBuffer(mlir::Value memref);

/// The buffer whose layout `memref` shares. Views of dynamic shared memory
/// (memref.view) are buffers of their own.
mlir::Value getLayoutBuffer(mlir::Value memref);

/// The views that lead from the root to `memref`, each after its source.
llvm::SmallVector<mlir::Operation *> getViews(mlir::Value memref);

/// The ops that access a buffer, directly or through views. nullopt if a use of
/// the buffer can't be followed.
std::optional<llvm::SmallVector<mlir::Operation *>>
getAccesses(mlir::Value buffer);

/// The operands of a view other than its source: offsets, extents, strides.
llvm::SmallVector<mlir::Value> getViewParameters(mlir::Operation *view);

/// The value that stands for the memory of `root`: another argument where
/// `root` is an argument that may alias it (docs/Package.md), otherwise `root`.
mlir::Value getAliasedRoot(mlir::Value root);

/// Whether two memrefs may share bytes. Different arguments of a kernel don't
/// if one of them is written, unless one may alias the other.
bool mayOverlap(mlir::Value lhs, mlir::Value rhs);

/// Whether two memrefs that share bytes have the same element at the same
/// indices: they are one value, arguments of which one may alias the other, or
/// equal views of such memrefs.
bool haveSameElements(mlir::Value lhs, mlir::Value rhs);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_VIEWS_H
