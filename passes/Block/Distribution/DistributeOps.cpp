//===- DistributeOps.cpp - the program of one thread ---------------------===//
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

#include "../Kernels/NewBody.h"
#include "../Threads/ConvertBytes.h"
#include "../Threads/ConvertLayouts.h"
#include "ElementOps.h"
#include "FreeVectors.h"
#include "GatherVectors.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

void Distributor::distribute(Block &block) {
  for (Operation &op : block.without_terminator())
    distribute(&op);
}

Value Distributor::get(OpOperand &operand) {
  if (!isa<VectorType>(operand.get().getType()))
    return mapping.lookup(operand.get());
  return get(operand.get(), plan.getOperandLayout(operand));
}

Value Distributor::get(Value vector, const LinearLayout &layout) {
  const LinearLayout *own = plan.getLayout(vector);
  if (!own)
    return makeFreeVector(program, vector, layout, mapping);
  counts.conversions += !isWithinThreads(*own, layout);
  return convertLayout(program, mapping.lookup(vector), *own, layout);
}

void Distributor::set(Value vector, Value registers,
                      const LinearLayout &layout) {
  ++counts.values;
  const LinearLayout &own = *plan.getLayout(vector);
  counts.conversions += !isWithinThreads(layout, own);
  mapping.map(vector, convertLayout(program, registers, layout, own));
}

void Distributor::set(OpResult result, Value registers) {
  set(result, registers, plan.getComputedLayout(result));
}

bool Distributor::hasVectors(Operation *op) {
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector);
}

void Distributor::distribute(Operation *op) {
  program.startOp(op);
  if (passesTile(op) &&
      (tiles.pass(op, isRoundedAtLoad(plan, op)) || passFactor(op)))
    return;
  if (delayed.contains(op))
    return;
  orderAccesses(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](gpu::BlockIdOp id) {
        distributeProgramId(id, id.getDimension());
      })
      .Case([&](gpu::GridDimOp size) {
        distributeProgramId(size, size.getDimension());
      })
      .Case([&](scf::ForOp loop) { distributeLoop(loop); })
      .Case([&](scf::WhileOp loop) { distributeLoop(loop); })
      .Case([&](scf::IfOp branch) { distributeBranch(branch); })
      .Case([&](SerializeOp turn) { distributeTurn(turn); })
      .Case([&](vector::TransferReadOp read) { distributeRead(read); })
      .Case([&](vector::TransferWriteOp write) { distributeWrite(write); })
      .Case([&](vector::MultiDimReductionOp reduction) {
        distributeReduction(reduction);
      })
      .Case([&](vector::ContractionOp contraction) {
        distributeContraction(contraction);
      })
      .Case([&](vector::GatherOp gather) { distributeGather(gather); })
      .Case([&](vector::ScatterOp scatter) { distributeScatter(scatter); })
      .Case([&](ClusterGatherOp gather) {
        Operation *own = builder.clone(*gather, mapping);
        set(gather->getResult(0), own->getResult(0));
      })
      .Default([&](Operation *other) {
        if (!hasVectors(other))
          distributeScalar(other);
        else if (isFreeVector(other))
          distributeFree(other);
        else if (isElementwise(other))
          distributeElementwise(other);
        else if (auto own = dyn_cast<DistributionOpInterface>(other))
          distributeSources(own);
        else
          distributeReshaping(other);
      });
  llvm::for_each(op->getResults(), [&](Value result) { keepFactors(result); });
}

void Distributor::distributeProgramId(Operation *op, gpu::Dimension dim) {
  Operation *own = builder.clone(*op, mapping);
  unsigned ctas = plan.getThreads().ctas;
  if (ctas != 0 && dim == gpu::Dimension::x)
    mapping.map(op->getResult(0),
                arith::ShRUIOp::create(builder, program.loc, own->getResult(0),
                                       program.index(ctas))
                    .getResult());
}

void Distributor::distributeScalar(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  bool writes = isa<memref::StoreOp>(op) ||
                (effects && effects.hasEffect<MemoryEffects::Write>() &&
                 op->getNumResults() == 0 && !isa<TransferOpInterface>(op));
  if (!writes || isa<CarouselDialect>(*op->getDialect())) {
    cloneWithRegions(op);
    return;
  }
  Value isFirst =
      arith::CmpIOp::create(builder, program.loc, arith::CmpIPredicate::eq,
                            program.getThread(), program.index(0));
  program.runIf(isFirst, [&] { builder.clone(*op, mapping); });
}

