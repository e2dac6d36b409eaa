//===- ConvergentCalls.cpp - what threads execute together ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConvergentCalls.h.
//
//===----------------------------------------------------------------------===//

#include "ConvergentCalls.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static constexpr StringLiteral kNumber = "carousel.convergent";
static constexpr StringLiteral kForms[] = {".sync", ".aligned"};

static StringRef getAssembly(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *assembly =
      call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly ? assembly->getAsmString() : StringRef();
}

static size_t countForms(StringRef text) {
  size_t count = 0;
  for (StringRef form : kForms)
    count += text.count(form);
  return count;
}

void carousel::markConvergentCalls(Module &module) {
  Type *type = Type::getInt32Ty(module.getContext());
  uint32_t number = 0;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call)
        continue;
      if (countForms(getAssembly(instruction)) != 0)
        call->setConvergent();
      // A function may be inlined in both branches.
      if (call->isConvergent() && function.use_empty())
        call->setMetadata(kNumber,
                          MDNode::get(module.getContext(),
                                      ConstantAsMetadata::get(
                                          ConstantInt::get(type, number++))));
    }
}

/// Whether a way goes from a block to a later one in one iteration of the loop
/// that has both.
static bool reaches(const BasicBlock *from, const BasicBlock *to,
                    const LoopInfo &loops) {
  const Loop *loop = loops.getLoopFor(from);
  while (loop && !loop->contains(to))
    loop = loop->getParentLoop();
  const BasicBlock *header = loop ? loop->getHeader() : nullptr;
  SmallVector<const BasicBlock *> open = {from};
  SmallPtrSet<const BasicBlock *, 32> seen = {from};
  while (!open.empty())
    for (const BasicBlock *next : successors(open.pop_back_val())) {
      if (next == header)
        continue;
      if (next == to)
        return true;
      if (seen.insert(next).second)
        open.push_back(next);
    }
  return false;
}

static std::optional<std::string> findDivergentCopies(Function &function) {
  // The blocks of each call's copies, in order.
  MapVector<MDNode *, SmallVector<const Instruction *>> copies;
  bool areSpread = false;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : *block)
      if (MDNode *number = instruction.getMetadata(kNumber)) {
        SmallVector<const Instruction *> &known = copies[number];
        if (known.empty() || known.back()->getParent() != block)
          known.push_back(&instruction);
        areSpread |= known.size() > 1;
      }
  if (!areSpread)
    return std::nullopt;
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (auto &[number, known] : copies)
    for (size_t i = 1; i < known.size(); ++i)
      if (!reaches(known[i - 1]->getParent(), known[i]->getParent(), loops)) {
        std::string text = getAssembly(*known[i]).str();
        if (text.empty())
          raw_string_ostream(text) << *known[i];
        return text;
      }
  return std::nullopt;
}

std::optional<carousel::DivergentCopies>
carousel::findDivergentCopies(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      if (auto instruction = ::findDivergentCopies(function))
        return DivergentCopies{function.getName().str(), *instruction};
  return std::nullopt;
}

size_t carousel::countAlignedForms(const Module &module) {
  size_t count = 0;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      count += countForms(getAssembly(instruction));
  return count;
}

size_t carousel::countAlignedForms(StringRef ptx) {
  size_t count = 0;
  while (true) {
    ptx = ptx.split("// begin inline asm").second;
    if (ptx.empty())
      return count;
    auto [assembly, rest] = ptx.split("// end inline asm");
    count += countForms(assembly);
    ptx = rest;
  }
}
