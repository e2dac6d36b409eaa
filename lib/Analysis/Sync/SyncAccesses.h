//===- SyncAccesses.h - who touches which buffer, and how -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each op of a kernel of the ring phase does to shared and global memory:
// by the thread itself, by all threads of a scope for a transfer, or by an
// engine. In: a kernel. Out: for each op its accesses, in terms of buffers,
// slots and boxes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SYNC_SYNCACCESSES_H
#define CAROUSEL_LIB_ANALYSIS_SYNC_SYNCACCESSES_H

#include "SyncPositions.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/IR/AsmState.h"

#include <memory>

namespace carousel {

enum class AccessKind { GenericRead, GenericWrite, AsyncRead, AsyncWrite };

inline bool isWrite(AccessKind kind) {
  return kind == AccessKind::GenericWrite || kind == AccessKind::AsyncWrite;
}
inline bool isAsync(AccessKind kind) {
  return kind == AccessKind::AsyncRead || kind == AccessKind::AsyncWrite;
}

/// A use of a ring, or, where all is well with any slot, any use.
struct RingSlot {
  IndexPosition use;
  int64_t stages = 0; ///< 0: the buffer isn't a ring's

  /// Keeps of an exactly known use only what decides about its slot.
  void normalize();
  bool mayBe(const RingSlot &other) const;
  bool mustBe(const RingSlot &other) const;
  bool operator==(const RingSlot &other) const {
    return use == other.use && stages == other.stages;
  }
};

/// The number of a ring's phases, which no tile has.
inline constexpr unsigned kPhase = ~0u;

/// The part of a memref that is touched. Without positions: any part.
struct AccessBox {
  mlir::Value memref;
  /// By dimension; behind those are numbers that the box is a one-to-one
  /// function of, with extent 1.
  llvm::SmallVector<IndexPosition, 2> first;
  llvm::SmallVector<int64_t, 2> extents;
  /// The transfer whose function that is.
  mlir::Operation *transfer = nullptr;

  bool isKnown() const { return !first.empty(); }
  void forget() { first.clear(); }
  bool operator==(const AccessBox &other) const {
    return memref == other.memref && first == other.first;
  }
};

/// What a memref lies in.
struct Buffer {
  bool isShared = false;
  unsigned number = 0; ///< 0: it may be any buffer of the memory
  mlir::Value ring;    ///< null: the buffer isn't a ring's
  unsigned tile = 0;
  RingSlot slot;

  bool mayBe(const Buffer &other) const { return mayBe(slot, other); }
  /// The same with another name for the slot.
  bool mayBe(const RingSlot &mine, const Buffer &other) const {
    return isShared == other.isShared &&
           (number == 0 || other.number == 0 ||
            (number == other.number && mine.mayBe(other.slot)));
  }
};

struct Access {
  AccessKind kind;
  Buffer buffer;
  AccessBox box;
  /// By a transfer or for one, not by the thread that executes the op.
  bool isTransfer = false;
  /// Fills the slot of its own use of the ring: what threads did to it before
  /// they handed it back is over.
  bool isRefill = false;
  /// Of a reduction that isn't exclusive: those of one kind have no order among
  /// themselves.
  ReductionAttr reduction;
  /// Other CTAs' accesses, which come and go with what orders CTAs.
  bool isForeign = false;
  /// Made by the thread that issues for the scope, though not by an engine. Of
  /// others' accesses: it is that thread that takes them over, or hands over.
  bool isByIssuer = false;
  /// What a release lets other CTAs do, behind what any thread has done before,
  /// reads and what was taken over from CTAs included. The kernel says how it
  /// comes to know of that.
  bool isPermission = false;
  /// By CTAs in other turns.
  bool isOfTurns() const { return isForeign && isByIssuer; }
  TransferScope scope = TransferScope::CTA;
};

class SyncAccesses {
public:
  explicit SyncAccesses(mlir::gpu::GPUFuncOp kernel);

