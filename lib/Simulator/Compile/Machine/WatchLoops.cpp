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

using namespace carousel::sim;

/// The calls for which the machine notes what they find.
static constexpr llvm::StringLiteral kPolls[] = {
    "carousel_sim_atomic", "carousel_sim_atomic_load",
    "carousel_sim_ptx_load_strong", "carousel_sim_ptx_atomic"};

/// A function that is called may have such calls.
static bool mayPoll(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && (!callee->isDeclaration() ||
                    llvm::is_contained(kPolls, callee->getName()));
}

/// Whether the loop stores to memory of the thread's own that is read. The
/// machine notes other stores.
static bool
keepsInMemory(const llvm::Loop &loop,
              const llvm::SmallPtrSetImpl<const llvm::Value *> &loaded) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        const llvm::Value *object =
            llvm::getUnderlyingObject(store->getPointerOperand());
        if (loaded.contains(object) &&
            llvm::isa<llvm::AllocaInst, llvm::Argument>(object))
          return true;
      }
  return false;
}

namespace {

/// A hash of values at the end of a block, which 64-bit words are mixed into.
struct StateHash {
  StateHash(llvm::BasicBlock &block, uint64_t first)
      : builder(block.getTerminator()), hash(builder.getInt64(first)) {}

  /// Fails on types that have no bits.
  bool add(llvm::Value *value) {
    llvm::Type *type = value->getType();
    if (type->isPtrOrPtrVectorTy()) {
      type = type->getWithNewType(builder.getInt64Ty());
      value = builder.CreatePtrToInt(value, type);
    }
    unsigned bits = type->getPrimitiveSizeInBits().getKnownMinValue();
    if (bits == 0 || bits > kMostBits)
      return false;
    value = builder.CreateBitCast(value, builder.getIntNTy(bits));
    for (unsigned from = 0; from < bits; from += 64) {
      llvm::Value *word = builder.CreateZExtOrTrunc(
          builder.CreateLShr(value, from), builder.getInt64Ty());
      // Of splitmix64.
      hash = builder.CreateMul(builder.CreateXor(hash, word),
                               builder.getInt64(0xbf58476d1ce4e5b9));
      hash = builder.CreateXor(hash, builder.CreateLShr(hash, 31));
    }
    return true;
  }

  static constexpr unsigned kMostBits = 1024;
  llvm::IRBuilder<> builder;
  llvm::Value *hash;
};

} // namespace

/// What decides about the next iterations of a loop, and the loops in it.
/// Others only count iterations.
static llvm::SmallPtrSet<const llvm::Value *, 32>
findState(const llvm::Loop &outermost) {
  llvm::SmallPtrSet<const llvm::Value *, 32> known;
  llvm::SmallVector<const llvm::Instruction *> open;
  auto visit = [&](const llvm::Instruction *instruction) {
    if (instruction && outermost.contains(instruction) &&
        known.insert(instruction).second)
      open.push_back(instruction);
  };
  for (const llvm::BasicBlock *block : outermost.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (instruction.isTerminator() || instruction.mayHaveSideEffects())
        visit(&instruction);
  while (!open.empty())
    for (const llvm::Value *operand : open.pop_back_val()->operands())
      visit(llvm::dyn_cast<llvm::Instruction>(operand));
  return known;
}

/// The hash at the end of an iteration; or null.
static llvm::Value *
hashState(const llvm::Loop &loop, llvm::BasicBlock &latch, uint64_t number,
          const llvm::SmallPtrSetImpl<const llvm::Value *> &known) {
  StateHash state(latch, number);
  for (const llvm::Loop *own = &loop; own; own = own->getParentLoop())
    for (llvm::PHINode &phi : own->getHeader()->phis())
      if (known.contains(&phi) &&
          !state.add(own == &loop ? phi.getIncomingValueForBlock(&latch)
                                  : &phi))
        return nullptr;
  return state.hash;
}

void carousel::sim::watchLoops(llvm::Function &function,
                               const llvm::LoopInfo &loops) {
  auto polls = [](const llvm::BasicBlock *block) {
    return llvm::any_of(*block, mayPoll);
  };
  llvm::Module &module = *function.getParent();
  if (llvm::none_of(
          kPolls,
          [&](llvm::StringRef name) { return module.getFunction(name); }) ||
      llvm::none_of(llvm::make_pointer_range(function), polls))
    return;
  llvm::SmallPtrSet<const llvm::Value *, 16> loaded;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      loaded.insert(llvm::getUnderlyingObject(load->getPointerOperand()));

  llvm::IRBuilder<> builder(function.getContext());
  llvm::FunctionCallee turn = module.getOrInsertFunction(
      "carousel_sim_turn", builder.getVoidTy(), builder.getInt64Ty());
  llvm::FunctionCallee forget = module.getOrInsertFunction(
      "carousel_sim_forget_polls", builder.getVoidTy());
  uint64_t number = llvm::xxh3_64bits(function.getName());
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (llvm::none_of(loop->blocks(), polls) ||
        keepsInMemory(*loop->getOutermostLoop(), loaded))
      continue;
    auto known = findState(*loop->getOutermostLoop());
    llvm::SmallVector<llvm::BasicBlock *> latches;
    loop->getLoopLatches(latches);
    for (llvm::BasicBlock *latch : latches)
      if (llvm::Value *state = hashState(*loop, *latch, ++number, known)) {
        builder.SetInsertPoint(latch->getTerminator());
        builder.CreateCall(turn, {state});
      }
  }
  builder.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
  builder.CreateCall(forget);
}
