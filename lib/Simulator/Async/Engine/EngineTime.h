//===- EngineTime.h - when an engine is busy --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulated time of one CTA's engine. docs/Simulator.md has the table of
// cycles.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ENGINETIME_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ENGINETIME_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>

namespace carousel::sim {

/// The busy times of a CTA's engine. The host may issue operations out of the
/// order of simulated cycles. An earlier one then takes the free time before
/// later ones.
class EngineTime {
public:
  /// Takes the cycles that the bytes need, without interruption, at `from` or
  /// later. Returns their end.
  uint64_t pass(uint64_t from, uint64_t bytes);

private:
  /// Sorted intervals. Adjacent ones are merged.
  llvm::SmallVector<std::pair<uint64_t, uint64_t>, 8> busy;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_ENGINE_ENGINETIME_H
