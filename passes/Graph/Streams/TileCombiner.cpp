//===- TileCombiner.cpp - the sum of what tiles have ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileCombiner.h.
//
//===----------------------------------------------------------------------===//

#include "TileCombiner.h"

#include "../../Block/Kernels/ElementChanges.h"
#include "../../Block/Kernels/NeutralElement.h"
#include "../Reading/OperandChanges.h"
#include "StreamNumbers.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace carousel;

/// Numbers that correct are f32 at least.
static Value extend(OpBuilder &builder, Value value) {
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type || type.getWidth() >= 32)
    return value;
  return arith::ExtFOp::create(builder, value.getLoc(), builder.getF32Type(),
                               value);
}

static Value convert(OpBuilder &builder, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, value.getLoc(), type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, value.getLoc(), type, value);
  return value;
}

/// ElementChanges.h's domain: numbers are scalars of the combination's body.
class TileCombiner::Rows {
public:
  using Number = TileCombiner::Number;

  Rows(TileCombiner &combiner, size_t at)
      : combiner(combiner), at(at), loops(combiner.divider.getOp(at)),
        builder(*combiner.builder), loc(combiner.divider.getOp(at).getLoc()) {}

  bool isRow(Value value) {
    const GroupShape &shape = combiner.divider.shape;
    return llvm::none_of(loops.find(value), [&](unsigned loop) {
      return shape.loops[at][loop] == shape.stream->dim;
    });
  }
  Number getDifference(Value row) {
    Value before = get(row, /*isOfTile=*/true);
    Value now = get(row, /*isOfTile=*/false);
    Value difference = create<arith::SubFOp>(now, before);
    if (Value isEmpty = combiner.findEmpty(at)) {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(difference.getType()));
      difference =
          arith::SelectOp::create(builder, loc, isEmpty, zero, difference);
    }
    return {difference, {}};
  }
  Number getValue(Value value) { return {get(value, /*isOfTile=*/false), {}}; }
  Number add(const Number &a, const Number &b) {
    return {create<arith::AddFOp>(a.value, b.value), unite(a, b)};
  }
  Number multiply(const Number &a, const Number &b) {
    if (!a.value || !b.value)
      return {a.value ? a.value : b.value, unite(a, b)};
    return {create<arith::MulFOp>(a.value, b.value), unite(a, b)};
  }
  Number divide(const Number &a, const Number &b) {
    return multiply(a, invert(b));
  }
  Number negate(const Number &a) {
    if (!a.value)
      return a;
    return {arith::NegFOp::create(builder, loc, a.value), a.isZero};
  }
  Number invert(const Number &a) {
    // Zeros have no quotient that a later row would undo.
    combiner.hasFailed |= static_cast<bool>(a.isZero);
    if (!a.value)
      return a;
    Value one = arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(a.value.getType(), 1.0));
    return {arith::DivFOp::create(builder, loc, one, a.value), {}};
  }
  Number apply(Operation *math, const Number &a) {
    combiner.hasFailed |= a.isZero && !isa<math::AbsFOp, math::SqrtOp>(math);
    if (!a.value)
      return a;
    OperationState state(loc, math->getName());
    state.addOperands(a.value);
    state.addTypes(a.value.getType());
    state.addAttributes(math->getAttrs());
    return {builder.create(state)->getResult(0), a.isZero};
  }

private:
  Value get(Value value, bool isOfTile) {
    return extend(builder, combiner.computeValue(at, value, isOfTile));
  }
  template <typename Op> Value create(Value a, Value b) {
    Type wider = a.getType().getIntOrFloatBitWidth() <
                         b.getType().getIntOrFloatBitWidth()
                     ? b.getType()
                     : a.getType();
    return Op::create(builder, loc, convert(builder, a, wider),
                      convert(builder, b, wider));
  }
  Value unite(const Number &a, const Number &b) {
    if (!a.isZero || !b.isZero)
      return a.isZero ? a.isZero : b.isZero;
    return arith::OrIOp::create(builder, loc, a.isZero, b.isZero);
  }

  TileCombiner &combiner;
  size_t at;
  LoopFinder loops;
  OpBuilder &builder;
  Location loc;
};

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

