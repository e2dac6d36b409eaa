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

#include "carousel/Analysis/Layouts/ExchangePlan.h"

namespace carousel {

/// A vector that threads have left in shared memory, to read elements in
/// another layout.
class SharedVector {
public:
  /// A dimension along which a loop reads `step` elements in an iteration.
  struct Loop {
    unsigned dim;
    int64_t step; ///< a power of two
  };

  /// Writes the registers in the layout `from`, for reads in the layout `to`.
  /// Those at once have a buffer that later exchanges may have, too.
  SharedVector(ThreadProgram &program, mlir::Value registers,
               const LinearLayout &from, const LinearLayout &to,
               std::optional<Loop> loop = {}, bool isReadAtOnce = false);

  /// For each register of `to`, that of the reader.
  llvm::ArrayRef<int64_t> getSources() const { return sources; }
  /// The reader's registers that one access reads.
  int64_t getRun() const { return exchange.readRun; }
  /// The runs that begin at the reader's registers `firsts`, one behind the
  /// other. With an offset, they are those of an iteration.
  mlir::Value readRuns(llvm::ArrayRef<int64_t> firsts,
                       mlir::Value offset = nullptr);
  /// The offset of the elements from `number` on, a multiple of the loop's
  /// step.
  mlir::Value getOffset(mlir::Value number);
  mlir::Value readAll();

private:
  /// The address of what an iteration adds to the loop's coordinate.
  uint32_t getAddress(uint32_t coordinate) const;
  /// Whether no other coordinate has bits of these addresses.
  bool isApart() const;

  ThreadProgram &program;
  LinearLayout to;
  std::optional<Loop> loop;
  ExchangePlan exchange;
  mlir::Value buffer;
  llvm::SmallVector<int64_t> sources;
};

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
