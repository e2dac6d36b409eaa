//===- BankConflicts.h - accesses of shared memory by warps -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp's access of 4 bytes a lane takes as many passes as its busiest bank
// has different words. Accesses of 8 and 16 bytes go by half and quarter warps.
// CUDA C++ Programming Guide: Shared Memory.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_BANKCONFLICTS_H
#define CAROUSEL_ANALYSIS_LAYOUTS_BANKCONFLICTS_H

#include "carousel/Analysis/Layouts/LinearLayout.h"

namespace carousel {

/// The byte at which the element with some coordinates is.
using FindByte = llvm::function_ref<int64_t(llvm::ArrayRef<uint32_t>)>;

/// Passes over the banks beyond those that the bytes need, when each lane
/// accesses `bytes` bytes from the element in its register 0 on.
/// `onlyFirstCopies`: lanes whose elements others have, too, don't take part.
int64_t countBankConflicts(const LinearLayout &layout, int64_t bytes,
                           bool onlyFirstCopies, FindByte findByte);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_BANKCONFLICTS_H
