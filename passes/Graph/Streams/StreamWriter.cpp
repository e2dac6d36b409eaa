//===- StreamWriter.cpp - reductions of a kernel in one pass --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamWriter.h.
//
//===----------------------------------------------------------------------===//

#include "StreamWriter.h"

#include "../../Block/Kernels/NeutralElement.h"
#include "../Kernels/GroupLoops.h"
#include "../Kernels/GroupProduct.h"
#include "../Kernels/PixelProduct.h"
#include "../Reading/OperandChanges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

const StreamReference *StreamWriter::findReference(Value tensor) const {
  return carousel::findReference(program.graph, stream, tensor);
}

/// The dimensions of the result: those that the op doesn't sum over.
SmallVector<unsigned> StreamWriter::findSumDims(unsigned op) const {
  SmallVector<unsigned> summed = findSummed(program, op);
  SmallVector<unsigned> dims =
      vectors.findVectorDims(carousel::getPositions(program, op));
  llvm::erase_if(dims,
                 [&](unsigned dim) { return llvm::is_contained(summed, dim); });
  return dims;
}

LogicalResult StreamWriter::write() {
  findNeeded();
  hasHugeNumbers = countHugeSources(program) != 0;
  if (!hasHugeNumbers)
    scaledTiles = findScaledTiles(program);
  if (failed(writeBefore()))
    return failure();
  startSums();
  OpBuilder &builder = vectors.builder;
  unsigned position = getPosition();
  const ScheduledDim &dim = program.schedule.dims[position];
  Value zero = arith::ConstantIndexOp::create(builder, vectors.loc, 0);
  Value step = arith::ConstantIndexOp::create(builder, vectors.loc, dim.tile);
  if (dim.extent == kUnknownExtent || dim.extent == 0)
    isEmpty =
        arith::CmpIOp::create(builder, vectors.loc, arith::CmpIPredicate::eq,
                              vectors.getExtent(position), zero);
  masks = findStreamMasks(program);
  auto [from, to] = computeStreamRange(program, vectors, writer, masks);
  if (parts)
    std::tie(from, to) = parts->getRange(from, to);
  auto loop = scf::ForOp::create(builder, vectors.loc, from, to, step, starts);
  builder.setInsertionPointToStart(loop.getBody());
  vectors.setBegin(position, loop.getInductionVar());
  SmallVector<Value> sums(loop.getRegionIterArgs());
  if (failed(writeTiles(sums)))
    return failure();
  scf::YieldOp::create(builder, vectors.loc, sums);
  if (isPipelined(program))
    pipelineLoop(loop);
  vectors.setBegin(position, {});
  builder.setInsertionPointAfter(loop);
  sums.assign(loop.getResults().begin(), loop.getResults().end());
  if (parts && failed(combineParts(sums)))
    return failure();
  return writeAfter(sums);
}

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

LogicalResult StreamWriter::writeBefore() {
  for (unsigned op : program.group.ops)
    if (getRole(op) == StreamRole::Before &&
        failed(writer.writeElementwise(op)))
      return failure();
  // Factors that all tiles are multiplied by.
  for (unsigned op : program.group.ops) {
    if (getRole(op) != StreamRole::Inner)
      continue;
    for (unsigned factor : {0, 1}) {
      OpOperand *input = getOp(op).getDpsInputOperand(factor);
      SmallVector<unsigned> positions =
          carousel::getPositions(program, op, getNode(op).reads[factor]);
      if (!llvm::is_contained(positions, getPosition()) &&
          !memory.lookUp(input->get()))
        memory.keepFactor(op, input);
    }
  }
  return success();
}

