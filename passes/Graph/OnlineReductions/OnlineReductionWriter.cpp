//===- OnlineReductionWriter.cpp - reductions of a kernel in one pass -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OnlineReductionWriter.h.
//
//===----------------------------------------------------------------------===//

#include "OnlineReductionWriter.h"

#include "../../Block/Kernels/NeutralElement.h"
#include "../Kernels/GroupLoops.h"
#include "../Kernels/GroupProduct.h"
#include "../Kernels/ImplicitGEMM.h"
#include "../Kernels/OpWriter.h"
#include "../Reading/OperandChanges.h"
#include "OnlineMasks.h"
#include "RowCorrections.h"

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace carousel;

namespace {

class OnlineReductionWriter {
public:
  OnlineReductionWriter(const GroupProgram &program, GroupVectors &vectors,
                        GroupMemory &memory, PartialSums *parts)
      : program(program), stream(*program.shape.stream), vectors(vectors),
        memory(memory), parts(parts), writer(program, vectors, memory) {
    for (unsigned op : program.group.ops)
      if (getRole(op) == OnlineRole::Sum)
        sumOps.push_back(op);
  }

  LogicalResult write();

private:
  /// Rows that tiles are computed with, by tensor.
  struct Rows {
    llvm::MapVector<Value, GroupValue> values;
    /// Whether each of these is of no element so far.
    llvm::DenseMap<Value, GroupValue> isNew;
  };
  using Change = ElementChanges<RowCorrections>::Change;

  LogicalResult writeBefore();
  void startSums();
  LogicalResult writeTiles(MutableArrayRef<Value> sums);
  LogicalResult writeTile(unsigned op);
  FailureOr<GroupValue> computeTile(unsigned op);
  const ScaledTile *findScaled(unsigned op) const;
  /// Returns the factor that makes a sum the op's result.
  double getScale(unsigned sumOp) const;
  Value scaleSum(unsigned op, Value sum);
  /// Has what is multiplied stand for a scaled tile's product.
  LogicalResult presetFactor(unsigned op, BodyValues &values);
  LogicalResult addTile(unsigned op, Value &sum, const Rows &before,
                        const Rows &now);
  /// Leaves a part's sums, and lets the last part combine those of all.
  LogicalResult combineParts(SmallVectorImpl<Value> &sums);
  /// Adds sums of other elements: both are corrected by what all have.
  LogicalResult addPart(MutableArrayRef<Value> sums, ValueRange part);
  LogicalResult finishSum(unsigned op, Value sum, const Rows &before,
                          Rows &truth);
  LogicalResult writeAfter(ValueRange sums);

  /// Whether tiles are computed with a row, or with one that follows from it.
  bool isNeeded(unsigned op) const { return stream.needed[op]; }
  /// Computes the needed rows that follow from the sums so far.
  FailureOr<Rows> computeRows(ValueRange sums);
  void addRow(unsigned op, Value sum, Rows &rows);
  /// Finds the change of what an op computes, or its reduction combines with
  /// its result.
  FailureOr<Change> findChange(unsigned op, const Rows &before,
                               const Rows &after);
  /// Finds the change of a tensor of tiles, where \p before becomes \p after.
  FailureOr<Change> findChange(Value tensor, const Rows &before,
                               const Rows &after);
  void keepWhereEmpty(Change &change);
  /// An op's sum of some elements, of which none may count.
  Value correctSoFar(unsigned op, const Change &change, Value sum);

  /// Neutral elements behind the end, where later ops need them.
  void maskTile(unsigned op, unsigned extremum);
  TypedAttr findPadding(unsigned op);
  /// The extremum that reads a tensor, if one does.
  std::optional<unsigned> findExtremum(Value tensor) const;

  OnlineRole getRole(unsigned op) const { return stream.roles[op]; }
  const GraphOp &getNode(unsigned op) const {
    return program.graph.problem.ops[op];
  }
  linalg::LinalgOp getOp(unsigned op) const {
    return cast<linalg::LinalgOp>(program.graph.ops[op]);
  }
  Value getResult(unsigned op) const {
    return program.graph.ops[op]->getResult(0);
  }
  SmallVector<unsigned> findSumDims(unsigned op) const;
  const OnlineReference *findReference(Value tensor) const;
  unsigned getPosition() const { return program.schedule.find(stream.dim); }

