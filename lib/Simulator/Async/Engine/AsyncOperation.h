//===- AsyncOperation.h - operations in flight ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy, a reduction, the store of a value or a product, from its issue to its
// completion. It moves its pieces of 16 bytes in a few batches. The schedule
// chooses each batch: all pieces that are left, a half, one piece, or every
// other stretch. The table holds the operations in flight, in the order in
// which the schedule numbers them, and counts those of each launch.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ASYNCOPERATION_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ASYNCOPERATION_H

#include "../AsyncContext.h"
#include "../Tensors/Reduce.h"
#include "../Tensors/SimTensorMap.h"
#include "../TransferLog.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace carousel::sim {

struct GroupQueue;
class Mbarrier;
class ThreadState;

/// Remaining pieces of 16 bytes: [begin, end), or every other unit of this
/// range.
struct Pieces {
  uint32_t begin = 0, end = 0;
  uint32_t unit = 1;
  bool alternate = false, odd = false;

  bool isEmpty() const { return begin >= end; }
  /// Removes the next pieces from the set and returns them. `choice` is 0 to 7.
  Pieces take(uint32_t choice);
  /// Calls `run(begin, end)` for each contiguous run.
  template <typename Run> void forEachRun(Run run) const {
    if (!alternate) {
      if (begin < end)
        run(begin, end);
      return;
    }
    for (uint32_t at = begin / unit * unit; at < end; at += unit)
      if ((at / unit & 1) == uint32_t(odd) && at + unit > begin)
        run(std::max(at, begin), std::min(at + unit, end));
  }
};

/// The kinds of operations on bytes.
enum class OperationKind : uint8_t {
  GlobalToShared,
  SharedToGlobal,
  SharedToShared,
  Immediate,
  /// Reads shared memory in its own way, and writes registers.
  Product
};

struct AsyncOperation;

/// Reads the pieces of an operation that isn't a copy.
class PieceReader {
public:
  virtual ~PieceReader();
  virtual void read(const AsyncOperation &operation, const Pieces &pieces) = 0;
  /// All pieces were read.
  virtual void finish() = 0;
};

struct AsyncOperation {
  uint64_t id = 0;
  OperationKind kind = OperationKind::GlobalToShared;
  llvm::StringRef name;
  uint16_t nameIndex = 0;
  Who issuer;
  uint32_t cluster = 0; // of the issuer
  Proxy proxy = Proxy::Async;
  View view;
  Epoch readEpoch, writeEpoch;

  /// Linear ends of an operation. The global end of a tensor copy is `box`.
  const char *source = nullptr;
  char *destination = nullptr;
  uint64_t bytes = 0;
  /// The tile's offset in its CTA's shared memory, which determines the
  /// swizzle.
  uint64_t tileOffset = 0;
  bool isTensor = false, isReduction = false, isRelease = false;
  TensorBox box;
  TensorMap map;
  uint16_t byteMask = 0xffff;
  ReduceKind reduceKind = ReduceKind::Add;
  ReduceType reduceType = ReduceType::U32;
  /// The number of bytes from the source; the rest is zero (cp.async).
  uint64_t validBytes = 0;

  PieceReader *reader = nullptr; ///< of a product
  Mbarrier *barrier = nullptr;
  ThreadState *state = nullptr;
  GroupQueue *queue = nullptr;
  uint32_t group = 0;
  uint32_t slot = 0; // the agent to return; 0 for none

  Pieces reads, writes;
  uint32_t events = 0;
  bool readFirst = false, readDone = false;
  uint64_t issueCycles = 0, landCycles = 0;

  std::unique_ptr<char[]> staging;
  uint64_t stagingSize = 0;

  void setReduction(ReduceKind kind, ReduceType type) {
    isReduction = true;
    reduceKind = kind;
    reduceType = type;
  }
};

class OperationTable {
public:
  OperationTable(AsyncContext &context, TransferLog &transfers)
      : context(context), transfers(transfers) {}

  /// An operation of the running thread, to be filled in, then started or
  /// dropped.
  AsyncOperation &create(OperationKind kind, llvm::StringRef name);
  void start(AsyncOperation &operation);
  /// It was never started.
  void drop(AsyncOperation &operation) { freeOperations.push_back(&operation); }
  /// It is complete; the last operation takes its number.
  void finish(uint32_t which);

  bool empty() const { return active.empty(); }
  uint32_t size() const { return uint32_t(active.size()); }
  AsyncOperation &operator[](size_t which) const { return *active[which]; }
  llvm::ArrayRef<AsyncOperation *> getActive() const { return active; }

  /// True if nothing is in flight that the launch issued.
  bool isIdle(uint32_t launch) const;
  /// When the last operation of the launch lands.
  uint64_t getLastCycles(uint32_t launch) const;
  /// One line each, for the notes of a deadlock.
  std::vector<std::string> describe() const;

private:
  struct LaunchWork {
    uint32_t active = 0;
    uint64_t lastCycles = 0;
  };
  LaunchWork &workOf(const AsyncOperation &operation);

  AsyncContext &context;
  TransferLog &transfers;
  std::vector<std::unique_ptr<AsyncOperation>> pool;
  std::vector<AsyncOperation *> freeOperations;
  std::vector<AsyncOperation *> active;
  llvm::SmallVector<LaunchWork, 1> launchWork;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ASYNCOPERATION_H
