//===- Distributor.h - ops of a block program, by threads -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the program of one thread, op by op. Ops without vectors stay as they
// are, and all threads execute them. What they write is left to the first
// thread. DistributeOps.cpp has elements, accesses and shapes, Distributor.cpp
// products, reductions, loops and branches.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DISTRIBUTOR_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DISTRIBUTOR_H

#include "../Threads/ReduceVectors.h"
#include "../Threads/ThreadProgram.h"
#include "AccessVectors.h"
#include "DelayedOps.h"
#include "DistributeOps.h"
#include "MultiplyVectors.h"
#include "ReshapeVectors.h"

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Distribution/VectorParts.h"
#include "carousel/Dialect/IR/CarouselReduceOps.h"
#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace carousel {

/// Reductions of a loop exchange their parts through the same shared memory in
/// each iteration. Two buffers take turns where that saves a barrier.
class ExchangeTurns {
public:
  /// `scalars` has the bounds of loops.
  ExchangeTurns(ThreadProgram &program, const LayoutPlan &plan,
                const mlir::IRMapping &scalars)
      : program(program), plan(plan), scalars(scalars) {}

  /// Takes the turn of the next exchange.
  ExchangeTurn take();

  /// Call `write`, which writes the op.
  void inLoop(mlir::Operation *loop, llvm::function_ref<void()> write);
  void inBranch(llvm::function_ref<void()> write);

private:
  unsigned countExchanges(mlir::Operation *loop) const;
  mlir::Value getParity();

  ThreadProgram &program;
  const LayoutPlan &plan;
  const mlir::IRMapping &scalars;
  mlir::Operation *innermostLoop = nullptr;
  unsigned depthOfLoops = 0, depthOfBranches = 0, exchangesOfBody = 0;
};

/// A part whose offsets are values of the thread: it begins at a position of
/// the run, or elsewhere than at a multiple of its extents. Its elements go
/// from thread to thread through shared memory.
struct PlacedPart {
  VectorPart part;
  llvm::SmallVector<mlir::Value> offsets;
};

/// The part's elements: a scalar, which may be at constant coordinates, or
/// registers in the layout `to`.
mlir::Value extractPart(ThreadProgram &program, const PlacedPart &placed,
                        const DistributedVector &whole, const LinearLayout *to);

/// `dest`, in its layout, with the part replaced by a vector or a scalar.
mlir::Value insertPart(ThreadProgram &program, const PlacedPart &placed,
                       const DistributedVector &value,
                       const DistributedVector &dest);

class Distributor {
public:
  Distributor(mlir::gpu::GPUFuncOp kernel, const LayoutPlan &plan,
              mlir::OpBuilder &builder)
      : plan(plan), builder(builder), order(kernel, plan),
        delayed(kernel, plan, order),
        program(builder, kernel.getLoc(), plan.getThreads()),
        turns(program, plan, mapping) {}

  /// Scalars, memrefs, and vectors in their own layouts.
  mlir::IRMapping mapping;
  DistributedCounts counts;

  bool hasErrors() const { return program.hasErrors; }

  void distribute(mlir::Block &block);

  void finish(mlir::Operation *terminator) {
    builder.clone(*terminator, mapping);
  }

private:
  mlir::Value get(mlir::OpOperand &operand);

  mlir::Value get(mlir::Value vector, const LinearLayout &layout);

  /// A result that was computed in `layout`.
  void set(mlir::Value vector, mlir::Value registers,
           const LinearLayout &layout);

  void set(mlir::OpResult result, mlir::Value registers);
  void setAll(mlir::Operation *op, llvm::ArrayRef<mlir::Value> registers);

  /// A barrier before the op, and before the reads that are delayed until it,
  /// where their memory needs one.
  void orderAccesses(mlir::Operation *op);

  static bool hasVectors(mlir::Operation *op);

  void distribute(mlir::Operation *op);

  /// A cluster executes one program.
  void distributeProgramId(mlir::Operation *op, mlir::gpu::Dimension dim);

  /// Writes of scalars: by one thread.
  void distributeScalar(mlir::Operation *op);

  void cloneWithRegions(mlir::Operation *op);

