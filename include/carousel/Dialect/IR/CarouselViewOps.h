//===- CarouselViewOps.h - views of global memory ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes that CarouselViewOps.td generates.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELVIEWOPS_H
#define CAROUSEL_DIALECT_IR_CAROUSELVIEWOPS_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselViewOps.h.inc"

namespace carousel {

/// The op whose rows a transfer's global memref has, or null.
inline RowsOp getRows(TransferOpInterface op) {
  return op.getGlobal().getDefiningOp<RowsOp>();
}

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_CAROUSELVIEWOPS_H
