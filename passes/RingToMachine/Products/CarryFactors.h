//===- CarryFactors.h - registers of factors that stay ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A first factor in registers that is the same in all iterations of a loop. The
// loop carries it from each wait to the next product, and each fence renews it.
//
// ptxas 13.0 doesn't see that such a factor lives as long as the loop, if
// products alone read it: it gives the registers to other values of the loop,
// so that the second iteration multiplies something else. Found on a GPU, in
// attention whose queries are the first factor and whose probabilities have as
// many registers.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_CARRYFACTORS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_CARRYFACTORS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace carousel {

/// Carries the factors of the products in the loop's body. Returns how many
/// registers of wgmma are carried.
unsigned carryFactors(mlir::scf::ForOp loop);

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_CARRYFACTORS_H
