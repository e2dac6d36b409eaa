//===- DelaySignals.h - signals one program later ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal waits until what its CTA has stored is complete, which takes a
// peer's memory microseconds. In a loop over programs, threads would wait
// before they compute the next program. So the signals at the end of a program
// come where the next one is about to write: its product is computed by then.
//
//   for %p { %v = product; write %v to %c[%p]; signal %there[%p] }
//
// becomes
//
//   %last = for %p iter_args(%before = none) {
//     %v = product
//     if %p isn't the first { signal %there[%before] }
//     write %v to %c[%p]
//     yield %p
//   }
//   if there was a program { signal %there[%last] }
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_DELAYSIGNALS_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_DELAYSIGNALS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

/// Delays the signals of a loop over programs of a kernel that waits for no
/// signal. A wait might be for what a peer does once it has seen the delayed
/// one. Returns the loop that takes its place, or the loop.
mlir::scf::ForOp delaySignals(mlir::scf::ForOp loop);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_DELAYSIGNALS_H
