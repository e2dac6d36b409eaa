//===- PrintText.h - writes PTX text -------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The printer's methods, for its two files.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_PRINTTEXT_H
#define CAROUSEL_LIB_PTX_PRINTTEXT_H

#include "carousel/PTX/PTXModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace carousel::ptx {

class Printer {
public:
  Printer(const Module &module, llvm::raw_ostream &os)
      : module(module), os(os) {}

  void printModule();
  void printInstruction(const Instruction &instruction);

  const Function *function = nullptr;

private:
  void printItem(const Function &value);
  void printItem(const Variable &value);
  void printItem(const Alias &value);
  void printItem(const File &value);
  void printItem(const Section &value);
  void printItem(const Pragma &value);
  void printStatement(const Instruction &value);
  void printStatement(const Label &value);
  void printStatement(const RegisterDeclaration &value);
  void printStatement(const Variable &value);
  void printStatement(const Block &value);
  void printStatement(const BranchTargets &value);
  void printStatement(const CallTargets &value);
  void printStatement(const CallPrototype &value);
  void printStatement(const SourceLocation &value);
  void printStatement(const Pragma &value);
  void printPragma(const Pragma &pragma);
  void printLinkage(Linkage linkage);
  void printAttributes(llvm::ArrayRef<Attribute> attributes);
  void printVariable(const Variable &variable);
  void printParameters(llvm::ArrayRef<Variable> parameters);
  void printDirectives(llvm::ArrayRef<FunctionDirective> directives);
  void printInitializer(const Initializer &initializer);
  void printBlock(const Block &block);
  void printOperand(const Operand &operand);
  void printList(llvm::ArrayRef<Operand> operands);
  void printCall(const Operand &call);
  void printImmediate(const Immediate &value);
  void printOffset(int64_t offset);
  template <typename Range> void printNumbers(const Range &values) {
    llvm::interleave(values, os, ", ");
  }
  llvm::raw_ostream &indent() { return os.indent(2 * depth); }

  const Module &module;
  llvm::raw_ostream &os;
  unsigned depth = 0;
};

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_PRINTTEXT_H
