//===- ExpandTickets.h - tickets that order memory --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_EXPANDTICKETS_H
#define CAROUSEL_DIALECT_TRANSFORMS_EXPANDTICKETS_H

#include "mlir/IR/Operation.h"

namespace carousel {

/// Replaces `acq_rel` of the tickets in `root` by what orders the memory of all
/// threads of a CTA: a barrier and a release before the draw, an acquire and a
/// barrier after it.
void expandTickets(mlir::Operation *root);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_EXPANDTICKETS_H
