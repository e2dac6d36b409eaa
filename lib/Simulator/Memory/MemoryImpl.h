//===- MemoryImpl.h - regions and their shadow pages ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inside of Memory. A region's shadow pages are created on the first
// access. A page has one state for each 4096, 16, 4, 2 or 1 bytes, depending on
// the alignment of its accesses so far. So coarse transfers don't pay for
// single bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORYIMPL_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_MEMORYIMPL_H

#include "MemoryHistory.h"

#include "llvm/ADT/SmallVector.h"

#include <array>

namespace carousel::sim {

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
