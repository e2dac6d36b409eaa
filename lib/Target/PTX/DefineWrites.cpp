//===- DefineWrites.cpp - kernels without undefined writes ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DefineWrites.h.
//
//===----------------------------------------------------------------------===//

#include "DefineWrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

static void freezeOperand(Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  // A frozen address of a thread's own memory would keep it there.
  if (isa<AllocaInst>(use.get()) ||
      (isa<Constant>(use.get()) && !isa<UndefValue>(use.get())))
    return;
  use.set(new FreezeInst(use.get(), "", user->getIterator()));
}

/// The operands that undefined behaviour would come of, or go to memory.
static SmallVector<Use *> getDefiningUses(Instruction &instruction) {
  if (auto *branch = dyn_cast<BranchInst>(&instruction)) {
    if (branch->isConditional())
      return {&branch->getOperandUse(0)};
  } else if (auto *choice = dyn_cast<SwitchInst>(&instruction)) {
    return {&choice->getOperandUse(0)};
  } else if (isa<StoreInst, LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(
                 instruction)) {
    SmallVector<Use *> uses;
    for (Use &use : instruction.operands())
      uses.push_back(&use);
    return uses;
  } else if (instruction.isIntDivRem()) {
    return {&instruction.getOperandUse(1)};
  }
  return {};
}

static void define(Function &function) {
  if (function.getCallingConv() == CallingConv::PTX_Kernel)
    for (Argument &argument : function.args())
      argument.addAttr(Attribute::NoUndef);
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    if (isa<AssumeInst>(instruction)) {
      instruction.eraseFromParent();
      continue;
    }
    // Then a store of what was read there is known to change nothing.
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      if (load->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL)
        load->setMetadata(LLVMContext::MD_noundef,
                          MDNode::get(function.getContext(), {}));
    for (Use *use : getDefiningUses(instruction))
      freezeOperand(*use);
  }
}

void carousel::defineWrites(Module &module) {
  for (Function &function : module)
    define(function);
}
