//===- UsedSymbols.cpp - symbols that a function uses -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions and globals that a kernel or a reference uses. A function that
// may call itself is rejected, because a thread's stack has a size that must be
// known before it runs.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace carousel::sim;

using Symbols = llvm::SetVector<Operation *>;

static Symbols getUses(Operation *op, Operation *home) {
  Symbols used;
  if (auto uses = SymbolTable::getSymbolUses(op))
    for (SymbolTable::SymbolUse use : *uses)
      if (Operation *symbol = SymbolTable::lookupSymbolIn(
              home, use.getSymbolRef().getLeafReference()))
        used.insert(symbol);
  return used;
}

/// Removes functions that use no remaining function, until none is left to
/// remove. The remaining functions lead back to themselves.
static Operation *findRecursive(const DenseMap<Operation *, Symbols> &uses,
                                Symbols left) {
  auto isLeaf = [&](Operation *op) {
    return llvm::none_of(uses.lookup(op),
                         [&](Operation *used) { return left.contains(used); });
  };
  while (llvm::any_of(left, isLeaf))
    left.remove_if(isLeaf);
  return left.empty() ? nullptr : left.back();
}

FailureOr<Symbols> carousel::sim::getUsedSymbols(Operation *root) {
  Symbols used;
  DenseMap<Operation *, Symbols> uses;
  used.insert(root);
  for (size_t i = 0; i < used.size(); ++i) {
    Operation *op = used[i];
    uses[op] = getUses(op, root->getParentOp());
    used.insert_range(uses[op]);
    if (auto function = dyn_cast<FunctionOpInterface>(op);
        function && function.isExternal())
      return op->emitError("expected a function with a body, got only its "
                           "declaration");
  }
  if (Operation *function = findRecursive(uses, used))
    return function->emitError("expected functions that don't call themselves, "
                               "found a recursive one");
  return used;
}