void StreamWriter::startSums() {
  OpBuilder &builder = vectors.builder;
  for (unsigned op : program.group.ops) {
    if (getRole(op) != StreamRole::Sum)
      continue;
    Combination combination = *findCombination(getOp(op));
    Type element = getSumType(getElementTypeOrSelf(getResult(op)));
    TypedAttr neutral = getStart(builder, combination.kind, element);
    if (getNode(op).isProduct())
      neutral = cast<TypedAttr>(builder.getZeroAttr(element));
    starts.push_back(vectors.createSplat(neutral, findSumDims(op)));
  }
  // Tiles are computed with 1, or as if no row were chosen.
  for (const StreamReference &reference : stream.references) {
    if (reference.kind != ChangeKind::Scale)
      continue;
    Value tensor = program.graph.tensors[reference.tensor];
    Type element = getElementTypeOrSelf(tensor);
    TypedAttr one = element.isInteger(1)
                        ? cast<TypedAttr>(builder.getBoolAttr(false))
                        : cast<TypedAttr>(builder.getOneAttr(element));
    memory.note(tensor, {vectors.createSplat(one, {}), {}, one});
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// A sum so far, to compute tiles with.
void StreamWriter::addRow(unsigned op, Value sum, Rows &rows) {
  GroupValue row = {sum, findSumDims(op), {}};
  if (!getNode(op).isExtremum()) {
    rows.values[getResult(op)] = row;
    return;
  }
  auto [isNone, zero] = testNothing(vectors.builder, vectors.loc,
                                    findCombination(getOp(op))->kind, sum);
  row.value = arith::SelectOp::create(vectors.builder, vectors.loc, isNone,
                                      zero, scaleSum(op, sum));
  rows.values[getResult(op)] = row;
  rows.isNew[getResult(op)] = {isNone, row.dims, {}};
}

const ScaledTile *StreamWriter::findScaled(unsigned op) const {
  const auto *found = llvm::find_if(
      scaledTiles, [&](const ScaledTile &tile) { return tile.op == op; });
  return found == scaledTiles.end() ? nullptr : found;
}

double StreamWriter::getScale(unsigned sumOp) const {
  for (const ScaledTile &tile : scaledTiles)
    if (llvm::is_contained(program.graph.ops[sumOp]->getOperands(),
                           getResult(tile.op)) &&
        getNode(sumOp).isExtremum())
      return tile.scale;
  return 1.0;
}

Value StreamWriter::scaleSum(unsigned op, Value sum) {
  double scale = getScale(op);
  if (scale == 1.0)
    return sum;
  TypedAttr factor = FloatAttr::get(getElementTypeOrSelf(sum), scale);
  return arith::MulFOp::create(vectors.builder, vectors.loc, sum,
                               vectors.createSplat(factor, findSumDims(op)));
}

void StreamWriter::findNeeded() {
  for (unsigned op : llvm::reverse(program.group.ops)) {
    if (getRole(op) != StreamRole::Sum && getRole(op) != StreamRole::Row)
      continue;
    const StreamReference *reference = findReference(getResult(op));
    if (!isNeeded(getResult(op)) &&
        (!reference || reference->kind != ChangeKind::Shift))
      continue;
    needed.insert(getResult(op));
    if (getRole(op) == StreamRole::Row)
      needed.insert(program.graph.ops[op]->operand_begin(),
                    program.graph.ops[op]->operand_end());
  }
}

FailureOr<StreamWriter::Rows> StreamWriter::computeRows(ValueRange sums) {
  Rows rows;
  unsigned sum = 0;
  for (unsigned op : program.group.ops) {
    Value result = getResult(op), total;
    if (getRole(op) == StreamRole::Sum)
      total = sums[sum++];
    if (!isNeeded(result))
      continue;
    if (total) {
      addRow(op, total, rows);
    } else {
      FailureOr<SmallVector<GroupValue>> values = writer.computeElementwise(op);
      if (failed(values))
        return failure();
      rows.values[result] = values->front();
      GroupValue isNew;
      for (Value operand : program.graph.ops[op]->getOperands())
        isNew = uniteRows(vectors, isNew, rows.isNew.lookup(operand));
      if (isNew.value)
        rows.isNew[result] = isNew;
    }
    memory.note(result, rows.values[result]);
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

FailureOr<StreamWriter::Change>
StreamWriter::findChange(unsigned op, const Rows &before, const Rows &after) {
  linalg::LinalgOp structured = getOp(op);
  Block *body = structured.getBlock();
  llvm::SmallBitVector rowLoops(structured.getNumLoops());
  GroupValue isNew;
  for (OpOperand *input : structured.getDpsInputOperands()) {
    const StreamReference *reference = findReference(input->get());
    if (!reference)
      continue;
    if (reference->kind == ChangeKind::Shift)
      isNew = uniteRows(vectors, isNew, before.isNew.lookup(input->get()));
    for (unsigned loop = 0; loop != structured.getNumLoops(); ++loop)
      if (structured.getMatchingIndexingMap(input).isFunctionOfDim(loop))
        rowLoops.set(loop);
  }
  LoopFinder loops(structured);
  auto isRow = [&](Value value) {
    return llvm::all_of(loops.find(value),
                        [&](unsigned loop) { return rowLoops.test(loop); });
  };
  auto useRows = [&](bool isBefore) {
    for (const auto &[tensor, row] : isBefore ? before.values : after.values)
      memory.note(tensor, row);
  };
  RowNumbers domain(vectors, writer, op, isRow, useRows, isNew);
  ElementChanges<RowNumbers> found(domain, body);
  for (OpOperand *input : structured.getDpsInputOperands()) {
    Value tensor = input->get();
    BlockArgument argument = structured.getMatchingBlockArgument(input);
    const StreamReference *reference = findReference(tensor);
    if (reference && reference->kind == ChangeKind::Shift) {
      found.setReplaced(argument);
    } else if (reference) {
      // Behind the loop, 1 becomes what the row is.
      auto row = after.values.find(tensor);
      if (row == after.values.end())
        continue;
      bool isCondition = getElementTypeOrSelf(tensor).isInteger(1);
      found.set(argument, ChangeKind::Scale,
                isCondition ? RowNumber{{}, row->second}
                            : RowNumber{widen(vectors, row->second)});
    } else {
      FailureOr<Change> change = findChange(tensor, before, after);
      if (failed(change))
        return failure();
      found.set(argument, change->kind, change->number, change->isChosen);
    }
  }
  std::optional<Combination> combination = findCombination(structured);
  Value element = getNode(op).reduces() ? combination->element
                                        : body->getTerminator()->getOperand(0);
  Change change = found.compute(element);
  if (domain.hasFailed() || change.kind == ChangeKind::Unknown)
    return program.graph.ops[op]->emitError(
        "expected an op that can be corrected in a stream");
  return change;
}

FailureOr<StreamWriter::Change>
StreamWriter::findChange(Value tensor, const Rows &before, const Rows &after) {
  auto isOpen = [&](Value inner) {
    std::optional<unsigned> op = program.graph.findWriter(inner);
    return op && getRole(*op) == StreamRole::Tile && !changes.contains(inner);
  };
  auto addTiles = [&](Value inner, SmallVectorImpl<Value> &tiles) {
    if (!isOpen(inner))
      return;
    linalg::LinalgOp op = getOp(*program.graph.findWriter(inner));
    for (OpOperand *input : op.getDpsInputOperands())
      if (!findReference(input->get()))
        tiles.push_back(input->get());
  };
  WalkResult found = walkSources(tensor, addTiles, [&](Value inner) {
    if (!isOpen(inner))
      return WalkResult::advance();
    FailureOr<Change> change =
        findChange(*program.graph.findWriter(inner), before, after);
    if (failed(change))
      return WalkResult::interrupt();
    changes[inner] = *change;
    return WalkResult::advance();
  });
  return found.wasInterrupted() ? FailureOr<Change>(failure())
                                : changes.lookup(tensor);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult StreamWriter::writeTiles(MutableArrayRef<Value> sums) {
  changes.clear();
  FailureOr<Rows> before = computeRows(SmallVector<Value>(sums));
  if (failed(before))
    return failure();
  FailureOr<Rows> now = before;
  unsigned sum = 0;
  for (unsigned op : program.group.ops) {
    StreamRole role = getRole(op);
    if ((role == StreamRole::Inner || role == StreamRole::Tile) &&
        failed(writeTile(op)))
      return failure();
    if (role != StreamRole::Sum)
      continue;
    if (failed(addTile(op, sums[sum++], *before, *now)))
      return failure();
    // Later ops of this tile are computed with what the sums are now.
    if (isNeeded(getResult(op)) && failed(now = computeRows(sums)))
      return failure();
  }
  return success();
}

/// A sum of nothing stays what it begins with: zero has no product with an
/// infinite factor, and an infinity no sum with another one.
Value StreamWriter::correctSoFar(unsigned op, const Change &change, Value sum) {
  if (change.kind == ChangeKind::Same)
    return sum;
  SmallVector<unsigned> dims = findSumDims(op);
  Value corrected = correct(vectors, change.kind, change.number, sum, dims);
  if (change.kind == ChangeKind::Scale && !change.isChosen)
    return corrected;
  Type element = getElementTypeOrSelf(sum);
  TypedAttr start =
      getStart(vectors.builder, findCombination(getOp(op))->kind, element);
  Value isStart = arith::CmpFOp::create(vectors.builder, vectors.loc,
                                        arith::CmpFPredicate::OEQ, sum,
                                        vectors.createSplat(start, dims));
  return arith::SelectOp::create(vectors.builder, vectors.loc, isStart, sum,
                                 corrected);
}

LogicalResult StreamWriter::addTile(unsigned op, Value &sum, const Rows &before,
                                    const Rows &now) {
  FailureOr<Change> change = findChange(op, before, now);
  if (failed(change))
    return failure();
  sum = correctSoFar(op, *change, sum);
  if (getNode(op).isProduct()) {
    sum = multiply(program, op, memory, vectors, sum);
    return success();
  }
  FailureOr<GroupValue> element = writer.readElement(op);
  if (failed(element))
    return failure();
  *element = widen(vectors, *element);
  SmallVector<bool> isSummed = llvm::map_to_vector(
      element->dims, [&](unsigned dim) { return dim == getPosition(); });
  sum = vector::MultiDimReductionOp::create(vectors.builder, vectors.loc,
                                            element->value, sum, isSummed,
                                            findCombination(getOp(op))->kind);
  return success();
}

//===----------------------------------------------------------------------===//
// Behind the loop
//===----------------------------------------------------------------------===//

/// Sums of nothing stay what they are.
void StreamWriter::keepWhereEmpty(Change &change) {
  if (!isEmpty || change.kind == ChangeKind::Same)
    return;
  OpBuilder &builder = vectors.builder;
  RowNumber &number = change.number;
  if (number.value.value) {
    double same = change.kind == ChangeKind::Shift ? 0.0 : 1.0;
    GroupValue &value = number.value;
    TypedAttr none = FloatAttr::get(getElementTypeOrSelf(value.value), same);
    value.value = arith::SelectOp::create(builder, vectors.loc, isEmpty,
                                          vectors.createSplat(none, value.dims),
                                          value.value);
  }
  if (GroupValue &rows = number.isZero; rows.value)
    rows.value = arith::SelectOp::create(
        builder, vectors.loc, isEmpty,
        vectors.createSplat(builder.getBoolAttr(false), rows.dims), rows.value);
}

LogicalResult StreamWriter::finishSum(unsigned op, Value sum,
                                      const Rows &before, Rows &truth) {
  // Results of rows without elements are what the true rows say, unless
  // elements are chosen: then there are zeros.
  Rows known = before;
  known.isNew.clear();
  FailureOr<Change> change = findChange(op, known, truth);
  if (succeeded(change) && change->isChosen) {
    std::swap(changes, changesOfChosen);
    change = findChange(op, before, truth);
    std::swap(changes, changesOfChosen);
  }
  if (failed(change))
    return failure();
  keepWhereEmpty(*change);
  sum = scaleSum(op, sum);
  GroupValue result = {sum, findSumDims(op), {}};
  if (change->kind != ChangeKind::Same)
    result.value =
        correct(vectors, change->kind, change->number, sum, result.dims);
  Combination combination = *findCombination(getOp(op));
  TypedAttr fill = findFill(getOp(op).getDpsInitOperand(0)->get());
  if (!fill || !isNeutral(fill, combination.kind)) {
    Value start =
        vectors.expand(widen(vectors, memory.readInit(op, 0)), result.dims);
    result.value = vector::makeArithReduction(
        vectors.builder, vectors.loc, combination.kind, start, result.value);
  }
  memory.define(op, 0, result);
  return success();
}

LogicalResult StreamWriter::writeAfter(ValueRange sums) {
  changes.clear();
  FailureOr<Rows> before = computeRows(sums);
  if (failed(before))
    return failure();
  Rows truth;
  unsigned sum = 0;
  for (unsigned op : program.group.ops) {
    if (getRole(op) == StreamRole::Sum) {
      if (failed(finishSum(op, sums[sum++], *before, truth)))
        return failure();
    } else if (getRole(op) != StreamRole::Row) {
      continue;
    } else if (failed(writer.writeElementwise(op))) {
      return failure();
    }
    if (isNeeded(getResult(op)) || findReference(getResult(op)))
      truth.values[getResult(op)] = *memory.lookUp(getResult(op));
  }
  return success();
}