TileCombiner::TileCombiner(const StreamDivider &divider, size_t sum)
    : divider(divider), sum(sum) {
  linalg::GenericOp op = divider.getOp(sum);
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : written.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop) {
      refusal = "a sum isn't written at loops";
      return;
    }
    dims.push_back(divider.shape.loops[sum][loop.getPosition()]);
  }
  collect();
}

/// The loops of the combination that an operand goes along.
std::optional<SmallVector<unsigned>>
TileCombiner::findLoops(size_t at, OpOperand &input) const {
  SmallVector<unsigned> loops;
  for (AffineExpr expr :
       divider.getOp(at).getMatchingIndexingMap(&input).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return std::nullopt;
    auto *found = llvm::find(dims, divider.shape.loops[at][loop.getPosition()]);
    if (found == dims.end())
      return std::nullopt;
    loops.push_back(found - dims.begin());
  }
  return loops;
}

bool TileCombiner::add(Value tensor, Part part, ArrayRef<unsigned> loops) {
  bool isKnown = llvm::any_of(inputs, [&](const Input &input) {
    return input.tensor == tensor && input.part == part;
  });
  if (!isKnown)
    inputs.push_back({tensor, part, SmallVector<unsigned>(loops)});
  return !isKnown;
}

/// A row that sums are corrected by, and the extrema that it follows from.
void TileCombiner::collectRow(Value tensor, ArrayRef<unsigned> loops) {
  std::vector<std::pair<Value, SmallVector<unsigned>>> rows = {
      {tensor, SmallVector<unsigned>(loops)}};
  for (size_t i = 0; i < rows.size(); ++i) {
    auto [row, along] = rows[i];
    if (!add(row, Part::OfTile, along))
      continue;
    add(row, Part::Total, along);
    size_t at = *divider.findWriter(row);
    if (divider.getRole(at) != StreamRole::Row)
      continue;
    for (OpOperand *input : divider.getOp(at).getDpsInputOperands()) {
      std::optional<size_t> writer = divider.findWriter(input->get());
      if (!writer || !divider.isNeeded(*writer))
        continue;
      if (std::optional<SmallVector<unsigned>> own = findLoops(at, *input))
        rows.push_back({input->get(), *own});
      else
        refusal = "a row isn't read at loops";
    }
  }
}

