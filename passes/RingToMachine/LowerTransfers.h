//===- LowerTransfers.h - copies of each engine -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --carousel-lower-rings makes of one ring.load or ring.store: the
// machine's copies, with bounds and pieces. When they are issued, and what they
// signal, is LowerRings.cpp's business.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_LOWERTRANSFERS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_LOWERTRANSFERS_H

#include "carousel/Analysis/Engines/TransferShape.h"
#include "carousel/Dialect/IR/Branches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// An element of an array of mbarriers.
struct BarrierElement {
  mlir::Value barriers;
  llvm::SmallVector<mlir::Value, 2> indices;
};

/// A transfer, and what it is issued with.
struct TransferIssue {
  mutable TransferOpInterface op; ///< a handle, without const members
  const TransferShape *shape;
  /// The cache policy, or null.
  mlir::Value policy;
  /// Loads by one thread signal it.
  BarrierElement full;
  /// Copies that threads make themselves: the thread's number (i32) among
  /// `threads`. Of a bulk load that may reach outside these fill the rest of
  /// the tile; null: the issuing thread alone.
  mlir::Value thread;
  int64_t threads = 0;
  /// Of `threads` the one that issues, an i1; null: there is no other.
  mlir::Value leader;
  /// Engines may touch later what threads copy by themselves.
  bool ordersEnds = false;
};

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

/// The boxes of its map that a tensor copy's tile is made of.
int64_t getTensorBoxes(TransferOpInterface op);
/// The bytes that a load signals when all of its box is inside.
int64_t getWholeBytes(const TransferIssue &issue);
/// Whether a thread has to copy the ends of rows even so, since they aren't
/// whole granules of a bulk copy.
bool hasRowEnds(const TransferIssue &issue);
/// Whether the box is inside, an i1, or null if it is known to be, or if the
/// engine asks for no difference.
mlir::Value createIsInside(mlir::ImplicitLocOpBuilder &b,
                           const TransferIssue &issue);
/// Copies a box that is inside.
void issueWhole(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);
/// Whether threads fill a part of a load's tile where its box isn't inside.
bool mayFill(TransferOpInterface op, const TransferShape &shape);
/// Copies what of the box is inside, and fills the rest of a load's tile. A
/// load first tells its barrier how many bytes it signals.
void issueClipped(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);

/// Orders what this thread copied by itself, of boxes that are inside or of
/// clipped ones, before what engines do to the same bytes later.
void orderEnds(mlir::ImplicitLocOpBuilder &b,
               llvm::ArrayRef<TransferIssue> issues, bool isClipped);

/// Loads, stores and reductions through a tensor map, box by box.
void issueTensor(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);

//===----------------------------------------------------------------------===//
// All threads
//===----------------------------------------------------------------------===//

/// This thread's pieces of a transfer of the engines cp_async and vector.
void copyByThreads(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The memrefs of a transfer after dimensions have been joined, and where the
/// box is: begins and extents are counted in elements of a group.
struct BoxValues {
  mlir::Value global;
  mlir::Value tile;
  llvm::SmallVector<mlir::Value> begins; ///< index, per group
  llvm::SmallVector<mlir::Value> ends;   ///< index, null where nothing is asked
};
BoxValues createBoxValues(mlir::ImplicitLocOpBuilder &b,
                          const TransferIssue &issue);

/// Whether the box's row at `positions` (one per group of the tile but the
/// innermost, which counts as inside) is inside; null if it is known to be.
mlir::Value createIsRowInside(mlir::ImplicitLocOpBuilder &b,
                              const TransferShape &shape, const BoxValues &box,
                              mlir::ValueRange positions);

/// The indices of an element: of the global memref and of the tile.
llvm::SmallVector<mlir::Value>
createGlobalIndices(mlir::ImplicitLocOpBuilder &b, const BoxValues &box,
                    unsigned leading, mlir::ValueRange positions);

/// How the transfer combines what it moves with what is there, or null.
ReductionAttr getReduction(TransferOpInterface op);

/// Combines one element with one in global memory, atomically.
void createAtomicReduction(mlir::ImplicitLocOpBuilder &b, ReductionAttr reduce,
                           mlir::Value value, mlir::Value memref,
                           mlir::ValueRange indices);

/// `kind(lhs, rhs)` of elements or of vectors of them, rounded to their type.
mlir::Value createCombined(mlir::ImplicitLocOpBuilder &b, ReductionAttr reduce,
                           mlir::Value lhs, mlir::Value rhs);

/// What a load fills with: a value of its element type, or of vectors of it.
mlir::Value createFill(mlir::ImplicitLocOpBuilder &b, RingLoadOp load,
                       mlir::Type type);

/// Copies one element: a load fills it unless `isInside` (null: it is), a store
/// or reduction leaves it alone.
void copyElement(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue,
                 const BoxValues &box, mlir::ValueRange positions,
                 mlir::Value isInside);

//===----------------------------------------------------------------------===//
// Arithmetic that folds
//===----------------------------------------------------------------------===//

mlir::Value createConstant(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                           int64_t value);
inline mlir::Value createIndex(mlir::ImplicitLocOpBuilder &b, int64_t value) {
  return createConstant(b, b.getIndexType(), value);
}
template <typename Op>
mlir::Value createFolded(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                         mlir::Value rhs) {
  return b.createOrFold<Op>(lhs, rhs);
}
template <typename Op>
mlir::Value createFolded(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                         int64_t rhs) {
  return b.createOrFold<Op>(lhs, createConstant(b, lhs.getType(), rhs));
}
mlir::Value createCast(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                       mlir::Type type);
/// `lhs` and `rhs`, either of which may be null.
mlir::Value createAnd(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                      mlir::Value rhs);
/// Positions in an array of these extents, outermost first.
llvm::SmallVector<mlir::Value>
createDelinearized(mlir::ImplicitLocOpBuilder &b, mlir::Value linear,
                   llvm::ArrayRef<int64_t> extents);
/// Calls `body` for 0 to `count` - 1: once, a few times, or in a loop.
void createLoop(mlir::ImplicitLocOpBuilder &b, int64_t count,
                llvm::function_ref<void(mlir::Value)> body);
mlir::scf::ForOp createLoop(mlir::ImplicitLocOpBuilder &b, mlir::Value begin,
                            mlir::Value end,
                            llvm::function_ref<void(mlir::Value)> body);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_LOWERTRANSFERS_H
