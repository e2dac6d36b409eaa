//===- DistributeProducts.cpp - products and reductions by threads -------===//
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
#include "../Threads/ReduceVectors.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselOps.h"

using namespace mlir;
using namespace carousel;

Factor Distributor::getFactor(OpOperand &operand,
                              const ContractionPlan &product) {
  if (MatrixTile *tile = tiles.find(operand.get()))
    return {Value(),
            tile,
            /*reader=*/nullptr,
            /*shared=*/nullptr,
            /*sources=*/{},
            tile->isRounded};
  if (const ElementTile *tile = tiles.findElements(operand.get())) {
    Factor factor;
    factor.reader = tile->reader.get();
    factor.sources =
        *findRegisters(tile->layout, plan.getOperandLayout(operand));
    factor.isMatrix =
        operand.get().getDefiningOp<vector::TransferReadOp>() != nullptr;
    return factor;
  }
  if (SharedVector *shared = tiles.findShared(operand)) {
    Factor factor;
    factor.shared = shared;
    factor.sources = SmallVector<int64_t>(shared->getSources());
    return factor;
  }
  auto rounding = operand.get().getDefiningOp<RoundTF32Op>();
  if (!rounding || !product.matrices || isRoundedAtLoad(plan, rounding))
    return {get(operand)};
  Factor factor = {get(rounding.getValue(), plan.getOperandLayout(operand))};
  factor.isRounded = true;
  return factor;
}

void Distributor::keepFactors(Value vector) {
  for (OpOperand &use : vector.getUses())
    if (plan.isKept(use)) {
      auto product = cast<vector::ContractionOp>(use.getOwner());
      std::optional<SharedVector::Loop> loop;
      if (std::optional<int64_t> step = findStep(product, plan))
        loop = {*findOperandDim(product, use.getOperandNumber(),
                                findProductDims(product)->k),
                *step};
      tiles.add(use, SharedVector(program, mapping.lookup(vector),
                                  *plan.getLayout(vector),
                                  plan.getOperandLayout(use), loop));
    }
}

Value Distributor::getTile(Value factor) {
  vector::TransferReadOp read = findReadOfFactor(factor);
  return read ? tiles.getMemRef(read) : Value();
}

Value Distributor::getFactorOfWarpgroups(OpOperand &operand,
                                         const ContractionPlan &product) {
  if (product.isTileOfWarpgroups(operand.getOperandNumber()))
    return getTile(operand.get());
  Factor factor = getFactor(operand, product);
  Value registers = factor.tile ? factor.tile->load() : factor.registers;
  if (factor.isRounded)
    registers = RoundTF32Op::create(builder, program.loc, registers);
  return registers;
}

void Distributor::distributeContraction(vector::ContractionOp op) {
  const ContractionPlan &product = plan.getContraction(op);
  Value acc = get(op.getAccMutable());
  Value result =
      product.byWarpgroups
          ? multiplyTiles(program, op, product,
                          getFactorOfWarpgroups(op.getLhsMutable(), product),
                          getFactorOfWarpgroups(op.getRhsMutable(), product),
                          acc)
          : multiplyVectors(program, op, plan,
                            getFactor(op.getLhsMutable(), product),
                            getFactor(op.getRhsMutable(), product), acc);
  if (isa<VectorType>(op.getResultType()))
    set(op->getResult(0), result);
  else
    mapping.map(op.getResult(), result);
}

void Distributor::distributeReduction(vector::MultiDimReductionOp op) {
  VectorType type = op.getSourceVectorType();
  SmallVector<bool> dims(type.getRank());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dims[dim] = op.isReducedDim(dim);
  const LinearLayout &source = plan.getOperandLayout(op.getSourceMutable());
  bool exchanges = needsExchange(source, dims);
  counts.exchanges += exchanges;
  Value registers = reduceVector(
      program, get(op.getSourceMutable()), source, dims, type.getShape(),
      op.getKind(), getFastMath(op), exchanges ? turns.take() : ExchangeTurn());
  Value acc = get(op.getAccMutable());
  if (!isa<VectorType>(op.getType())) {
    Value scalar = program.extract(registers, 0);
    mapping.map(op.getResult(),
                vector::makeArithReduction(builder, program.loc, op.getKind(),
                                           scalar, acc, getFastMath(op)));
    return;
  }
  set(op->getResult(0),
      vector::makeArithReduction(builder, program.loc, op.getKind(), registers,
                                 acc, getFastMath(op)));
}

arith::FastMathFlagsAttr
Distributor::getFastMath(vector::MultiDimReductionOp op) {
  return op->getAttrOfType<arith::FastMathFlagsAttr>("fastmath");
}
