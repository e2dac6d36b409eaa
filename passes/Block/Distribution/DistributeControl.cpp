//===- DistributeControl.cpp - loops and branches of a thread ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Distributor.h.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"

#include "../Threads/ConvertLayouts.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Distribution/ContractionPlan.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"

using namespace mlir;
using namespace carousel;

Type Distributor::getThreadType(Value value) {
  if (!isa<VectorType>(value.getType()))
    return value.getType();
  return carousel::getThreadType(value.getType(), *plan.getLayout(value));
}

VectorType Distributor::getThreadType(Type type, const LinearLayout &layout) {
  return carousel::getThreadType(type, layout);
}

SmallVector<Value> Distributor::getAll(MutableArrayRef<OpOperand> operands) {
  SmallVector<Value> values;
  for (OpOperand &operand : operands)
    values.push_back(get(operand));
  return values;
}

void Distributor::distributeBody(Block &from, Block *to) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(to);
  distribute(from);
  Operation *end = from.getTerminator();
  program.startOp(end);
  Operation *loop = from.getParentOp();
  if (isa<LoopLikeOpInterface>(loop) &&
      from.getParent() == &loop->getRegions().back() && order.leaveLoop(loop))
    program.barrier();
  SmallVector<Value> operands = getAll(end->getOpOperands());
  OperationState state(end->getLoc(), end->getName(), operands, TypeRange(),
                       end->getAttrs());
  builder.create(state);
}

Block *Distributor::addBlock(Region &region, ValueRange arguments) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (Value argument : arguments) {
    types.push_back(getThreadType(argument));
    locations.push_back(argument.getLoc());
  }
  Block *block = builder.createBlock(&region, region.end(), types, locations);
  mapping.map(arguments, block->getArguments());
  return block;
}

SmallVector<Type> Distributor::getResultTypes(Operation *op) {
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(getThreadType(result));
  return types;
}

