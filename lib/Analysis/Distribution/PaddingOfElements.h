//===- PaddingOfElements.h - what ops make of padding -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_PADDINGOFELEMENTS_H
#define CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_PADDINGOFELEMENTS_H

#include "carousel/Analysis/Distribution/PaddingValues.h"

namespace carousel {

/// The padding of an elementwise op's results.
llvm::SmallVector<Padding> computeElements(mlir::Operation *op,
                                           llvm::ArrayRef<Padding> operands);

/// Whether a combination, with an accumulator of `acc`, ignores the padding.
/// The sign of a zero doesn't count.
bool isNeutral(mlir::vector::CombiningKind kind, const Padding &padding,
               const Padding &acc);

/// A number that counts as finite.
bool isFiniteNumber(const Padding &padding);
/// One whose sums and products count as finite, too, in types whose exponents
/// have the range of f32. A constant may be so large that they don't.
bool isSharedNumber(const Padding &padding);
bool isZeroNumber(const Padding &padding);
bool isFalse(const Padding &padding);

} // namespace carousel

#endif // CAROUSEL_LIB_ANALYSIS_DISTRIBUTION_PADDINGOFELEMENTS_H
