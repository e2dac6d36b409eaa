//===- WatchLoops.cpp - tells the machine what loops change ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WatchLoops.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace carousel::sim;

/// The calls for which the machine notes what they find.
static constexpr StringLiteral kPolls[] = {
    "carousel_sim_atomic", "carousel_sim_atomic_load",
    "carousel_sim_ptx_load_strong", "carousel_sim_ptx_atomic"};

/// A function that is called may have such calls.
static bool mayPoll(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee &&
         (!callee->isDeclaration() || is_contained(kPolls, callee->getName()));
}

/// Whether the loop stores to memory of the thread's own that is read. The
/// machine notes other stores.
static bool keepsInMemory(const Loop &loop,
                          const SmallPtrSetImpl<const Value *> &loaded) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (auto *store = dyn_cast<StoreInst>(&instruction)) {
        const Value *object = getUnderlyingObject(store->getPointerOperand());
        if (loaded.contains(object) && isa<AllocaInst, Argument>(object))
          return true;
      }
  return false;
}

namespace {

/// A hash of values at the end of a block, which 64-bit words are mixed into.
struct StateHash {
  StateHash(BasicBlock &block, uint64_t first)
      : builder(block.getTerminator()), hash(builder.getInt64(first)) {}

  /// Fails on types that have no bits.
  bool add(Value *value) {
    Type *type = value->getType();
    if (type->isPtrOrPtrVectorTy()) {
      type = type->getWithNewType(builder.getInt64Ty());
      value = builder.CreatePtrToInt(value, type);
    }
    unsigned bits = type->getPrimitiveSizeInBits().getKnownMinValue();
    if (bits == 0 || bits > kMostBits)
      return false;
    value = builder.CreateBitCast(value, builder.getIntNTy(bits));
    for (unsigned from = 0; from < bits; from += 64) {
      Value *word = builder.CreateZExtOrTrunc(builder.CreateLShr(value, from),
                                              builder.getInt64Ty());
      // Of splitmix64.
      hash = builder.CreateMul(builder.CreateXor(hash, word),
                               builder.getInt64(0xbf58476d1ce4e5b9));
      hash = builder.CreateXor(hash, builder.CreateLShr(hash, 31));
    }
    return true;
  }

  static constexpr unsigned kMostBits = 1024;
  IRBuilder<> builder;
  Value *hash;
};

} // namespace

/// What decides about the next iterations of a loop, and the loops in it.
/// Others only count iterations.
static SmallPtrSet<const Value *, 32> findState(const Loop &outermost) {
  SmallPtrSet<const Value *, 32> known;
  SmallVector<const Instruction *> open;
  auto visit = [&](const Instruction *instruction) {
    if (instruction && outermost.contains(instruction) &&
        known.insert(instruction).second)
      open.push_back(instruction);
  };
  for (const BasicBlock *block : outermost.blocks())
    for (const Instruction &instruction : *block)
      if (instruction.isTerminator() || instruction.mayHaveSideEffects())
        visit(&instruction);
  while (!open.empty())
    for (const Value *operand : open.pop_back_val()->operands())
      visit(dyn_cast<Instruction>(operand));
  return known;
}

/// The hash at the end of an iteration; or null.
static Value *hashState(const Loop &loop, BasicBlock &latch, uint64_t number,
                        const SmallPtrSetImpl<const Value *> &known) {
  StateHash state(latch, number);
  for (const Loop *own = &loop; own; own = own->getParentLoop())
    for (PHINode &phi : own->getHeader()->phis())
      if (known.contains(&phi) &&
          !state.add(own == &loop ? phi.getIncomingValueForBlock(&latch)
                                  : &phi))
        return nullptr;
  return state.hash;
}

void carousel::sim::watchLoops(Function &function, const LoopInfo &loops) {
  auto polls = [](const BasicBlock *block) { return any_of(*block, mayPoll); };
  Module &module = *function.getParent();
  if (none_of(kPolls,
              [&](StringRef name) { return module.getFunction(name); }) ||
      none_of(make_pointer_range(function), polls))
    return;
  SmallPtrSet<const Value *, 16> loaded;
  for (const Instruction &instruction : instructions(function))
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      loaded.insert(getUnderlyingObject(load->getPointerOperand()));

  IRBuilder<> builder(function.getContext());
  FunctionCallee turn = module.getOrInsertFunction(
      "carousel_sim_turn", builder.getVoidTy(), builder.getInt64Ty());
  FunctionCallee forget = module.getOrInsertFunction(
      "carousel_sim_forget_polls", builder.getVoidTy());
  uint64_t number = xxh3_64bits(function.getName());
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (none_of(loop->blocks(), polls) ||
        keepsInMemory(*loop->getOutermostLoop(), loaded))
      continue;
    auto known = findState(*loop->getOutermostLoop());
    SmallVector<BasicBlock *> latches;
    loop->getLoopLatches(latches);
    for (BasicBlock *latch : latches)
      if (Value *state = hashState(*loop, *latch, ++number, known)) {
        builder.SetInsertPoint(latch->getTerminator());
        builder.CreateCall(turn, {state});
      }
  }
  builder.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
  builder.CreateCall(forget);
}
