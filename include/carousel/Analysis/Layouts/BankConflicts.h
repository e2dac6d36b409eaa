//===- BankConflicts.h - accesses of shared memory by warps -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts what accesses of a layout's elements cost, by the rules of
// carousel/Support/SharedMemoryBanks.h.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_BANKCONFLICTS_H
#define CAROUSEL_ANALYSIS_LAYOUTS_BANKCONFLICTS_H

#include "carousel/Analysis/Layouts/LinearLayout.h"

namespace carousel {

/// The byte at which the element with some coordinates is.
using FindByte = llvm::function_ref<int64_t(llvm::ArrayRef<uint32_t>)>;

/// Wavefronts beyond those that the bytes need, when each lane accesses `bytes`
/// bytes from the element in its register 0 on. `onlyFirstCopies`: lanes whose
/// elements others have, too, don't take part.
int64_t countBankConflicts(const LinearLayout &layout, int64_t bytes,
                           bool onlyFirstCopies, FindByte findByte);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_BANKCONFLICTS_H
