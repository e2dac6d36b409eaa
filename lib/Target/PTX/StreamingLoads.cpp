//===- StreamingLoads.cpp - loads that leave L1 alone ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamingLoads.h. The assembly counts as an access of memory, so that it
// keeps its place among other accesses.
//
//===----------------------------------------------------------------------===//

#include "StreamingLoads.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static constexpr unsigned kGlobal = 1; // NVPTX's address space

/// The words of a load, and the bits of each; 0 words if no instruction has
/// them.
static std::pair<unsigned, unsigned> getWords(const LoadInst &load,
                                              const DataLayout &layout) {
  uint64_t bits = layout.getTypeSizeInBits(load.getType());
  if (!load.hasMetadata(LLVMContext::MD_nontemporal) ||
      load.getPointerAddressSpace() != kGlobal || !load.isSimple() ||
      load.getAlign().value() * 8 < bits)
    return {0, 0};
  if (bits == 16)
    return {1, 16};
  if (bits == 32 || bits == 64 || bits == 128)
    return {bits / 32, 32};
  return {0, 0};
}

static void lower(LoadInst &load, unsigned words, unsigned bits) {
  IRBuilder<> builder(&load);
  Type *word = builder.getIntNTy(bits);
  std::string outputs, constraints;
  for (unsigned i = 0; i < words; ++i) {
    outputs += (i ? ", $" : "$") + std::to_string(i);
    constraints += bits == 16 ? "=h," : "=r,";
  }
  std::string text = "ld.global.L1::no_allocate.";
  if (words > 1)
    text += "v" + std::to_string(words) + ".";
  text += "b" + std::to_string(bits) + " ";
  text += words > 1 ? "{" + outputs + "}" : outputs;
  text += ", [$" + std::to_string(words) + "];";
  Type *result =
      words > 1 ? cast<Type>(StructType::get(load.getContext(),
                                             SmallVector<Type *>(words, word)))
                : word;
  auto *type = FunctionType::get(result, {load.getPointerOperandType()}, false);
  Value *loaded =
      builder.CreateCall(InlineAsm::get(type, text, constraints + "l",
                                        /*hasSideEffects=*/true),
                         {load.getPointerOperand()});
  Value *whole = loaded;
  if (words > 1) {
    whole = PoisonValue::get(FixedVectorType::get(word, words));
    for (unsigned i = 0; i < words; ++i)
      whole = builder.CreateInsertElement(
          whole, builder.CreateExtractValue(loaded, i), i);
  }
  load.replaceAllUsesWith(builder.CreateBitCast(whole, load.getType()));
  load.eraseFromParent();
}

void carousel::lowerStreamingLoads(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load)
        continue;
      auto [words, bits] = getWords(*load, layout);
      if (words != 0)
        lower(*load, words, bits);
    }
}
