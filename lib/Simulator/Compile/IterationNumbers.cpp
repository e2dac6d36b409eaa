//===- IterationNumbers.cpp - numbers for iterations of loops -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See IterationNumbers.h.
//
//===----------------------------------------------------------------------===//

#include "IterationNumbers.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel::sim;

/// 2^64 divided by the golden ratio: its small multiples are far from each
/// other, so that iterations of an inner loop don't reach the numbers of its
/// next run.
static constexpr uint64_t kFar = 0x9E3779B97F4A7C15;

static Value makeNumber(OpBuilder &builder, Location loc, uint64_t number) {
  return LLVM::ConstantOp::create(builder, loc,
                                  builder.getI64IntegerAttr(int64_t(number)));
}

/// The header's argument counts iterations, from a number on that the iteration
/// of the loop around it determines.
static Value addNumber(CFGLoop *loop, Value outer) {
  Block *header = loop->getHeader();
  llvm::SmallSetVector<Block *, 4> predecessors(header->pred_begin(),
                                                header->pred_end());
  Location loc = header->getParentOp()->getLoc();
  Value number = header->addArgument(
      IntegerType::get(loc.getContext(), /*width=*/64), loc);
  for (Block *predecessor : predecessors) {
    auto branch = cast<BranchOpInterface>(predecessor->getTerminator());
    OpBuilder builder(branch);
    Value last = loop->contains(predecessor) ? number : outer;
    Value next = makeNumber(builder, loc, 1);
    if (last)
      next = LLVM::AddOp::create(builder, loc, last, next);
    if (last != number)
      next = LLVM::MulOp::create(builder, loc, next,
                                 makeNumber(builder, loc, kFar));
    for (auto [index, successor] : llvm::enumerate(branch->getSuccessors()))
      if (successor == header)
        branch.getSuccessorOperands(index).append(next);
  }
  return number;
}

IterationNumbers::IterationNumbers(LLVM::LLVMFuncOp function) {
  Region &body = function.getBody();
  if (body.empty() || body.hasOneBlock())
    return;
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&body));
  llvm::DenseMap<CFGLoop *, Value> numbersOfLoops;
  for (CFGLoop *loop : loops.getLoopsInPreorder())
    numbersOfLoops[loop] =
        addNumber(loop, numbersOfLoops.lookup(loop->getParentLoop()));
  for (Block &block : body)
    if (CFGLoop *loop = loops.getLoopFor(&block))
      numbers[&block] = numbersOfLoops.lookup(loop);
}
