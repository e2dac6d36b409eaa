//===- MoveParts.cpp - parts of vectors at any place ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MoveParts.h. The buffer has the part's extents. Threads write the
// elements of the part that they have to it, and after a barrier each reads its
// own of the result.
//
//===----------------------------------------------------------------------===//

#include "MoveParts.h"

#include "../Threads/ConvertLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

using arith::CmpIPredicate;

namespace {

/// Null stands for a condition that always holds.
Value bothHold(ThreadProgram &program, Value first, Value second) {
  if (!first || !second)
    return first ? first : second;
  return arith::AndIOp::create(program.builder, program.loc, first, second);
}

/// Where elements of the whole vector are in the part.
class PartPlaces {
public:
  PartPlaces(ThreadProgram &program, const PlacedPart &placed,
             const LinearLayout &layout)
      : program(program), builder(program.builder), part(placed.part),
        offsets(placed.offsets), layout(layout) {}

  /// Whether a register's element is in the part, for the dimensions of which
  /// the part has one element (`ofOne`) or for the others.
  Value isInside(uint32_t number, bool ofOne) {
    Value all;
    for (unsigned dim = 0; dim < part.sizes.size(); ++dim)
      if ((part.sizes[dim] == 1) == ofOne)
        all = bothHold(program, all, isInsideAlong(dim, number));
    return all;
  }

  /// The coordinates in the part of an element that is in it. Where the part
  /// has one coordinate, the register's number may be that of another one, of
  /// which it takes the place.
  SmallVector<Value> getPlace(uint32_t number) {
    SmallVector<Value> place;
    for (unsigned dim = part.numDropped; dim < part.sizes.size(); ++dim)
      place.push_back(part.sizes[dim] == 1 ? program.index(0)
                                           : getDistance(dim, number));
    return place;
  }

  /// Whether a bit of the register's number tells apart only elements of which
  /// at most one is in the part.
  bool isOfOne(unsigned bit) const {
    return llvm::all_of(
        llvm::zip_equal(layout.getBases(Place::Register)[bit], part.sizes),
        [](auto dim) {
          return std::get<0>(dim) == 0 || std::get<1>(dim) == 1;
        });
  }

private:
  Value compare(CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, program.loc, predicate, lhs, rhs);
  }

  Value getDistance(unsigned dim, uint32_t number) {
    Value at = program.getCoordinate(layout, dim, number);
    if (isConstantIntValue(part.offsets[dim], 0))
      return at;
    return arith::SubIOp::create(builder, program.loc, at, offsets[dim]);
  }

  /// Compared as unsigned, elements before the part are outside, too. Elements
  /// that only fill the vector's extent up to a power of two are in no part.
  Value isInsideAlong(unsigned dim, uint32_t number) {
    int64_t extent = part.whole.getDimSize(dim), size = part.sizes[dim];
    if (size == extent && llvm::isPowerOf2_64(extent))
      return nullptr;
    if (size == 1)
      return compare(CmpIPredicate::eq,
                     program.getCoordinate(layout, dim, number), offsets[dim]);
    return compare(CmpIPredicate::ult, getDistance(dim, number),
                   program.index(size));
  }

  ThreadProgram &program;
  OpBuilder &builder;
  const VectorPart &part;
  ArrayRef<Value> offsets;
  const LinearLayout &layout;
};

/// Shared memory for the elements of a part. Bits are stored as bytes.
class PartBuffer {
public:
  PartBuffer(ThreadProgram &program, ArrayRef<int64_t> shape, Type element)
      : program(program), builder(program.builder), shape(shape),
        element(element) {
    Type stored = element.isInteger(1) ? builder.getI8Type() : element;
    buffer =
        program.allocate(shape.empty() ? ArrayRef<int64_t>(1) : shape, stored);
    // An earlier exchange through this buffer may not have been read yet.
    if (builder.getInsertionBlock() != program.getEntry())
      program.barrier();
  }

  void write(Value value, Value condition, SmallVector<Value> place) {
    program.runIf(condition, [&] {
      if (element.isInteger(1))
        value = arith::ExtUIOp::create(builder, program.loc,
                                       builder.getI8Type(), value);
      memref::StoreOp::create(builder, program.loc, value, buffer,
                              complete(place));
    });
  }

  /// Reads some element of the part, if the coordinates are beyond it.
  Value read(SmallVector<Value> place) {
    for (auto [index, extent] : llvm::zip_equal(place, shape))
      index = arith::MinUIOp::create(builder, program.loc, index,
                                     program.index(extent - 1));
    Value value =
        memref::LoadOp::create(builder, program.loc, buffer, complete(place));
    if (element.isInteger(1))
      value = arith::TruncIOp::create(builder, program.loc, element, value);
    return value;
  }

private:
  SmallVector<Value> complete(SmallVector<Value> place) {
    if (place.empty())
      place.push_back(program.index(0));
    return place;
  }

  ThreadProgram &program;
  OpBuilder &builder;
  ArrayRef<int64_t> shape;
  Type element;
  Value buffer;
};

} // namespace

