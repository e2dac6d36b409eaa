//===- TiledOps.cpp - structured ops on tiles of a dimension --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TiledOps.h.
//
//===----------------------------------------------------------------------===//

#include "TiledOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace carousel;

/// The loop along which a map's result goes, if it is no other expression.
static std::optional<unsigned> findLoop(AffineMap map, unsigned result) {
  auto loop = dyn_cast<AffineDimExpr>(map.getResult(result));
  return loop ? std::optional(loop.getPosition()) : std::nullopt;
}

static std::optional<unsigned> findDim(AffineMap map, unsigned loop) {
  for (unsigned result = 0; result != map.getNumResults(); ++result)
    if (findLoop(map, result) == loop)
      return result;
  return std::nullopt;
}

bool TiledOps::canTile(linalg::GenericOp op, unsigned loop) {
  return op.getNumResults() == 1 &&
         llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
           return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
             return isa<AffineDimExpr>(expr) || !expr.isFunctionOfDim(loop);
           });
         });
}

/// The same expressions with a loop more after \p loop, or behind all loops.
/// Results along \p loop go along both.
static AffineMap addLoop(AffineMap map, std::optional<unsigned> loop,
                         bool isOfTiles) {
  MLIRContext *context = map.getContext();
  unsigned loops = map.getNumDims(), tile = loop.value_or(loops);
  SmallVector<AffineExpr> moved, results;
  for (unsigned own = 0; own != loops; ++own)
    moved.push_back(getAffineDimExpr(own + (loop && own > *loop), context));
  for (unsigned result = 0; result != map.getNumResults(); ++result) {
    if (loop && findLoop(map, result) == loop) {
      results.push_back(getAffineDimExpr(tile, context));
      results.push_back(getAffineDimExpr(tile + 1, context));
      continue;
    }
    results.push_back(map.getResult(result).replaceDims(moved));
  }
  if (isOfTiles)
    results.insert(results.begin(), getAffineDimExpr(tile, context));
  return AffineMap::get(loops + 1, 0, results, context);
}

linalg::GenericOp TiledOps::write(linalg::GenericOp op,
                                  std::optional<unsigned> loop, Part part,
                                  FindOperand findOperand, TypedAttr start) {
  bool isRest = part == Part::Rest;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap written = op.getMatchingIndexingMap(init);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<std::pair<unsigned, TypedAttr>> constants;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Operand operand = findOperand(*input);
    if (!operand.tensor) {
      constants.push_back({input->getOperandNumber(), operand.constant});
      continue;
    }
    inputs.push_back(operand.tensor);
    AffineMap map = op.getMatchingIndexingMap(input);
    maps.push_back(isRest ? map : addLoop(map, loop, operand.isOfTiles));
  }
  // The result is along tiles, and along columns unless these are summed.
  bool isSum = !isRest && (!loop || !findDim(written, *loop));
  maps.push_back(isRest ? written : addLoop(written, loop, isSum));
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] :
       llvm::enumerate(tensor::getMixedSizes(rewriter, loc, init->get()))) {
    if (!loop || findLoop(written, dim) != loop) {
      sizes.push_back(size);
      continue;
    }
    if (!isRest)
      sizes.push_back(rewriter.getIndexAttr(tiles));
    sizes.push_back(rewriter.getIndexAttr(isRest ? rest : columns));
  }
  if (isSum)
    sizes.insert(sizes.begin(), rewriter.getIndexAttr(tiles));
  Value begin = tensor::EmptyOp::create(rewriter, loc, sizes,
                                        getElementTypeOrSelf(init->get()));
  if (start) {
    Value number = arith::ConstantOp::create(rewriter, loc, start);
    begin = linalg::FillOp::create(rewriter, loc, number, begin).getResult(0);
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  unsigned tile = loop.value_or(kinds.size());
  if (!isRest)
    kinds.insert(kinds.begin() + tile, utils::IteratorType::parallel);
  auto tiled = linalg::GenericOp::create(rewriter, loc, begin.getType(), inputs,
                                         begin, maps, kinds);
  rewriter.cloneRegionBefore(op.getRegion(), tiled.getRegion(),
                             tiled.getRegion().end());
  Block *body = tiled.getBody();
  rewriter.setInsertionPointToStart(body);
  for (auto [number, constant] : llvm::reverse(constants)) {
    Value same = arith::ConstantOp::create(rewriter, loc, constant);
    rewriter.replaceAllUsesWith(body->getArgument(number), same);
    body->eraseArgument(number);
  }
  // The number of an element along the dimension.
  body->walk([&](linalg::IndexOp index) {
    unsigned own = index.getDim();
    if (!loop || own < *loop || (isRest && own != *loop))
      return;
    rewriter.setInsertionPoint(index);
    if (own > *loop) {
      rewriter.replaceOpWithNewOp<linalg::IndexOp>(index, own + 1);
      return;
    }
    if (isRest) {
      Value first =
          arith::ConstantIndexOp::create(rewriter, loc, tiles * columns);
      Value same = linalg::IndexOp::create(rewriter, loc, own);
      rewriter.replaceOpWithNewOp<arith::AddIOp>(index, first, same);
      return;
    }
    Value begin = linalg::IndexOp::create(rewriter, loc, tile);
    Value width = arith::ConstantIndexOp::create(rewriter, loc, columns);
    Value first = arith::MulIOp::create(rewriter, loc, begin, width);
    Value column = linalg::IndexOp::create(rewriter, loc, tile + 1);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(index, first, column);
  });
  return tiled;
}

