//===- StreamDivider.cpp - streams as tiles and their sums ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamDivider.h.
//
//===----------------------------------------------------------------------===//

#include "StreamDivider.h"

#include "../../Block/Kernels/NeutralElement.h"
#include "StreamNumbers.h"
#include "TileCombiner.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

StreamDivider::StreamDivider(const Graph &graph, const OpGroup &group,
                             const GroupShape &shape, int64_t columns,
                             RewriterBase &rewriter)
    : graph(graph), group(group), shape(shape), rewriter(rewriter),
      tiled(rewriter, shape.dims[shape.stream->dim].extent, columns),
      needed(group.ops.size()) {
  for (size_t at = group.ops.size(); at-- != 0;) {
    StreamRole role = getRole(at);
    if (role != StreamRole::Sum && role != StreamRole::Row)
      continue;
    const StreamReference *reference = findReference(getResult(at));
    bool isReference = reference && reference->kind == ChangeKind::Shift;
    needed[at] = needed[at] || isReference;
    if (!needed[at] || role != StreamRole::Row)
      continue;
    for (Value operand : graph.ops[group.ops[at]]->getOperands())
      if (std::optional<size_t> writer = findWriter(operand))
        if (getRole(*writer) == StreamRole::Sum ||
            getRole(*writer) == StreamRole::Row)
          needed[*writer] = true;
  }
}

std::optional<size_t> StreamDivider::findWriter(Value tensor) const {
  for (size_t at = 0; at != group.ops.size(); ++at)
    if (getResult(at) == tensor)
      return at;
  return std::nullopt;
}

const StreamReference *StreamDivider::findReference(Value tensor) const {
  return carousel::findReference(graph, *shape.stream, tensor);
}

std::optional<unsigned> StreamDivider::findLoop(size_t at) const {
  for (auto [loop, dim] : llvm::enumerate(shape.loops[at]))
    if (dim == shape.stream->dim)
      return loop;
  return std::nullopt;
}

/// Whether the type of an input has the extent along a loop, if it has that.
static bool hasKnownExtent(linalg::GenericOp op, OpOperand &input,
                           unsigned loop) {
  auto type = cast<ShapedType>(input.get().getType());
  for (auto [dim, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(&input).getResults()))
    if (expr.isFunctionOfDim(loop) && type.isDynamicDim(dim))
      return false;
  return true;
}

std::string StreamDivider::explain() {
  for (size_t at = 0; at != group.ops.size(); ++at) {
    StreamRole role = getRole(at);
    if (role == StreamRole::Before || (role == StreamRole::Row && !needed[at]))
      continue;
    linalg::GenericOp op = getOp(at);
    std::optional<unsigned> loop = findLoop(at);
    if (!op || op.getNumResults() != 1 ||
        (loop && !TiledOps::canTile(op, *loop)))
      return "'" + getNode(at).name + "' isn't written along tiles";
    for (OpOperand *input : op.getDpsInputOperands())
      if (loop && !hasKnownExtent(op, *input, *loop))
        return "the type of an operand of '" + getNode(at).name +
               "' doesn't say how many columns it has";
    if (role != StreamRole::Sum)
      continue;
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(getResult(at)));
    constexpr unsigned kExactBits = 32;
    if (type && type.getWidth() < kExactBits && !getNode(at).isExtremum())
      return "tiles would round what '" + getNode(at).name + "' adds";
    if (TileCombiner combiner(*this, at); !combiner.getRefusal().empty())
      return combiner.getRefusal();
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Ops on tiles
//===----------------------------------------------------------------------===//

TiledOps::Operand StreamDivider::findOperand(size_t at, OpOperand &input,
                                             const Part &part) {
  Value tensor = input.get();
  bool isOfTiles = !part.isRest;
  if (const StreamReference *reference = findReference(tensor)) {
    if (reference->kind == ChangeKind::Shift)
      return {part.guarded.lookup(tensor), isOfTiles, {}};
    // Tiles are computed with 1, or as if no row were chosen.
    Type element = getElementTypeOrSelf(tensor);
    TypedAttr one = element.isInteger(1)
                        ? cast<TypedAttr>(rewriter.getBoolAttr(false))
                        : cast<TypedAttr>(rewriter.getOneAttr(element));
    return {{}, false, one};
  }
  if (Value row = part.guarded.lookup(tensor))
    return {row, isOfTiles, {}};
  if (Value tile = part.tiles.lookup(tensor))
    return {tile, false, {}};
  std::optional<unsigned> loop = findLoop(at);
  AffineMap map = getOp(at).getMatchingIndexingMap(&input);
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto own = dyn_cast<AffineDimExpr>(expr);
        loop && own && own.getPosition() == *loop)
      return {part.isRest ? tiled.takeRest(tensor, dim)
                          : tiled.expand(tensor, dim),
              false,
              {}};
  return {tensor, false, {}};
}

