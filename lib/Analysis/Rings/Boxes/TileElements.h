//===- TileElements.h - elements of buffers by thread -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a contiguous buffer that a view of it has, for one thread.
// Answers whether views are disjoint, and whether some views cover another. In:
// views whose offsets can be evaluated. A view that can't be is neither
// disjoint nor covered. Private to the ring planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_RINGS_BOXES_TILEELEMENTS_H
#define CAROUSEL_LIB_ANALYSIS_RINGS_BOXES_TILEELEMENTS_H

#include "carousel/Analysis/Values/IndexFunction.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace carousel {

/// Where a view lies in its buffer: numbers of elements.
struct TileLayout {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides;

  bool operator==(const TileLayout &other) const {
    return offset == other.offset && shape == other.shape &&
           strides == other.strides;
  }
  int64_t getNumElements() const;
  /// Calls `visit` with each run of consecutive elements: its first element
  /// and its length.
  void forEachRun(llvm::function_ref<void(int64_t, int64_t)> visit) const;
};

/// The layout of `memref` for the thread of `function`, or nullopt. Its buffer
/// has the identity layout.
std::optional<TileLayout> locateTile(mlir::Value memref,
                                     IndexFunction &function);

/// A memref of the same buffer with all elements of `view`: its source, if that
/// has them.
mlir::Value getEnclosingView(mlir::Value view);

/// Adds the elements of `tile`. Returns false if it exceeds the buffer.
bool addElements(const TileLayout &tile, llvm::BitVector &elements);
bool hasElements(const TileLayout &tile, const llvm::BitVector &elements);
bool hasAnyElement(const TileLayout &tile, const llvm::BitVector &elements);

/// Compares views of one buffer, for each thread of a kernel's block.
class TileElements {
public:
  explicit TileElements(mlir::gpu::GPUFuncOp kernel)
      : uniform(kernel), function(kernel, uniform) {}
  TileElements(const TileElements &) = delete;

  /// Whether no element is in both, for any thread.
  bool areApart(mlir::Value lhs, mlir::Value rhs);
  /// Whether each thread has all elements of `memref`, or of a view that
  /// `memref` is a part of, in one of its `tiles`.
  bool isCovered(mlir::Value memref, llvm::ArrayRef<mlir::Value> tiles);

private:
  bool forEachThread(llvm::function_ref<bool()> visit);
  bool hasAllElements(mlir::Value memref, llvm::ArrayRef<mlir::Value> tiles);

  UniformValues uniform;
  IndexFunction function;
};

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_RINGS_BOXES_TILEELEMENTS_H