  /// What `op` itself does, without its regions; a produce or a submit stands
  /// for what it starts. Accesses live as long as this object.
  llvm::ArrayRef<Access> get(mlir::Operation *op);
  /// What a thread does to a ring's phase by waiting for a use; null where the
  /// threads hand its slots back. Otherwise all of them have to see each phase.
  const Access *getPhaseRead(RingWaitOp wait);
  /// Whether the kernel may write the memory in turns, which hand nothing else
  /// from CTA to CTA.
  bool isWrittenInTurns(const Buffer &buffer);
  /// Whether nothing but fills of its ring may write the buffer.
  bool isOnlyRefilled(const Buffer &buffer);
  /// Whether consumers hand the ring's slots back.
  bool isReleased(mlir::Value ring) const { return released.contains(ring); }
  /// Whether threads in the role of producers fill the ring.
  bool hasProducers(mlir::Value ring) const {
    return producedInRole.contains(ring);
  }
  /// What the loads of a use of a ring did and threads that don't wait for it
  /// can't know: those of other scopes, and engines in the case of copies.
  llvm::ArrayRef<Access> getLanded(RingWaitOp wait);

  SyncPositions &getPositions() { return positions; }
  /// Whether something in the kernel goes through the async proxy.
  bool hasEngines() const { return usesEngines; }
  /// Whether an engine fills this tile of a ring.
  bool isFilledByEngine(mlir::Value ring, unsigned tile) const {
    return engineTiles.contains({ring, tile});
  }
  std::string describe(const Buffer &buffer);
  RingSlot getSlot(mlir::Value ring, mlir::Value use);

private:
  void collect(mlir::Operation *op, std::vector<Access> &accesses);
  std::vector<Access> collectLanded(RingWaitOp wait);
  void addTransfer(TransferOpInterface op, std::vector<Access> &accesses);
  void addEffects(mlir::Operation *op, std::vector<Access> &accesses);
  void addGeneric(mlir::Operation *op, mlir::Value memref, AccessKind kind,
                  std::vector<Access> &accesses);
  void addAnything(bool isShared, AccessKind kind,
                   std::vector<Access> &accesses);
  AccessBox getBox(mlir::Operation *op, mlir::Value memref);
  AccessBox getBox(TransferOpInterface op);
  void addSources(AccessBox &box);
  llvm::SmallVector<Buffer, 1> getBuffers(mlir::Value memref);
  void addBuffers(mlir::Value memref, llvm::SmallVectorImpl<Buffer> &buffers,
                  llvm::SmallPtrSetImpl<void *> &visited);
  std::optional<Access> getPhaseAccess(mlir::Value ring, mlir::Value use,
                                       AccessKind kind);
  unsigned getNumber(mlir::Value root, unsigned tile);

  mlir::gpu::GPUFuncOp kernel;
  SyncPositions positions;
  bool usesEngines = false;
  std::optional<std::vector<Buffer>> written; ///< in turns, in global memory
  /// In shared memory, but by fills.
  std::optional<std::vector<Buffer>> changed;
  /// Loads by the ring that they belong to.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<RingLoadOp>> loads;
  llvm::DenseSet<std::pair<mlir::Value, unsigned>> engineTiles;
  llvm::DenseSet<mlir::Value> released;
  llvm::DenseSet<mlir::Value> producedInRole;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> numbers;
  std::vector<std::pair<mlir::Value, unsigned>> buffers; ///< by number
  std::unique_ptr<mlir::AsmState> names; ///< of values, once they are asked for
  using Cache = llvm::DenseMap<mlir::Operation *, std::vector<Access>>;
  Cache cache;
  Cache phaseReads;
  Cache landings;
};

TransferScope getRingScope(mlir::Value ring);

/// Whether `op` is one of the gpu dialect that exchanges values of registers,
/// or that threads meet at: those without memrefs.
bool isExchange(mlir::Operation *op);

/// Whether an engine carries out the transfer.
bool isCarriedByEngine(TransferOpInterface op);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SYNC_SYNCACCESSES_H
