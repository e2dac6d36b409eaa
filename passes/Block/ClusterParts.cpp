//===- ClusterParts.cpp - what CTAs of a cluster exchange -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ClusterParts.h.
//
//===----------------------------------------------------------------------===//

#include "ClusterParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace carousel;

LaunchAttr carousel::withClusters(LaunchAttr launch, int64_t ctas) {
  MLIRContext *context = launch.getContext();
  SmallVector<ExprAttr> grid(launch.getGrid());
  grid[0] = ExprAttr::get(
      context, ExprKind::Mul, 0, 0, grid[0],
      ExprAttr::get(context, ExprKind::Constant, ctas, 0, {}, {}));
  return LaunchAttr::get(context, grid, launch.getBlock(), launch.getCluster(),
                         launch.getShared());
}

static Type getWord(Type type) {
  MLIRContext *context = type.getContext();
  if (type.isIndex())
    return IntegerType::get(context, 64);
  if (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 32)
    return IntegerType::get(context, 32);
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(context);
  return type;
}

bool carousel::canExchange(Type element) {
  if (!element.isIntOrIndexOrFloat())
    return false;
  Type word = getWord(element);
  return word.isInteger(32) || word.isInteger(64) || word.isF32() ||
         word.isF64();
}

Value carousel::gatherWords(OpBuilder &builder, Location loc, Value element,
                            int64_t ctas) {
  Type type = element.getType(), word = getWord(type);
  if (type.isIndex())
    element = arith::IndexCastOp::create(builder, loc, word, element);
  else if (word != type && isa<FloatType>(word))
    element = arith::ExtFOp::create(builder, loc, word, element);
  else if (word != type)
    element = arith::ExtUIOp::create(builder, loc, word, element);
  return ClusterGatherOp::create(builder, loc, VectorType::get({ctas}, word),
                                 element);
}

Value carousel::fromWords(OpBuilder &builder, Location loc, Value words,
                          Type element) {
  if (getElementTypeOrSelf(words.getType()) == element)
    return words;
  auto vector = dyn_cast<VectorType>(words.getType());
  Type type = vector ? Type(vector.clone(element)) : element;
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, words);
  if (isa<FloatType>(element))
    return arith::TruncFOp::create(builder, loc, type, words);
  return arith::TruncIOp::create(builder, loc, type, words);
}
