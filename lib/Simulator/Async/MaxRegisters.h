//===- MaxRegisters.h - register counts of warpgroups -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks setmaxnreg. The simulated machine has as many registers as a kernel
// asks for.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MAXREGISTERS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MAXREGISTERS_H

#include "AsyncContext.h"

namespace carousel::sim {

class MaxRegisters {
public:
  explicit MaxRegisters(AsyncContext &context) : context(context) {}

  /// Checks the count, and that the threads of the warpgroup agree on it.
  void set(bool increase, uint32_t registers);

private:
  AsyncContext &context;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MAXREGISTERS_H
