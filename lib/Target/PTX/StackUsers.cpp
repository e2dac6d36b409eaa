//===- StackUsers.cpp - functions that need a stack -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StackUsers.h.
//
//===----------------------------------------------------------------------===//

#include "StackUsers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool asksForStack(const Instruction &instruction) {
  if (auto *extract = dyn_cast<ExtractElementInst>(&instruction))
    return !isa<ConstantInt>(extract->getIndexOperand());
  if (auto *insert = dyn_cast<InsertElementInst>(&instruction))
    return !isa<ConstantInt>(insert->getOperand(2));
  return isa<AllocaInst>(instruction);
}

StringSet<> carousel::findStackUsers(const Module &module) {
  StringSet<> users;
  for (const Function &function : module)
    if (any_of(instructions(function), asksForStack))
      users.insert(function.getName());
  auto callsUser = [&](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && users.contains(callee->getName());
  };
  for (size_t before = 0; before != users.size();) {
    before = users.size();
    for (const Function &function : module)
      if (any_of(instructions(function), callsUser))
        users.insert(function.getName());
  }
  return users;
}
