//===- Clock.h - vector clocks ----------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks over threads and engine operations, sparse over CTAs. A clock
// answers whether an epoch is known. Copies are cheap: clocks share parts until
// one of them changes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_CLOCK_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_CLOCK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace carousel::sim {

/// A moment of one agent: CTA, agent in the CTA (threads first, then operations
/// of engines), and time. Time starts at 1. The zero epoch is before
/// everything, and is always known.
class Epoch {
public:
  static constexpr unsigned kCTABits = 20, kAgentBits = 16, kTimeBits = 28;

  constexpr Epoch() = default;
  constexpr Epoch(uint32_t cta, uint32_t agent, uint32_t time)
      : bits(uint64_t(cta) << (kAgentBits + kTimeBits) |
             uint64_t(agent) << kTimeBits | time) {}

  constexpr uint32_t cta() const {
    return uint32_t(bits >> (kAgentBits + kTimeBits));
  }
  constexpr uint32_t agent() const {
    return uint32_t(bits >> kTimeBits) & ((1u << kAgentBits) - 1);
  }
  constexpr uint32_t time() const {
    return uint32_t(bits) & ((1u << kTimeBits) - 1);
  }
  constexpr explicit operator bool() const { return bits != 0; }
  friend constexpr bool operator==(Epoch a, Epoch b) {
    return a.bits == b.bits;
  }
  friend constexpr bool operator!=(Epoch a, Epoch b) {
    return a.bits != b.bits;
  }
  bool isSameAgent(Epoch other) const { return getAgent() == other.getAgent(); }
  /// The unique number of the agent in the grid, and that of the moment.
  constexpr uint64_t getAgent() const { return bits >> kTimeBits; }
  constexpr uint64_t getKey() const { return bits; }

private:
  uint64_t bits = 0;
};

/// For each agent the latest time that is known. Unknown agents are at time 0.
///
/// Copies share parts (what is known of one CTA), without atomic counts: the
/// clocks of one run belong to one host thread.
class Clock {
public:
  bool covers(Epoch epoch) const {
    if (epoch.time() == 0)
      return true;
    const Entry *entry = find(epoch.cta());
    if (entry && entry->getTime(epoch.agent()) >= epoch.time())
      return true;
    return ended && ended->contains(epoch.cta());
  }
  /// Learns one epoch, and all earlier ones of that agent, which acts in order.
  void observe(Epoch epoch);
  /// Learns all that `other` knows. Shared parts take no time. If a part of
  /// `other` knows everything that this clock's part does, and more, this clock
  /// then shares it.
  void join(const Clock &other);
  /// All clocks learn one epoch. Adjacent clocks in the list that shared a part
  /// still share one afterwards.
  static void observe(llvm::ArrayRef<Clock *> clocks, Epoch epoch);
  /// Learns everything that happened in the CTAs [begin, end), which have
  /// ended.
  void observeAll(uint32_t begin, uint32_t end);
  /// As `join`, except for what `other` knows of the CTAs [begin, end)
  /// individually.
  void joinOutside(const Clock &other, uint32_t begin, uint32_t end);
  void clear() {
    entries.clear();
    ended.reset();
  }

  /// Whether both have the same parts, so that a join takes no time. Tests and
  /// statistics ask for this.
  bool sharesParts(const Clock &other) const;

private:
  struct Part : llvm::RefCountedBase<Part> {
    std::vector<uint32_t> times; // by agent of one CTA
  };
  using PartRef = llvm::IntrusiveRefCntPtr<Part>;

  /// CTAs of which everything is known, as ascending ranges that aren't
  /// adjacent.
  struct CTASet : llvm::RefCountedBase<CTASet> {
    struct Range {
      uint32_t begin, end;
    };
    std::vector<Range> ranges;

    bool contains(uint32_t cta) const {
      for (Range range : ranges)
        if (cta >= range.begin && cta < range.end)
          return true;
      return false;
    }
    void insert(Range range);
  };
  using CTASetRef = llvm::IntrusiveRefCntPtr<const CTASet>;

  /// What is known of one CTA: a part, and one agent that has advanced since.
  /// Each thread knows most of itself, so this allows all threads of a CTA to
  /// share one part.
  struct Entry {
    uint32_t cta = 0;
    uint32_t aheadAgent = 0;
    uint32_t aheadTime = 0; // 0 for none; otherwise later than in the part
    PartRef part;           // may be null

    uint32_t getPartTime(uint32_t agent) const {
      return part && agent < part->times.size() ? part->times[agent] : 0;
    }
    uint32_t getTime(uint32_t agent) const {
      return aheadTime && aheadAgent == agent ? aheadTime : getPartTime(agent);
    }
    void observe(uint32_t agent, uint32_t time);
    void join(const Entry &other);
    Part &ownPart(uint32_t numAgents);
  };

  const Entry *find(uint32_t cta) const {
    // Nearly all clocks know of one CTA, or of few.
    if (entries.size() == 1)
      return entries[0].cta == cta ? &entries[0] : nullptr;
    return search(cta);
  }
  const Entry *search(uint32_t cta) const;
  Entry &findOrCreate(uint32_t cta);
  void joinEnded(const Clock &other);

  llvm::SmallVector<Entry, 1> entries; // sorted by CTA
  CTASetRef ended;                     // null for none; immutable, so shared
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_CLOCK_H
