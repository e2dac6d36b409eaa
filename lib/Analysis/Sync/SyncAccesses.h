//===- SyncAccesses.h - accesses of each op to buffers ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of each op of a kernel at the ring phase to shared and global
// memory: by the thread itself, by all threads of a scope for a transfer, or by
// an engine. In: a kernel. Out: for each op its accesses, in terms of buffers,
// slots and boxes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_SYNC_SYNCACCESSES_H
#define CAROUSEL_LIB_ANALYSIS_SYNC_SYNCACCESSES_H

#include "SyncPositions.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include <memory>

namespace carousel {

enum class AccessKind { GenericRead, GenericWrite, AsyncRead, AsyncWrite };

inline bool isWrite(AccessKind kind) {
  return kind == AccessKind::GenericWrite || kind == AccessKind::AsyncWrite;
}
inline bool isAsync(AccessKind kind) {
  return kind == AccessKind::AsyncRead || kind == AccessKind::AsyncWrite;
}

/// A use of a ring. If the slot doesn't matter, any use.
struct RingSlot {
  IndexPosition use;
  int64_t stages = 0; ///< 0 if the buffer isn't a ring's

  /// Reduces an exactly known use to the part that determines its slot.
  void normalize();
  bool mayBe(const RingSlot &other) const;
  bool mustBe(const RingSlot &other) const;
  bool operator==(const RingSlot &other) const {
    return use == other.use && stages == other.stages;
  }
};

/// The number that stands for a ring's phases. No tile has it.
inline constexpr unsigned kPhase = ~0u;

/// The part of a memref that is accessed. Without positions it is any part.
struct AccessBox {
  mlir::Value memref;
  /// The first index, by dimension. Further entries, of extent 1, are numbers
  /// that determine the box uniquely.
  llvm::SmallVector<IndexPosition, 2> first;
  llvm::SmallVector<int64_t, 2> extents;
  /// The transfer for which they do.
  mlir::Operation *transfer = nullptr;

  bool isKnown() const { return !first.empty(); }
  void forget() { first.clear(); }
  bool operator==(const AccessBox &other) const {
    return memref == other.memref && first == other.first;
  }
};

/// The box of a transfer in its global memref.
AccessBox getTransferBox(SyncPositions &positions, TransferOpInterface op);

/// The buffer that contains a memref.
struct Buffer {
  bool isShared = false;
  unsigned number = 0; ///< 0 for any buffer of the memory
  mlir::Value ring;    ///< null if the buffer isn't a ring's
  unsigned tile = 0;
  RingSlot slot;

  bool mayBe(const Buffer &other) const { return mayBe(slot, other); }
  /// The same, with another slot.
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
  /// By a transfer or on its behalf, and not by the thread that executes the
  /// op.
  bool isTransfer = false;
  /// Fills the slot of its own use of the ring. Accesses of threads to the slot
  /// before they released it are over.
  bool isRefill = false;
  /// The reduction, if it isn't exclusive. Reductions of one kind aren't
  /// ordered among themselves.
  ReductionAttr reduction;
  /// Made by other CTAs. It is ordered only by the ops that order CTAs.
  bool isForeign = false;
  /// Made by the thread that issues for the scope, and not by an engine.
  /// Foreign accesses are by the thread that acquires or releases them.
  bool isByIssuer = false;
  /// A GenericWrite of other threads before a wait, which each thread has made:
  /// a fence of its own after that orders the write before engines.
  bool isAcquired = false;
  /// A GenericRead by the async proxy, which is over when its op is.
  bool isByAsyncProxy = false;
  /// The accesses that a release permits to other CTAs. They follow all earlier
  /// accesses of any thread, including reads and accesses acquired from CTAs.
  /// The kernel provides the order among its threads.
  bool isPermission = false;
  /// Foreign: by CTAs in other turns.
  bool isOfTurns = false;
  TransferScope scope = TransferScope::CTA;
};

class SyncAccesses {
public:
  explicit SyncAccesses(mlir::gpu::GPUFuncOp kernel);

  /// The accesses of `op` itself, without its regions. A produce or a submit
  /// has those of the transfers that it starts. Accesses live as long as this
  /// object.
  llvm::ArrayRef<Access> get(mlir::Operation *op);
  /// The access to a ring's phase that a wait for a use makes. Null if the
  /// threads release its slots. Otherwise all of them must see each phase.
  const Access *getPhaseRead(RingWaitOp wait);
  /// Whether the kernel may write the memory in turns, which pass no other data
  /// from CTA to CTA.
  bool isWrittenInTurns(const Buffer &buffer);
  /// Whether only fills of its ring may write the buffer.
  bool isOnlyRefilled(const Buffer &buffer);
  /// Whether consumers release the ring's slots.
  bool isReleased(mlir::Value ring) const { return released.contains(ring); }
  /// Whether threads in the role of producers fill the ring.
  bool hasProducers(mlir::Value ring) const {
    return producedInRole.contains(ring);
  }
  /// The accesses of a use's loads that threads don't know of unless they wait
  /// for it: those of other scopes and, for copies, those of engines.
  llvm::ArrayRef<Access> getLanded(RingWaitOp wait);

  SyncPositions &getPositions() { return positions; }
  /// Whether the kernel has accesses through the async proxy.
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
  void addCall(mlir::CallOpInterface call, std::vector<Access> &accesses);
  void addGeneric(mlir::Operation *op, mlir::Value memref, AccessKind kind,
                  std::vector<Access> &accesses);
  void addAnything(bool isShared, AccessKind kind,
                   std::vector<Access> &accesses);
  AccessBox getBox(mlir::Operation *op, mlir::Value memref);
  llvm::SmallVector<Buffer, 1> getBuffers(mlir::Value memref);
  void addBuffers(mlir::Value memref, llvm::SmallVectorImpl<Buffer> &buffers,
                  llvm::SmallVectorImpl<mlir::Value> &others);
  std::optional<Access> getPhaseAccess(mlir::Value ring, mlir::Value use,
                                       AccessKind kind);
  unsigned getNumber(mlir::Value root, unsigned tile);

  mlir::gpu::GPUFuncOp kernel;
  SyncPositions positions;
  bool usesEngines = false;
  std::optional<std::vector<Buffer>> written; ///< in turns, in global memory
  /// In shared memory, except by fills.
  std::optional<std::vector<Buffer>> changed;
  /// Loads by their ring.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<RingLoadOp>> loads;
  llvm::DenseSet<std::pair<mlir::Value, unsigned>> engineTiles;
  llvm::DenseSet<mlir::Value> released;
  llvm::DenseSet<mlir::Value> producedInRole;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> numbers;
  std::vector<std::pair<mlir::Value, unsigned>> buffers; ///< by number
  std::unique_ptr<mlir::AsmState> names; ///< of values, computed on demand
  using Cache = llvm::DenseMap<mlir::Operation *, std::vector<Access>>;
  Cache cache;
  Cache phaseReads;
  Cache landings;
};

TransferScope getRingScope(mlir::Value ring);

/// Whether `op` exchanges values of registers, in a CTA or a cluster, or is a
/// barrier: an op without memrefs.
bool isExchange(mlir::Operation *op);

/// Whether an engine carries out the transfer.
bool isCarriedByEngine(TransferOpInterface op);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_SYNC_SYNCACCESSES_H
