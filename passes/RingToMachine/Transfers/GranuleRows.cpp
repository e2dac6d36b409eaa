//===- GranuleRows.cpp - rows that begin at any element -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GranuleRows.h.
//
//===----------------------------------------------------------------------===//

#include "GranuleRows.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;

Value carousel::createAlignedDown(ImplicitLocOpBuilder &b, Value lhs,
                                  int64_t multiple) {
  return createFolded<arith::AndIOp>(b, lhs, -multiple);
}

GranuleRows::GranuleRows(ImplicitLocOpBuilder &b, const TransferIssue &issue)
    : issue(issue), shape(*issue.shape), box(createBoxValues(b, issue)),
      granule(getGranule(shape)),
      type(VectorType::get({granule},
                           issue.op.getTile().getType().getElementType())) {
  // Only the low bits matter.
  auto getLow = [&](OpFoldResult number) -> Value {
    if (std::optional<int64_t> constant = getConstantIntValue(number))
      return createConstant(b, b.getI32Type(), *constant % granule);
    return createCast(b, cast<Value>(number), b.getI32Type());
  };
  auto metadata = memref::ExtractStridedMetadataOp::create(b, box.global);
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, box.global);
  address = createFolded<arith::AddIOp>(
      b, getLow(createFolded<arith::DivUIOp>(b, pointer, shape.elementBytes)),
      getLow(metadata.getConstifiedMixedOffset()));
  for (OpFoldResult stride : metadata.getConstifiedMixedStrides())
    strides.push_back(getLow(stride));
}

Value GranuleRows::createDistance(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> indices) {
  Value sum = address;
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    sum = createFolded<arith::AddIOp>(
        b, sum,
        createFolded<arith::MulIOp>(b, createCast(b, index, b.getI32Type()),
                                    stride));
  return createFolded<arith::AndIOp>(b, sum, granule - 1);
}

SmallVector<Value> GranuleRows::createPositions(ImplicitLocOpBuilder &b,
                                                Value number) {
  SmallVector<int64_t> extents;
  for (const BoxDim &dim : shape.getTileDims())
    extents.push_back(dim.extent);
  extents.back() /= granule;
  SmallVector<Value> positions = createDelinearized(b, number, extents);
  positions.back() = createFolded<arith::MulIOp>(b, positions.back(), granule);
  for (Value &position : positions)
    position = createCast(b, position, b.getIndexType());
  return positions;
}

Value GranuleRows::loadGranule(ImplicitLocOpBuilder &b, Value from,
                               ArrayRef<Value> at) {
  Value granule =
      vector::LoadOp::create(b, type, from, at, /*nontemporal=*/false,
                             llvm::MaybeAlign(rules::kBulkGranule));
  return vector::BitCastOp::create(b, getWordsType(), granule);
}

Value GranuleRows::createShifted(ImplicitLocOpBuilder &b, Value low, Value high,
                                 Value distance) {
  Type word = b.getI32Type(), pair = b.getI64Type();
  SmallVector<Value> parts;
  for (Value source : {low, high})
    for (int64_t i = 0; i < kWords; ++i)
      parts.push_back(vector::ExtractOp::create(b, source, i));
  Value bytes = createFolded<arith::MulIOp>(b, distance, shape.elementBytes);
  // Granules go by two words, then by one.
  for (int64_t step : {2, 1}) {
    if (step * 4 < shape.elementBytes)
      break;
    Value bit = createFolded<arith::AndIOp>(b, bytes, step * 4);
    Value isSet = createCompare(b, arith::CmpIPredicate::ne, bit,
                                createConstant(b, word, 0));
    size_t left = parts.size() - step;
    for (size_t i = 0; i < left; ++i)
      parts[i] =
          b.createOrFold<arith::SelectOp>(isSet, parts[i + step], parts[i]);
    parts.resize(left);
  }
  // Then by less than a word.
  if (shape.elementBytes < 4) {
    Value bits = createFolded<arith::MulIOp>(
        b, createFolded<arith::AndIOp>(b, bytes, 3), 8);
    bits = arith::ExtUIOp::create(b, pair, bits);
    for (int64_t i = 0; i < kWords; ++i) {
      Value upper = arith::ShLIOp::create(
          b, arith::ExtUIOp::create(b, pair, parts[i + 1]),
          createConstant(b, pair, 32));
      Value both = arith::OrIOp::create(
          b, upper, arith::ExtUIOp::create(b, pair, parts[i]));
      parts[i] = arith::TruncIOp::create(b, word,
                                         arith::ShRUIOp::create(b, both, bits));
    }
  }
  parts.resize(kWords);
  return vector::BitCastOp::create(
      b, type, vector::FromElementsOp::create(b, getWordsType(), parts));
}

int64_t carousel::countTurns(const TransferIssue &issue, int64_t count) {
  return llvm::divideCeil(count, issue.threads);
}

GranuleNumbers carousel::createNumbers(ImplicitLocOpBuilder &b,
                                       const TransferIssue &issue,
                                       int64_t count, int64_t batch,
                                       Value round) {
  int64_t covered =
      llvm::alignTo(countTurns(issue, count), batch) * issue.threads;
  GranuleNumbers numbers;
  for (int64_t i = 0; i < batch; ++i) {
    Value turn = createFolded<arith::AddIOp>(
        b, createFolded<arith::MulIOp>(b, round, batch), i);
    Value number = createFolded<arith::AddIOp>(
        b, issue.thread,
        createFolded<arith::MulIOp>(b, createCast(b, turn, b.getI32Type()),
                                    issue.threads));
    Value exists;
    if (covered > count)
      exists = createCompare(b, arith::CmpIPredicate::slt, number,
                             createConstant(b, b.getI32Type(), count));
    numbers.emplace_back(number, exists);
  }
  return numbers;
}

void carousel::forEachOfThread(
    ImplicitLocOpBuilder &b, const TransferIssue &issue, int64_t count,
    int64_t batch, function_ref<void(const GranuleNumbers &)> body) {
  int64_t turns = countTurns(issue, count);
  batch = std::min(batch, turns);
  createLoop(b, llvm::divideCeil(turns, batch), [&](Value round) {
    body(createNumbers(b, issue, count, batch, round));
  });
}
