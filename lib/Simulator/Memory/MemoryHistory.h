//===- MemoryHistory.h - recorded accesses ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The records that the shadow of a byte refers to. Records of accesses, and
// sets of records, have 32-bit numbers. So bytes with the same history have the
// same 8-byte state, which is compared and copied as a whole. Mark and sweep
// collects records and sets that no state refers to.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORYHISTORY_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORYHISTORY_H

#include "Memory.h"

#include <vector>

namespace carousel::sim {

/// An access, as later accesses see it.
struct Record {
  Epoch epoch;
  uint64_t operationId = 0;
  uint32_t thread = 0;
  Site site = 0;
  uint16_t operation = 0;
  AccessKind kind = AccessKind::Read;
  Proxy proxy = Proxy::Generic;
  AtomicForm form = AtomicForm::None;
  uint8_t elementBytes = 0;
  bool isCollective = false;
  bool isSystem = false;
  bool isMulticast = false;
  bool isOfPoison = false;

  bool isWrite() const {
    return kind != AccessKind::Read && form != AtomicForm::Load;
  }
  bool isEngine() const {
    return !isCollective && (operation != 0 || operationId != 0);
  }
};

/// The number of a record. 0 is none.
using RecordId = uint32_t;
/// The host's write before the launch, which is ordered before everything.
constexpr RecordId kHostWrite = 1;

/// A set of records: the number of a record, or that of a node with kNodeBit. 0
/// is the empty set.
using RecordSet = uint32_t;
constexpr RecordSet kNodeBit = 1u << 31;

/// The history of a byte: its last plain write, and the reads and atomic
/// updates since. An update doesn't replace the write, because updates aren't
/// ordered among each other.
struct State {
  RecordId writer = 0; // 0 if never written
  RecordSet since = 0;

  friend bool operator==(State a, State b) {
    return a.writer == b.writer && a.since == b.since;
  }
  friend bool operator!=(State a, State b) { return !(a == b); }
};

class History {
public:
  explicit History(bool strictFences);

  /// The record of an access. Repeated accesses mostly get the same record.
  RecordId intern(const Access &access);
  const Record &operator[](RecordId id) const { return records[id]; }

  /// Adds the access `id`, which is `access`, to the set. Removes accesses that
  /// the new one makes redundant: an access that conflicts with them and is
  /// ordered after the new one is also ordered after them. All accesses that
  /// precede a collective access in its set and conflict with it are ordered
  /// before it, or were reported.
  RecordSet add(RecordSet set, RecordId id, const Access &access);

  /// Whether the set has an atomic update.
  bool hasUpdates(RecordSet set) const {
    if (set & kNodeBit)
      return nodes[set & ~kNodeBit].hasUpdates;
    return set != 0 && records[set].kind != AccessKind::Read;
  }

  template <typename Function>
  void forEach(RecordSet set, Function function) const {
    for (; set & kNodeBit; set = nodes[set & ~kNodeBit].previous)
      function(nodes[set & ~kNodeBit].record);
    if (set)
      function(set);
  }

  /// Whether to mark all states and to sweep. Only between accesses, because
  /// numbers are reused.
  bool isFull() const;
  void beginMarking();
  void mark(State state);
  void sweep();

private:
  /// Sets are lists with shared tails, in the order of their accesses, the last
  /// one first. Readers that take turns would make lists ever longer. So a list
  /// that reaches its limit is compacted to one entry per agent.
  struct Node {
    RecordId record;
    RecordSet previous;
    uint32_t length;
    uint32_t bound : 31;
    uint32_t hasUpdates : 1;
  };

  RecordSet append(RecordSet set, RecordId id, uint32_t length, uint32_t bound);
  RecordSet compact(RecordSet set, RecordId id, const Access &access);
  bool isImplied(const Record &earlier, const Access &access) const;

  const bool strictFences;
  std::vector<Record> records;
  std::vector<Node> nodes;
  std::vector<uint32_t> freeRecords, freeNodes;
  size_t recordLimit, nodeLimit;
  std::vector<bool> markedRecords, markedNodes;

  // Both caches may lose entries: that costs memory, and not correctness.
  std::vector<RecordId> recordCache;
  struct Addition {
    RecordSet set = 0;
    RecordId record = 0;
    RecordSet result = 0;
  };
  std::vector<Addition> additionCache;
  struct Kept {
    RecordId record;
    uint32_t age; // in the list, from its end
  };
  std::vector<Kept> scratch;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORYHISTORY_H
