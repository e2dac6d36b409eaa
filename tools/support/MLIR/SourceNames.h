//===- SourceNames.h - parsing that keeps SSA names -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR drops the names of values. This parser keeps them as names of locations,
// which passes preserve: `%base` gets loc("base"("k.mlir":3:5)).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_SOURCENAMES_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_SOURCENAMES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace carousel {

/// The module in the main buffer; null, after an error, if there is none.
mlir::OwningOpRef<mlir::ModuleOp> parseWithNames(const llvm::SourceMgr &sources,
                                                 mlir::MLIRContext *context);

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_SOURCENAMES_H
