//===- Branches.h - code under a condition ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_BRANCHES_H
#define CAROUSEL_DIALECT_IR_BRANCHES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace carousel {

/// Builds an scf.if, and calls `then` in its region and `otherwise` in its else
/// region. If `condition` is null, calls `then` without an scf.if.
inline void createIf(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                     llvm::function_ref<void()> then,
                     llvm::function_ref<void()> otherwise = nullptr) {
  if (!condition)
    return then();
  auto branch =
      mlir::scf::IfOp::create(b, condition, /*withElseRegion=*/bool(otherwise));
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_BRANCHES_H
