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

static constexpr StringLiteral kSome = "carousel_some_";

/// A function of which LLVM knows nothing. A frozen condition that is poison
/// becomes a constant, as if the author had written it.
static FunctionCallee getSome(Module &module, Type *type) {
  std::string name;
  raw_string_ostream(name) << kSome << *type;
  AttrBuilder attributes(module.getContext());
  attributes.addMemoryAttr(MemoryEffects::none());
  for (Attribute::AttrKind kind :
       {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback})
    attributes.addAttribute(kind);
  return module.getOrInsertFunction(
      name, FunctionType::get(type, {type}, /*isVarArg=*/false),
      AttributeList::get(module.getContext(), AttributeList::FunctionIndex,
                         attributes));
}

static void hideCondition(Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  FunctionCallee some = getSome(*user->getModule(), use->getType());
  use.set(CallInst::Create(some, {use.get()}, "", user->getIterator()));
}

/// What a branch or a switch decides by.
static Use *findCondition(Instruction &instruction) {
  auto *branch = dyn_cast<BranchInst>(&instruction);
  bool decides =
      (branch && branch->isConditional()) || isa<SwitchInst>(instruction);
  return decides ? &instruction.getOperandUse(0) : nullptr;
}

/// The operands that undefined behaviour would come of, or go to memory.
static SmallVector<Use *> getDefiningUses(Instruction &instruction) {
  if (isa<StoreInst, LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction)) {
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
    if (Use *condition = findCondition(instruction))
      hideCondition(*condition);
  }
}

void carousel::defineWrites(Module &module) {
  SmallVector<Function *> functions;
  for (Function &function : module)
    functions.push_back(&function);
  for (Function *function : functions)
    define(*function);
}

void carousel::showConditions(Module &module) {
  for (Function &some : module) {
    if (!some.getName().starts_with(kSome))
      continue;
    for (User *user : make_early_inc_range(some.users())) {
      auto *call = cast<CallInst>(user);
      Value *condition = call->getArgOperand(0);
      if (isa<UndefValue>(condition))
        continue;
      if (!isa<Constant>(condition))
        condition = new FreezeInst(condition, "", call->getIterator());
      call->replaceAllUsesWith(condition);
      call->eraseFromParent();
    }
  }
}
