//===- StreamTiles.cpp - what a tile of a stream computes -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamWriter.h. Elements that masks exclude or that lie behind the end
// are those that change no sum.
//
//===----------------------------------------------------------------------===//

#include "StreamWriter.h"

#include "../../Block/Kernels/NeutralElement.h"
#include "../Kernels/GroupProduct.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

/// Masks keep all elements of most tiles.
FailureOr<GroupValue> StreamWriter::computeTile(unsigned op) {
  Value result = getOp(op).getBlock()->getTerminator()->getOperand(0);
  const auto *mask = llvm::find_if(
      masks, [&](const StreamMask &mask) { return mask.op == op; });
  Value isWhole = mask == masks.end()
                      ? Value()
                      : isWholeTile(program, vectors, writer, *mask);
  BodyValues values;
  if (mask != masks.end())
    for (Value comparison : findHeldComparisons(program, *mask)) {
      TypedAttr yes = vectors.builder.getBoolAttr(true);
      values[comparison] = {vectors.createSplat(yes, {}), {}, yes};
    }
  BodyValues held = values;
  if (failed(presetFactor(op, values)))
    return failure();
  const ScaledTile *scaled = findScaled(op);
  double scale = scaled ? scaled->scale : 1.0;
  if (!isWhole) {
    if (failed(writer.writeBody(op, result, values)))
      return failure();
    values[result].scale = scale;
    return values[result];
  }
  if (failed(writer.writeBody(op, mask->kept, values)))
    return failure();
  SmallVector<unsigned> dims =
      vectors.findVectorDims(carousel::getPositions(program, op));
  GroupValue kept = widen(vectors, values[mask->kept]);
  OpBuilder &builder = vectors.builder;
  auto branch = scf::IfOp::create(
      builder, vectors.loc,
      vectors.getType(getElementTypeOrSelf(kept.value), dims), isWhole,
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, vectors.loc, vectors.expand(kept, dims));
  builder.setInsertionPointToStart(branch.elseBlock());
  BodyValues known = held;
  known[mask->kept] = values[mask->kept];
  if (scaled)
    known[scaled->other] = values[scaled->other];
  if (failed(writer.writeBody(op, result, known)))
    return failure();
  scf::YieldOp::create(builder, vectors.loc,
                       vectors.expand(widen(vectors, known[result]), dims));
  GroupValue tile = {branch.getResult(0), dims, {}};
  tile.scale = scale;
  return tile;
}

LogicalResult StreamWriter::presetFactor(unsigned op, BodyValues &values) {
  const ScaledTile *scaled = findScaled(op);
  if (!scaled)
    return success();
  BodyValues before;
  if (failed(writer.writeBody(op, scaled->factor, before)))
    return failure();
  GroupValue factor = widen(vectors, before[scaled->factor]);
  values[scaled->product] = factor;
  APFloat other(0.0);
  if (!scaled->other || !matchPattern(scaled->other, m_ConstantFloat(&other)))
    return success();
  // A number too large for the type becomes infinite.
  Type element = getElementTypeOrSelf(factor.value);
  TypedAttr number =
      FloatAttr::get(element, other.convertToDouble() / scaled->scale);
  values[scaled->other] = {vectors.createSplat(number, {}), {}, number};
  return success();
}

LogicalResult StreamWriter::writeTile(unsigned op) {
  if (getRole(op) == StreamRole::Inner) {
    SmallVector<unsigned> dims = findSumDims(op);
    Value zeros = vectors.createSplat(
        cast<TypedAttr>(vectors.builder.getZeroAttr(
            getSumType(getElementTypeOrSelf(getResult(op))))),
        dims);
    Value product = multiply(program, op, memory, vectors, zeros);
    memory.note(getResult(op), {product, dims, {}});
  } else {
    FailureOr<GroupValue> tile = computeTile(op);
    if (failed(tile))
      return failure();
    tile->padding =
        convertFloat(findPadding(op), getElementTypeOrSelf(tile->value));
    memory.note(getResult(op), *tile);
  }
  if (feedsExtremum(getResult(op)))
    maskTile(op);
  if (hasHugeNumbers) {
    GroupValue tile = *memory.lookUp(getResult(op));
    tile.mayBeHuge = true;
    memory.note(getResult(op), tile);
  }
  return success();
}

bool StreamWriter::feedsExtremum(Value tensor) const {
  return llvm::any_of(program.group.ops, [&](unsigned op) {
    return getRole(op) == StreamRole::Sum && getNode(op).isExtremum() &&
           llvm::is_contained(program.graph.ops[op]->getOperands(), tensor);
  });
}

