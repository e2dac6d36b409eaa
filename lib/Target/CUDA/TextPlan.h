//===- TextPlan.h - statements and names of the text ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides before printing which values of a function are printed inside their
// users, which reads of variables print as the variables themselves, and where
// variables are declared.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_CUDA_TEXTPLAN_H
#define CAROUSEL_LIB_TARGET_CUDA_TEXTPLAN_H

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace carousel {

class TextPlan {
public:
  explicit TextPlan(mlir::emitc::FuncOp func);

  /// Whether the op has no statement, because its result is printed inside its
  /// user.
  bool isInlined(mlir::Operation *op) const { return inlined.contains(op); }
  /// Whether the assignment declares its variable.
  bool isDeclaration(mlir::emitc::AssignOp op) const {
    return declarations.contains(op);
  }
  bool isDeclaredByAssignment(mlir::emitc::VariableOp op) const {
    return declaredLater.contains(op);
  }
  /// The source's name for an op's result, if this op is the last one of those
  /// with the name.
  mlir::StringAttr getSourceName(mlir::Operation *op) const {
    return sourceNames.lookup(op);
  }

private:
  void number(mlir::emitc::FuncOp func);
  void findSourceNames();
  void findDeclarations();
  void decide(mlir::Operation *op);
  unsigned getPoint(mlir::OpOperand &use) const;
  unsigned getLastPoint(mlir::Operation *op) const;
  bool isReadInTime(mlir::emitc::LoadOp load) const;

  struct Extent {
    unsigned begin, end;
  };
  llvm::SmallVector<mlir::Operation *> order;
  llvm::DenseMap<mlir::Operation *, Extent> extents;
  /// The positions of effects on memory.
  llvm::SmallVector<unsigned> effects;
  llvm::DenseMap<mlir::Operation *, unsigned> points; ///< of inlined ops
  llvm::DenseMap<mlir::Operation *, unsigned> costs;  ///< of inlined ops
  llvm::DenseMap<mlir::Operation *, mlir::StringAttr> sourceNames;
  llvm::DenseSet<mlir::Operation *> inlined, declarations, declaredLater;
};

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_CUDA_TEXTPLAN_H