  const GroupProgram &program;
  const OnlineReduction &stream;
  GroupVectors &vectors;
  GroupMemory &memory;
  PartialSums *parts;
  OpWriter writer;
  SmallVector<unsigned> sumOps;
  SmallVector<Value> starts; ///< of sums
  SmallVector<OnlineMask> masks;
  SmallVector<ScaledTile> scaledTiles;
  using Changes = llvm::DenseMap<Value, Change>;
  /// The changes of tensors of tiles in this iteration, or at the end; and
  /// those at the end where rows without elements don't change.
  Changes changes, changesOfChosen;
  /// Whether the online reduction has no element, which the launch knows; null
  /// if it has.
  Value isEmpty;
};

} // namespace

const OnlineReference *
OnlineReductionWriter::findReference(Value tensor) const {
  return carousel::findReference(program.graph, stream, tensor);
}

/// The dimensions of the result: those that the op doesn't sum over.
SmallVector<unsigned> OnlineReductionWriter::findSumDims(unsigned op) const {
  SmallVector<unsigned> summed = findSummed(program, op);
  SmallVector<unsigned> dims =
      vectors.findVectorDims(carousel::getPositions(program, op));
  llvm::erase_if(dims,
                 [&](unsigned dim) { return llvm::is_contained(summed, dim); });
  return dims;
}

