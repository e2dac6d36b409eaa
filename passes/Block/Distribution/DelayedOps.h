//===- DelayedOps.h - ops computed where written ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has many registers of a product's sums. Before they are written,
// other tensors are read and added, and functions applied. All of that is done
// for one piece of the registers, and then for the next one, so that few others
// are needed at a time.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DELAYEDOPS_H
#define CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DELAYEDOPS_H

#include "AccessVectors.h"

#include "carousel/Analysis/Distribution/LayoutPlan.h"
#include "carousel/Analysis/Values/Divisibility.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <map>
#include <tuple>

namespace carousel {

/// In a block program one thread makes all accesses in order. Distributed, two
/// accesses of the same elements may be those of two threads. A barrier keeps
/// their order, if one of them writes. Transfers order themselves.
class MemoryOrder {
public:
  MemoryOrder(mlir::gpu::GPUFuncOp kernel, const LayoutPlan &plan);

  /// Takes the ops of the kernel in program order. Whether a barrier must come
  /// before the op.
  bool needsBarrier(mlir::Operation *op);

  /// Takes an op once more, which comes after the last barrier.
  void addPending(mlir::Operation *op) {
    if (std::optional<Access> access = describe(op))
      pending.push_back(*access);
  }

  /// Whether accesses of different threads may meet where the ops access
  /// memory.
  bool mayMeet(mlir::Operation *a, mlir::Operation *b) const;

  /// Takes the loops around them. Whether a barrier must come after each
  /// iteration.
  void enterLoop() { bodies.emplace_back(); }
  bool leaveLoop(mlir::Operation *loop);

  /// Regions of which some are executed, or none.
  class Branches;

private:
  struct Access {
    mlir::Operation *op;
    mlir::Value memory; ///< what it is part of
    bool writes;
  };

  std::optional<Access> describe(mlir::Operation *op) const;
  mlir::Value findMemory(mlir::Value memref) const;
  bool isOfSameThread(mlir::Operation *a, mlir::Operation *b) const;
  bool isOfOneIteration(mlir::Operation *op, mlir::Operation *loop) const;
  bool isOfTiling(mlir::Operation *op) const;

  mutable mlir::gpu::GPUFuncOp kernel; ///< its queries are not const
  const LayoutPlan &plan;
  Divisibility indices;
  /// Since the last barrier.
  std::vector<Access> pending;
  /// The accesses of the loops around, innermost last.
  std::vector<std::vector<Access>> bodies;
};

/// In its lifetime, the order takes the ops of regions. After it, what is
/// pending is what any path leaves, each access once.
class MemoryOrder::Branches {
public:
  explicit Branches(MemoryOrder &order) : order(order), before(order.pending) {
    collect();
  }
  ~Branches() {
    collect();
    order.pending = std::move(after);
  }
  Branches(const Branches &) = delete;
  Branches &operator=(const Branches &) = delete;

  /// A region that follows the one before, or else the op's begin.
  void startRegion(bool followsRegion) {
    collect();
    if (!followsRegion)
      order.pending = before;
  }

private:
  void collect() {
    for (const Access &access : order.pending)
      if (seen.insert(access.op).second)
        after.push_back(access);
  }

  MemoryOrder &order;
  std::vector<Access> before, after;
  llvm::DenseSet<mlir::Operation *> seen; ///< those of `after`
};

/// Whether an op, apart from those of its regions, neither writes memory nor
/// waits for what others write.
bool onlyReads(mlir::Operation *op);

/// The ops that only one write takes, through others of them: ops by elements,
/// those that renumber registers, and reads in the write's layout that may as
/// well come between the write's parts.
class DelayedOps {
public:
  DelayedOps(mlir::gpu::GPUFuncOp kernel, const LayoutPlan &plan,
             const MemoryOrder &order);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  /// The reads among those of a write.
  llvm::ArrayRef<mlir::Operation *> getReads(mlir::Operation *write) const {
    auto found = reads.find(write);
    return found == reads.end() ? llvm::ArrayRef<mlir::Operation *>()
                                : llvm::ArrayRef(found->second);
  }

private:
  void collect(mlir::vector::TransferWriteOp write, const LayoutPlan &plan,
               const MemoryOrder &order);

  bool byWarpgroups = false; ///< products
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> reads;
};

/// The elements that a thread writes, piece by piece.
class PiecesOfWrite {
public:
  /// `getWhole` gives an operand that isn't delayed, and `makeReader` what
  /// reads for an op, in the thread's program.
  using OperandGetter = std::function<mlir::Value(mlir::OpOperand &)>;
  using ReaderMaker = std::function<std::unique_ptr<VectorReader>(
      mlir::vector::TransferReadOp)>;
  PiecesOfWrite(ThreadProgram &program, const LayoutPlan &plan,
                const DelayedOps &delayed, OperandGetter getWhole,
                ReaderMaker makeReader)
      : program(program), plan(plan), delayed(delayed),
        getWhole(std::move(getWhole)), makeReader(std::move(makeReader)) {}

  /// Reads what the first pieces take, as far as `registers` of 32 bits last,
  /// before a loop that computes what the write takes beside it, and returns
  /// how many it takes. Later pieces are read while others are written. All of
  /// it is read from memory that nothing else accesses, and at places that are
  /// known there.
  int64_t readAhead(mlir::vector::TransferWriteOp write, int64_t registers);
  /// Writes what all pieces share: before the write, where all threads are.
  void prepare(mlir::OpOperand &operand);
  /// Gets `count` registers of the written value from `first` on.
  mlir::Value get(mlir::OpOperand &written, int64_t first, int64_t count);

private:
  struct Range {
    int64_t first, count; ///< of registers
  };
  mlir::Value getWholeOnce(mlir::OpOperand &operand);
  mlir::Value take(mlir::OpOperand &operand, Range range);
  mlir::Value compute(mlir::OpResult result, Range range);
  mlir::Value computeOne(mlir::OpResult result, Range range);
  mlir::Value reshape(mlir::OpResult result, Range range);
  using Key = std::tuple<void *, int64_t, int64_t>;
  static Key getKey(mlir::Value value, Range range) {
    return {value.getAsOpaquePointer(), range.first, range.count};
  }
  VectorReader &getReader(mlir::vector::TransferReadOp read);
  int64_t countBesideSums(mlir::vector::TransferWriteOp write) const;
  void readPiecesUntil(int64_t end);

  ThreadProgram &program;
  const LayoutPlan &plan;
  const DelayedOps &delayed;
  OperandGetter getWhole;
  ReaderMaker makeReader;
  /// The values of the piece, by the first register and their number.
  std::map<Key, mlir::Value> computed;
  /// The same of pieces that are read ahead.
  std::map<Key, mlir::Value> ahead;
  llvm::SmallVector<mlir::vector::TransferReadOp> readsAhead;
  /// The registers of a piece that is read ahead, those of all pieces, those
  /// that are read before the first piece is written, and the next one to read.
  int64_t pieceAhead = 0, endAhead = 0, distance = 0, nextAhead = 0;
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> wholes;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<VectorReader>> readers;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_DISTRIBUTION_DELAYEDOPS_H
