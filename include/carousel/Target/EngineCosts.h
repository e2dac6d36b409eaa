//===- EngineCosts.h - costs of transfers on a chip -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs by which engines are compared (docs/Engines.md, Cost), in issue
// slots: instructions of a warp. TargetInfo.h has the limits of a chip.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_ENGINECOSTS_H
#define CAROUSEL_TARGET_ENGINECOSTS_H

#include "carousel/Target/TargetInfo.h"

namespace carousel {

struct EngineCosts {
  // The cost of a use beyond its copies: election, barrier, descriptor.
  int64_t tensorUse, bulkUse, cpAsyncUse;
  /// The cost of threads that stall until their loads have returned.
  int64_t vectorLoadUse;
  int64_t vectorStoreUse;
  // The cost of one copy instruction.
  int64_t tensorCopy, bulkCopy;
  /// For each dimension after the first: a 64-bit product for the address.
  int64_t bulkDimension;
  /// For a tile that often exceeds the memref: the issuing warp fills 32
  /// granules of 16 bytes at a time. This costs more than a tensor copy, and
  /// less than copies by all threads.
  int64_t bulkFillPieces;
  /// The most that this costs: the warp fills wide tiles while their copies are
  /// on their way.
  int64_t bulkFillMost;
  // The cost of 32 pieces: addresses, bounds and the access, and for vectors
  // also the other access.
  int64_t cpAsyncPieces, vectorLoadPieces, vectorStorePieces;
  /// The tensor engine requests each row of a box from L2, with at most this
  /// number of bytes per request. The second number is the requests that cost
  /// one issue slot.
  int64_t requestBytes, requestsPerSlot;
};

/// The costs of a chip.
const EngineCosts &getEngineCosts(const TargetInfo &info);

} // namespace carousel

#endif // CAROUSEL_TARGET_ENGINECOSTS_H
