//===- LowerTransfers.h - copies of each engine -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers one ring.load or ring.store to copies of the machine phase, with
// bounds checks and the pieces of each thread. LowerRings.cpp decides when they
// are issued and what they signal.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_TRANSFERS_LOWERTRANSFERS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_TRANSFERS_LOWERTRANSFERS_H

#include "carousel/Analysis/Engines/TransferShape.h"
#include "carousel/Dialect/IR/Branches.h"
#include "carousel/Dialect/Transforms/RowNumbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// An element of an array of mbarriers.
struct BarrierElement {
  mlir::Value barriers;
  llvm::SmallVector<mlir::Value, 2> indices;
};

/// A transfer, and the values with which it is issued.
struct TransferIssue {
  mutable TransferOpInterface op; ///< a handle, without const members
  const TransferShape *shape;
  /// The cache policy, or null.
  mlir::Value policy;
  /// The barrier that a load by one thread signals.
  BarrierElement full;
  /// The thread's number (i32) among the `threads` that carry out the copy. For
  /// a bulk copy that may reach outside, these are the threads that share what
  /// the engine can't copy; null: the issuing thread alone does it.
  mlir::Value thread;
  int64_t threads = 0;
  /// Whether this is the issuing thread, an i1; null: it is the only thread.
  mlir::Value leader;
  /// The CTAs that share a multicast load, and which boxes this one copies for
  /// all (RingSlots::getTurn).
  int64_t ctas = 1;
  mlir::Value turn;
  /// Whether engines may later access bytes that threads copy.
  bool ordersEnds = false;
  /// Whether cp.async may copy the ends of a bulk load's rows: no engine
  /// accesses these bytes.
  bool hasAsyncEnds = false;
};

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

/// The number of boxes of the tensor map in the tile of a tensor copy.
int64_t getTensorBoxes(TransferOpInterface op);
/// The bytes that a load signals if its whole box is inside.
int64_t getWholeBytes(const TransferIssue &issue);
/// Whether the box is inside, an i1; null if it is known to be inside, or if
/// the engine treats all boxes alike.
mlir::Value createIsInside(mlir::ImplicitLocOpBuilder &b,
                           const TransferIssue &issue);
/// Copies a box that is inside.
void issueWhole(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);

//===----------------------------------------------------------------------===//
// Parts that the bulk engine can't copy
//===----------------------------------------------------------------------===//

/// Elements of a granule of bulk copies, and of a row the whole granules.
int64_t getGranule(const TransferShape &shape);

/// Whether a row of the box may end within a granule of bulk copies, wherever
/// it ends, in the tile or in the global memref.
bool mayEndInGranule(TransferOpInterface op, const TransferShape &shape);
/// Whether threads must copy the ends of all rows of a bulk copy, because the
/// tile's rows aren't whole granules.
bool hasRowEnds(const TransferIssue &issue);
/// Whether threads may have to store a part of a bulk load's tile, or of the
/// box of a bulk store.
bool needsThreads(TransferOpInterface op, const TransferShape &shape);

/// Carries out a load or store whose box may reach outside, or whose rows have
/// ends. A load first adds the bytes that it signals to its barrier, and also
/// fills the rest of the tile.
void issueClipped(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);
/// The bulk copies of a store, and the elements that they leave.
void issueClippedRows(mlir::ImplicitLocOpBuilder &b,
                      const TransferIssue &issue);
void copyRowEnds(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);
/// Whether `copyRowEnds` has something to copy, an i1; null: always.
mlir::Value createHasRowEnds(mlir::ImplicitLocOpBuilder &b,
                             const TransferIssue &issue);

/// Orders this thread's own copies, of whole or of clipped boxes, before later
/// accesses of engines to the same bytes.
void orderEnds(mlir::ImplicitLocOpBuilder &b,
               llvm::ArrayRef<TransferIssue> issues, bool isClipped);

//===----------------------------------------------------------------------===//
// All threads
//===----------------------------------------------------------------------===//

/// Copies this thread's pieces of a transfer by the engines cp_async or vector.
void copyByThreads(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);

/// Loads of rows by aligned granules of global memory (`copiesGranules`): what
/// a thread reads for all of them is in flight at once, if that is little.
void loadGranules(mlir::ImplicitLocOpBuilder &b,
                  llvm::ArrayRef<TransferIssue> issues);
/// One load or store of such rows.
void copyGranules(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue);

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The memrefs of a transfer after its dimensions have been collapsed to
/// groups, and the bounds of its box, in elements of a group.
struct BoxValues {
  mlir::Value global;
  mlir::Value tile;
  llvm::SmallVector<mlir::Value> begins; ///< index, per group
  llvm::SmallVector<mlir::Value> ends;   ///< index; null: not checked
  /// The op whose table names the rows; then the first begin is a position in
  /// the table.
  RowsOp rows;
  /// The number of this row, if it is known.
  mlir::Value row;
};
BoxValues createBoxValues(mlir::ImplicitLocOpBuilder &b,
                          const TransferIssue &issue);

