//===- ConstantNames.cpp - names of constants, in order -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConstantNames.h.
//
//===----------------------------------------------------------------------===//

#include "ConstantNames.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace carousel;

void carousel::orderConstants(ModuleOp module,
                              ArrayRef<func::FuncOp> programs) {
  SymbolTable symbols(module);
  llvm::SetVector<memref::GlobalOp> constants;
  for (func::FuncOp program : programs)
    program.walk([&](memref::GetGlobalOp op) {
      if (auto global = symbols.lookup<memref::GlobalOp>(op.getName()))
        constants.insert(global);
    });
  if (constants.empty())
    return;
  llvm::MapVector<Type, SmallVector<StringAttr>> names;
  for (memref::GlobalOp global : constants)
    names[global.getType()].push_back(global.getSymNameAttr());
  // Upstream adds numbers to the name of the first one.
  for (auto &[type, all] : names)
    llvm::sort(all, [](StringAttr a, StringAttr b) {
      return std::pair(a.size(), a.getValue()) <
             std::pair(b.size(), b.getValue());
    });
  DenseMap<StringAttr, StringAttr> renamed;
  DenseMap<Type, unsigned> next;
  Operation *first = &module.getBody()->front();
  for (memref::GlobalOp global : constants) {
    unsigned number = next[global.getType()]++;
    StringAttr name = names[global.getType()][number];
    renamed[global.getSymNameAttr()] = name;
    global.setSymNameAttr(name);
    if (global == first)
      first = first->getNextNode();
    else
      global->moveBefore(first);
  }
  module.walk([&](memref::GetGlobalOp op) {
    auto found = renamed.find(op.getNameAttr().getAttr());
    if (found != renamed.end())
      op.setName(found->second);
  });
}
