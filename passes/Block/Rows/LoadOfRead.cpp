//===- LoadOfRead.cpp - transfers for reads of vectors --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoadOfRead.h.
//
//===----------------------------------------------------------------------===//

#include "LoadOfRead.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace carousel;

void carousel::createTileLoad(OpBuilder &builder, Location loc,
                              const TileSource &source, Value tile,
                              Value padding, Swizzle swizzle) {
  auto fill = OutOfBoundsFill::Zero;
  Attribute value, constant;
  if (!source.isInBounds && matchPattern(padding, m_Constant(&constant))) {
    if (auto number = dyn_cast<FloatAttr>(constant)) {
      if (number.getValue().isNaN())
        fill = OutOfBoundsFill::NaN;
      else if (!number.getValue().isPosZero())
        value = builder.getF64FloatAttr(number.getValueAsDouble());
    } else if (auto number = dyn_cast<IntegerAttr>(constant)) {
      if (!number.getValue().isZero())
        value = builder.getI64IntegerAttr(number.getValue().getSExtValue());
    }
  }
  LoadOp::create(builder, loc, source.memref, source.indices, tile, fill, value,
                 ReductionAttr(), source.rounds, TransferScope::CTA,
                 source.isInBounds,
                 /*by_threads=*/false, swizzle, EvictPriority::Normal,
                 EngineAttr(), /*map=*/Value());
}
