//===- VectorToEmitC.cpp - vectors to EmitC -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector of any rank becomes a carousel::vec of all its elements in row-major
// order, so that the elements of a row are consecutive.
//
//===----------------------------------------------------------------------===//

#include "ToEmitC.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

/// The alignment that an access has, in bytes: what it says, or an element's.
static std::string getAlignment(std::optional<uint64_t> said, Type element) {
  uint64_t own =
      (element.isIntOrFloat() ? element.getIntOrFloatBitWidth() + 7 : 64) / 8;
  return std::to_string(said.value_or(own));
}

/// The number of the first element at a position; nothing if it isn't static.
static std::optional<int64_t> getFirst(VectorType type,
                                       ArrayRef<int64_t> position) {
  int64_t first = 0;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    int64_t index = dim < position.size() ? position[dim] : 0;
    if (ShapedType::isDynamic(index))
      return std::nullopt;
    first = first * extent + index;
  }
  return first;
}

/// The same where some of it is dynamic, of one element.
static Value getElementNumber(CBuilder &builder, VectorType type,
                              ArrayRef<int64_t> position,
                              ArrayRef<ValueRange> dynamic) {
  Value number = builder.index(0);
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    Value index;
    if (ShapedType::isDynamic(position[dim])) {
      index = dynamic.front().front();
      dynamic = dynamic.drop_front();
    } else {
      index = builder.index(position[dim]);
    }
    number = builder.addIndex(builder.mulIndex(number, builder.index(extent)),
                              index);
  }
  return number;
}

static LogicalResult lowerExtract(vector::ExtractOp op,
                                  AdaptorOf<vector::ExtractOp> adaptor,
                                  CBuilder &builder) {
  VectorType type = op.getSourceVectorType();
  Value source = one(adaptor.getSource());
  Type result = builder.types.convertType(op.getType());
  if (!result)
    return failure();
  if (llvm::is_contained(op.getStaticPosition(), -1))
    return failure(); // poison
  std::optional<int64_t> first = getFirst(type, op.getStaticPosition());
  if (auto row = dyn_cast<VectorType>(op.getType())) {
    if (!first)
      return builder.rewriter.notifyMatchFailure(op, "no rows at run time");
    if (result == source.getType()) {
      builder.rewriter.replaceOp(op, source);
      return success();
    }
    builder.rewriter.replaceOp(
        op, builder.pure(result, "carousel::extract_slice", source,
                         {std::to_string(*first),
                          std::to_string(row.getNumElements())}));
    return success();
  }
  Value number = first ? builder.index(*first)
                       : getElementNumber(builder, type, op.getStaticPosition(),
                                          adaptor.getDynamicPosition());
  Value element = emitc::SubscriptOp::create(builder.rewriter, builder.loc,
                                             emitc::LValueType::get(result),
                                             source, number);
  builder.rewriter.replaceOp(op, builder.load(element));
  return success();
}

static LogicalResult lowerInsert(vector::InsertOp op,
                                 AdaptorOf<vector::InsertOp> adaptor,
                                 CBuilder &builder) {
  VectorType type = op.getDestVectorType();
  Value value = one(adaptor.getValueToStore()), dest = one(adaptor.getDest());
  if (llvm::is_contained(op.getStaticPosition(), -1))
    return failure();
  std::optional<int64_t> first = getFirst(type, op.getStaticPosition());
  if (value.getType() == dest.getType()) {
    builder.rewriter.replaceOp(op, value);
    return success();
  }
  if (first && isa<VectorType>(op.getValueToStoreType())) {
    builder.rewriter.replaceOp(
        op, builder.pure(dest.getType(), "carousel::insert_slice",
                         {value, dest}, {std::to_string(*first)}));
    return success();
  }
  if (isa<VectorType>(op.getValueToStoreType()))
    return builder.rewriter.notifyMatchFailure(op, "no rows at run time");
  Value number = first ? builder.index(*first)
                       : getElementNumber(builder, type, op.getStaticPosition(),
                                          adaptor.getDynamicPosition());
  builder.rewriter.replaceOp(
      op,
      builder.pure(dest.getType(), "carousel::insert", {value, dest, number}));
  return success();
}