Value StreamDivider::writeGuarded(size_t at, Value partial) {
  if (!getNode(at).isExtremum())
    return partial;
  Location loc = getOp(at).getLoc();
  auto type = cast<RankedTensorType>(partial.getType());
  vector::CombiningKind kind = findCombination(getOp(at))->kind;
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, partial),
      type.getElementType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  auto guard = linalg::GenericOp::create(
      rewriter, loc, type, partial, empty, {map, map}, kinds,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        auto [isNone, zero] = testNothing(builder, loc, kind, arguments[0]);
        Value row =
            arith::SelectOp::create(builder, loc, isNone, zero, arguments[0]);
        linalg::YieldOp::create(builder, loc, row);
      });
  return guard.getResult(0);
}

Value StreamDivider::writeOp(size_t at, const Part &part, TypedAttr start) {
  linalg::GenericOp op = getOp(at);
  auto find = [&](OpOperand &input) { return findOperand(at, input, part); };
  std::optional<unsigned> loop = findLoop(at);
  if (part.isRest)
    return tiled.writeRest(op, loop, find, start);
  return loop ? tiled.writeTiled(op, *loop, find, start)
              : tiled.writeForTiles(op, find);
}

void StreamDivider::writePart(size_t at, Part &part) {
  Value result = getResult(at);
  Type element = getElementTypeOrSelf(result);
  if (getRole(at) == StreamRole::Sum) {
    vector::CombiningKind kind = findCombination(getOp(at))->kind;
    Value partial = writeOp(at, part, getStart(rewriter, kind, element));
    part.partials[result] = partial;
    if (isNeeded(at))
      part.guarded[result] = writeGuarded(at, partial);
  } else if (getRole(at) == StreamRole::Row) {
    Value row = writeOp(at, part, /*start=*/{});
    part.partials[result] = part.guarded[result] = row;
  } else {
    // Products inside of a stream add to zeros.
    TypedAttr start;
    if (getRole(at) == StreamRole::Inner)
      start = cast<TypedAttr>(rewriter.getZeroAttr(element));
    part.tiles[result] = writeOp(at, part, start);
  }
}

LogicalResult StreamDivider::run() {
  OpBuilder::InsertionGuard guard(rewriter);
  ofRest.isRest = true;
  for (size_t at = 0; at != group.ops.size(); ++at) {
    StreamRole role = getRole(at);
    if (role == StreamRole::Before ||
        (role == StreamRole::Row && !isNeeded(at)))
      continue;
    Value result = getResult(at);
    rewriter.setInsertionPoint(getOp(at));
    writePart(at, ofTiles);
    if (tiled.hasRest())
      writePart(at, ofRest);
    if (Value partial = ofTiles.partials.lookup(result))
      partials[result] =
          tiled.hasRest()
              ? tiled.append(partial, ofRest.partials.lookup(result))
              : partial;
    if (role != StreamRole::Sum)
      continue;
    Value total = TileCombiner(*this, at).write(rewriter);
    if (!total)
      return getOp(at).emitError(
          "expected an op that can be corrected in a stream");
    totals[result] = total;
  }
  for (size_t at = group.ops.size(); at-- != 0;)
    if (Value total = totals.lookup(getResult(at)))
      rewriter.replaceAllUsesWith(getResult(at), total);
  for (size_t at = group.ops.size(); at-- != 0;)
    if (graph.ops[group.ops[at]]->use_empty())
      rewriter.eraseOp(graph.ops[group.ops[at]]);
  return success();
}
