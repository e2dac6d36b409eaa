//===- CubinRegisters.h - registers of a cubin's kernels --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads from a cubin the registers that the assembler gave to each function.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_CUBINREGISTERS_H
#define CAROUSEL_TARGET_CUBINREGISTERS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <cstdint>

namespace carousel {

/// The registers of a thread, by function. Functions of which the cubin says
/// nothing are absent, and so are all if `cubin` isn't a cubin that can be
/// read.
llvm::StringMap<int64_t> readRegisters(llvm::StringRef cubin);

} // namespace carousel

#endif // CAROUSEL_TARGET_CUBINREGISTERS_H