static LogicalResult lowerBroadcast(vector::BroadcastOp op,
                                    AdaptorOf<vector::BroadcastOp> adaptor,
                                    CBuilder &builder) {
  Value source = one(adaptor.getSource());
  Type result = builder.types.convertType(op.getType());
  if (!result)
    return failure();
  if (auto from = dyn_cast<VectorType>(op.getSourceType())) {
    if (from.getNumElements() == op.getType().getNumElements()) {
      builder.rewriter.replaceOp(op, source);
      return success();
    }
    if (from.getNumElements() != 1)
      return builder.rewriter.notifyMatchFailure(op, "a row to rows");
    Type element = builder.types.convertType(from.getElementType());
    source = builder.load(emitc::SubscriptOp::create(
        builder.rewriter, builder.loc, emitc::LValueType::get(element), source,
        builder.index(0)));
  }
  builder.rewriter.replaceOp(
      op, builder.pure(result, "carousel::broadcast", source,
                       {std::to_string(op.getType().getNumElements())}));
  return success();
}

/// Lowers a shuffle of lanes, or of whole rows.
static LogicalResult lowerShuffle(vector::ShuffleOp op,
                                  AdaptorOf<vector::ShuffleOp> adaptor,
                                  CBuilder &builder) {
  int64_t ofRow = 1;
  if (op.getV1VectorType().getRank() > 1)
    ofRow = ShapedType::getNumElements(
        op.getV1VectorType().getShape().drop_front());
  SmallVector<std::string> mask;
  for (int64_t row : op.getMask())
    for (int64_t lane = 0; lane < ofRow; ++lane)
      mask.push_back(std::to_string(
          row == vector::ShuffleOp::kPoisonIndex ? row : row * ofRow + lane));
  builder.rewriter.replaceOp(
      op,
      builder.pure(builder.types.convertType(op.getType()), "carousel::shuffle",
                   {one(adaptor.getV1()), one(adaptor.getV2())}, mask));
  return success();
}

/// The lanes of two vectors in turns.
static LogicalResult lowerInterleave(vector::InterleaveOp op,
                                     AdaptorOf<vector::InterleaveOp> adaptor,
                                     CBuilder &builder) {
  VectorType type = op.getSourceVectorType();
  if (type.getRank() != 1 || type.isScalable())
    return failure();
  SmallVector<std::string> mask;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
    for (int64_t lane : {i, e + i})
      mask.push_back(std::to_string(lane));
  builder.rewriter.replaceOp(
      op,
      builder.pure(builder.types.convertType(op.getType()), "carousel::shuffle",
                   {one(adaptor.getLhs()), one(adaptor.getRhs())}, mask));
  return success();
}

/// The even lanes, and the odd ones.
static LogicalResult
lowerDeinterleave(vector::DeinterleaveOp op,
                  AdaptorOf<vector::DeinterleaveOp> adaptor,
                  CBuilder &builder) {
  VectorType type = op.getSourceVectorType();
  if (type.getRank() != 1 || type.isScalable())
    return failure();
  Value source = one(adaptor.getSource());
  SmallVector<Value> halves;
  for (int64_t first : {0, 1}) {
    SmallVector<std::string> mask;
    for (int64_t lane = first; lane < type.getNumElements(); lane += 2)
      mask.push_back(std::to_string(lane));
    halves.push_back(
        builder.pure(builder.types.convertType(op.getResult(first).getType()),
                     "carousel::shuffle", {source, source}, mask));
  }
  builder.rewriter.replaceOp(op, halves);
  return success();
}

