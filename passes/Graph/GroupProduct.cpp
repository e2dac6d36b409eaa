//===- GroupProduct.cpp - a contraction on vectors ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupProduct.h.
//
//===----------------------------------------------------------------------===//

#include "GroupProduct.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

/// The casts between an argument of the body and a factor, outermost last.
static SmallVector<Operation *> findCasts(Value factor) {
  SmallVector<Operation *> casts;
  while (Operation *cast = factor.getDefiningOp()) {
    casts.push_back(cast);
    factor = cast->getOperand(0);
  }
  return llvm::to_vector(llvm::reverse(casts));
}

Value carousel::multiply(const GroupProgram &program, unsigned op,
                         GroupMemory &memory, GroupVectors &vectors,
                         Value sum) {
  OpBuilder &builder = vectors.builder;
  const GroupSchedule &schedule = program.schedule;
  auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
  Operation *product = findCombination(structured)->element.getDefiningOp();
  SmallVector<OpOperand *> inputs = structured.getDpsInputOperands();
  StoredVector factors[2] = {memory.readFactor(op, inputs[0]),
                             memory.readFactor(op, inputs[1])};
  // Extensions are part of products, if both factors have them.
  bool haveSameType = getElementTypeOrSelf(factors[0].value) ==
                      getElementTypeOrSelf(factors[1].value);
  bool isZeroBehind = true;
  for (Value factor : product->getOperands()) {
    SmallVector<Operation *> casts = findCasts(factor);
    auto argument = cast<BlockArgument>(
        casts.empty() ? factor : casts.front()->getOperand(0));
    StoredVector &stored = factors[argument.getArgNumber()];
    isZeroBehind &= stored.padding && matchPattern(stored.padding, m_Zero());
    if (haveSameType)
      continue;
    for (Operation *extension : casts) {
      OperationState state(vectors.loc, extension->getName());
      state.addOperands(stored.value);
      state.addTypes(cast<VectorType>(stored.value.getType())
                         .clone(extension->getResult(0).getType()));
      state.addAttributes(extension->getAttrs());
      stored.value = builder.create(state)->getResult(0);
    }
  }
  SmallVector<unsigned> dims =
      vectors.findVectorDims(getPositions(program, op));
  SmallVector<unsigned> kept = dims;
  llvm::erase_if(kept,
                 [&](unsigned dim) { return schedule.dims[dim].isReduced; });
  // The factor with the sum's first dimension is on the left.
  if (!llvm::is_contained(factors[0].dims, kept.front()))
    std::swap(factors[0], factors[1]);
  if (!isZeroBehind)
    for (StoredVector &factor : factors) {
      TypedAttr zero = cast<TypedAttr>(
          builder.getZeroAttr(getElementTypeOrSelf(factor.value)));
      factor.value = vectors.maskReduced({factor.value, factor.dims, {}}, zero);
    }
  MLIRContext *context = builder.getContext();
  auto getMap = [&](ArrayRef<unsigned> own) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : own)
      exprs.push_back(
          getAffineDimExpr(llvm::find(dims, dim) - dims.begin(), context));
    return AffineMap::get(dims.size(), 0, exprs, context);
  };
  SmallVector<Attribute> iterators;
  for (unsigned dim : dims)
    iterators.push_back(vector::IteratorTypeAttr::get(
        context, schedule.dims[dim].isReduced
                     ? vector::IteratorType::reduction
                     : vector::IteratorType::parallel));
  SmallVector<AffineMap> maps = {getMap(factors[0].dims),
                                 getMap(factors[1].dims), getMap(kept)};
  auto contract = vector::ContractionOp::create(
      builder, vectors.loc, factors[0].value, factors[1].value, sum,
      builder.getAffineMapArrayAttr(maps), builder.getArrayAttr(iterators),
      vector::CombiningKind::ADD);
  auto isF32 = [](Value value) { return getElementTypeOrSelf(value).isF32(); };
  if (program.usesTF32 && isF32(factors[0].value) && isF32(factors[1].value) &&
      isF32(sum))
    contract->setAttr(CarouselDialect::kTF32, builder.getUnitAttr());
  return contract.getResult();
}
