//===- ModuleParser.h - the grammar of PTX ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One method for each part of the grammar, by descent. What a method begins
// with has been seen, but not taken, unless its comment says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_PARSE_MODULEPARSER_H
#define CAROUSEL_LIB_PTX_PARSE_MODULEPARSER_H

#include "MatchForms.h"

namespace carousel::ptx {

class ModuleParser {
public:
  ModuleParser(llvm::ArrayRef<Token> tokens, Module &module, Diagnostic &error)
      : tokens(tokens, error), names(module, this->tokens), module(module) {}

  bool parseModule();

private:
  // ParseModule.cpp: the text's head, and what is outside of functions.
  bool parseHead();
  bool parseTargets();
  bool parseItem();
  bool parseFunctionName(SymbolId &function);
  bool parseAlias();
  bool parseFile();
  bool parsePragma(Pragma &pragma);
  bool parseSection();
  bool parseSectionEntry(Section &section);
  bool parseSectionValue(Section::Value &value);
  bool parseModuleVariables(Linkage linkage);
  bool parseFunction(Linkage linkage, bool isKernel);
  bool parseDirectives(std::vector<FunctionDirective> &directives,
                       std::vector<Pragma> *pragmas);

  // Declarations
  bool parseLinkage(Linkage &linkage);
  bool parseAttributes(std::vector<Attribute> &attributes);
  /// Space, alignment, vector and type, up to the name.
  bool parseVariableHead(Variable &variable);
  bool parseVariableWord(Variable &variable, bool &hasSpace, bool &hasType);
  bool parsePointee(Variable &variable);
  /// Name, count and dimensions.
  bool parseVariableName(Variable &variable);
  bool parseInitializer(Initializer &initializer, unsigned depth);
  bool parseSymbolInitializer(Initializer &initializer);
  /// `(.param .b32 a, ...)`; registers are declared in the function.
  bool parseParameters(std::vector<Variable> &parameters, Function *function,
                       const llvm::Twine &what);
  bool parseRegisters(Function &function, RegisterDeclaration &declaration);

  // Bodies
  bool parseBlock(Block &block, unsigned depth);
  bool parseStatements(Block &block, unsigned depth);
  bool parseDirectiveStatement(Block &block);
  bool parseLabel(Block &block);
  bool parseBranchTargets(Block &block, LabelId label, Location location);
  bool parseCallTargets(Block &block, LabelId label, Location location);
  bool parseCallPrototype(Block &block, LabelId label, Location location);
  bool parseSourceLocation(SourceLocation &location);
  bool parseLocalVariables(Block &block);

  // ParseInstruction.cpp
  bool parseInstruction(Instruction &instruction);
  bool parseGuard(Instruction &instruction);
  bool parseName(Instruction &instruction,
                 llvm::SmallVectorImpl<Modifier> &modifiers);
  bool parseCall(Instruction &instruction);
  bool parseCallList(Operand &list);
  bool parseOperands(std::vector<Operand> &operands, llvm::StringRef end,
                     unsigned depth);
  bool parseOperand(Operand &operand, unsigned depth);
  bool parseNamed(Operand &operand);
  bool parsePair(Operand &operand);
  bool parseNegated(Operand &operand);
  bool parseAddress(Operand &operand, unsigned depth);
  bool parseOffset(Operand &operand);
  void resolve(Operand &operand);

  TokenStream tokens;
  Names names;
  Module &module;
  Function *function = nullptr;
  bool labelsFirst = false; ///< of branches, names are labels
};

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_PARSE_MODULEPARSER_H
