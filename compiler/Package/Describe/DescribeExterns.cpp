//===- DescribeExterns.cpp - undefined functions of a module --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX gives the functions that are called and not defined; the IR gives
// their types. Functions of the CUDA driver, such as vprintf, have no func.func
// and count as defined.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/DescribePackage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace carousel;

/// The names in declarations: ".extern .func  (.param .b32 result) name", and
/// the parameters on lines of their own.
static llvm::StringSet<> findDeclared(StringRef ptx) {
  llvm::StringSet<> names;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    ptx = rest;
    if (!line.consume_front(".extern .func"))
      continue;
    if (line.ltrim().starts_with("("))
      line = line.split(')').second;
    names.insert(line.split('(').first.trim());
  }
  return names;
}

static std::string getTypeName(Type type, unsigned indexBits) {
  if (type.isIndex())
    return "i" + std::to_string(indexBits);
  if (isa<LLVM::LLVMPointerType>(type))
    return "ptr";
  bool hasWord = type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
                 type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
                 type.isSignlessInteger(64) || type.isF16() || type.isBF16() ||
                 type.isF32() || type.isF64();
  if (!hasWord)
    return "other";
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static bool isIdentifier(StringRef name) {
  auto isLetter = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  return !name.empty() && isLetter(name.front()) &&
         llvm::all_of(name,
                      [&](char c) { return isLetter(c) || llvm::isDigit(c); });
}

FailureOr<std::vector<ExternDescription>>
carousel::describeExterns(gpu::GPUModuleOp module, StringRef ptx,
                          unsigned indexBits) {
  llvm::StringSet<> declared = findDeclared(ptx);
  std::vector<ExternDescription> externs;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isExternal())
      continue;
    // PTX spells another name in its own way; it can't be found there.
    bool isUsed = !SymbolTable::symbolKnownUseEmpty(function, module);
    if (isUsed && !isIdentifier(function.getName()))
      return function.emitError("expected an identifier as the name of a "
                                "function without a body, got '")
             << function.getName() << "'";
    if (!declared.contains(function.getName()))
      continue;
    ExternDescription &description = externs.emplace_back();
    description.name = function.getName().str();
    FunctionType type = function.getFunctionType();
    if (type.getNumResults() == 1)
      description.result = getTypeName(type.getResult(0), indexBits);
    else if (type.getNumResults() > 1)
      description.result = "other";
    for (Type input : type.getInputs())
      description.parameters.push_back(getTypeName(input, indexBits));
  }
  return externs;
}
