//===- ConvertBytes.h - 8-bit integers to 16-bit floats ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chip converts 16 integers to floats in the time of 64 logical operations.
// Integers of 8 bits become floats of 16 bits by the latter, two at a time.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_THREADS_CONVERTBYTES_H
#define CAROUSEL_PASSES_BLOCK_THREADS_CONVERTBYTES_H

#include "ThreadProgram.h"

namespace carousel {

/// The result of a conversion of a thread's elements; null for ops that aren't
/// such a conversion of a multiple of four elements. `access` elements were
/// loaded together.
mlir::Value convertBytes(ThreadProgram &program, mlir::Operation *op,
                         mlir::Value registers, int64_t access);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_THREADS_CONVERTBYTES_H
