//===- TextPlan.h - what is a statement, what is a name ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides, before anything is printed, which values of a function stand where
// they are used, which reads of variables are the variables themselves, and
// where variables are declared.
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

  /// The op has no statement: its result stands in what uses it.
  bool isInlined(mlir::Operation *op) const { return inlined.contains(op); }
  /// The assignment that declares its variable.
  bool isDeclaration(mlir::emitc::AssignOp op) const {
    return declarations.contains(op);
  }
  bool isDeclaredByAssignment(mlir::emitc::VariableOp op) const {
    return declaredLater.contains(op);
  }
  /// The name that the source has for an op's result, if this op is the one of
  /// those with the name that ends what it stands for.
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
  /// Where something with an effect on memory happens.
  llvm::SmallVector<unsigned> effects;
  llvm::DenseMap<mlir::Operation *, unsigned> points; ///< of inlined ops
  llvm::DenseMap<mlir::Operation *, unsigned> costs;  ///< of inlined ops
  llvm::DenseMap<mlir::Operation *, mlir::StringAttr> sourceNames;
  llvm::DenseSet<mlir::Operation *> inlined, declarations, declaredLater;
};

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_CUDA_TEXTPLAN_H