  /// Made where it is used, unless the user wants a layout.
  void distributeFree(mlir::Operation *op);

  void distributeElementwise(mlir::Operation *op);
  void distributeSources(DistributionOpInterface op);

  ThreadAccess getAccess(mlir::VectorTransferOpInterface op, mlir::Value mask);

  void distributeRead(mlir::vector::TransferReadOp op);

  /// Whether nothing is to be done for an op between a read and a product: it
  /// leaves the elements in their tile, or rounds what the load has rounded.
  bool passFactor(mlir::Operation *op);

  /// Whether products by warpgroups alone use the vector, maybe rounded.
  bool areMultipliedInTiles(mlir::Value vector);

  void distributeWrite(mlir::vector::TransferWriteOp op);
  PiecesOfWrite &getPieces(mlir::vector::TransferWriteOp op);
  /// Reads what a write takes beside the products of a loop before the loop.
  void readAhead(mlir::Operation *loop);
  bool mayReadAhead(mlir::Operation *read);
  /// Reads vectors there, if their elements in f32 take at most so many
  /// registers.
  void readWholeAhead(llvm::ArrayRef<mlir::vector::TransferReadOp> reads,
                      int64_t most);

  llvm::SmallVector<mlir::Value> lookUpAll(mlir::ValueRange values);

  /// Pieces are rounded where an instruction takes them.
  Factor getFactor(mlir::OpOperand &operand, const ContractionPlan &product);

  /// Leaves a vector in shared memory where products read it there.
  void keepFactors(mlir::Value vector);

  /// The tile of a factor of warpgroups: its load rounds.
  mlir::Value getTile(mlir::Value factor);

  mlir::Value getFactorOfWarpgroups(mlir::OpOperand &operand,
                                    const ContractionPlan &product);

  void distributeContraction(mlir::vector::ContractionOp op);

  void distributeReduction(mlir::vector::MultiDimReductionOp op);
  void distributeScan(ScanOp op);
  void distributeSort(SortOp op);

  static mlir::arith::FastMathFlagsAttr
  getFastMath(mlir::vector::MultiDimReductionOp op);

  void distributeReshaping(mlir::Operation *op);

  DistributedVector getDistributed(mlir::OpOperand &operand);

  void movePart(mlir::Operation *op, const VectorPart &part);

  void distributeGather(mlir::vector::GatherOp op);

  void distributeScatter(mlir::vector::ScatterOp op);

  mlir::Type getThreadType(mlir::Value value);
  mlir::VectorType getThreadType(mlir::Type type, const LinearLayout &layout);

  llvm::SmallVector<mlir::Value>
  getAll(llvm::MutableArrayRef<mlir::OpOperand> operands);

  /// The body of a region with one block, and its terminator.
  void distributeBody(mlir::Block &from, mlir::Block *to);

  mlir::Block *addBlock(mlir::Region &region, mlir::ValueRange arguments);

  llvm::SmallVector<mlir::Type> getResultTypes(mlir::Operation *op);

  mlir::Operation *cloneShell(mlir::Operation *op);

  mlir::Operation *distributeRegions(mlir::Operation *op);

  /// A pipeline without transfers of tiles would have nothing to do.
  void distributeLoopBody(mlir::Operation *loop);

  void distributeLoop(mlir::Operation *loop);
  void distributeBranch(mlir::scf::IfOp branch);
  /// All threads of the CTA execute its region, and take what it passes on.
  void distributeTurn(SerializeOp turn);

  const LayoutPlan &plan;
  mlir::OpBuilder &builder;
  MemoryOrder order;
  DelayedOps delayed;
  ThreadProgram program;
  ExchangeTurns turns;
  /// Factors that are read where they are multiplied.
  FactorTiles tiles;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<PiecesOfWrite>> pieces;
  /// The tiles that a read and a write share, by the read.
  llvm::DenseMap<mlir::Operation *, mlir::Value> sharedBoxes;
  /// A vector that was read ahead as a whole, in words.
  struct WordsAhead {
    std::unique_ptr<VectorReader> reader;
    mlir::Value words;
  };
  llvm::DenseMap<mlir::Operation *, WordsAhead> wordsAhead;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DISTRIBUTOR_H
