//===- ScaledTiles.cpp - constants that exponentials multiply by ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamMasks.h.
//
//===----------------------------------------------------------------------===//

#include "StreamMasks.h"

#include "../../Block/Kernels/ExtremumRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

SmallVector<ScaledTile> carousel::findScaledTiles(const GroupProgram &program) {
  SmallVector<ScaledTile> tiles;
  for (unsigned op : program.group.ops) {
    // Exponentials of f64 are computed as they stand.
    if (program.shape.stream->roles[op] != StreamRole::Tile ||
        getElementTypeOrSelf(program.graph.ops[op]->getResult(0)).isF64() ||
        !addsNothing(program, op))
      continue;
    auto structured = cast<linalg::LinalgOp>(program.graph.ops[op]);
    ScaledTile tile;
    tile.op = op;
    tile.product =
        skipRoundings(structured.getBlock()->getTerminator()->getOperand(0));
    if (auto choice = tile.product.getDefiningOp<arith::SelectOp>()) {
      bool isFirst = excludes(choice.getFalseValue());
      tile.other = isFirst ? choice.getFalseValue() : choice.getTrueValue();
      tile.product = skipRoundings(isFirst ? choice.getTrueValue()
                                           : choice.getFalseValue());
      if (!excludes(tile.other))
        continue;
    }
    auto product = tile.product.getDefiningOp<arith::MulFOp>();
    APFloat scale(0.0);
    if (!product || !product->hasOneUse() ||
        !matchPattern(product.getRhs(), m_ConstantFloat(&scale)) ||
        !(scale.convertToDouble() > 0 && scale.isFinite()))
      continue;
    tile.factor = product.getLhs();
    tile.scale = scale.convertToDouble();
    // The number of a mask stays finite, if it is.
    APFloat other(0.0);
    if (tile.other && matchPattern(tile.other, m_ConstantFloat(&other)) &&
        !other.isInfinity() &&
        -other.convertToDouble() >
            tile.scale * std::numeric_limits<float>::max())
      continue;
    tiles.push_back(tile);
  }
  return tiles;
}
