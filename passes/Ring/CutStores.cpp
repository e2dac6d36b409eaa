//===- CutStores.cpp - stores of a part of a vector -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CutStores.h. L2 receives a request for each store, so that a store of
// four elements costs as much as that of one.
//
//===----------------------------------------------------------------------===//

#include "CutStores.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Dialect/IR/Branches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

static Value createIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static SmallVector<Value> createAt(ImplicitLocOpBuilder &b, ValueRange indices,
                                   Value shift) {
  SmallVector<Value> at(indices);
  at.back() = b.createOrFold<arith::AddIOp>(at.back(), shift);
  return at;
}

/// `elements` elements of the vector from `begin` on, a multiple of twice as
/// many.
static SmallVector<Value> createPart(ImplicitLocOpBuilder &b,
                                     TypedValue<VectorType> vector, Value begin,
                                     int64_t elements) {
  SmallVector<Value> part;
  for (int64_t i = 0; i < elements; ++i)
    part.push_back(vector::ExtractOp::create(b, vector, i));
  int64_t all = vector.getType().getNumElements();
  for (int64_t at = 2 * elements; at + elements <= all; at += 2 * elements) {
    Value isHere = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, begin,
                                         createIndex(b, at));
    for (int64_t i = 0; i < elements; ++i)
      part[i] = arith::SelectOp::create(
          b, isHere, vector::ExtractOp::create(b, vector, at + i), part[i]);
  }
  return part;
}

static void createElementStores(ImplicitLocOpBuilder &b,
                                TypedValue<VectorType> vector, Value count,
                                Value memref, ValueRange indices) {
  for (int64_t i = 0, e = vector.getType().getNumElements(); i + 1 < e; ++i) {
    Value place = createIndex(b, i);
    Value isInside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, place, count);
    createIf(b, isInside, [&] {
      memref::StoreOp::create(b, vector::ExtractOp::create(b, vector, i),
                              memref, createAt(b, indices, place));
    });
  }
}

void carousel::createCutStore(ImplicitLocOpBuilder &b, Value value, Value count,
                              Value memref, ValueRange indices,
                              uint64_t alignment) {
  auto vector = cast<TypedValue<VectorType>>(value);
  int64_t all = vector.getType().getNumElements();
  int64_t bytes = getElementBytes(vector.getType().getElementType());
  if (bytes == 0 || !llvm::isPowerOf2_64(all) || alignment % (all * bytes) != 0)
    return createElementStores(b, vector, count, memref, indices);
  Value zero = createIndex(b, 0);
  Value isSome =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, count, zero);
  createIf(b, isSome, [&] {
    for (int64_t elements = all / 2; elements > 0; elements /= 2) {
      Value bit =
          b.createOrFold<arith::AndIOp>(count, createIndex(b, elements));
      Value isSet =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, zero);
      createIf(b, isSet, [&] {
        Value begin =
            b.createOrFold<arith::AndIOp>(count, createIndex(b, -2 * elements));
        SmallVector<Value> part = createPart(b, vector, begin, elements);
        SmallVector<Value> at = createAt(b, indices, begin);
        if (elements == 1) {
          memref::StoreOp::create(b, part.front(), memref, at);
          return;
        }
        auto type =
            VectorType::get({elements}, vector.getType().getElementType());
        vector::StoreOp::create(
            b, vector::FromElementsOp::create(b, type, part), memref, at,
            /*nontemporal=*/false, llvm::MaybeAlign(elements * bytes));
      });
    }
  });
}
