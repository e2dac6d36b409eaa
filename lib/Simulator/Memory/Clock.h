//===- Clock.h - who knows of what ------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks over threads and engine operations, sparse over CTAs. A clock
// answers one question: is this epoch known? Copies are cheap: the parts of a
// clock are shared until one is changed.
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

/// A moment of one agent: CTA, agent in the CTA (threads first, then the
/// operations of engines), time. Time starts at 1; the zero epoch is "before
/// everything" and is always known.
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
  /// A number for the agent, unique in the grid, and one for the moment.
  constexpr uint64_t getAgent() const { return bits >> kTimeBits; }
  constexpr uint64_t getKey() const { return bits; }

private:
  uint64_t bits = 0;
};

/// For each agent the latest time that is known. Unknown agents are at time 0.
///
/// Parts (what is known of one CTA) are shared between copies, without atomic
/// counts: clocks of one run belong to one host thread.
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
  /// Learns one epoch (and, as agents act in order, all earlier ones of that
  /// agent).
  void observe(Epoch epoch);
  /// Learns all that `other` knows. No work where parts are shared; where
  /// `other` knows all of a part and more, its part becomes shared.
  void join(const Clock &other);
  /// All learn one epoch. Clocks that shared a part still share one afterwards,
  /// if they are next to each other in the list.
  static void observe(llvm::ArrayRef<Clock *> clocks, Epoch epoch);
  /// Learns all that ever happened in the CTAs [begin, end), which are over.
  void observeAll(uint32_t begin, uint32_t end);
  /// As `join`, but for what `other` knows of the CTAs [begin, end) one by one.
  void joinOutside(const Clock &other, uint32_t begin, uint32_t end);
  void clear() {
    entries.clear();
    ended.reset();
  }

  /// True if both stand on the same parts, so that a join takes no time; for
  /// tests and statistics.
  bool sharesParts(const Clock &other) const;

private:
  struct Part : llvm::RefCountedBase<Part> {
    std::vector<uint32_t> times; // by agent of one CTA
  };
  using PartRef = llvm::IntrusiveRefCntPtr<Part>;

  /// CTAs of which everything is known, as ranges that rise and don't touch.
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

  /// What is known of one CTA: a part, and one agent that has moved on since.
  /// The latter lets all threads of a CTA, each of which always knows most of
  /// itself, stand on one part.
  struct Entry {
    uint32_t cta = 0;
    uint32_t aheadAgent = 0;
    uint32_t aheadTime = 0; // 0: none is ahead; else later than in the part
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
    // Nearly every clock knows of one CTA, or of few.
    if (entries.size() == 1)
      return entries[0].cta == cta ? &entries[0] : nullptr;
    return search(cta);
  }
  const Entry *search(uint32_t cta) const;
  Entry &findOrCreate(uint32_t cta);
  void joinEnded(const Clock &other);

  llvm::SmallVector<Entry, 1> entries; // sorted by CTA
  CTASetRef ended;                     // null: none; never changed, so shared
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_CLOCK_H
