//===- EngineCosts.h - what transfers cost on a chip ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers by which engines are compared (docs/Engines.md, Cost): issue
// slots, instructions of a warp. What a chip can do is in TargetInfo.h.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_ENGINECOSTS_H
#define CAROUSEL_TARGET_ENGINECOSTS_H

#include "carousel/Target/TargetInfo.h"

namespace carousel {

struct EngineCosts {
  // What a use costs beyond its instructions: election, barrier, descriptor.
  int64_t tensorUse, bulkUse, cpAsyncUse;
  /// Threads stand still until what they load is there.
  int64_t vectorLoadUse;
  int64_t vectorStoreUse;
  // An instruction.
  int64_t tensorCopy, bulkCopy;
  /// For each dimension behind the first: a 64-bit product of an address.
  int64_t bulkDimension;
  /// A tile that is rarely whole: the issuing warp fills, 32 granules of 16
  /// bytes at a time. More than a tensor copy, less than copies by all threads.
  int64_t bulkFillPieces;
  // 32 pieces: addresses, bounds, the access, and for vectors the other access.
  int64_t cpAsyncPieces, vectorLoadPieces, vectorStorePieces;
  /// The tensor engine asks L2 for a row of a box at a time, so many bytes at
  /// most; the requests by which it falls behind for one slot.
  int64_t requestBytes, requestsPerSlot;
};

/// Those of a chip.
const EngineCosts &getEngineCosts(const TargetInfo &info);

} // namespace carousel

#endif // CAROUSEL_TARGET_ENGINECOSTS_H