void TileCombiner::collect() {
  llvm::SetVector<size_t> ops;
  ops.insert(sum);
  for (size_t i = 0; i < ops.size(); ++i)
    for (OpOperand *input : divider.getOp(ops[i]).getDpsInputOperands()) {
      Value tensor = input->get();
      const StreamReference *reference = divider.findReference(tensor);
      std::optional<size_t> writer = divider.findWriter(tensor);
      if (!reference && writer &&
          (divider.getRole(*writer) == StreamRole::Tile ||
           divider.getRole(*writer) == StreamRole::Inner)) {
        if (divider.getRole(*writer) == StreamRole::Tile)
          ops.insert(*writer);
        continue;
      }
      std::optional<SmallVector<unsigned>> loops = findLoops(ops[i], *input);
      if (reference && !loops)
        refusal = "a row isn't read at loops";
      else if (reference && reference->kind == ChangeKind::Shift)
        collectRow(tensor, *loops);
      else if (loops)
        add(tensor, Part::Total, *loops);
    }
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

Value TileCombiner::getArgument(Value tensor, Part part) const {
  for (auto [number, input] : llvm::enumerate(inputs))
    if (input.tensor == tensor && input.part == part)
      return body->getArgument(number + 1);
  return {};
}

Value TileCombiner::getRow(Value tensor, bool isOfTile) {
  Value row = getArgument(tensor, isOfTile ? Part::OfTile : Part::Total);
  std::optional<size_t> writer = divider.findWriter(tensor);
  if (!isOfTile || !writer || !divider.getNode(*writer).isExtremum())
    return row;
  auto [isNone, zero] =
      testNothing(*builder, row.getLoc(),
                  findCombination(divider.getOp(*writer))->kind, row);
  return arith::SelectOp::create(*builder, row.getLoc(), isNone, zero, row);
}

Value TileCombiner::findEmpty(size_t at) {
  Location loc = divider.getOp(at).getLoc();
  Value ofTile, ofAll;
  auto unite = [&](Value &all, Value one) {
    all = all ? Value(arith::OrIOp::create(*builder, loc, all, one)) : one;
  };
  SmallVector<Value> rows;
  for (OpOperand *input : divider.getOp(at).getDpsInputOperands())
    if (const StreamReference *reference = divider.findReference(input->get());
        reference && reference->kind == ChangeKind::Shift)
      rows.push_back(input->get());
  for (size_t i = 0; i < rows.size(); ++i) {
    size_t writer = *divider.findWriter(rows[i]);
    if (divider.getRole(writer) == StreamRole::Row) {
      for (Value operand : divider.getOp(writer).getInputs())
        if (std::optional<size_t> source = divider.findWriter(operand);
            source && divider.isNeeded(*source) &&
            !llvm::is_contained(rows, operand))
          rows.push_back(operand);
      continue;
    }
    if (!divider.getNode(writer).isExtremum())
      continue;
    vector::CombiningKind kind = findCombination(divider.getOp(writer))->kind;
    auto isNone = [&](Part part) {
      return testNothing(*builder, loc, kind, getArgument(rows[i], part))
          .isNone;
    };
    unite(ofTile, isNone(Part::OfTile));
    unite(ofAll, isNone(Part::Total));
  }
  if (!ofTile)
    return {};
  // The result of rows without any element is what the true row says, or zero.
  if (isChosen)
    return ofTile;
  Value yes =
      arith::ConstantOp::create(*builder, loc, builder->getBoolAttr(true));
  Value hasSome = arith::XOrIOp::create(*builder, loc, ofAll, yes);
  return arith::AndIOp::create(*builder, loc, ofTile, hasSome);
}

/// The values that it is computed of are known.
Value TileCombiner::computeOne(size_t at, Value value, bool isOfTile) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value tensor = divider.getOp(at).getMatchingOpOperand(argument)->get();
    // A tensor without a part for tiles doesn't change.
    Value row = getRow(tensor, isOfTile);
    return row ? row : getRow(tensor, /*isOfTile=*/false);
  }
  if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    unsigned dim = divider.shape.loops[at][index.getDim()];
    unsigned loop = llvm::find(dims, dim) - dims.begin();
    return linalg::IndexOp::create(*builder, index.getLoc(), loop);
  }
  Operation *source = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : source->getOperands())
    if (Value known = computed[isOfTile].lookup(operand))
      mapping.map(operand, known);
  Operation *same = builder->clone(*source, mapping);
  return same->getResult(cast<OpResult>(value).getResultNumber());
}

Value TileCombiner::computeValue(size_t at, Value value, bool isOfTile) {
  auto &values = computed[isOfTile];
  auto isOpen = [&](Value inner) {
    return inner.getParentBlock() == divider.getOp(at).getBody() &&
           !values.contains(inner);
  };
  walkOperands(value, isOpen, [&](Value inner) {
    if (isOpen(inner)) {
      Value found = computeOne(at, inner, isOfTile);
      values[inner] = found;
    }
    return WalkResult::advance();
  });
  return values.contains(value) ? values.lookup(value) : value;
}

TileCombiner::Correction TileCombiner::findCorrection() {
  llvm::DenseMap<Value, Correction> corrections;
  auto addTiles = [&](Value tensor, SmallVectorImpl<Value> &tiles) {
    size_t at = *divider.findWriter(tensor);
    for (Value input : divider.getOp(at).getInputs())
      if (std::optional<size_t> writer = divider.findWriter(input);
          writer && !divider.findReference(input) &&
          divider.getRole(*writer) == StreamRole::Tile)
        tiles.push_back(input);
  };
  Value result = divider.getResult(sum);
  walkSources(result, addTiles, [&](Value tensor) {
    Correction found = findCorrection(*divider.findWriter(tensor), corrections);
    corrections[tensor] = found;
    return WalkResult::advance();
  });
  return corrections.lookup(result);
}

