//===- ControlFlow.h - statements, branches and calls -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates the statements of a function: each label begins a block of the
// host's code, a guard is a branch around its instruction, and a call is one of
// a host function. A function returns whether the thread has exited.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_PTX_CONTROLFLOW_H
#define CAROUSEL_LIB_SIMULATOR_PTX_CONTROLFLOW_H

#include "ThreadCode.h"

namespace carousel::sim {

class ControlFlow {
public:
  /// `hostFunctions` are those of the functions that a kernel may call, by
  /// symbol.
  ControlFlow(ThreadCode &code,
              const llvm::DenseMap<ptx::SymbolId, mlir::LLVM::LLVMFuncOp>
                  &hostFunctions)
      : code(code), b(code.b), hostFunctions(hostFunctions) {}

  mlir::LogicalResult translateBody();

private:
  mlir::LogicalResult translate(const ptx::Block &block);
  mlir::LogicalResult translate(const ptx::Instruction &instruction);
  mlir::LogicalResult translateUnguarded(const ptx::Instruction &instruction);
  mlir::LogicalResult translateBranch(const ptx::Instruction &instruction);
  mlir::LogicalResult translateTable(const ptx::Instruction &instruction);
  mlir::LogicalResult translateCall(const ptx::Instruction &instruction);
  bool callSystem(const ptx::Instruction &instruction, llvm::StringRef name);
  mlir::LogicalResult callFunction(const ptx::Instruction &instruction,
                                   const ptx::Function &callee);
  mlir::LogicalResult callByAddress(const ptx::Instruction &instruction);
  mlir::Value passParameter(const ptx::Instruction &instruction,
                            const ptx::Operand &value,
                            const ptx::Variable &parameter);
  mlir::Value readGuard(const ptx::Guard &guard);
  void collectLabels(const ptx::Block &block);
  void declareParameter(const ptx::Variable &variable);
  mlir::Block *addBlock();
  void jump(mlir::Block *to);
  void jumpIf(mlir::Value condition, mlir::Block *then, mlir::Block *otherwise);
  void leave(bool hasExited);
  mlir::Block *getLabel(ptx::LabelId label) { return labels[label]; }
  std::string describe(const ptx::SourceLocation &location) const;

  ThreadCode &code;
  mlir::OpBuilder &b;
  const llvm::DenseMap<ptx::SymbolId, mlir::LLVM::LLVMFuncOp> &hostFunctions;
  llvm::DenseMap<ptx::LabelId, mlir::Block *> labels;
  llvm::DenseSet<ptx::LabelId> placed;
  llvm::DenseMap<ptx::LabelId, const ptx::BranchTargets *> branchTargets;
  llvm::DenseMap<ptx::LabelId, const ptx::CallTargets *> callTargets;
  llvm::DenseMap<ptx::LabelId, const ptx::CallPrototype *> prototypes;
  std::string origin;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_PTX_CONTROLFLOW_H
