//===- ReduceVectors.cpp - reductions by all threads ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReduceVectors.h. The order is that of docs/BlockPhase.md, Reductions: a
// tree over the bits of a place, from registers to lanes to warps, the highest
// bit of each first. The two sides of each step are added in the same order in
// all threads, since the operations commute.
//
//===----------------------------------------------------------------------===//

#include "ReduceVectors.h"

#include "../Kernels/ClusterParts.h"
#include "../Kernels/NeutralElement.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

using vector::CombiningKind;

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Elements that only fill an extent up to a power of two become neutral.
static Value maskPadding(ThreadProgram &program, Value registers,
                         const LinearLayout &source, ArrayRef<bool> isReduced,
                         ArrayRef<int64_t> extents, CombiningKind kind) {
  OpBuilder &builder = program.builder;
  auto type = cast<VectorType>(registers.getType());
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    if (!isReduced[dim] || llvm::isPowerOf2_64(extent))
      continue;
    Value exists = program.compareCoordinatesWith(
        source, dim, arith::CmpIPredicate::slt, program.index(extent));
    Value neutral = program.constant(
        type, getNeutralElement(builder, kind, type.getElementType()));
    registers = arith::SelectOp::create(builder, program.loc, exists, registers,
                                        neutral);
  }
  return registers;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

class Reducer {
public:
  Reducer(ThreadProgram &program, const LinearLayout &source,
          ArrayRef<bool> isReduced, CombiningKind kind,
          arith::FastMathFlagsAttr fastMath)
      : program(program), builder(program.builder), source(source),
        isReduced(isReduced), kind(kind), fastMath(fastMath) {}

  Value combine(Value lhs, Value rhs) {
    return vector::makeArithReduction(builder, program.loc, kind, lhs, rhs,
                                      fastMath);
  }

  /// The bits of a place that count parts of one result.
  uint32_t getReducedBits(Place place) const {
    uint32_t bits = 0;
    for (auto [bit, basis] : llvm::enumerate(source.getBases(place)))
      for (auto [number, reduced] : llvm::zip_equal(basis, isReduced))
        if (reduced && number != 0)
          bits |= 1u << bit;
    return bits;
  }

  Value reduceRegisters(Value registers) {
    uint32_t reduced = getReducedBits(Place::Register);
    unsigned bits = source.getNumBits(Place::Register);
    for (unsigned bit = bits; bit-- > 0;) {
      if ((reduced >> bit & 1) == 0)
        continue;
      int64_t count = cast<VectorType>(registers.getType()).getNumElements();
      std::array<SmallVector<int64_t>, 2> halves;
      for (int64_t number = 0; number < count; ++number)
        halves[number >> bit & 1].push_back(number);
      registers = combine(program.select(registers, halves[0]),
                          program.select(registers, halves[1]));
    }
    return registers;
  }

  Value reduceLanes(Value registers) {
    uint32_t reduced = getReducedBits(Place::Lane);
    auto type = cast<VectorType>(registers.getType());
    Value width;
    for (unsigned bit = source.getNumBits(Place::Lane); bit-- > 0;) {
      if ((reduced >> bit & 1) == 0)
        continue;
      if (!width)
        width = i32(int64_t(1) << program.threads.lanes);
      Value distance = i32(int64_t(1) << bit);
      SmallVector<Value> others;
      for (int64_t number = 0; number < type.getNumElements(); ++number)
        others.push_back(
            exchange(program.extract(registers, number), distance, width));
      registers = combine(registers, vector::FromElementsOp::create(
                                         builder, program.loc, type, others));
    }
    return registers;
  }

  Value reduceWarps(Value registers, const ExchangeTurn &turn);

  /// Reduces one element, which all threads of a CTA have.
  Value reduceCTAs(Value registers) {
    uint32_t reduced = getReducedBits(Place::CTA);
    if (reduced == 0)
      return registers;
    Value element = program.extract(registers, 0);
    Value parts = gatherWords(builder, program.loc, element,
                              int64_t(1) << program.threads.ctas);
    // Those of CTAs with copies aren't counted twice.
    SmallVector<Value> own;
    for (int64_t rank = 0; rank < int64_t(1) << program.threads.ctas; ++rank)
      if ((rank & ~int64_t(reduced)) == 0)
        own.push_back(fromWords(builder, program.loc,
                                program.extract(parts, rank),
                                element.getType()));
    for (size_t half = own.size() / 2; half >= 1; half /= 2)
      for (size_t i = 0; i < half; ++i)
        own[i] = combine(own[i], own[i + half]);
    return vector::BroadcastOp::create(builder, program.loc,
                                       registers.getType(), own[0]);
  }

private:
  Value i32(int64_t value) {
    return arith::ConstantIntOp::create(builder, program.loc, value, 32);
  }

  /// The element of another lane.
  Value exchange(Value element, Value distance, Value width) {
    Type type = element.getType();
    if (type.isIndex())
      element = arith::IndexCastOp::create(builder, program.loc,
                                           builder.getI64Type(), element);
    else if (type.isInteger(1))
      element = arith::ExtUIOp::create(builder, program.loc,
                                       builder.getI32Type(), element);
    element = gpu::ShuffleOp::create(builder, program.loc, element, distance,
                                     width, gpu::ShuffleMode::XOR)
                  .getShuffleResult();
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, program.loc, type, element);
    if (type.isInteger(1))
      return arith::TruncIOp::create(builder, program.loc, type, element);
    return element;
  }

  ThreadProgram &program;
  OpBuilder &builder;
  const LinearLayout &source;
  ArrayRef<bool> isReduced;
  CombiningKind kind;
  arith::FastMathFlagsAttr fastMath;
};

} // namespace