/// The number of the row of the table at `positions`, an index; -1 if there is
/// none.
mlir::Value createRow(mlir::ImplicitLocOpBuilder &b, const TransferShape &shape,
                      const BoxValues &box, mlir::ValueRange positions);

/// The box whose first dimension begins where its row of the table is at
/// `positions`, so that their sum is the row's number; `box` without a table.
BoxValues createRowBox(mlir::ImplicitLocOpBuilder &b,
                       const TransferShape &shape, const BoxValues &box,
                       mlir::ValueRange positions);

/// Whether the memref's begin or end may cut through pieces of `elements` into
/// which rows are divided. Otherwise each is inside or outside as a whole.
bool mayCutPieces(TransferOpInterface op, const TransferShape &shape,
                  int64_t elements);

/// Whether the box's row at `positions` is inside; null if it is known to be.
/// `positions` has one value for each group of the tile but the innermost,
/// which isn't checked.
mlir::Value createIsRowInside(mlir::ImplicitLocOpBuilder &b,
                              const TransferShape &shape, const BoxValues &box,
                              mlir::ValueRange positions);

/// The positions of the first element of row `row` in the tile.
llvm::SmallVector<mlir::Value> createRowPositions(mlir::ImplicitLocOpBuilder &b,
                                                  const TransferShape &shape,
                                                  mlir::Value row);

/// The indices of an element in the global memref.
llvm::SmallVector<mlir::Value>
createGlobalIndices(mlir::ImplicitLocOpBuilder &b, const BoxValues &box,
                    unsigned leading, mlir::ValueRange positions);

/// The indices in `box.tile` of the element at `positions` of the box: with a
/// swizzle, where it lies. This is for the engines cp_async and vector.
llvm::SmallVector<mlir::Value> createTileIndices(mlir::ImplicitLocOpBuilder &b,
                                                 const TransferIssue &issue,
                                                 const BoxValues &box,
                                                 mlir::ValueRange positions);

/// The reduction of the transfer, or null.
ReductionAttr getReduction(TransferOpInterface op);

/// Combines one element with one in global memory, atomically.
void createAtomicReduction(mlir::ImplicitLocOpBuilder &b, ReductionAttr reduce,
                           mlir::Value value, mlir::Value memref,
                           mlir::ValueRange indices);

/// The reduction of two elements or vectors, rounded to their type.
mlir::Value createCombined(mlir::ImplicitLocOpBuilder &b, ReductionAttr reduce,
                           mlir::Value lhs, mlir::Value rhs);

/// Creates a transfer's value of an element or a vector that it has read: a
/// load may round it.
mlir::Value createRounded(mlir::ImplicitLocOpBuilder &b, TransferOpInterface op,
                          mlir::Value value);

/// The value with which a load fills: of its element type, or of a vector type.
mlir::Value createFill(mlir::ImplicitLocOpBuilder &b, RingLoadOp load,
                       mlir::Type type);

/// Copies one element if `isInside` (null: it is). Otherwise a load fills it,
/// and a store or reduction skips it.
void copyElement(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue,
                 const BoxValues &box, mlir::ValueRange positions,
                 mlir::Value isInside);

/// Copies a piece of `elements` that may be inside in part: a load reads what
/// is inside at once, and fills the others; both access the tile by the whole
/// piece. `isRowInside` is null if the row is known to be.
void copyCutPiece(mlir::ImplicitLocOpBuilder &b, const TransferIssue &issue,
                  const BoxValues &box, mlir::ValueRange positions,
                  int64_t elements, mlir::Value isRowInside);

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// A part that a thread copies at once: its place, and how much is inside.
struct Piece {
  BoxValues box;                                ///< of the piece's row
  llvm::SmallVector<mlir::Value> positions;     ///< in the box
  llvm::SmallVector<mlir::Value> place;         ///< in the tile
  llvm::SmallVector<mlir::Value> globalIndices; ///< of its first element
  int64_t elements = 1;
  /// Whether the row is inside, and the piece within it; null if known to be.
  mlir::Value isRowInside;
  mlir::Value isInside;
};

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
mlir::Value createCompare(mlir::ImplicitLocOpBuilder &b,
                          mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                          mlir::Value rhs);
/// The conjunction of `lhs` and `rhs`, either of which may be null.
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

#endif // CAROUSEL_PASSES_RINGTOMACHINE_TRANSFERS_LOWERTRANSFERS_H
