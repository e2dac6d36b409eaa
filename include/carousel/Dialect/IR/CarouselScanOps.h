//===- CarouselScanOps.h - scans of vectors ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes that CarouselScanOps.td generates.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELSCANOPS_H
#define CAROUSEL_DIALECT_IR_CAROUSELSCANOPS_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselScanOps.h.inc"

#endif // CAROUSEL_DIALECT_IR_CAROUSELSCANOPS_H
