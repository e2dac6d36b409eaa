//===- VerifyProducts.h - products that ptxas serialises --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors for products of a warpgroup that the assembler makes wait for each
// other. It says so in its report, and its code is several times slower.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TARGET_VERIFYPRODUCTS_H
#define CAROUSEL_TARGET_VERIFYPRODUCTS_H

#include "mlir/IR/Operation.h"

namespace carousel {

/// C329: emits an error at the first product of each function of `module`
/// (a gpu.module at the machine or the target phase, or an op around it) whose
/// products `report`, of assemblePTX, calls serialised.
mlir::LogicalResult verifyProducts(mlir::Operation *module,
                                   llvm::StringRef report);

} // namespace carousel

#endif // CAROUSEL_TARGET_VERIFYPRODUCTS_H
