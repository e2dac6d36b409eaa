//===- InsertGraphOps.h - more ops on tensors -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_FUZZ_INSERTGRAPHOPS_H
#define CAROUSEL_TEST_FUZZ_INSERTGRAPHOPS_H

#include "Draw.h"

#include "mlir/IR/BuiltinOps.h"

namespace carousel::fuzz {

/// Applies a random op to a tensor of a function. The result takes the
/// tensor's place where the types agree, or is returned as well.
void insertGraphOp(mlir::ModuleOp module, Draw &draw);

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_FUZZ_INSERTGRAPHOPS_H
