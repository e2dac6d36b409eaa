//===- Registers.h - estimates of a thread's registers ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many registers of 32 bits a thread needs, before the assembler says so.
// All passes estimate by these functions and numbers. What an SM has is in
// Target/ChipModel.h.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DECISIONS_REGISTERS_H
#define CAROUSEL_ANALYSIS_DECISIONS_REGISTERS_H

#include "carousel/Support/HardwareLimits.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace carousel {

/// Registers of a thread beside those of its values: for addresses, indices and
/// rings; and with sums of products also the factors in flight.
inline constexpr int64_t kAddressRegisters = 24, kFactorRegisters = 96;

/// The most for vectors that live at once, beside addresses.
inline constexpr int64_t kMostVectorRegisters = 224;

/// The registers of each thread in a block of `threads`: ptxas gives all
/// threads of a block the same number.
inline int64_t getRegistersInBlock(int64_t threads) {
  int64_t each = rules::kRegistersPerBlock / threads;
  return each - each % rules::kRegisterStep;
}

/// The registers that a thread has for vectors in a block of `threads`.
inline int64_t getVectorRegisters(int64_t threads) {
  return std::min(kMostVectorRegisters,
                  getRegistersInBlock(threads) - kAddressRegisters);
}

/// Those of a producer whose registers the consumers of products get.
inline constexpr int64_t kProducerRegisters = 40;

/// Returns the registers of each of `consumers` threads, if each of `producers`
/// keeps `ofProducers` and an SM holds so many CTAs. All threads of a block
/// begin with the same number.
inline int64_t getConsumerRegisters(int64_t consumers, int64_t producers,
                                    int64_t ofProducers, int64_t ctas = 1) {
  int64_t threads = producers + consumers;
  int64_t each = (threads * getRegistersInBlock(threads * ctas) -
                  producers * ofProducers) /
                 consumers;
  return std::min<int64_t>(each - each % rules::kRegisterStep,
                           rules::kMaxRegisters - 16);
}

/// For vectors that are read before they are needed, in so many threads.
inline constexpr int64_t kReadAheadRegisters = 72, kReadAheadThreads = 256;

/// The registers of so many elements of a thread. Booleans are predicates.
inline int64_t countRegisters(int64_t elements, int64_t bits) {
  return bits == 1 ? 0 : llvm::divideCeil(elements * bits, 32);
}

/// The registers of a thread whose values take `ofValues`, with what it has
/// beside them.
inline int64_t estimateRegisters(int64_t ofValues, int64_t beside) {
  return std::min<int64_t>(ofValues + beside, rules::kMaxRegisters - 1);
}

/// The warps that fill slots for products where no engine does, and those that
/// start cp.async: a warpgroup, whose registers the consumers get.
inline constexpr int64_t kCopyingWarps = 8, kIssuingWarps = 4;

/// Whether `consumers` threads, each with so many registers of sums, and those
/// that copy for them have enough.
inline bool leavesRegistersForCopies(int64_t ofSums, int64_t consumers) {
  int64_t threads = consumers + kCopyingWarps * rules::kWarpSize;
  return threads <= rules::kMaxThreadsPerBlock &&
         estimateRegisters(ofSums, kFactorRegisters) <=
             getRegistersInBlock(threads);
}

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DECISIONS_REGISTERS_H
