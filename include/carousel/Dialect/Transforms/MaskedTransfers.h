//===- MaskedTransfers.h - masks of transfers as operands -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns that the passes and the simulated machine share. They come before
// those that take transfers apart: a vector.mask holds one op.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_MASKEDTRANSFERS_H
#define CAROUSEL_DIALECT_TRANSFORMS_MASKEDTRANSFERS_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Whether the op is a vector.mask of a transfer.
bool isMaskedTransfer(mlir::Operation *op);

/// Gives transfers the mask of the vector.mask around them, and selects
/// elements of a passthru after the read.
void populateMaskedTransfers(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_MASKEDTRANSFERS_H
