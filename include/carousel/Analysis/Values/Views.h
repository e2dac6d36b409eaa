//===- Views.h - what a memref is a part of ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows subviews, casts and the like to the memref that they start from. What
// a region or a call hands on isn't followed: it is a root of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_VIEWS_H
#define CAROUSEL_ANALYSIS_VALUES_VIEWS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace carousel {

/// The allocation, argument or other value that a memref is a view of.
mlir::Value getRootBuffer(mlir::Value memref);

/// The buffer whose layout `memref` shares: views of dynamic shared memory
/// (memref.view) are buffers of their own.
mlir::Value getLayoutBuffer(mlir::Value memref);

/// The views that lead from the root to `memref`, each behind what it is a view
/// of.
llvm::SmallVector<mlir::Operation *> getViews(mlir::Value memref);

/// What a view is made by apart from its source: offsets, extents, strides.
llvm::SmallVector<mlir::Value> getViewParameters(mlir::Operation *view);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_VIEWS_H