Operation *Distributor::cloneShell(Operation *op) {
  SmallVector<Value> operands = getAll(op->getOpOperands());
  OperationState state(op->getLoc(), op->getName(), operands,
                       getResultTypes(op), op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *shell = builder.create(state);
  mapping.map(op->getResults(), shell->getResults());
  return shell;
}

Operation *Distributor::distributeRegions(Operation *op) {
  Operation *shell = cloneShell(op);
  if (isa<LoopLikeOpInterface>(op))
    order.enterLoop();
  MemoryOrder::Branches branches(order);
  for (auto [from, to] : llvm::zip(op->getRegions(), shell->getRegions())) {
    if (from.empty())
      continue;
    branches.startRegion(/*followsRegion=*/isa<scf::WhileOp>(op));
    Block *body = addBlock(to, from.getArguments());
    distributeBody(from.front(), body);
  }
  return shell;
}

void Distributor::distributeLoopBody(Operation *loop) {
  Operation *shell = distributeRegions(loop);
  bool hasTransfers =
      shell->walk([](TransferOpInterface) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!hasTransfers)
    shell->removeAttr(CarouselDialect::kPipeline);
}

/// Whether an op of the kernel may write what the read reads.
static bool isWritten(vector::TransferReadOp read) {
  auto mayOverlapRead = [&](Value operand) {
    return isa<MemRefType>(operand.getType()) &&
           mayOverlap(operand, read.getBase());
  };
  return read->getParentOfType<gpu::GPUFuncOp>()
      .walk([&](Operation *op) {
        return onlyReads(op) || llvm::none_of(op->getOperands(), mayOverlapRead)
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The registers that a loop leaves whose products warpgroups compute, of
/// factors in tiles; 0 for other loops.
static int64_t countFreeRegisters(Operation *loop, const LayoutPlan &plan) {
  bool isOfTiles = false;
  loop->walk([&](vector::ContractionOp op) {
    const ContractionPlan &product = plan.getContraction(op);
    isOfTiles = product.byWarpgroups && !product.form.hasRegisters &&
                !hasFloat8Factors(op);
    return isOfTiles ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (!isOfTiles)
    return 0;
  ThreadBits threads = plan.getThreads();
  int64_t sums = 0;
  for (Value result : loop->getResults())
    if (auto vector = dyn_cast<VectorType>(result.getType()))
      sums += countRegisters(countRegisters(*plan.getLayout(result)),
                             getElementBits(vector));
  return getConsumerRegisters(int64_t(1) << (threads.lanes + threads.warps),
                              rules::kWarpgroupSize, kProducerRegisters) -
         kAddressRegisters - sums;
}

void Distributor::readAhead(Operation *loop) {
  int64_t registers = countFreeRegisters(loop, plan);
  if (registers <= 0 || loop->walk([](Operation *op) {
                              return onlyReads(op) ? WalkResult::advance()
                                                   : WalkResult::interrupt();
                            })
                            .wasInterrupted())
    return;
  constexpr int64_t kOfPlaces = 16; // where what is left is read
  SmallVector<vector::TransferReadOp> whole;
  for (Operation *next = loop->getNextNode(); next;
       next = next->getNextNode()) {
    auto write = dyn_cast<vector::TransferWriteOp>(next);
    if (!write && onlyReads(next) && next->getNumRegions() == 0) {
      if (auto read = dyn_cast<vector::TransferReadOp>(next);
          read && !delayed.contains(read) && mayReadAhead(read))
        whole.push_back(read);
      continue;
    }
    // Threads that have copies write in branches of their own.
    if (write && !delayed.getReads(write).empty() &&
        getFreeThreadBits(plan.getAccess(write).layout) == 0 &&
        llvm::all_of(delayed.getReads(write),
                     [&](Operation *read) { return mayReadAhead(read); }))
      registers -= getPieces(write).readAhead(write, registers);
    return readWholeAhead(whole, registers - kOfPlaces);
  }
}

bool Distributor::mayReadAhead(Operation *op) {
  auto read = cast<vector::TransferReadOp>(op);
  const AccessPlan &access = plan.getAccess(read);
  auto isKnown = [&](Value operand) { return mapping.contains(operand); };
  return !read.getMask() && !access.isTransfer && !access.byMatrices &&
         llvm::all_of(read->getOperands(), isKnown) && !isWritten(read);
}

void Distributor::readWholeAhead(ArrayRef<vector::TransferReadOp> reads,
                                 int64_t most) {
  SmallVector<std::pair<vector::TransferReadOp, WordsAhead>> ahead;
  int64_t registers = 0;
  for (vector::TransferReadOp read : reads) {
    auto reader = std::make_unique<VectorReader>(
        program, getAccess(read, Value()), mapping.lookup(read.getPadding()));
    int64_t bits = reader->countBitsAhead();
    // Elements that don't fill words are from memory that no engine copies.
    if (bits != getElementBits(read.getVectorType()))
      return;
    // Threads compute with them in f32.
    registers += countRegisters(countRegisters(plan.getAccess(read).layout),
                                std::max<int64_t>(bits, 32));
    ahead.emplace_back(read, WordsAhead{std::move(reader), Value()});
  }
  // The write would wait for the ones that are left.
  if (registers > most)
    return;
  for (auto &[read, words] : ahead) {
    words.words =
        words.reader->readWords(0, countRegisters(plan.getAccess(read).layout));
    wordsAhead[read] = std::move(words);
  }
}

void Distributor::distributeLoop(Operation *loop) {
  readAhead(loop);
  turns.inLoop(loop, [&] { distributeLoopBody(loop); });
}

void Distributor::distributeBranch(scf::IfOp branch) {
  turns.inBranch([&] { distributeRegions(branch); });
}

void Distributor::distributeTurn(SerializeOp turn) {
  turns.inBranch([&] {
    Operation *shell = cloneShell(turn);
    Block *body = addBlock(shell->getRegion(0), turn.getBody().getArguments());
    distributeBody(turn.getBody().front(), body);
  });
}
