//===- CarouselSignalOps.h - signals between GPUs ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes that CarouselSignalOps.td generates, and the attributes of
// arguments in the memory of several GPUs. docs/Transport.md defines both.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELSIGNALOPS_H
#define CAROUSEL_DIALECT_IR_CAROUSELSIGNALOPS_H

#include "carousel/Dialect/IR/CarouselOps.h"

#define GET_OP_CLASSES
#include "carousel/Dialect/IR/CarouselSignalOps.h.inc"

namespace carousel {

/// Unit attributes of a kernel's memref argument that other GPUs access while
/// the kernel runs: in this GPU's part of a symmetric buffer, or in a peer's.
inline constexpr llvm::StringLiteral kSymmetric{"carousel.symmetric"};
inline constexpr llvm::StringLiteral kPeer{"carousel.peer"};

/// Whether `value` is a kernel's argument with one of these attributes, or with
/// carousel.multicast.
bool isSharedWithPeers(mlir::Value value);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_CAROUSELSIGNALOPS_H
