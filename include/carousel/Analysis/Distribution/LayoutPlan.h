//===- LayoutPlan.h - layouts of a block program's vectors ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assigns a layout to each vector of a kernel at the block phase, and to each
// use of one. Where the two differ, the vector is converted. docs/BlockPhase.md
// describes the planner.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_LAYOUTPLAN_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_LAYOUTPLAN_H

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <string>
#include <vector>

namespace carousel {

class ScanOp;

/// An op that can't be distributed (C212).
struct LayoutFault {
  mlir::Operation *op = nullptr;
  std::string message;
  /// Another op's result that the op's layouts make too large; null if none.
  mlir::Value vector = {};
  /// The author's way out; empty if the message says it.
  std::string remedy = {};
};

/// An access of global memory: a transfer_read or transfer_write, a gather or a
/// scatter.
struct AccessPlan {
  /// The layout of the vector, as the threads access it.
  LinearLayout layout;
  /// Elements of one access of a thread, consecutive in the memref's last
  /// dimension.
  int64_t run = 1;
  /// Runs begin at any element of memory, and have a granule's bytes: threads
  /// access the granules of 16 bytes that hold them.
  bool isShifted = false;
  /// Whether runs begin at multiples of 16 bytes, and only the ends of rows
  /// do not.
  bool isAligned = false;
  /// Through a tile in shared memory, which a transfer of a pipelined loop
  /// copies. Threads access the tile.
  bool isTransfer = false;
  /// Threads read the tile by ldmatrix (FragmentLayouts.h).
  bool byMatrices = false;
  /// The write that takes a read's tile, or the read whose tile a write takes:
  /// threads change their elements in place. Null for a tile of its own.
  mlir::Operation *partner = nullptr;
  /// In a write by transfer, each warpgroup has whole rows, one after the
  /// other, and stores a tile of its own, without waiting for the others.
  bool byWarpgroups = false;
  /// The tile has a part of the columns, and all parts go through it.
  int64_t parts = 1;
  /// A load to a tile rounds its elements to tf32, since all users do.
  bool rounds = false;
  /// The swizzle of the tile, so that lanes access different banks.
  Swizzle swizzle = Swizzle::None;
  /// A read of elements that no other program and no other read accesses.
  bool isReadOnce = false;
  /// Sectors of 32 bytes that a warp's accesses touch, and those that they
  /// would touch if they had no gaps.
  int64_t sectors = 0, fullSectors = 0;
};

class LayoutPlan {
public:
  /// The threads are those of the kernel's launch. The kernel must not change
  /// in the lifetime of the plan.
  static LayoutPlan compute(mlir::gpu::GPUFuncOp kernel);

  /// The layout of a vector. Only for values that have one: not for those that
  /// each thread computes from coordinates.
  const LinearLayout *getLayout(mlir::Value vector) const;
  /// The layout in which an op takes a vector operand.
  const LinearLayout &getOperandLayout(mlir::OpOperand &operand) const;
  /// The layout in which an op computes a vector result.
  const LinearLayout &getComputedLayout(mlir::OpResult result) const;
  const AccessPlan &getAccess(mlir::Operation *op) const;
  /// Whether an op takes or replaces a part of a vector whose elements go from
  /// thread to thread. Otherwise threads have their own elements of both.
  bool movesPart(mlir::Operation *op) const { return moved.contains(op); }
  const ContractionPlan &getContraction(mlir::vector::ContractionOp op) const;
  /// Whether threads leave a factor of multiply-adds in shared memory, and read
  /// its elements there where they multiply them.
  bool isKept(mlir::OpOperand &factor) const { return kept.contains(&factor); }
  /// Whether all uses of a vector are such factors.
  bool isOnlyKept(mlir::Value vector) const;

  /// The registers of 4 bytes that the elements of a vector take in a thread.
  int64_t getRegisters(mlir::Value vector) const;

  llvm::ArrayRef<LayoutFault> getFaults() const { return faults; }
  /// The registers of the vector that takes most, apart from tiles, or of both
  /// factors of multiply-adds, which threads may leave in shared memory if
  /// these are too many. In a larger block a thread needs fewer.
  int64_t getMostRegisters() const { return mostRegisters; }
  ThreadBits getThreads() const { return threads; }
  void print(llvm::raw_ostream &os) const;

private:
  friend class LayoutPlanner;

  ThreadBits threads;
  /// The layouts of values, in program order.
  llvm::MapVector<mlir::Value, LinearLayout> layouts;
  llvm::DenseMap<mlir::OpOperand *, LinearLayout> operands;
  llvm::DenseMap<mlir::Value, LinearLayout> computed;
  llvm::MapVector<mlir::Operation *, AccessPlan> accesses;
  llvm::MapVector<mlir::Operation *, ContractionPlan> contractions;
  llvm::DenseSet<mlir::Operation *> moved;
  llvm::DenseSet<mlir::OpOperand *> kept; ///< factors
  std::vector<LayoutFault> faults;
  int64_t mostRegisters = 0;
};

/// Log2 of the lanes whose runs of the last dimension follow each other.
unsigned countLanesAlong(const LinearLayout &layout, int64_t run);

/// Whether the op computes each element of its vectors from those at the same
/// place, so that its operands and results have one layout.
bool isElementwise(mlir::Operation *op);
/// An op that makes vectors from elements of other vectors.
bool isReshaping(mlir::Operation *op);

/// Whether each thread scans lines of its own, which are short and many.
bool isScannedByThreads(ScanOp op);

/// Whether the op rounds what the load of a tile has rounded already.
bool isRoundedAtLoad(const LayoutPlan &plan, mlir::Operation *op);

/// Whether a product by warpgroups takes what `read` reads, in its tile.
bool isFactorOfWarpgroups(const LayoutPlan &plan, mlir::Operation *read);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_LAYOUTPLAN_H