static LogicalResult
lowerFromElements(vector::FromElementsOp op,
                  AdaptorOf<vector::FromElementsOp> adaptor,
                  CBuilder &builder) {
  Type result = builder.types.convertType(op.getType());
  if (!result)
    return failure();
  builder.rewriter.replaceOp(
      op, builder.list(result, flatten(adaptor.getElements())));
  return success();
}

static LogicalResult lowerToElements(vector::ToElementsOp op,
                                     AdaptorOf<vector::ToElementsOp> adaptor,
                                     CBuilder &builder) {
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Type element = builder.types.convertType(result.getType());
    if (!element)
      return failure();
    results.push_back(builder.load(emitc::SubscriptOp::create(
        builder.rewriter, builder.loc, emitc::LValueType::get(element),
        one(adaptor.getSource()), builder.index(i))));
  }
  builder.rewriter.replaceOp(op, results);
  return success();
}

/// From the first element to the last, in the order that LLVM has for floats.
static LogicalResult lowerReduction(vector::ReductionOp op,
                                    AdaptorOf<vector::ReductionOp> adaptor,
                                    CBuilder &builder) {
  using Kind = vector::CombiningKind;
  Type result = builder.types.convertType(op.getType());
  if (!result || isMovedOnly(op.getType()))
    return failure();
  std::string name;
  Type element = result;
  switch (op.getKind()) {
  case Kind::ADD:
    name = "add";
    break;
  case Kind::MUL:
    name = "mul";
    break;
  case Kind::AND:
    name = "and";
    break;
  case Kind::OR:
    name = "or";
    break;
  case Kind::XOR:
    name = "xor";
    break;
  case Kind::MINUI:
    name = "min";
    break;
  case Kind::MAXUI:
    name = "max";
    break;
  case Kind::MINSI:
    name = "min";
    element = getSigned(result);
    break;
  case Kind::MAXSI:
    name = "max";
    element = getSigned(result);
    break;
  case Kind::MINNUMF:
    name = "minnum";
    break;
  case Kind::MAXNUMF:
    name = "maxnum";
    break;
  case Kind::MINIMUMF:
    name = "minimum";
    break;
  case Kind::MAXIMUMF:
    name = "maximum";
    break;
  }
  SmallVector<Value> operands = flatten(adaptor.getOperands());
  builder.rewriter.replaceOp(
      op, builder.pure(result, "carousel::reduce_" + name, operands,
                       {builder.types.spell(element)}));
  return success();
}

static LogicalResult lowerLoad(vector::LoadOp op,
                               AdaptorOf<vector::LoadOp> adaptor,
                               CBuilder &builder) {
  Type result = builder.types.convertType(op.getType());
  if (!result || op.getVectorType().getRank() > 1)
    return failure();
  Value address = builder.element(op.getMemRefType(), adaptor.getBase(),
                                  flatten(adaptor.getIndices()));
  auto call = builder.call(
      result, "carousel::load", address,
      {std::to_string(op.getVectorType().getNumElements()),
       getAlignment(op.getAlignment(), op.getVectorType().getElementType())});
  builder.rewriter.replaceOp(op, call.getResults());
  return success();
}

static LogicalResult lowerStore(vector::StoreOp op,
                                AdaptorOf<vector::StoreOp> adaptor,
                                CBuilder &builder) {
  if (op.getVectorType().getRank() > 1)
    return failure();
  Value address = builder.element(op.getMemRefType(), adaptor.getBase(),
                                  flatten(adaptor.getIndices()));
  builder.call(
      Type(), "carousel::store", {one(adaptor.getValueToStore()), address},
      {getAlignment(op.getAlignment(), op.getVectorType().getElementType())});
  builder.rewriter.eraseOp(op);
  return success();
}

