//===- MaxRegisters.h - register counts of warpgroups -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks setmaxnreg. The simulated machine has as many registers as a kernel
// asks for. When a CTA ends, it reports requests that no multiprocessor could
// have met.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MAXREGISTERS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MAXREGISTERS_H

#include "AsyncContext.h"

#include "llvm/ADT/DenseMap.h"

namespace carousel::sim {

class MaxRegisters {
public:
  explicit MaxRegisters(AsyncContext &context) : context(context) {}

  /// Checks the count, and that the threads of the warpgroup agree on it.
  void set(bool increase, uint32_t registers);
  void ctaExit(uint32_t cta);

private:
  /// What a warpgroup has asked for.
  struct Requests {
    uint32_t least = 0, most = 0; ///< 0: nothing
    Who who;                      ///< of the most
  };

  AsyncContext &context;
  /// The requests of each CTA, by warpgroup.
  llvm::DenseMap<uint32_t, llvm::SmallVector<Requests, 4>> requests;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MAXREGISTERS_H
