//===- RowReads.h - elements of rows that numbers name ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms in which bodies of structured ops read a row by its number.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_ROWREADS_H
#define CAROUSEL_PASSES_GRAPH_READING_ROWREADS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace carousel {

/// The read in an scf.if, zero elsewhere, whose condition says no more than
/// that the first index is one of the tensor; null for other branches.
mlir::tensor::ExtractOp findGuardedRow(mlir::scf::IfOp branch);

/// The read that a value is, guarded or not; null if it is something else.
mlir::tensor::ExtractOp findRowRead(mlir::Value value);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_ROWREADS_H
