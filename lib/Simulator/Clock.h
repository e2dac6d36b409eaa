//===- Clock.h - who knows of what ------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks over threads and engine operations, sparse over CTAs. A clock
// answers one question: is this epoch known? A view holds three of them: what is
// ordered, and what of that has passed a proxy fence for shared and for global
// memory. Copies are cheap: the parts of a clock are shared until one is changed.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_CLOCK_H
#define CAROUSEL_LIB_SIMULATOR_CLOCK_H

#include <cstdint>
#include <memory>
#include <vector>

namespace carousel::sim {

/// A moment of one agent: CTA, agent in the CTA (threads first, then the operations of engines),
/// time. Time starts at 1; the zero epoch is "before everything" and is always known.
class Epoch {
public:
  static constexpr unsigned kCTABits = 20, kAgentBits = 16, kTimeBits = 28;

  constexpr Epoch() = default;
  constexpr Epoch(uint32_t cta, uint32_t agent, uint32_t time)
      : bits(uint64_t(cta) << (kAgentBits + kTimeBits) | uint64_t(agent) << kTimeBits | time) {}

  constexpr uint32_t cta() const { return uint32_t(bits >> (kAgentBits + kTimeBits)); }
  constexpr uint32_t agent() const { return uint32_t(bits >> kTimeBits) & ((1u << kAgentBits) - 1); }
  constexpr uint32_t time() const { return uint32_t(bits) & ((1u << kTimeBits) - 1); }
  constexpr explicit operator bool() const { return bits != 0; }
  friend constexpr bool operator==(Epoch a, Epoch b) { return a.bits == b.bits; }
  friend constexpr bool operator!=(Epoch a, Epoch b) { return a.bits != b.bits; }
  bool isSameAgent(Epoch other) const { return bits >> kTimeBits == other.bits >> kTimeBits; }

private:
  uint64_t bits = 0;
};

/// For each agent the latest time that is known. Unknown agents are at time 0.
class Clock {
public:
  bool covers(Epoch epoch) const;
  /// Learns one epoch (and, as agents act in order, all earlier ones of that agent).
  void observe(Epoch epoch);
  /// Learns all that `other` knows. No work where parts are shared.
  void join(const Clock &other);
  void clear();

private:
  using Part = std::vector<uint32_t>; // by agent of one CTA
  // Sorted by CTA; the parts are copied when changed while shared.
  struct Entry {
    uint32_t cta;
    std::shared_ptr<Part> part;
  };
  std::vector<Entry> entries;
};

/// What an agent knows: the order, and what has passed a proxy fence on the way.
struct View {
  Clock order;
  /// Generic accesses to shared or global memory that the async proxy may rely on. A fence moves
  /// `order` into these; barriers, arrives and waits carry all three.
  Clock fencedShared;
  Clock fencedGlobal;

  void join(const View &other) {
    order.join(other.order);
    fencedShared.join(other.fencedShared);
    fencedGlobal.join(other.fencedGlobal);
  }
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_CLOCK_H