void Distributor::cloneWithRegions(Operation *op) {
  Operation *clone = builder.cloneWithoutRegions(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getRegions(), clone->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(
        &to, to.end(), from.getArgumentTypes(),
        SmallVector<Location>(from.getNumArguments(), program.loc));
    mapping.map(from.getArguments(), body->getArguments());
    distribute(from.front());
    if (from.front().mightHaveTerminator())
      finish(from.front().getTerminator());
  }
}

void Distributor::distributeFree(Operation *op) {
  OpResult result = op->getResult(0);
  if (const LinearLayout *layout = plan.getLayout(result))
    set(result, makeFreeVector(program, result, *layout, mapping));
}

void Distributor::distributeElementwise(Operation *op) {
  OpResult result = op->getResult(0);
  const LinearLayout &layout = plan.getComputedLayout(result);
  if (std::optional<unsigned> dim = findComparedSteps(op))
    return set(result, program.compareCoordinates(
                           layout, *dim, cast<arith::CmpIOp>(op).getPredicate(),
                           get(op->getOpOperand(1))));
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(get(operand));
  auto read = op->getOperand(0).getDefiningOp<vector::TransferReadOp>();
  if (Value floats = convertBytes(program, op, operands.front(),
                                  read ? plan.getAccess(read).run : 1))
    return set(result, floats);
  setAll(op, computeElements(program, op, operands, countRegisters(layout)));
}

void Distributor::distributeSources(DistributionOpInterface op) {
  SmallVector<DistributedVector> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(getDistributed(operand));
  setAll(op, computeFromSources(program, op, operands,
                                plan.getComputedLayout(op->getResult(0))));
}

void Distributor::setAll(Operation *op, ArrayRef<Value> registers) {
  for (auto [result, own] : llvm::zip_equal(op->getResults(), registers))
    set(result, own);
}

ThreadAccess Distributor::getAccess(VectorTransferOpInterface op, Value mask) {
  return {op, plan.getAccess(op), mapping.lookup(op.getBase()),
          lookUpAll(op.getIndices()), mask};
}

void Distributor::distributeRead(vector::TransferReadOp op) {
  if (auto ahead = wordsAhead.find(op); ahead != wordsAhead.end())
    return set(op->getResult(0),
               ahead->second.reader->getElements(ahead->second.words));
  const AccessPlan &access = plan.getAccess(op);
  ThreadAccess own =
      getAccess(op, op.getMask() ? get(op.getMaskMutable()[0]) : Value());
  Value padding = mapping.lookup(op.getPadding());
  if (isFactorOfWarpgroups(plan, op)) {
    tiles.keep(op->getResult(0), loadTile(program, own, padding));
    if (areMultipliedInTiles(op->getResult(0)))
      return;
  }
  if (access.byMatrices) {
    MatrixTile tile(program, loadTile(program, own, padding), access.layout);
    if (isFactorOnly(plan, op))
      tiles.add(op->getResult(0), tile);
    else
      set(op->getResult(0), tile.load());
    return;
  }
  if (access.isTransfer && !op.getMask() && isFactorOnly(plan, op))
    return tiles.add(
        op->getResult(0),
        ElementTile{std::make_shared<VectorReader>(program, own, padding),
                    access.layout});
  set(op->getResult(0), VectorReader(program, own, padding).readAll());
}

bool Distributor::passFactor(Operation *op) {
  bool isRounding = isa<RoundTF32Op>(op);
  if (!passesFactor(op) || (isRounding && !isRoundedAtLoad(plan, op)))
    return false;
  bool staysInTile = findReadOfFactor(op->getResult(0)) && !op->use_empty() &&
                     areMultipliedInTiles(op->getResult(0));
  if (!staysInTile && isRounding)
    set(op->getResult(0), get(op->getOpOperand(0)));
  return staysInTile || isRounding;
}

bool Distributor::areMultipliedInTiles(Value vector) {
  return llvm::all_of(vector.getUses(), [&](OpOperand &use) {
    auto product = dyn_cast<vector::ContractionOp>(use.getOwner());
    if (product)
      return plan.getContraction(product).isTileOfWarpgroups(
          use.getOperandNumber());
    return passesFactor(use.getOwner()) &&
           areMultipliedInTiles(use.getOwner()->getResult(0));
  });
}

