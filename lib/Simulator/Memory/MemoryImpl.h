//===- MemoryImpl.h - the inside of Memory ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region's shadow pages are created on the first access. A page has one state
// for each 4096, 16, 4, 2 or 1 bytes, depending on the alignment of its
// accesses so far. So coarse transfers don't pay for single bytes.
//
// Records of accesses, and sets of records, have 32-bit numbers. So bytes with
// the same history have the same 8-byte state, which is compared and copied as
// a whole. Mark and sweep collects records and sets that no state refers to.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORYIMPL_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORYIMPL_H

#include "Memory.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
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

constexpr unsigned kPageShift = 12;
constexpr uint64_t kPageBytes = 1u << kPageShift;

/// The coarsest grain (as a shift) with boundaries at `begin` and `end`, which
/// are offsets in a page.
unsigned getGrain(uint64_t begin, uint64_t end);

/// The states of 4 KiB.
class Page {
public:
  Page(unsigned shift, State state);
  /// Splits states until there is one for each `1 << newShift` bytes.
  void refine(unsigned newShift);

  unsigned shift;
  std::unique_ptr<State[]> states;
  uint32_t size() const { return 1u << (kPageShift - shift); }
};

struct NamedRange {
  uint64_t begin, end;
  std::string name;
  uint64_t slotBytes;
};

struct Region {
  RegionInfo info;
  std::vector<std::unique_ptr<Page>>
      pages; // null if all bytes have the initial state
  std::vector<NamedRange> names;
  std::vector<std::pair<uint64_t, uint64_t>> gaps;   // begin and end, in order
  std::vector<std::pair<uint64_t, uint64_t>> inputs; // in any order

  uint64_t getBase() const { return reinterpret_cast<uint64_t>(info.base); }
  State getInitialState() const { return {info.isWritten ? kHostWrite : 0, 0}; }
  bool contains(uint64_t address) const {
    return address - getBase() < info.size;
  }
  bool hasGap(uint64_t begin, uint64_t end) const {
    // Most bytes are after the last gap.
    if (gaps.empty() || begin >= gaps.back().second)
      return false;
    auto gap = llvm::partition_point(
        gaps, [&](const auto &other) { return other.second <= begin; });
    return gap->first < end;
  }
  bool hasInput(uint64_t begin, uint64_t end) const {
    return llvm::any_of(inputs, [&](const auto &input) {
      return input.first < end && begin < input.second;
    });
  }
  /// Returns the page, refined for boundaries at `begin` and `end` in it.
  Page &getPage(uint64_t number, uint64_t begin, uint64_t end);

  /// Calls `function(Page, first state, last state + 1, offset of the page)`
  /// for each page of a range in the region. The pages are created and refined
  /// as needed.
  template <typename Function>
  void forEachPage(uint64_t begin, uint64_t end, Function function) {
    while (begin < end) {
      uint64_t number = begin >> kPageShift, offset = number << kPageShift;
      uint64_t pageEnd = std::min(end, offset + kPageBytes);
      // Bytes after the region's end belong to no buffer.
      uint64_t last = pageEnd == info.size ? kPageBytes : pageEnd - offset;
      Page &page = getPage(number, begin - offset, last);
      function(page, (begin - offset) >> page.shift, last >> page.shift,
               offset);
      begin = pageEnd;
    }
  }
};

struct Memory::Impl {
  Impl(FindingLog &log, MemoryRules rules)
      : log(log), rules(rules), history(rules.strictFences), operations(1) {}

  FindingLog &log;
  MemoryRules rules;
  History history;
  std::vector<std::string> operations;
  Traffic traffic;
  /// The first CTA of each GPU but the first one.
  std::vector<uint32_t> firstCTAs;

  std::vector<std::unique_ptr<Region>> regions; // by id; null if removed
  std::vector<Region *> byAddress;
  // Direct mapped by address. Threads of several CTAs alternate, each in its
  // own memory.
  static constexpr unsigned kLookupBits = 8;
  mutable std::array<Region *, 1 << kLookupBits> lookups{};

  /// The region that has the address, or null.
  Region *lookup(uint64_t address) const;
  /// The last live region that ends at or before the address, and the first one
  /// that begins after it; null if there is none.
  std::pair<const Region *, const Region *>
  getNeighbours(uint64_t address) const;
  /// Buffer, slot and byte range of a part of a region.
  void describe(const Region &region, uint64_t begin, uint64_t end,
                Finding &finding) const;

  Actor getActor(const Record &record) const;
  void reportMulticast(const Region &region, uint64_t begin, uint64_t size,
                       const Access &access);
  void reportInput(const Region &region, uint64_t begin, uint64_t size,
                   const Access &access);
  void reportOutOfBounds(const Region *region, uint64_t address, uint64_t size,
                         const Access &access);
  /// Frees the records that no byte refers to any longer.
  void collect();
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORYIMPL_H
