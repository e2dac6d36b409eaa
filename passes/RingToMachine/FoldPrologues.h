//===- FoldPrologues.h - make prologues cheaper -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the prologues of rings cheaper. docs/Rings.md has the IR before and
// after.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_FOLDPROLOGUES_H
#define CAROUSEL_PASSES_RINGTOMACHINE_FOLDPROLOGUES_H

#include "RingSlots.h"

namespace carousel {

/// Folds a prologue into its main loop if a fill takes `least` instructions or
/// more by estimate. Returns the number of prologues folded.
unsigned foldPrologues(RingKernel &kernel, ThreadValues &threads,
                       int64_t least);

/// Finds prologues that fill unused slots, which need no wait.
void findFirstRounds(RingKernel &kernel, RingSlots &slots);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_FOLDPROLOGUES_H
