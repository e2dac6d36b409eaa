//===- FunctionPrinter.h - print one function as text -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints statements (Statements.cpp) with their expressions (Expressions.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_CUDA_FUNCTIONPRINTER_H
#define CAROUSEL_LIB_TARGET_CUDA_FUNCTIONPRINTER_H

#include "Names.h"
#include "TextPlan.h"

#include "carousel/Target/EmitCUDA.h"

namespace carousel {

/// The precedence of a C++ expression. Higher binds tighter.
enum class Precedence {
  Lowest,
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Primary
};

/// The spelling of a type, or an empty string if C++ has none. "float *" for a
/// pointer.
std::string spellType(mlir::Type type);
/// A declaration: "float *x".
std::string declare(mlir::Type type, llvm::StringRef name);
/// A constant. `typed`: the context doesn't give its type. Empty if it has no
/// text.
std::string spellConstant(mlir::Attribute attr, mlir::Type type, bool typed);

class FunctionPrinter {
public:
  FunctionPrinter(mlir::emitc::FuncOp func, const NameScope &globals,
                  const EmitCUDAOptions &options)
      : func(func), plan(func), names(globals), options(options) {}

  /// Prints the function. If an op has no text, emits an error there and fails.
  mlir::FailureOr<std::string> print();

private:
  struct Expression {
    std::string text;
    Precedence precedence;
  };

  // Expressions.cpp
  std::string express(mlir::Value value, Precedence least = Precedence::Lowest,
                      bool typed = false);
  Expression build(mlir::Operation *op, bool typed);
  Expression buildBinary(mlir::Operation *op, llvm::StringRef token,
                         Precedence precedence);
  Expression buildCast(mlir::emitc::CastOp op);
  Expression buildCall(mlir::Operation *op);
  std::string expressLValue(mlir::Value lvalue);
  std::string fail(mlir::Operation *op);

  // Statements.cpp
  void printBlock(mlir::Block &block);
  void printOp(mlir::Operation *op);
  void printVariable(mlir::emitc::VariableOp op);
  void printFor(mlir::emitc::ForOp op);
  void printIf(mlir::emitc::IfOp op, llvm::StringRef prefix = {});
  void printDo(mlir::emitc::DoOp op);
  void printSwitch(mlir::emitc::SwitchOp op);
  void printVerbatim(mlir::emitc::VerbatimOp op);
  void printSignature();
  void printLine(llvm::StringRef text, mlir::Operation *from = nullptr);
  std::string getName(mlir::Value value);
  std::string suggestName(mlir::Value value);
  std::string getLocationComment(mlir::Operation *op);

  mlir::emitc::FuncOp func;
  TextPlan plan;
  NameScope names;
  const EmitCUDAOptions &options;
  llvm::DenseMap<mlir::Value, std::string> named;
  /// Arguments of expression regions, and their values.
  llvm::DenseMap<mlir::Value, mlir::Value> aliases;
  std::string output;
  unsigned indent = 0;
  std::string lastLocation;
  bool failed = false;
  bool usesDynamicShared = false;
};

} // namespace carousel

#endif // CAROUSEL_LIB_TARGET_CUDA_FUNCTIONPRINTER_H
