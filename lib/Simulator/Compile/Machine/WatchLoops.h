//===- WatchLoops.h - tells the machine what loops change -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_WATCHLOOPS_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_WATCHLOOPS_H

namespace llvm {
class Function;
class LoopInfo;
} // namespace llvm

namespace carousel::sim {

/// At the end of each iteration of a loop with atomics, calls the machine with
/// a hash of the values that the loop and those around it carry, and that the
/// loops use. A thread that comes back with equal values, and whose atomics
/// find what they found, has no way out of the loop; one that counts its polls
/// to a limit has one. Each call of a function begins anew. Loops that keep
/// values in memory of the thread's own, or carry aggregates, aren't watched.
/// Expects variables in SSA form.
void watchLoops(llvm::Function &function, const llvm::LoopInfo &loops);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_MACHINE_WATCHLOOPS_H
