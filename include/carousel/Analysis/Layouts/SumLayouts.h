//===- SumLayouts.h - sums of multiply-adds ------------------- -*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the threads of a CTA have the sums of a product that they multiply and
// add themselves.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_SUMLAYOUTS_H
#define CAROUSEL_ANALYSIS_LAYOUTS_SUMLAYOUTS_H

#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace carousel {

/// Whether neighbours along a dimension of the sums are neighbours in memory of
/// a factor.
using HasRuns = llvm::function_ref<bool(unsigned dim)>;

/// Sums that use each element of a factor several times. With `inRows`, warps
/// have whole rows if there are enough: these are reduced.
LinearLayout makeSumLayout(llvm::ArrayRef<unsigned> extentBits, HasRuns hasRuns,
                           ThreadBits threads, bool inRows = false);

/// Sums whose rows are those that threads have of the first factor, so that
/// what follows from rows of the one stays where it is for the other; nullopt
/// if threads have no whole rows of the factor.
std::optional<LinearLayout>
followRowsOfFactor(llvm::ArrayRef<unsigned> extentBits,
                   const LinearLayout &factor, HasRuns hasRuns,
                   ThreadBits threads);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_SUMLAYOUTS_H
