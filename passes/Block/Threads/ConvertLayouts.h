//===- ConvertLayouts.h - vectors into other layouts ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves the elements of a vector to other threads.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_THREADS_CONVERTLAYOUTS_H
#define CAROUSEL_PASSES_BLOCK_THREADS_CONVERTLAYOUTS_H

#include "ThreadProgram.h"

namespace carousel {

/// The registers in the layout `to` of a vector that has the layout `from`.
mlir::Value convertLayout(ThreadProgram &program, mlir::Value registers,
                          const LinearLayout &from, const LinearLayout &to);

/// An element of a vector, for all threads.
mlir::Value broadcastElement(ThreadProgram &program, mlir::Value registers,
                             const LinearLayout &layout,
                             llvm::ArrayRef<uint32_t> coordinates);

/// Whether a conversion stays within the registers of each thread.
bool isWithinThreads(const LinearLayout &from, const LinearLayout &to);

/// The source in `from` of each register of `to`, if that is a register of the
/// same thread, and the same one in all threads.
std::optional<llvm::SmallVector<int64_t>>
findRegisters(const LinearLayout &from, const LinearLayout &to);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_THREADS_CONVERTLAYOUTS_H
