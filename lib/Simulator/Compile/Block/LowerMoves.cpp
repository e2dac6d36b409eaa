//===- LowerMoves.cpp - ops that give elements other places ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerValues.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

static ArrayRef<int64_t> getShape(Value vector) {
  return cast<VectorType>(vector.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Whole vectors
//===----------------------------------------------------------------------===//

/// Trailing dimensions match. A source extent of 1 is stretched.
static void broadcast(ImplicitLocOpBuilder &b, ValueAccess &access,
                      vector::BroadcastOp op) {
  ArrayRef<int64_t> shape = getShape(op.getSource());
  access.forEach(b, getShape(op), [&](Coords coords) {
    SmallVector<Value> source(coords.take_back(shape.size()));
    for (auto [coord, extent] : llvm::zip_equal(source, shape))
      if (extent == 1)
        coord = createIndex(b, 0);
    access.write(b, op, coords, access.read(b, op.getSource(), source));
  });
}

static void transpose(ImplicitLocOpBuilder &b, ValueAccess &access,
                      vector::TransposeOp op) {
  access.forEach(b, getShape(op), [&](Coords coords) {
    SmallVector<Value> source(coords.size());
    for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
      source[from] = coords[dim];
    access.write(b, op, coords, access.read(b, op.getVector(), source));
  });
}

static void interleave(ImplicitLocOpBuilder &b, ValueAccess &access,
                       vector::InterleaveOp op) {
  access.forEach(b, getShape(op.getLhs()), [&](Coords coords) {
    for (auto [number, source] : llvm::enumerate(op->getOperands())) {
      SmallVector<Value> place(coords);
      // Two vectors without dimensions become one with two elements.
      if (place.empty())
        place.push_back(createIndex(b, 0));
      place.back() = addConstant(b, scale(b, place.back(), 2), number);
      access.write(b, op, place, access.read(b, source, coords));
    }
  });
}

static void deinterleave(ImplicitLocOpBuilder &b, ValueAccess &access,
                         vector::DeinterleaveOp op) {
  access.forEach(b, getShape(op.getRes1()), [&](Coords coords) {
    for (auto [number, result] : llvm::enumerate(op->getResults())) {
      SmallVector<Value> source(coords);
      source.back() = addConstant(b, scale(b, source.back(), 2), number);
      access.write(b, result, coords, access.read(b, op.getSource(), source));
    }
  });
}

/// One copy for each row of the mask.
static void shuffle(ImplicitLocOpBuilder &b, ValueAccess &access,
                    vector::ShuffleOp op) {
  ArrayRef<int64_t> first = getShape(op.getV1());
  // Vectors without dimensions are vectors of one element.
  int64_t numFirst = first.empty() ? 1 : first.front();
  for (auto [row, from] : llvm::enumerate(op.getMask())) {
    if (from == vector::ShuffleOp::kPoisonIndex)
      continue;
    Value source = from < numFirst ? op.getV1() : op.getV2();
    int64_t sourceRow = from < numFirst ? from : from - numFirst;
    access.forEach(b, getShape(op).drop_front(),
                   [&, row = int64_t(row)](Coords coords) {
                     SmallVector<Value> to = {createIndex(b, row)}, at;
                     if (!first.empty())
                       at.push_back(createIndex(b, sourceRow));
                     llvm::append_range(to, coords);
                     llvm::append_range(at, coords);
                     access.write(b, op, to, access.read(b, source, at));
                   });
  }
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static Value castBits(ImplicitLocOpBuilder &b, Value value, Type type) {
  return value.getType() == type ? value
                                 : arith::BitcastOp::create(b, type, value);
}

/// Part `part` of a number is its bits from `part * width` on: the first
/// element has the lowest bits.
static void bitcast(ImplicitLocOpBuilder &b, ValueAccess &access,
                    vector::BitCastOp op) {
  Type from = op.getSourceVectorType().getElementType();
  Type to = op.getResultVectorType().getElementType();
  int64_t fromCount = op.getSourceVectorType().getNumElements();
  int64_t toCount = op.getResultVectorType().getNumElements();
  if (fromCount == toCount) {
    access.forEach(b, toCount, [&](Coords coords) {
      Value value = access.readFlat(b, op.getSource(), coords[0]);
      access.writeFlat(b, op, coords[0], castBits(b, value, to));
    });
    return;
  }
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = to.getIntOrFloatBitWidth();
  unsigned narrowBits = std::min(fromBits, toBits);
  Type wide = b.getIntegerType(std::max(fromBits, toBits));
  Type narrow = b.getIntegerType(narrowBits);
  auto shift = [&](int64_t part) -> Value {
    return arith::ConstantIntOp::create(b, wide, part * narrowBits);
  };
  int64_t count = std::min(fromCount, toCount);
  int64_t parts = std::max(fromCount, toCount) / count;
  access.forEach(b, count, [&](Coords coords) {
    Value first = scale(b, coords[0], parts);
    if (fromCount < toCount) {
      Value value = access.readFlat(b, op.getSource(), coords[0]);
      value = castBits(b, value, wide);
      for (int64_t part = 0; part < parts; ++part) {
        Value bits = arith::ShRUIOp::create(b, value, shift(part));
        bits = arith::TruncIOp::create(b, narrow, bits);
        access.writeFlat(b, op, addConstant(b, first, part),
                         castBits(b, bits, to));
      }
      return;
    }
    Value value = arith::ConstantIntOp::create(b, wide, 0);
    for (int64_t part = 0; part < parts; ++part) {
      Value bits =
          access.readFlat(b, op.getSource(), addConstant(b, first, part));
      bits = arith::ExtUIOp::create(b, wide, castBits(b, bits, narrow));
      bits = arith::ShLIOp::create(b, bits, shift(part));
      value = arith::OrIOp::create(b, value, bits);
    }
    access.writeFlat(b, op, coords[0], castBits(b, value, to));
  });
}

//===----------------------------------------------------------------------===//
// Parts of vectors
//===----------------------------------------------------------------------===//

/// A position that is known only at run time is checked, as the accesses to
/// memory are: the elements lie among those of other values.
static SmallVector<Value> getPosition(ImplicitLocOpBuilder &b,
                                      ArrayRef<OpFoldResult> position,
                                      ArrayRef<int64_t> shape) {
  SmallVector<Value> coords;
  for (auto [part, extent] :
       llvm::zip_equal(position, shape.take_front(position.size()))) {
    auto value = dyn_cast<Value>(part);
    if (!value) {
      coords.push_back(
          createIndex(b, cast<IntegerAttr>(cast<Attribute>(part)).getInt()));
      continue;
    }
    Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, value,
                                           createIndex(b, extent));
    cf::AssertOp::create(b, isInside,
                         "expected a position inside of the vector");
    coords.push_back(
        arith::SelectOp::create(b, isInside, value, createIndex(b, 0)));
  }
  return coords;
}

static void extract(ImplicitLocOpBuilder &b, ValueAccess &access,
                    vector::ExtractOp op) {
  SmallVector<Value> position =
      getPosition(b, op.getMixedPosition(), getShape(op.getSource()));
  if (!isa<VectorType>(op.getType())) {
    op.getResult().replaceAllUsesWith(access.read(b, op.getSource(), position));
    return;
  }
  access.forEach(b, getShape(op), [&](Coords coords) {
    SmallVector<Value> source(position);
    llvm::append_range(source, coords);
    // All dimensions may be given, for a vector without any.
    access.write(b, op, coords, access.read(b, op.getSource(), source));
  });
}

static void insert(ImplicitLocOpBuilder &b, ValueAccess &access,
                   vector::InsertOp op) {
  SmallVector<Value> position =
      getPosition(b, op.getMixedPosition(), getShape(op.getDest()));
  access.copy(b, op.getDest(), op);
  Value source = op.getValueToStore();
  if (!isa<VectorType>(source.getType())) {
    access.write(b, op, position, source);
    return;
  }
  access.forEach(b, getShape(source), [&](Coords coords) {
    SmallVector<Value> place(position);
    llvm::append_range(place, coords);
    access.write(b, op, place, access.read(b, source, coords));
  });
}

static int64_t getInt(Attribute attr) {
  return cast<IntegerAttr>(attr).getInt();
}

static void insertSlice(ImplicitLocOpBuilder &b, ValueAccess &access,
                        vector::InsertStridedSliceOp op) {
  access.copy(b, op.getDest(), op);
  Value source = op.getValueToStore();
  access.forEach(b, getShape(source), [&](Coords coords) {
    SmallVector<Value> place;
    size_t leading = getShape(op).size() - coords.size();
    for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
      if (dim < leading) {
        place.push_back(createIndex(b, getInt(offset)));
        continue;
      }
      int64_t stride = getInt(op.getStrides()[dim - leading]);
      place.push_back(addConstant(b, scale(b, coords[dim - leading], stride),
                                  getInt(offset)));
    }
    access.write(b, op, place, access.read(b, source, coords));
  });
}

static void extractSlice(ImplicitLocOpBuilder &b, ValueAccess &access,
                         vector::ExtractStridedSliceOp op) {
  access.forEach(b, getShape(op), [&](Coords coords) {
    SmallVector<Value> source(coords);
    for (auto [dim, offset] : llvm::enumerate(op.getOffsets()))
      source[dim] =
          addConstant(b, scale(b, coords[dim], getInt(op.getStrides()[dim])),
                      getInt(offset));
    access.write(b, op, coords, access.read(b, op.getSource(), source));
  });
}

FailureOr<bool> carousel::sim::lowerMoves(ImplicitLocOpBuilder &b,
                                          ValueAccess &access, Operation *op) {
  bool isKnown = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::BroadcastOp op) { broadcast(b, access, op); })
      .Case([&](vector::TransposeOp op) { transpose(b, access, op); })
      .Case([&](vector::ShapeCastOp op) { access.copy(b, op.getSource(), op); })
      .Case([&](vector::InterleaveOp op) { interleave(b, access, op); })
      .Case([&](vector::DeinterleaveOp op) { deinterleave(b, access, op); })
      .Case([&](vector::ShuffleOp op) { shuffle(b, access, op); })
      .Case([&](vector::BitCastOp op) { bitcast(b, access, op); })
      .Case([&](vector::ExtractOp op) { extract(b, access, op); })
      .Case([&](vector::InsertOp op) { insert(b, access, op); })
      .Case(
          [&](vector::InsertStridedSliceOp op) { insertSlice(b, access, op); })
      .Case([&](vector::ExtractStridedSliceOp op) {
        extractSlice(b, access, op);
      })
      .Case([&](vector::FromElementsOp op) {
        for (auto [number, element] : llvm::enumerate(op.getElements()))
          access.writeFlat(b, op, createIndex(b, number), element);
      })
      .Case([&](vector::ToElementsOp op) {
        for (auto [number, element] : llvm::enumerate(op.getElements()))
          element.replaceAllUsesWith(
              access.readFlat(b, op.getSource(), createIndex(b, number)));
      })
      // The machine gives the vector to the thread as a whole.
      .Case([&](ClusterGatherOp op) {
        Value gathered = b.clone(*op)->getResult(0);
        for (int64_t i = 0; i < getShape(op)[0]; ++i)
          access.write(b, op, createIndex(b, i),
                       vector::ExtractOp::create(b, gathered, i));
      })
      .Default([&](Operation *) { isKnown = false; });
  return isKnown;
}
