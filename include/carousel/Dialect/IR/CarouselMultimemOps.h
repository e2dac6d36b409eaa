//===- CarouselMultimemOps.h - stores to multicast addresses ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes that CarouselMultimemOps.td generates, and the attribute of
// arguments that are multicast addresses. docs/Transport.md defines both.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELMULTIMEMOPS_H
#define CAROUSEL_DIALECT_IR_CAROUSELMULTIMEMOPS_H

#include "carousel/Dialect/IR/CarouselOps.h"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselMultimemOps.h.inc"

namespace carousel {

/// Unit attribute of a kernel's memref argument that stands for the parts of
/// all GPUs: a write goes to each of them, this GPU's included.
inline constexpr llvm::StringLiteral kMulticast{"carousel.multicast"};

/// Whether `memref` is a kernel's argument with the attribute, or a view of
/// one. C237 leaves no other way to such memory.
bool isMulticast(mlir::Value memref);

/// The smallest store to a multicast address, in bytes.
inline constexpr int64_t kMulticastUnit = 4;

/// PTX ISA, multimem.st: the first chip, and the PTX version.
inline constexpr unsigned kMultimemSM = 90, kMultimemPTX = 81;

/// The widest piece, in bytes, that one reduction of the type has.
int64_t getMultimemWidth(ReduceType type);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_CAROUSELMULTIMEMOPS_H