TileCombiner::Correction
TileCombiner::findCorrection(size_t at,
                             const llvm::DenseMap<Value, Correction> &of) {
  linalg::GenericOp op = divider.getOp(at);
  Rows rows(*this, at);
  ElementChanges<Rows> changes(rows, op.getBody());
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    Value tensor = input->get();
    const StreamReference *reference = divider.findReference(tensor);
    bool isShift = reference && reference->kind == ChangeKind::Shift;
    if (reference && !(isShift ? hasShifts : hasScales))
      continue;
    if (isShift) {
      changes.setReplaced(argument);
    } else if (reference) {
      Value row = getArgument(tensor, Part::Total);
      Number number = row.getType().isInteger(1)
                          ? Number{{}, row}
                          : Number{extend(*builder, row), {}};
      changes.set(argument, ChangeKind::Scale, number);
    } else if (of.contains(tensor)) {
      Correction found = of.lookup(tensor);
      changes.set(argument, found.kind, found.number, found.isChosen);
    }
  }
  Value element = divider.getNode(at).reduces()
                      ? findCombination(op)->element
                      : op.getBody()->getTerminator()->getOperand(0);
  auto change = changes.compute(element);
  hasFailed |= change.kind == ChangeKind::Unknown;
  return {change.kind, change.number, change.isChosen};
}

Value TileCombiner::correct(const Correction &correction, Value value) {
  Location loc = value.getLoc();
  const Number &number = correction.number;
  if (correction.kind == ChangeKind::Same)
    return value;
  if (number.value) {
    Value other = convert(*builder, number.value, value.getType());
    value = correction.kind == ChangeKind::Shift
                ? Value(arith::AddFOp::create(*builder, loc, value, other))
                : Value(arith::MulFOp::create(*builder, loc, value, other));
  }
  if (!number.isZero)
    return value;
  Value zero = arith::ConstantOp::create(*builder, loc,
                                         builder->getZeroAttr(value.getType()));
  return arith::SelectOp::create(*builder, loc, number.isZero, zero, value);
}

/// As in a stream's loop, what a sum begins with has no correction. What it is
/// scaled by in the end has: by a reciprocal of zero, zero becomes NaN.
Value TileCombiner::correctSoFar(Value value) {
  Location loc = value.getLoc();
  hasScales = false;
  Value corrected = correct(findCorrection(), value);
  hasScales = true;
  TypedAttr start = getStart(
      *builder, findCombination(divider.getOp(sum))->kind, value.getType());
  Value isStart =
      arith::CmpFOp::create(*builder, loc, arith::CmpFPredicate::OEQ, value,
                            arith::ConstantOp::create(*builder, loc, start));
  corrected = arith::SelectOp::create(*builder, loc, isStart, value, corrected);
  hasShifts = false;
  corrected = correct(findCorrection(), corrected);
  hasShifts = true;
  return corrected;
}

Value TileCombiner::write(RewriterBase &rewriter) {
  linalg::GenericOp op = divider.getOp(sum);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  unsigned tile = dims.size();
  auto getMap = [&](ArrayRef<unsigned> loops, bool isOfTiles) {
    SmallVector<AffineExpr> results;
    if (isOfTiles)
      results.push_back(getAffineDimExpr(tile, context));
    for (unsigned loop : loops)
      results.push_back(getAffineDimExpr(loop, context));
    return AffineMap::get(tile + 1, 0, results, context);
  };
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, tile));
  SmallVector<Value> tensors = {
      divider.partials.lookup(divider.getResult(sum))};
  SmallVector<AffineMap> maps = {getMap(all, /*isOfTiles=*/true)};
  for (const Input &input : inputs) {
    bool isOfTile = input.part == Part::OfTile;
    Value total = divider.totals.lookup(input.tensor);
    tensors.push_back(isOfTile ? divider.partials.lookup(input.tensor)
                      : total  ? total
                               : input.tensor);
    maps.push_back(getMap(input.loops, isOfTile));
  }
  maps.push_back(getMap(all, /*isOfTiles=*/false));
  SmallVector<utils::IteratorType> kinds(tile, utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  vector::CombiningKind kind = findCombination(op)->kind;
  auto combined = linalg::GenericOp::create(
      rewriter, loc, op.getResult(0).getType(), tensors, op.getDpsInits()[0],
      maps, kinds, [&](OpBuilder &inside, Location, ValueRange arguments) {
        builder = &inside;
        body = inside.getBlock();
        Correction correction = findCorrection();
        Value part = arguments.front();
        if (correction.isChosen || correction.kind == ChangeKind::Shift) {
          isChosen = correction.isChosen;
          part = correctSoFar(part);
        } else {
          part = correct(correction, part);
        }
        Value result = vector::makeArithReduction(inside, loc, kind, part,
                                                  arguments.back());
        linalg::YieldOp::create(inside, loc, result);
      });
  builder = nullptr;
  return hasFailed ? Value() : combined.getResult(0);
}
