//===- ShiftedWords.cpp - elements between two granules -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ShiftedWords.h. Words go by two, then by one, and then by less than one:
// 15 instructions for 16 bytes of narrow elements.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/ShiftedWords.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace carousel;

SmallVector<Value> carousel::shiftWords(OpBuilder &builder, Location loc,
                                        ValueRange words, Value distance,
                                        int64_t elementBytes) {
  ImplicitLocOpBuilder b(loc, builder);
  Type word = b.getI32Type(), pair = b.getI64Type();
  auto number = [&](Type type, int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, type, value);
  };
  SmallVector<Value> parts(words);
  for (int64_t step : {2, 1}) {
    if (step * kBytesOfWord < elementBytes)
      break;
    Value bit = b.createOrFold<arith::AndIOp>(
        distance, number(word, step * kBytesOfWord));
    Value isSet = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bit,
                                                number(word, 0));
    size_t left = parts.size() - step;
    for (size_t i = 0; i < left; ++i)
      parts[i] =
          b.createOrFold<arith::SelectOp>(isSet, parts[i + step], parts[i]);
    parts.resize(left);
  }
  if (elementBytes < kBytesOfWord) {
    Value rest =
        b.createOrFold<arith::AndIOp>(distance, number(word, kBytesOfWord - 1));
    Value bits = arith::ExtUIOp::create(
        b, pair, b.createOrFold<arith::MulIOp>(rest, number(word, 8)));
    for (int64_t i = 0; i < kWordsOfGranule; ++i) {
      Value upper = arith::ShLIOp::create(
          b, arith::ExtUIOp::create(b, pair, parts[i + 1]), number(pair, 32));
      Value both = arith::OrIOp::create(
          b, upper, arith::ExtUIOp::create(b, pair, parts[i]));
      parts[i] = arith::TruncIOp::create(b, word,
                                         arith::ShRUIOp::create(b, both, bits));
    }
  }
  parts.resize(kWordsOfGranule);
  return parts;
}
