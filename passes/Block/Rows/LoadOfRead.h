//===- LoadOfRead.h - transfers for reads of vectors ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The carousel.load of a tile that stands for a vector.transfer_read.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_ROWS_LOADOFREAD_H
#define CAROUSEL_PASSES_BLOCK_ROWS_LOADOFREAD_H

#include "carousel/Dialect/IR/CarouselOps.h"

namespace carousel {

/// A box of global memory.
struct TileSource {
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> indices;
  /// No element is outside of the memref.
  bool isInBounds;
  /// Elements are rounded to tf32.
  bool rounds = false;
};

/// Elements outside are `padding`, a constant.
void createTileLoad(mlir::OpBuilder &builder, mlir::Location loc,
                    const TileSource &source, mlir::Value tile,
                    mlir::Value padding, Swizzle swizzle);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_ROWS_LOADOFREAD_H
