//===- ThreadProgram.h - what a thread does for the CTA ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code of one thread, while --carousel-distribute writes it. A vector of
// the block phase is a one-dimensional vector of the thread's own elements, one
// for each register number of its layout.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_THREADS_THREADPROGRAM_H
#define CAROUSEL_PASSES_BLOCK_THREADS_THREADPROGRAM_H

#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace carousel {

class ThreadProgram {
public:
  /// Writes to the block that `builder` is at the start of.
  ThreadProgram(mlir::OpBuilder &builder, mlir::Location loc,
                ThreadBits threads);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const ThreadBits threads;
  /// Whether the code of an op was an error, which has been emitted.
  bool hasErrors = false;

  /// Writes the code of an op.
  void startOp(mlir::Operation *op) { loc = op->getLoc(); }

  mlir::Value index(int64_t value);
  /// A scalar, or a vector of copies of it.
  mlir::Value constant(mlir::Type type, mlir::TypedAttr element);
  mlir::Value add(mlir::Value index, int64_t constant);

  /// The thread's number in the cluster; that of the CTA without one.
  mlir::Value getThread() const { return thread; }
  /// Whether the thread is the first of those with the same elements; null if
  /// it always is.
  mlir::Value isFirstCopy(const LinearLayout &layout);
  /// The same among the threads of its CTA.
  mlir::Value isFirstCopyOfCTA(const LinearLayout &layout);
  /// Whether these bits of the thread's number are zero; null without bits.
  mlir::Value areZero(uint32_t bits);
  /// The coordinate of the thread's element in register 0.
  mlir::Value getCoordinate(const LinearLayout &layout, unsigned dim);
  /// The coordinate of its element in another register.
  mlir::Value getCoordinate(const LinearLayout &layout, unsigned dim,
                            uint32_t number);
  /// Those of all registers, as a vector of indices.
  mlir::Value getCoordinates(const LinearLayout &layout, unsigned dim);

  /// Compares the coordinates of all registers with as many indices, in 32
  /// bits: eq, ne and signed predicates.
  mlir::Value compareCoordinates(const LinearLayout &layout, unsigned dim,
                                 mlir::arith::CmpIPredicate predicate,
                                 mlir::Value indices);
  /// The same with one index.
  mlir::Value compareCoordinatesWith(const LinearLayout &layout, unsigned dim,
                                     mlir::arith::CmpIPredicate predicate,
                                     mlir::Value index);

  /// A vector's registers by their numbers in another one.
  mlir::Value select(mlir::Value registers, llvm::ArrayRef<int64_t> numbers);
  /// `registers`, with those from `first` on replaced.
  mlir::Value replace(mlir::Value registers, mlir::Value part, int64_t first);
  /// A scalar at a register's number.
  mlir::Value extract(mlir::Value registers, int64_t number);

  /// Consecutive elements at a multiple of their number. `once` says that
  /// nothing reads them again.
  mlir::Value load(mlir::VectorType type, mlir::Value memref,
                   mlir::ValueRange indices, bool once = false);
  void store(mlir::Value registers, mlir::Value memref,
             mlir::ValueRange indices);

  /// The element of another lane of the warp. `lane` is an i32, as the mode
  /// has it.
  mlir::Value shuffle(mlir::Value element, mlir::Value lane,
                      mlir::gpu::ShuffleMode mode);

  /// Shared memory of the CTA.
  mlir::Value allocate(llvm::ArrayRef<int64_t> extents, mlir::Type element);
  /// The same for writes behind a barrier of all threads that are read before
  /// the next such barrier: inside an op at the entry's block, buffers of one
  /// type are one, since buffers live as long as that op.
  mlir::Value allocateBetweenBarriers(int64_t elements, mlir::Type element);
  void barrier();
  /// Null stands for a condition that always holds.
  mlir::Value bothHold(mlir::Value first, mlir::Value second);
  /// Calls `write` under a condition, or without one if it is null.
  void runIf(mlir::Value condition, llvm::function_ref<void()> write);

  /// Where values live that all of the program may use.
  mlir::Block *getEntry() const { return entry; }

private:
  template <typename Write> mlir::Value atEntry(Write write);
  mlir::Value computeCoordinate(llvm::ArrayRef<uint32_t> numbers);

  mlir::Block *entry;
  mlir::Value thread;
  /// The last op at the entry.
  mlir::Operation *last = nullptr;
  /// The coordinates, by the numbers that the bits of the thread select.
  std::map<std::vector<uint32_t>, mlir::Value> coordinates;
  std::map<uint32_t, mlir::Value> firstCopies;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Type>, mlir::Value>
      betweenBarriers;
};

/// Bits of the thread's number that don't change its elements.
uint32_t getFreeThreadBits(const LinearLayout &layout);
inline int64_t countRegisters(const LinearLayout &layout) {
  return int64_t(1) << layout.getNumBits(Place::Register);
}
inline llvm::SmallVector<uint32_t>
getRegisterCoordinates(const LinearLayout &layout, uint32_t number) {
  return layout.apply({number, 0, 0, 0});
}
/// The result of a comparison of the coordinate of a register's element, if
/// that is the same for all threads.
std::optional<bool> compareRegister(const LinearLayout &layout, unsigned dim,
                                    uint32_t number,
                                    mlir::arith::CmpIPredicate predicate,
                                    int64_t other);
/// A thread's elements of a vector.
mlir::VectorType getThreadType(mlir::Type vector, const LinearLayout &layout);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_THREADS_THREADPROGRAM_H
