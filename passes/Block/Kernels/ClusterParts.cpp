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

#include "NeutralElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

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

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// A reduction like `op` of another vector.
static Value reduceLike(OpBuilder &builder, vector::MultiDimReductionOp op,
                        Value source, Value acc, ArrayRef<int64_t> dims) {
  auto reduced = vector::MultiDimReductionOp::create(
      builder, op.getLoc(), acc.getType(), op.getKind(), source, acc, dims);
  reduced->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return reduced.getResult();
}

Value carousel::reduceParts(OpBuilder &builder, vector::MultiDimReductionOp op,
                            Value own, Value acc, int64_t ctas) {
  Location loc = op.getLoc();
  Type type = acc.getType();
  Value neutral = arith::ConstantOp::create(
      builder, loc, getNeutralElement(builder, op.getKind(), type));
  Value part = reduceLike(builder, op, own, neutral, op.getReductionDims());
  Value parts =
      fromWords(builder, loc, gatherWords(builder, loc, part, ctas), type);
  return reduceLike(builder, op, parts, acc, {0});
}

Value carousel::toPrograms(OpBuilder &builder, Location loc, Value ofCTAs,
                           int64_t ctas) {
  Value bits =
      arith::ConstantIndexOp::create(builder, loc, llvm::Log2_64(ctas));
  return arith::ShRUIOp::create(builder, loc, ofCTAs, bits);
}

/// CTAs of a cluster follow each other in the grid.
ClusterPart::ClusterPart(OpBuilder &builder, Location loc, int64_t ctas,
                         int64_t elements) {
  Value id = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value mask = arith::ConstantIndexOp::create(builder, loc, ctas - 1);
  Value most = arith::ConstantIndexOp::create(builder, loc, elements);
  rank = arith::AndIOp::create(builder, loc, id, mask);
  begin = arith::MulIOp::create(builder, loc, rank, most);
}

Value carousel::isFirstCTA(OpBuilder &builder, Location loc,
                           const ClusterPart &part) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                               part.rank, zero);
}