/// Only the last tile has elements behind the end.
void StreamWriter::maskTile(unsigned op) {
  GroupValue tile = *memory.lookUp(getResult(op));
  unsigned position = getPosition();
  if (!vectors.isRagged(position) || !llvm::is_contained(tile.dims, position))
    return;
  Combination combination;
  for (unsigned other : program.group.ops)
    if (getNode(other).isExtremum() &&
        llvm::is_contained(program.graph.ops[other]->getOperands(),
                           getResult(op)))
      combination = *findCombination(getOp(other));
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  TypedAttr neutral =
      getStart(builder, combination.kind, getElementTypeOrSelf(tile.value));
  if (tile.padding == neutral)
    return;
  Value left = arith::SubIOp::create(builder, loc, vectors.getExtent(position),
                                     vectors.getBegin(position));
  Value all = arith::ConstantIndexOp::create(
      builder, loc, program.schedule.dims[position].tile);
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, left, all);
  auto branch = scf::IfOp::create(builder, loc, tile.value.getType(), isLast,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    GroupValue mask = {vectors.createMask(position), {position}, {}};
    Value some = arith::SelectOp::create(
        builder, loc, vectors.expand(mask, tile.dims), tile.value,
        vectors.createSplat(neutral, tile.dims));
    scf::YieldOp::create(builder, loc, some);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, tile.value);
  }
  GroupValue masked = {branch.getResult(0), tile.dims, neutral};
  masked.scale = tile.scale;
  memory.note(getResult(op), masked);
}

namespace {

/// The value of an element behind the end, as far as it is known.
struct Padding {
  Attribute element;
  bool isFinite = false; ///< some number that isn't infinite
};

} // namespace

static bool isInfinite(Attribute element) {
  auto number = dyn_cast_if_present<FloatAttr>(element);
  return number && number.getValue().isInfinity();
}

static Attribute foldPadding(Operation *op, ArrayRef<Padding> operands) {
  // Upstream folds these of f32 and f64 only.
  if (isa<math::ExpOp, math::Exp2Op>(op) &&
      isInfinite(operands.front().element) &&
      cast<FloatAttr>(operands.front().element).getValue().isNegative())
    return FloatAttr::get(op->getResult(0).getType(), 0.0);
  SmallVector<Attribute> constants = llvm::map_to_vector(
      operands, [](const Padding &padding) { return padding.element; });
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    if (isInfinite(constants[0]) && operands[1].isFinite)
      return constants[0];
    if (isa<arith::AddFOp>(op) && isInfinite(constants[1]) &&
        operands[0].isFinite)
      return constants[1];
  }
  if (isa<arith::SelectOp>(op) && constants[1] == constants[2])
    return constants[1];
  SmallVector<OpFoldResult> folded;
  if (llvm::is_contained(constants, Attribute()) ||
      failed(op->fold(constants, folded)) || folded.size() != 1)
    return {};
  // Some folds are an operand.
  for (auto [operand, constant] : llvm::zip_equal(op->getOperands(), constants))
    if (folded.front() == OpFoldResult(operand))
      return constant;
  return dyn_cast<Attribute>(folded.front());
}

/// Rows are numbers where they aren't infinite or NaN, and so are their tiles.
TypedAttr StreamWriter::findPadding(unsigned op) {
  linalg::LinalgOp structured = getOp(op);
  llvm::DenseMap<Value, Padding> known;
  for (OpOperand *input : structured.getDpsInputOperands()) {
    Padding &padding = known[structured.getMatchingBlockArgument(input)];
    const StreamReference *reference = findReference(input->get());
    if (reference && reference->kind == ChangeKind::Shift)
      padding.isFinite = true;
    else if (const GroupValue *value = memory.lookUp(input->get()))
      padding.element =
          convertFloat(value->padding, getElementTypeOrSelf(input->get()));
  }
  for (Operation &inner : structured.getBlock()->without_terminator()) {
    if (inner.getNumResults() != 1 || inner.getNumRegions() != 0)
      continue;
    SmallVector<Padding> operands;
    for (Value operand : inner.getOperands()) {
      Padding padding = known.lookup(operand);
      if (!padding.element)
        (void)matchPattern(operand, m_Constant(&padding.element));
      operands.push_back(padding);
    }
    known[inner.getResult(0)] = {foldPadding(&inner, operands), false};
  }
  Value result = structured.getBlock()->getTerminator()->getOperand(0);
  return dyn_cast_if_present<TypedAttr>(known.lookup(result).element);
}