void Distributor::orderAccesses(Operation *op) {
  ArrayRef<Operation *> reads = delayed.getReads(op);
  bool needsBarrier = false;
  for (Operation *read : reads)
    needsBarrier |= order.needsBarrier(read);
  needsBarrier |= order.needsBarrier(op);
  if (!needsBarrier)
    return;
  program.barrier();
  // They all come after the barrier.
  for (Operation *read : reads)
    order.addPending(read);
  order.addPending(op);
}

PiecesOfWrite &Distributor::getPieces(vector::TransferWriteOp op) {
  std::unique_ptr<PiecesOfWrite> &own = pieces[op];
  if (!own)
    own = std::make_unique<PiecesOfWrite>(
        program, plan, delayed,
        [&](OpOperand &operand) { return get(operand); },
        [&](vector::TransferReadOp read) {
          return std::make_unique<VectorReader>(
              program, getAccess(read, Value()),
              mapping.lookup(read.getPadding()));
        });
  return *own;
}

void Distributor::distributeWrite(vector::TransferWriteOp op) {
  PiecesOfWrite &own = getPieces(op);
  Value mask = op.getMask() ? get(op.getMaskMutable()[0]) : Value();
  own.prepare(op.getValueToStoreMutable());
  writeVector(program, getAccess(op, mask), [&](int64_t first, int64_t count) {
    return own.get(op.getValueToStoreMutable(), first, count);
  });
}

SmallVector<Value> Distributor::lookUpAll(ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookup(value); });
}

void Distributor::distributeReshaping(Operation *op) {
  if (plan.movesPart(op))
    return movePart(op, *VectorPart::of(op));
  SmallVector<Value, 2> operands;
  SmallVector<const LinearLayout *, 2> layouts;
  for (OpOperand &operand : op->getOpOperands()) {
    operands.push_back(get(operand));
    layouts.push_back(&plan.getOperandLayout(operand));
  }
  for (OpResult result : op->getResults())
    set(result, takeRegisters(program, operands,
                              findSources(result, layouts,
                                          plan.getComputedLayout(result))));
}

DistributedVector Distributor::getDistributed(OpOperand &operand) {
  bool isVector = isa<VectorType>(operand.get().getType());
  return {get(operand), isVector ? &plan.getOperandLayout(operand) : nullptr};
}

void Distributor::movePart(Operation *op, const VectorPart &part) {
  PlacedPart placed{part, {}};
  for (OpFoldResult offset : part.offsets)
    placed.offsets.push_back(isa<Value>(offset)
                                 ? mapping.lookup(cast<Value>(offset))
                                 : program.index(*getConstantIntValue(offset)));
  OpResult result = op->getResult(0);
  DistributedVector first = getDistributed(op->getOpOperand(0));
  if (isa<vector::InsertOp, vector::InsertStridedSliceOp>(op))
    set(result, insertPart(program, placed, first,
                           getDistributed(op->getOpOperand(1))));
  else if (part.isScalar())
    mapping.map(result, extractPart(program, placed, first, nullptr));
  else
    set(result,
        extractPart(program, placed, first, &plan.getComputedLayout(result)));
}

void Distributor::distributeGather(vector::GatherOp op) {
  const AccessPlan &access = plan.getAccess(op);
  IndexedAccess own{op.getVectorType(),
                    access.layout,
                    access.run,
                    mapping.lookup(op.getBase()),
                    lookUpAll(op.getOffsets()),
                    get(op.getIndicesMutable()),
                    get(op.getMaskMutable())};
  set(op->getResult(0),
      gatherVector(program, own, get(op.getPassThruMutable())));
}

void Distributor::distributeScatter(vector::ScatterOp op) {
  OpOperand &value = op.getValueToStoreMutable();
  IndexedAccess own{op.getVectorType(),
                    plan.getOperandLayout(value),
                    /*run=*/1,
                    mapping.lookup(op.getBase()),
                    lookUpAll(op.getOffsets()),
                    get(op.getIndicesMutable()),
                    get(op.getMaskMutable())};
  scatterVector(program, own, get(value));
}

FailureOr<DistributedCounts> carousel::distributeOps(gpu::GPUFuncOp kernel,
                                                     const LayoutPlan &plan) {
  Block &old = kernel.getBody().front();
  OpBuilder builder(kernel.getContext());
  Block *body = startNewBody(kernel, builder);
  Distributor distributor(kernel, plan, builder);
  distributor.mapping.map(old.getArguments(), body->getArguments());
  distributor.distribute(old);
  distributor.finish(old.getTerminator());
  old.erase();
  if (distributor.hasErrors())
    return failure();
  return distributor.counts;
}
