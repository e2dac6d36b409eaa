//===- LateWaits.h - products in flight until they are needed ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are in flight from their places to the first op that needs their
// sums, or that could let their tiles be written: a release, a store, a
// barrier. So threads compute between two products what depends on neither, and
// several products may be in flight.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_LATEWAITS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_LATEWAITS_H

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"

namespace carousel {

/// Lowers the products of a block, in its order, none of which is promoted.
/// Returns how many have ops between their places and their waits.
unsigned lowerAndWaitLate(llvm::ArrayRef<MultiplyOp> products);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_LATEWAITS_H