static LogicalResult lowerMaskedLoad(vector::MaskedLoadOp op,
                                     AdaptorOf<vector::MaskedLoadOp> adaptor,
                                     CBuilder &builder) {
  Type result = builder.types.convertType(op.getType());
  if (!result || op.getVectorType().getRank() > 1)
    return failure();
  Value address = builder.element(op.getMemRefType(), adaptor.getBase(),
                                  flatten(adaptor.getIndices()));
  auto call = builder.call(
      result, "carousel::load",
      {address, one(adaptor.getMask()), one(adaptor.getPassThru())});
  builder.rewriter.replaceOp(op, call.getResults());
  return success();
}

static LogicalResult lowerMaskedStore(vector::MaskedStoreOp op,
                                      AdaptorOf<vector::MaskedStoreOp> adaptor,
                                      CBuilder &builder) {
  if (op.getVectorType().getRank() > 1)
    return failure();
  Value address = builder.element(op.getMemRefType(), adaptor.getBase(),
                                  flatten(adaptor.getIndices()));
  builder.call(
      Type(), "carousel::store",
      {one(adaptor.getValueToStore()), address, one(adaptor.getMask())});
  builder.rewriter.eraseOp(op);
  return success();
}

static LogicalResult lowerBitCast(vector::BitCastOp op,
                                  AdaptorOf<vector::BitCastOp> adaptor,
                                  CBuilder &builder) {
  Type result = builder.types.convertType(op.getType());
  if (!result)
    return failure();
  Value source = one(adaptor.getSource());
  if (source.getType() == result)
    builder.rewriter.replaceOp(op, source);
  else
    builder.rewriter.replaceOp(op, builder.pure(result, "carousel::bit_cast",
                                                source,
                                                {builder.types.spell(result)}));
  return success();
}

/// The elements are the same, in the same order.
static LogicalResult lowerShapeCast(vector::ShapeCastOp op,
                                    AdaptorOf<vector::ShapeCastOp> adaptor,
                                    CBuilder &builder) {
  builder.rewriter.replaceOp(op, one(adaptor.getSource()));
  return success();
}

static LogicalResult lowerConstantMask(vector::ConstantMaskOp op,
                                       AdaptorOf<vector::ConstantMaskOp>,
                                       CBuilder &builder) {
  VectorType type = op.getType();
  SmallVector<Value> elements;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    int64_t rest = i;
    bool inside = true;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      inside &= rest % type.getDimSize(dim) < op.getMaskDimSizes()[dim];
      rest /= type.getDimSize(dim);
    }
    elements.push_back(builder.constant(builder.rewriter.getI1Type(), inside));
  }
  builder.rewriter.replaceOp(
      op, builder.list(builder.types.convertType(type), elements));
  return success();
}

void carousel::populateVectorToEmitC(RewritePatternSet &patterns,
                                     const CTypes &types) {
  addPattern<vector::ExtractOp>(patterns, types, lowerExtract);
  addPattern<vector::InsertOp>(patterns, types, lowerInsert);
  addPattern<vector::BroadcastOp>(patterns, types, lowerBroadcast);
  addPattern<vector::ShuffleOp>(patterns, types, lowerShuffle);
  addPattern<vector::InterleaveOp>(patterns, types, lowerInterleave);
  addPattern<vector::DeinterleaveOp>(patterns, types, lowerDeinterleave);
  addPattern<vector::FromElementsOp>(patterns, types, lowerFromElements);
  addPattern<vector::ToElementsOp>(patterns, types, lowerToElements);
  addPattern<vector::ReductionOp>(patterns, types, lowerReduction);
  addPattern<vector::LoadOp>(patterns, types, lowerLoad);
  addPattern<vector::StoreOp>(patterns, types, lowerStore);
  addPattern<vector::MaskedLoadOp>(patterns, types, lowerMaskedLoad);
  addPattern<vector::MaskedStoreOp>(patterns, types, lowerMaskedStore);
  addPattern<vector::BitCastOp>(patterns, types, lowerBitCast);
  addPattern<vector::ShapeCastOp>(patterns, types, lowerShapeCast);
  addPattern<vector::ConstantMaskOp>(patterns, types, lowerConstantMask);
}
