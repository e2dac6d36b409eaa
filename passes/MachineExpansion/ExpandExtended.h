//===- ExpandExtended.h - arithmetic with two results -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arith.addui_extended, mulsi_extended and mului_extended where upstream's
// conversion to LLVM has no form of them: of indices, of single bits, and of
// vectors with several dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_MACHINEEXPANSION_EXPANDEXTENDED_H
#define CAROUSEL_PASSES_MACHINEEXPANSION_EXPANDEXTENDED_H

#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// Whether populateExpandExtended has a pattern for an op.
bool isExpandedExtended(mlir::Operation *op);
void populateExpandExtended(mlir::RewritePatternSet &patterns);

} // namespace carousel

#endif // CAROUSEL_PASSES_MACHINEEXPANSION_EXPANDEXTENDED_H