Value TiledOps::writeTiled(linalg::GenericOp op, unsigned loop,
                           FindOperand findOperand, TypedAttr start) {
  return write(op, loop, Part::Tiles, findOperand, start).getResult(0);
}

Value TiledOps::writeRest(linalg::GenericOp op, std::optional<unsigned> loop,
                          FindOperand findOperand, TypedAttr start) {
  return write(op, loop, Part::Rest, findOperand, start).getResult(0);
}

Value TiledOps::writeForTiles(linalg::GenericOp op, FindOperand findOperand) {
  return write(op, std::nullopt, Part::Tiles, findOperand, /*start=*/{})
      .getResult(0);
}

Value TiledOps::writeProducer(Value tensor, unsigned dim, Part part) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0 || op.getNumResults() != 1 ||
      !tensor.hasOneUse())
    return {};
  std::optional<unsigned> loop =
      findLoop(op.getMatchingIndexingMap(op.getDpsInitOperand(0)), dim);
  if (!loop || !canTile(op, *loop))
    return {};
  auto findOperand = [&](OpOperand &input) -> Operand {
    std::optional<unsigned> own =
        findDim(op.getMatchingIndexingMap(&input), *loop);
    if (!own)
      return {input.get(), false, {}};
    return {part == Part::Rest ? takeRest(input.get(), *own)
                               : expand(input.get(), *own),
            false,
            {}};
  };
  return write(op, loop, part, findOperand, /*start=*/{}).getResult(0);
}

Value TiledOps::slice(Value tensor, unsigned dim, int64_t first,
                      int64_t count) {
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  offsets[dim] = rewriter.getIndexAttr(first);
  sizes[dim] = rewriter.getIndexAttr(count);
  return tensor::ExtractSliceOp::create(rewriter, loc, tensor, offsets, sizes,
                                        strides);
}

Value TiledOps::takeRest(Value tensor, unsigned dim) {
  if (Value part = writeProducer(tensor, dim, Part::Rest))
    return part;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(tensor);
  return slice(tensor, dim, tiles * columns, rest);
}

Value TiledOps::append(Value ofTiles, Value ofRest) {
  Location loc = ofTiles.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, ofTiles);
  SmallVector<OpFoldResult> all(sizes),
      offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  all.front() = rewriter.getIndexAttr(tiles + 1);
  Value both = tensor::EmptyOp::create(rewriter, loc, all,
                                       getElementTypeOrSelf(ofTiles));
  both = tensor::InsertSliceOp::create(rewriter, loc, ofTiles, both, offsets,
                                       sizes, strides);
  offsets.front() = rewriter.getIndexAttr(tiles);
  sizes.front() = rewriter.getIndexAttr(1);
  return tensor::InsertSliceOp::create(rewriter, loc, ofRest, both, offsets,
                                       sizes, strides);
}

Value TiledOps::expand(Value tensor, unsigned dim) {
  if (Value part = writeProducer(tensor, dim, Part::Tiles))
    return part;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(tensor);
  Location loc = tensor.getLoc();
  if (hasRest())
    tensor = slice(tensor, dim, 0, tiles * columns);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> extents(type.getShape());
  for (int64_t own = 0, next = 0; own != type.getRank(); ++own) {
    groups.push_back({next++});
    if (own == dim)
      groups.back().push_back(next++);
  }
  extents[dim] = columns;
  extents.insert(extents.begin() + dim, tiles);
  sizes[dim] = rewriter.getIndexAttr(columns);
  sizes.insert(sizes.begin() + dim, rewriter.getIndexAttr(tiles));
  return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(extents),
                                       tensor, groups, sizes);
}
