//===- ConstantNames.h - names of constants, in order -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's bufferization goes through functions in the order of pointers, so
// that names and places of constants differ from run to run. A package is to
// have the same bytes each time.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PROGRAMS_CONSTANTNAMES_H
#define CAROUSEL_PASSES_GRAPH_PROGRAMS_CONSTANTNAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Gives the names that constants of a type have to these in the order in which
/// the programs first read them, and puts all constants into that order.
void orderConstants(mlir::ModuleOp module,
                    llvm::ArrayRef<mlir::func::FuncOp> programs);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PROGRAMS_CONSTANTNAMES_H
