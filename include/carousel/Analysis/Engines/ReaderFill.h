//===- ReaderFill.h - fills where a tile is read ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps fill with zero or NaN only. Any other number can be selected
// where a tile is read, if all of its readers are loads of elements and
// vectors: each knows whether its element is outside of the global memref. Then
// no thread waits for another. In: a load of the tile phase. Out: its readers,
// which
// --carousel-fill-in-readers rewrites.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_ENGINES_READERFILL_H
#define CAROUSEL_ANALYSIS_ENGINES_READERFILL_H

#include "carousel/Dialect/IR/CarouselOps.h"

#include <string>

namespace carousel {

struct ReaderFill {
  /// memref.load and vector.load ops.
  llvm::SmallVector<mlir::Operation *> readers;
  /// The reason why the readers can't fill, or empty.
  std::string refusal;
};

ReaderFill planReaderFill(LoadOp load);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_ENGINES_READERFILL_H