/// Keeps the register that is in the part, where at most one of several is.
/// `numbers` are those of the registers that are left; `inside` says which are
/// in the part, as far as dimensions of one element say it.
static void chooseRegisters(ThreadProgram &program, PartPlaces &places,
                            const LinearLayout &layout, Value &registers,
                            Value &inside, SmallVector<uint32_t> &numbers) {
  OpBuilder &builder = program.builder;
  for (unsigned bit = layout.getNumBits(Place::Register); bit-- > 0;) {
    if (!places.isOfOne(bit))
      continue;
    std::array<SmallVector<int64_t>, 2> halves;
    SmallVector<uint32_t> left;
    for (auto [at, number] : llvm::enumerate(numbers)) {
      halves[number >> bit & 1].push_back(at);
      if ((number >> bit & 1) == 0)
        left.push_back(number);
    }
    Value isHigh = program.select(inside, halves[1]);
    registers = arith::SelectOp::create(builder, program.loc, isHigh,
                                        program.select(registers, halves[1]),
                                        program.select(registers, halves[0]));
    inside = arith::OrIOp::create(builder, program.loc, isHigh,
                                  program.select(inside, halves[0]));
    numbers = std::move(left);
  }
}

/// Which registers' elements have the part's coordinates in the dimensions of
/// one element; null if the part has none.
static Value compareOnes(ThreadProgram &program, const PlacedPart &placed,
                         const LinearLayout &layout) {
  Value all;
  for (unsigned dim = 0; dim < placed.part.sizes.size(); ++dim)
    if (placed.part.sizes[dim] == 1 && placed.part.whole.getDimSize(dim) != 1)
      all = bothHold(program, all,
                     program.compareCoordinatesWith(
                         layout, dim, CmpIPredicate::eq, placed.offsets[dim]));
  return all;
}

Value carousel::extractPart(ThreadProgram &program, const PlacedPart &placed,
                            const DistributedVector &whole,
                            const LinearLayout *to) {
  const LinearLayout &from = *whole.layout;
  if (!to && placed.part.isAligned()) {
    SmallVector<uint32_t> at =
        llvm::map_to_vector(placed.part.offsets, [](OpFoldResult offset) {
          return uint32_t(*getConstantIntValue(offset));
        });
    return broadcastElement(program, whole.registers, from, at);
  }
  ArrayRef<int64_t> shape = placed.part.getShape();
  Type element = cast<VectorType>(whole.registers.getType()).getElementType();
  PartPlaces places(program, placed, from);
  Value registers = whole.registers;
  Value inside = compareOnes(program, placed, from);
  SmallVector<uint32_t> numbers(countRegisters(from));
  std::iota(numbers.begin(), numbers.end(), 0);
  if (inside)
    chooseRegisters(program, places, from, registers, inside, numbers);

  PartBuffer buffer(program, shape, element);
  program.runIf(program.isFirstCopy(from), [&] {
    for (auto [at, number] : llvm::enumerate(numbers)) {
      Value isHere = inside ? program.extract(inside, at) : Value();
      isHere =
          bothHold(program, isHere, places.isInside(number, /*ofOne=*/false));
      buffer.write(program.extract(registers, at), isHere,
                   places.getPlace(number));
    }
  });
  program.barrier();
  if (!to)
    return buffer.read({});
  SmallVector<Value> elements;
  for (uint32_t number = 0; number < countRegisters(*to); ++number) {
    SmallVector<Value> place;
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      place.push_back(program.getCoordinate(*to, dim, number));
    elements.push_back(buffer.read(place));
  }
  return vector::FromElementsOp::create(
      program.builder, program.loc,
      VectorType::get({countRegisters(*to)}, element), elements);
}

/// The thread that has the element replaces it.
static Value insertScalar(ThreadProgram &program, const PlacedPart &placed,
                          Value scalar, const DistributedVector &dest) {
  OpBuilder &builder = program.builder;
  Value isHere = compareOnes(program, placed, *dest.layout);
  Value copies = vector::BroadcastOp::create(builder, program.loc,
                                             dest.registers.getType(), scalar);
  if (!isHere)
    return copies;
  return arith::SelectOp::create(builder, program.loc, isHere, copies,
                                 dest.registers);
}

Value carousel::insertPart(ThreadProgram &program, const PlacedPart &placed,
                           const DistributedVector &value,
                           const DistributedVector &dest) {
  if (!value.layout)
    return insertScalar(program, placed, value.registers, dest);
  OpBuilder &builder = program.builder;
  ArrayRef<int64_t> shape = placed.part.getShape();
  auto type = cast<VectorType>(dest.registers.getType());
  PartBuffer buffer(program, shape, type.getElementType());
  program.runIf(program.isFirstCopy(*value.layout), [&] {
    for (uint32_t number = 0; number < countRegisters(*value.layout);
         ++number) {
      SmallVector<Value> place;
      Value exists;
      for (auto [dim, extent] : llvm::enumerate(shape)) {
        place.push_back(program.getCoordinate(*value.layout, dim, number));
        if (!llvm::isPowerOf2_64(extent))
          exists = bothHold(
              program, exists,
              arith::CmpIOp::create(builder, program.loc, CmpIPredicate::ult,
                                    place.back(), program.index(extent)));
      }
      buffer.write(program.extract(value.registers, number), exists, place);
    }
  });
  program.barrier();
  PartPlaces places(program, placed, *dest.layout);
  SmallVector<Value> elements;
  for (uint32_t number = 0; number < countRegisters(*dest.layout); ++number) {
    Value own = program.extract(dest.registers, number);
    Value other = buffer.read(places.getPlace(number));
    Value isInside = bothHold(program, places.isInside(number, /*ofOne=*/true),
                              places.isInside(number, /*ofOne=*/false));
    elements.push_back(isInside ? arith::SelectOp::create(builder, program.loc,
                                                          isInside, other, own)
                                      .getResult()
                                : other);
  }
  return vector::FromElementsOp::create(builder, program.loc, type, elements);
}
