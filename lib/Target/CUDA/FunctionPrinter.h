//===- FunctionPrinter.h - functions as CUDA C++ ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints statements (Statements.cpp) with their expressions (Expressions.cpp).
// Before printing (TextPlan.cpp), each name of the IR gets a unique and valid
// identifier, and a plan says which values of a function are printed inside
// their users, which reads of variables print as the variables themselves, and
// where variables are declared. Comments can't continue on the next line, and
// string literals are properly escaped.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_TARGET_CUDA_FUNCTIONPRINTER_H
#define CAROUSEL_LIB_TARGET_CUDA_FUNCTIONPRINTER_H

#include "carousel/Target/EmitCUDA.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace carousel {

/// Whether a kernel can have this name: an identifier that C++, CUDA and the
/// device headers don't use.
bool isFreeIdentifier(llvm::StringRef name);

/// Whether some header may define a macro of this name.
bool looksLikeMacro(llvm::StringRef name);

/// The identifiers of one function.
class NameScope {
public:
  /// Reserves all identifiers in `text`.
  void reserve(llvm::StringRef text);
  /// A unique name like `wanted`.
  std::string unique(llvm::StringRef wanted);

private:
  llvm::StringSet<> taken;
};

/// One line of a comment after `//`: printable ASCII, without backslashes.
std::string escapeComment(llvm::StringRef text);

/// A string literal with its quotes.
std::string quote(llvm::StringRef text);

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