LogicalResult OnlineReductionWriter::write() {
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
  masks = findOnlineMasks(program);
  auto [from, to] = computeOnlineRange(program, vectors, writer, masks);
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

LogicalResult OnlineReductionWriter::writeBefore() {
  for (unsigned op : program.group.ops)
    if (getRole(op) == OnlineRole::Before &&
        failed(writer.writeElementwise(op)))
      return failure();
  // Factors that all tiles are multiplied by.
  for (unsigned op : program.group.ops) {
    if (getRole(op) != OnlineRole::Inner)
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

void OnlineReductionWriter::startSums() {
  OpBuilder &builder = vectors.builder;
  for (unsigned op : sumOps) {
    Combination combination = *findCombination(getOp(op));
    Type element = getSumType(getElementTypeOrSelf(getResult(op)));
    TypedAttr neutral = getStart(builder, combination.kind, element);
    if (getNode(op).isProduct())
      neutral = cast<TypedAttr>(builder.getZeroAttr(element));
    starts.push_back(vectors.createSplat(neutral, findSumDims(op)));
  }
  // Tiles are computed with 1, or as if no row were chosen.
  for (const OnlineReference &reference : stream.references) {
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
void OnlineReductionWriter::addRow(unsigned op, Value sum, Rows &rows) {
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

const ScaledTile *OnlineReductionWriter::findScaled(unsigned op) const {
  const auto *found = llvm::find_if(
      scaledTiles, [&](const ScaledTile &tile) { return tile.op == op; });
  return found == scaledTiles.end() ? nullptr : found;
}

double OnlineReductionWriter::getScale(unsigned sumOp) const {
  for (const ScaledTile &tile : scaledTiles)
    if (llvm::is_contained(program.graph.ops[sumOp]->getOperands(),
                           getResult(tile.op)) &&
        getNode(sumOp).isExtremum())
      return tile.scale;
  return 1.0;
}

Value OnlineReductionWriter::scaleSum(unsigned op, Value sum) {
  double scale = getScale(op);
  if (scale == 1.0)
    return sum;
  TypedAttr factor = FloatAttr::get(getElementTypeOrSelf(sum), scale);
  return arith::MulFOp::create(vectors.builder, vectors.loc, sum,
                               vectors.createSplat(factor, findSumDims(op)));
}

FailureOr<OnlineReductionWriter::Rows>
OnlineReductionWriter::computeRows(ValueRange sums) {
  Rows rows;
  unsigned sum = 0;
  for (unsigned op : program.group.ops) {
    Value result = getResult(op);
    bool isSum = getRole(op) == OnlineRole::Sum;
    sum += isSum;
    if (!isNeeded(op))
      continue;
    if (isSum) {
      addRow(op, sums[sum - 1], rows);
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

FailureOr<OnlineReductionWriter::Change>
OnlineReductionWriter::findChange(unsigned op, const Rows &before,
                                  const Rows &after) {
  linalg::LinalgOp structured = getOp(op);
  Block *body = structured.getBlock();
  llvm::SmallBitVector rowLoops(structured.getNumLoops());
  GroupValue isNew;
  for (OpOperand *input : structured.getDpsInputOperands()) {
    const OnlineReference *reference = findReference(input->get());
    if (!reference)
      continue;
    if (reference->kind == ChangeKind::Shift)
      isNew = uniteRows(vectors, isNew, before.isNew.lookup(input->get()));
    rowLoops |=
        getUnusedDimsBitVector(structured.getMatchingIndexingMap(input)).flip();
  }
  LoopFinder loops(structured);
  auto isRow = [&](Value value) {
    return loops.find(value).subsetOf(rowLoops);
  };
  auto useRows = [&](bool isBefore) {
    for (const auto &[tensor, row] : isBefore ? before.values : after.values)
      memory.note(tensor, row);
  };
  RowCorrections domain(vectors, writer, op, isRow, useRows, isNew);
  ElementChanges<RowCorrections> found(domain, body);
  for (OpOperand *input : structured.getDpsInputOperands()) {
    Value tensor = input->get();
    BlockArgument argument = structured.getMatchingBlockArgument(input);
    const OnlineReference *reference = findReference(tensor);
    if (reference && reference->kind == ChangeKind::Shift) {
      found.setReplaced(argument);
    } else if (reference) {
      // Behind the loop, 1 becomes what the row is.
      auto row = after.values.find(tensor);
      if (row == after.values.end())
        continue;
      bool isCondition = getElementTypeOrSelf(tensor).isInteger(1);
      found.set(argument, ChangeKind::Scale,
                isCondition ? RowCorrection{{}, row->second}
                            : RowCorrection{widen(vectors, row->second)});
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

FailureOr<OnlineReductionWriter::Change>
OnlineReductionWriter::findChange(Value tensor, const Rows &before,
                                  const Rows &after) {
  auto isOpen = [&](Value inner) {
    std::optional<unsigned> op = program.graph.findWriter(inner);
    return op && getRole(*op) == OnlineRole::Tile && !changes.contains(inner);
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
// The elements of a tile
//===----------------------------------------------------------------------===//

// Elements that masks exclude or that lie behind the end are those that change
// no sum.

/// Masks keep all elements of most tiles.
FailureOr<GroupValue> OnlineReductionWriter::computeTile(unsigned op) {
  Value result = getOp(op).getBlock()->getTerminator()->getOperand(0);
  const auto *mask = llvm::find_if(
      masks, [&](const OnlineMask &mask) { return mask.op == op; });
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

LogicalResult OnlineReductionWriter::presetFactor(unsigned op,
                                                  BodyValues &values) {
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

LogicalResult OnlineReductionWriter::writeTile(unsigned op) {
  if (getRole(op) == OnlineRole::Inner) {
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
  if (std::optional<unsigned> extremum = findExtremum(getResult(op)))
    maskTile(op, *extremum);
  if (countHugeSources(program, op) != 0) {
    GroupValue tile = *memory.lookUp(getResult(op));
    tile.mayBeHuge = true;
    memory.note(getResult(op), tile);
  }
  return success();
}

std::optional<unsigned>
OnlineReductionWriter::findExtremum(Value tensor) const {
  for (unsigned op : llvm::reverse(sumOps))
    if (getNode(op).isExtremum() &&
        llvm::is_contained(program.graph.ops[op]->getOperands(), tensor))
      return op;
  return std::nullopt;
}

/// Only the last tile has elements behind the end.
void OnlineReductionWriter::maskTile(unsigned op, unsigned extremum) {
  GroupValue tile = *memory.lookUp(getResult(op));
  unsigned position = getPosition();
  if (!vectors.isRagged(position) || !llvm::is_contained(tile.dims, position))
    return;
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  TypedAttr neutral = getStart(builder, findCombination(getOp(extremum))->kind,
                               getElementTypeOrSelf(tile.value));
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
TypedAttr OnlineReductionWriter::findPadding(unsigned op) {
  linalg::LinalgOp structured = getOp(op);
  llvm::DenseMap<Value, Padding> known;
  for (OpOperand *input : structured.getDpsInputOperands()) {
    Padding &padding = known[structured.getMatchingBlockArgument(input)];
    const OnlineReference *reference = findReference(input->get());
    if (reference && reference->kind == ChangeKind::Shift)
      padding.isFinite = true;
    else if (const GroupValue *value = memory.lookUp(input->get()))
      padding.element =
          convertFloat(value->padding, getElementTypeOrSelf(input->get()));
  }
  for (Operation &inner : structured.getBlock()->without_terminator()) {
    if (inner.getNumResults() != 1 || inner.getNumRegions() != 0)
      continue;
    if (isa<tensor::ExtractOp>(inner)) {
      // Pages that a table doesn't have are zeros.
      if (isReadInPages(program, op) && readsAllPages(program, op))
        known[inner.getResult(0)].element =
            Builder(inner.getContext())
                .getZeroAttr(inner.getResult(0).getType());
      continue;
    }
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

//===----------------------------------------------------------------------===//
// The loop's body
//===----------------------------------------------------------------------===//

LogicalResult OnlineReductionWriter::writeTiles(MutableArrayRef<Value> sums) {
  changes.clear();
  FailureOr<Rows> before = computeRows(SmallVector<Value>(sums));
  if (failed(before))
    return failure();
  FailureOr<Rows> now = before;
  unsigned sum = 0;
  for (unsigned op : program.group.ops) {
    OnlineRole role = getRole(op);
    if ((role == OnlineRole::Inner || role == OnlineRole::Tile) &&
        failed(writeTile(op)))
      return failure();
    if (role != OnlineRole::Sum)
      continue;
    if (failed(addTile(op, sums[sum++], *before, *now)))
      return failure();
    // Later ops of this tile are computed with what the sums are now.
    if (isNeeded(op) && failed(now = computeRows(sums)))
      return failure();
  }
  return success();
}

/// A sum of nothing stays what it begins with: zero has no product with an
/// infinite factor, and an infinity no sum with another one.
Value OnlineReductionWriter::correctSoFar(unsigned op, const Change &change,
                                          Value sum) {
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

LogicalResult OnlineReductionWriter::addTile(unsigned op, Value &sum,
                                             const Rows &before,
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
  vector::CombiningKind kind = findCombination(getOp(op))->kind;
  // A tile is of one element of a batch.
  if (!llvm::is_contained(element->dims, getPosition())) {
    sum = vector::makeArithReduction(vectors.builder, vectors.loc, kind,
                                     vectors.expand(*element, findSumDims(op)),
                                     sum);
    return success();
  }
  SmallVector<bool> isSummed = llvm::map_to_vector(
      element->dims, [&](unsigned dim) { return dim == getPosition(); });
  sum = vector::MultiDimReductionOp::create(
      vectors.builder, vectors.loc, element->value, sum, isSummed, kind);
  return success();
}

//===----------------------------------------------------------------------===//
// Parts of a program
//===----------------------------------------------------------------------===//

// Each part has sums of its own, which were computed with rows of its own. They
// are combined in the order of the parts: as in the loop, the rows of all
// elements correct both what is there and what is added.

LogicalResult OnlineReductionWriter::addPart(MutableArrayRef<Value> sums,
                                             ValueRange part) {
  FailureOr<Rows> own = computeRows(SmallVector<Value>(sums)),
                  other = computeRows(part);
  if (failed(own) || failed(other))
    return failure();
  FailureOr<Rows> all = own;
  Changes ofOwn, ofOther;
  auto correctSum = [&](unsigned op, Value sum, const Rows &before,
                        Changes &known) -> FailureOr<Value> {
    std::swap(changes, known);
    FailureOr<Change> change = findChange(op, before, *all);
    std::swap(changes, known);
    if (failed(change))
      return failure();
    return correctSoFar(op, *change, sum);
  };
  for (auto [number, op] : llvm::enumerate(sumOps)) {
    Value &sum = sums[number];
    FailureOr<Value> before = correctSum(op, sum, *own, ofOwn);
    FailureOr<Value> added = correctSum(op, part[number], *other, ofOther);
    if (failed(before) || failed(added))
      return failure();
    sum = vector::makeArithReduction(vectors.builder, vectors.loc,
                                     findCombination(getOp(op))->kind, *before,
                                     *added);
    // Later sums are corrected by what this one is now.
    if (isNeeded(op) && failed(all = computeRows(sums)))
      return failure();
  }
  return success();
}

LogicalResult
OnlineReductionWriter::combineParts(SmallVectorImpl<Value> &sums) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  SmallVector<GroupValue> own;
  for (auto [op, sum] : llvm::zip_equal(sumOps, sums))
    own.push_back({sum, findSumDims(op), {}});
  for (const GroupValue &sum : own)
    parts->leave(sum);
  parts->startLast();
  // Some parts are read together, so that threads wait once for all of them.
  int64_t together = countTogether(program.shape, program.schedule);
  auto getIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(builder, loc, getIndex(0), parts->getCount(),
                                 getIndex(together), starts);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<SmallVector<Value>> read(together);
    for (int64_t at = 0; at != together; ++at) {
      Value part = loop.getInductionVar(), exists;
      if (at != 0) {
        Value next = arith::AddIOp::create(builder, loc, part, getIndex(at));
        exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       next, parts->getCount());
        part = arith::SelectOp::create(builder, loc, exists, next, part);
      }
      for (auto [op, sum] : llvm::enumerate(own)) {
        Value value = parts->read(op, part, sum);
        if (exists)
          value =
              arith::SelectOp::create(builder, loc, exists, value, starts[op]);
        read[at].push_back(value);
      }
    }
    SmallVector<Value> combined(loop.getRegionIterArgs());
    for (const SmallVector<Value> &part : read)
      if (failed(addPart(combined, part)))
        return failure();
    scf::YieldOp::create(builder, loc, combined);
  }
  sums.assign(loop.getResults().begin(), loop.getResults().end());
  return success();
}

//===----------------------------------------------------------------------===//
// Behind the loop
//===----------------------------------------------------------------------===//

/// Sums of nothing stay what they are.
void OnlineReductionWriter::keepWhereEmpty(Change &change) {
  if (!isEmpty || change.kind == ChangeKind::Same)
    return;
  OpBuilder &builder = vectors.builder;
  RowCorrection &number = change.number;
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

LogicalResult OnlineReductionWriter::finishSum(unsigned op, Value sum,
                                               const Rows &before,
                                               Rows &truth) {
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

LogicalResult OnlineReductionWriter::writeAfter(ValueRange sums) {
  changes.clear();
  FailureOr<Rows> before = computeRows(sums);
  if (failed(before))
    return failure();
  Rows truth;
  unsigned sum = 0;
  for (unsigned op : program.group.ops) {
    if (getRole(op) == OnlineRole::Sum) {
      if (failed(finishSum(op, sums[sum++], *before, truth)))
        return failure();
    } else if (getRole(op) != OnlineRole::Row) {
      continue;
    } else if (failed(writer.writeElementwise(op))) {
      return failure();
    }
    if (isNeeded(op) || findReference(getResult(op)))
      truth.values[getResult(op)] = *memory.lookUp(getResult(op));
  }
  return success();
}

LogicalResult carousel::writeStream(const GroupProgram &program,
                                    GroupVectors &vectors, GroupMemory &memory,
                                    PartialSums *parts) {
  return OnlineReductionWriter(program, vectors, memory, parts).write();
}
