//===- CarouselOps.h - the ops of the dialect -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes that CarouselOps.td generates.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELOPS_H
#define CAROUSEL_DIALECT_IR_CAROUSELOPS_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselOps.h.inc"

namespace carousel {

/// The innermost loop with carousel.pipeline around a transfer, or null.
mlir::Operation *getPipelinedLoop(mlir::Operation *transfer);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_CAROUSELOPS_H
