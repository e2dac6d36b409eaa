//===- ProgramViews.h - buffers of programs as views ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the memrefs of a program: each is a view of an argument or a
// constant, whose numbers are expressions of the program's arguments.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_DESCRIBE_PROGRAMVIEWS_H
#define CAROUSEL_COMPILER_PACKAGE_DESCRIBE_PROGRAMVIEWS_H

#include "carousel/Analysis/Values/LaunchExpressions.h"
#include "carousel/Package/DescribePackage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace carousel {

class ProgramViews {
public:
  explicit ProgramViews(mlir::func::FuncOp program);

  /// Notes the results of an op of the program, in their order. Emits an error
  /// for memory that it can't follow; ops on numbers are none.
  mlir::LogicalResult visit(mlir::Operation &op);
  /// Says that the result of an op is the constant of this number.
  void addConstant(mlir::Value value, unsigned number);

  /// An operand of a step. Emits an error at `op`.
  mlir::FailureOr<OperandDescription> describe(mlir::Operation *op,
                                               mlir::Value value);
  /// Appends what makes the condition true. Emits an error at `op`.
  mlir::LogicalResult describe(mlir::Operation *op, mlir::Value condition,
                               llvm::StringRef message,
                               std::vector<CheckDescription> &checks);

private:
  /// Appends what makes one of a condition's parts true.
  mlir::LogicalResult describePart(mlir::Operation *op, mlir::Value part,
                                   llvm::StringRef message,
                                   std::vector<CheckDescription> &checks);
  /// Null, with an error, for memory that isn't known.
  const OperandDescription *getView(mlir::Operation *op, mlir::Value value);
  /// Null, with an error, where no expression gives the value.
  ExprAttr get(mlir::Operation *op, mlir::OpFoldResult value);
  /// The op because of which a number has no expression; null for an argument.
  mlir::Operation *findUnknown(mlir::Value value);
  /// The same of an integer of a condition, which may be an index whose bits it
  /// has; then a check says that it has all.
  ExprAttr getInteger(mlir::Operation *op, mlir::Value value,
                      std::vector<CheckDescription> &checks);
  ExprAttr constant(int64_t value);
  ExprAttr add(ExprAttr lhs, ExprAttr rhs);
  ExprAttr subtract(ExprAttr lhs, ExprAttr rhs);
  ExprAttr multiply(ExprAttr lhs, ExprAttr rhs);
  void setContiguous(OperandDescription &view);
  /// Notes a view unless one of its expressions has become too large.
  mlir::LogicalResult note(mlir::Operation *op, mlir::Value result,
                           OperandDescription view);

  mlir::LogicalResult visitView(mlir::memref::ViewOp op);
  mlir::LogicalResult slice(mlir::memref::SubViewOp op);
  mlir::LogicalResult expand(mlir::memref::ExpandShapeOp op);
  mlir::LogicalResult collapse(mlir::memref::CollapseShapeOp op);
  mlir::LogicalResult cast(mlir::memref::CastOp op);

  mlir::MLIRContext *context;
  mlir::Block *entry;
  LaunchExpressions expressions;
  llvm::DenseMap<mlir::Value, OperandDescription> views;
};

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_DESCRIBE_PROGRAMVIEWS_H
