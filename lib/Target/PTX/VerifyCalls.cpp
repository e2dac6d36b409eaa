//===- VerifyCalls.cpp - calls with the types of their callees ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VerifyCalls.h.
//
//===----------------------------------------------------------------------===//

#include "VerifyCalls.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static std::string print(const Type &type) {
  std::string text;
  raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

std::optional<carousel::BadCall> carousel::findBadCall(const Module &module) {
  for (const Function &caller : module)
    for (const Instruction &instruction : instructions(caller)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      auto *callee = call ? dyn_cast<Function>(
                                call->getCalledOperand()->stripPointerCasts())
                          : nullptr;
      if (callee && callee->getFunctionType() != call->getFunctionType())
        return BadCall{caller.getName().str(), callee->getName().str(),
                       print(*callee->getFunctionType()),
                       print(*call->getFunctionType())};
    }
  return std::nullopt;
}
