//===- Clock.h - vector clocks of agents ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks over threads and engine operations, sparse over CTAs. A clock
// answers whether an epoch is known. Copies are cheap: clocks share parts until
// one of them changes. The view of an agent has several: everything that is
// ordered, the parts of it that have passed fences, and what else is over.
//
// Observations explain races after relaxed atomics. A thread that reads the
// value of another thread's atomic isn't ordered after it, unless fences,
// semantics and scopes establish an order. They record what the reader would
// know with them, so that a race names what is missing; they never decide
// whether there is one.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_MEMORY_CLOCK_H
#define CAROUSEL_LIB_SIMULATOR_MEMORY_CLOCK_H

#include "carousel/Simulator/Findings.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
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

  /// The knowledge of one CTA: a part, and one agent that has advanced since.
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

enum class MemScope : uint8_t { CTA, Cluster, GPU, System };

constexpr unsigned kNumScopes = unsigned(MemScope::System) + 1;
inline unsigned getIndex(MemScope scope) { return unsigned(scope); }

/// The knowledge of threads that wrote the address of an atomic, or that
/// arrived in a phase.
struct Publication : llvm::RefCountedBase<Publication> {
  bool isArrive = false;
  /// Everything that they knew, and the part that they released at each scope
  /// or a wider one.
  Clock known;
  std::array<Clock, kNumScopes> released;
  /// The last writer. For an arrive, the last one that released too little.
  Epoch writer;
  Site site = 0;
  uint32_t cluster = 0, gpu = 0;
  bool isRelaxed = true;
};
using PublicationRef = llvm::IntrusiveRefCntPtr<const Publication>;

/// A thread that observed a publication, and the widest scope at which it has
/// acquired since.
struct Observation : llvm::RefCountedBase<Observation> {
  const void *place = nullptr;
  PublicationRef publication;
  Epoch reader;
  Site site = 0;
  uint32_t cluster = 0, gpu = 0;
  bool isRelaxed = true;
  std::optional<MemScope> acquired;
};

/// The latest observations that a thread knows of. Cheap to copy, and mostly
/// empty.
class Observations {
public:
  /// Adds a observation. Keeps one for each address, and drops the oldest if
  /// there are many.
  void add(Observation observation);
  void join(const Observations &other);
  /// Records that the reader has executed an acquire fence.
  void noteAcquire(Epoch reader, MemScope scope);
  bool empty() const { return !list; }
  /// Whether the last observation is of this publication.
  bool endsWith(const Publication *publication) const {
    return list && list->items.back()->publication.get() == publication;
  }

  /// Explains how `earlier` would be ordered before a thread of the CTA: one
  /// line for each missing fence, scope or semantics.
  std::vector<std::string> explain(Epoch earlier, const FindingLog &log) const;

private:
  struct List : llvm::RefCountedBase<List> {
    llvm::SmallVector<llvm::IntrusiveRefCntPtr<const Observation>, 4> items;
  };
  llvm::IntrusiveRefCntPtr<const List> list;
};

/// An agent's knowledge: the order, and what has passed a proxy fence.
struct View {
  Clock order;
  /// Generic accesses to shared or global memory that are visible to the async
  /// proxy. A fence copies `order` to these. Barriers, arrives and waits carry
  /// them all.
  Clock fencedShared;
  Clock fencedGlobal;
  /// Accesses that an alias fence orders before those by another address of the
  /// same memory. It may be any thread's on the way.
  Clock fencedAlias;
  /// Reads of shared memory and accesses of engines to it that are over, as
  /// arrivals of CTA scope at barriers of another CTA say. What else the
  /// arriving threads know isn't known.
  Clock ended;
  /// The agent's knowledge if no fence or scope were missing, for findings.
  Observations observations;

  void join(const View &other) {
    order.join(other.order);
    fencedShared.join(other.fencedShared);
    fencedGlobal.join(other.fencedGlobal);
    fencedAlias.join(other.fencedAlias);
    ended.join(other.ended);
    observations.join(other.observations);
  }
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_MEMORY_CLOCK_H