/// Numbers places by the bits that `chosen` has for them, lanes first, then
/// registers and warps.
static LinearLayout numberPlaces(const LinearLayout &layout,
                                 llvm::function_ref<uint32_t(Place)> chosen) {
  constexpr Place kOrder[] = {Place::Lane, Place::Register, Place::Warp};
  unsigned count = 0;
  for (Place place : kOrder)
    count += llvm::popcount(chosen(place));
  LinearLayout numbers(SmallVector<unsigned>{count});
  uint32_t next = 1;
  for (Place place : kOrder)
    for (unsigned bit = 0; bit < layout.getNumBits(place); ++bit) {
      bool counts = chosen(place) >> bit & 1;
      numbers.addBasis(place, {counts ? next : 0});
      next <<= counts;
    }
  for (unsigned bit = 0; bit < layout.getNumBits(Place::CTA); ++bit)
    numbers.addBasis(Place::CTA, {0});
  return numbers;
}

/// Each warp writes its parts, and each thread reads all parts of its elements.
/// Parts of one element are consecutive if a warp's lanes read the same
/// elements, and otherwise the elements of one part are. Elements have the
/// order of the lanes that hold them, which keeps the lanes in different banks.
Value Reducer::reduceWarps(Value registers, const ExchangeTurn &turn) {
  int64_t parts = int64_t(1) << llvm::popcount(getReducedBits(Place::Warp));
  if (parts == 1)
    return registers;
  LinearLayout result = getReducedLayout(source, isReduced);
  LinearLayout order = numberPlaces(result, [&](Place place) {
    return ((1u << result.getNumBits(place)) - 1) & ~result.getFreeBits(place);
  });
  int64_t elements = int64_t(1) << order.getExtentBits().front();
  auto type = cast<VectorType>(registers.getType());
  bool lanesDiffer =
      result.getFreeBits(Place::Lane) != (1u << program.threads.lanes) - 1;
  SmallVector<int64_t> extents = {turn.buffer ? 2 : 1,
                                  lanesDiffer ? parts : elements,
                                  lanesDiffer ? elements : parts};
  Value buffer = program.allocate(extents, type.getElementType());
  Value number = turn.buffer ? turn.buffer : program.index(0);

  auto getElement = [&](uint32_t of) {
    return program.getCoordinate(order, 0, of);
  };

  if (turn.needsBarrier)
    program.barrier();
  // Threads with copies of a part leave the write to the first one.
  LinearLayout warps = numberPlaces(source, [&](Place place) {
    return place == Place::Warp ? getReducedBits(place) : 0;
  });
  Value part = program.getCoordinate(warps, 0);
  Value isFirst;
  if (uint32_t copies =
          result.getFreeBits(Place::Lane) | source.getFreeBits(Place::Warp)
                                                << program.threads.lanes) {
    Value bits = arith::AndIOp::create(
        builder, program.loc, program.getThread(), program.index(copies));
    isFirst = arith::CmpIOp::create(
        builder, program.loc, arith::CmpIPredicate::eq, bits, program.index(0));
  }
  program.runIf(isFirst, [&] {
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value element = getElement(i);
      SmallVector<Value> place = {number, lanesDiffer ? part : element,
                                  lanesDiffer ? element : part};
      memref::StoreOp::create(builder, program.loc,
                              program.extract(registers, i), buffer, place);
    }
  });
  program.barrier();

  auto partsType = VectorType::get({parts}, type.getElementType());
  SmallVector<Value> sums;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value element = getElement(i), all;
    if (lanesDiffer) {
      SmallVector<Value> own;
      for (int64_t other = 0; other < parts; ++other)
        own.push_back(memref::LoadOp::create(
            builder, program.loc, buffer,
            ValueRange{number, program.index(other), element}));
      all =
          vector::FromElementsOp::create(builder, program.loc, partsType, own);
    } else {
      all =
          program.load(partsType, buffer, {number, element, program.index(0)});
    }
    for (int64_t half = parts / 2; half >= 1; half /= 2) {
      SmallVector<int64_t> low(half), high(half);
      std::iota(low.begin(), low.end(), 0);
      std::iota(high.begin(), high.end(), half);
      all = combine(program.select(all, low), program.select(all, high));
    }
    sums.push_back(program.extract(all, 0));
  }
  return vector::FromElementsOp::create(builder, program.loc, type, sums);
}

bool carousel::needsExchange(const LinearLayout &source,
                             ArrayRef<bool> isReduced) {
  for (const auto &basis : source.getBases(Place::Warp))
    for (auto [number, reduced] : llvm::zip_equal(basis, isReduced))
      if (reduced && number != 0)
        return true;
  return false;
}

Value carousel::reduceVector(ThreadProgram &program, Value registers,
                             const LinearLayout &source,
                             ArrayRef<bool> isReduced,
                             ArrayRef<int64_t> extents, CombiningKind kind,
                             arith::FastMathFlagsAttr fastMath,
                             const ExchangeTurn &turn) {
  Reducer reducer(program, source, isReduced, kind, fastMath);
  registers = maskPadding(program, registers, source, isReduced, extents, kind);
  registers = reducer.reduceRegisters(registers);
  registers = reducer.reduceLanes(registers);
  registers = reducer.reduceWarps(registers, turn);
  return reducer.reduceCTAs(registers);
}
