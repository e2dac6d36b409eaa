//===- FusedOps.h - which ops of a graph become one -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns fuse what the normal form wants: a value with several
// users is fused into none of them unless it only copies or counts, so that the
// patterns end. Rematerialization copies cheap ops to their users afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_FUSEDOPS_H
#define CAROUSEL_PASSES_GRAPH_READING_FUSEDOPS_H

#include "ReadGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

namespace carousel {

/// Whether an op reads windows of an operand, as convolutions do.
bool isWindow(mlir::Operation *op);

/// Fuses ops, moves reshapes to arguments and results, and erases what is dead
/// afterwards. \p windowRank: reshapes of extents of 1 move, too, if they have
/// no more dimensions than that.
void populateFusedOpPatterns(mlir::RewritePatternSet &patterns,
                             int64_t windowRank);

/// Whether an op reduces nothing.
bool isPointwise(mlir::Operation *op);

/// Whether an op only moves elements of one operand or none, as broadcasts do.
bool isCopy(mlir::linalg::GenericOp op);

/// The parallel loops of more than one iteration that nothing of what an op
/// reads or computes depends on.
llvm::SmallBitVector findIdleLoops(mlir::linalg::GenericOp op);

/// Whether an op computes its elements by a few instructions of the numbers of
/// its loops. No memory has to keep them.
bool isOfIndices(mlir::linalg::GenericOp op);

/// Whether an op computes a number of a table, or an element by a few
/// instructions of what is in memory, so that many may compute it again.
bool isCheap(mlir::linalg::GenericOp producer);

/// Whether loops have many iterations together.
bool areMany(mlir::linalg::GenericOp op, const llvm::SmallBitVector &loops);

/// Makes an op behind \p op that computes its input itself, by upstream's
/// fusion of elementwise ops, though the input may have other users. Users
/// still have the results of \p op. Failure if upstream doesn't fuse the two.
mlir::FailureOr<mlir::linalg::GenericOp>
fuseProducer(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
             mlir::OpOperand &input);

/// Gives each user its own copy of elementwise ops that read no more bytes than
/// they write and compute little, together with the copies that they read:
/// kernels then read their operands instead of their result. Sums along the
/// same pixels, which are one kernel, have one copy. Returns the number of
/// copies.
unsigned rematerializeCheapOps(mlir::func::FuncOp func);

/// The same in a copy of a function, on which a rewrite is tried, and reads the
/// graph that groups are formed of.
Graph rematerializeCopy(mlir::func::FuncOp copy, mlir::func::FuncOp original,
                        bool usesTF32);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_FUSEDOPS_H
