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

#include "carousel/Analysis/Distribution/AccessTransfers.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Support/SharedMemoryBanks.h"
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
    return reduceLanes(registers, getReducedBits(Place::Lane));
  }
  /// Along the lanes that differ in these bits.
  Value reduceLanes(Value registers, uint32_t reduced) {
    auto type = cast<VectorType>(registers.getType());
    for (unsigned bit = program.threads.lanes; bit-- > 0;) {
      if ((reduced >> bit & 1) == 0)
        continue;
      Value distance = i32(int64_t(1) << bit);
      SmallVector<Value> others;
      for (int64_t number = 0; number < type.getNumElements(); ++number)
        others.push_back(program.shuffle(program.extract(registers, number),
                                         distance, gpu::ShuffleMode::XOR));
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
  struct Exchange;
  void writeParts(Value registers, const Exchange &exchange,
                  function_ref<void(Value, Value, Value)> write);
  Value reduceElements(Value elements);
  Value reduceDirectly(Value registers, const Exchange &exchange,
                       const ExchangeTurn &turn);
  Value reduceTogether(Value registers, const Exchange &exchange);

  Value i32(int64_t value) {
    return arith::ConstantIntOp::create(builder, program.loc, value, 32);
  }

  ThreadProgram &program;
  OpBuilder &builder;
  const LinearLayout &source;
  ArrayRef<bool> isReduced;
  CombiningKind kind;
  arith::FastMathFlagsAttr fastMath;
};

} // namespace

LinearLayout
carousel::numberPlaces(const LinearLayout &layout,
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

/// The parts of a result that warps have, and who reads them.
struct Reducer::Exchange {
  Exchange(const Reducer &reducer)
      : result(getReducedLayout(reducer.source, reducer.isReduced)),
        order(numberPlaces(result,
                           [&](Place place) {
                             return ((1u << result.getNumBits(place)) - 1) &
                                    ~result.getFreeBits(place);
                           })),
        partBits(llvm::popcount(reducer.getReducedBits(Place::Warp))),
        elementBits(order.getExtentBits().front()),
        lanesDiffer(result.getFreeBits(Place::Lane) !=
                    (1u << reducer.program.threads.lanes) - 1) {
    const ThreadBits &threads = reducer.program.threads;
    unsigned threadBits = threads.lanes + threads.warps;
    laneBits = std::clamp<int>(int(threadBits) - int(elementBits), 0,
                               std::min(partBits, threads.lanes));
    int64_t own = countRegisters(result);
    int64_t sums = llvm::divideCeil((int64_t(1) << elementBits) << laneBits,
                                    int64_t(1) << threadBits);
    int64_t warps = int64_t(1) << threads.warps;
    // Instructions of all warps: one SM issues all of them.
    int64_t direct = warps * own * parts() / (lanesDiffer ? 1 : 4);
    int64_t shared =
        warps * (sums * ((parts() >> laneBits) + laneBits + 1) + own);
    // Another barrier, and the latency of shuffles and of shared memory.
    constexpr int64_t kSteps = 128;
    isShared = shared + kSteps < direct;
  }
  int64_t parts() const { return int64_t(1) << partBits; }
  int64_t elements() const { return int64_t(1) << elementBits; }

  LinearLayout result;
  /// The number of an element of the result.
  LinearLayout order;
  unsigned partBits, elementBits;
  bool lanesDiffer;
  /// Whether the threads share the sums, and each thread reads results. If not,
  /// each thread reads all parts of its elements.
  bool isShared;
  /// The lowest bits of a part's number that lanes have where sums are shared.
  unsigned laneBits;
};

/// Each warp writes its parts. Elements have the order of the lanes that hold
/// them, which keeps the lanes in different banks.
void Reducer::writeParts(Value registers, const Exchange &exchange,
                         function_ref<void(Value, Value, Value)> write) {
  // Threads with copies of a part leave the write to the first one.
  LinearLayout warps = numberPlaces(source, [&](Place place) {
    return place == Place::Warp ? getReducedBits(place) : 0;
  });
  Value part = program.getCoordinate(warps, 0);
  uint32_t copies = exchange.result.getFreeBits(Place::Lane) |
                    source.getFreeBits(Place::Warp) << program.threads.lanes;
  program.runIf(program.areZero(copies), [&] {
    int64_t count = cast<VectorType>(registers.getType()).getNumElements();
    for (int64_t i = 0; i < count; ++i)
      write(program.extract(registers, i), part,
            program.getCoordinate(exchange.order, 0, i));
  });
  program.barrier();
}

/// A tree over the bits of an element's number, the highest bit first.
Value Reducer::reduceElements(Value elements) {
  int64_t count = cast<VectorType>(elements.getType()).getNumElements();
  for (int64_t half = count / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low(half), high(half);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), half);
    elements =
        combine(program.select(elements, low), program.select(elements, high));
  }
  return program.extract(elements, 0);
}

/// Each thread reads all parts of its elements. Parts of one element are
/// consecutive if a warp's lanes read the same elements, and otherwise the
/// elements of one part are.
Value Reducer::reduceDirectly(Value registers, const Exchange &exchange,
                              const ExchangeTurn &turn) {
  auto type = cast<VectorType>(registers.getType());
  bool lanesDiffer = exchange.lanesDiffer;
  int64_t parts = exchange.parts();
  SmallVector<int64_t> extents = {turn.buffer ? 2 : 1,
                                  lanesDiffer ? parts : exchange.elements(),
                                  lanesDiffer ? exchange.elements() : parts};
  Value buffer = program.allocate(extents, type.getElementType());
  Value number = turn.buffer ? turn.buffer : program.index(0);
  if (turn.needsBarrier)
    program.barrier();
  writeParts(registers, exchange, [&](Value value, Value part, Value element) {
    SmallVector<Value> place = {number, lanesDiffer ? part : element,
                                lanesDiffer ? element : part};
    memref::StoreOp::create(builder, program.loc, value, buffer, place);
  });

  auto partsType = VectorType::get({parts}, type.getElementType());
  SmallVector<Value> sums;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value element = program.getCoordinate(exchange.order, 0, i), all;
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
    sums.push_back(reduceElements(all));
  }
  return vector::FromElementsOp::create(builder, program.loc, type, sums);
}

/// All threads reduce as many elements each, with lanes for the parts of one,
/// and write results, which each thread reads. The threads meet between any two
/// accesses of a buffer, also from one execution to the next.
Value Reducer::reduceTogether(Value registers, const Exchange &exchange) {
  auto type = cast<VectorType>(registers.getType());
  Type elementType = type.getElementType();
  int64_t parts = exchange.parts(), elements = exchange.elements();
  int64_t lanes = int64_t(1) << exchange.laneBits;
  Location loc = program.loc;
  // A row of the buffer has what the lanes read at once, and an odd distance
  // from the next one: lanes that write a part of several elements find
  // different banks, too.
  int64_t banks = std::min<int64_t>(
      rules::kWarpSize, kBankBytes * rules::kWarpSize /
                            llvm::divideCeil(getElementBits(type), 8));
  int64_t together = std::clamp<int64_t>(banks / lanes, 1, elements);
  Value buffer = program.allocate(
      {parts / lanes, elements / together, std::max(banks, lanes) + 1},
      elementType);
  Value results = program.allocate({elements}, elementType);
  auto divide = [&](Value value, int64_t by) -> std::pair<Value, Value> {
    return {arith::ShRUIOp::create(builder, loc, value,
                                   program.index(llvm::Log2_64(by))),
            arith::AndIOp::create(builder, loc, value, program.index(by - 1))};
  };
  auto getPlace = [&](Value element, Value step, Value lane) {
    auto [row, column] = divide(element, together);
    column = arith::MulIOp::create(builder, loc, column, program.index(lanes));
    column = arith::AddIOp::create(builder, loc, column, lane);
    return SmallVector<Value>{step, row, column};
  };
  writeParts(registers, exchange, [&](Value value, Value part, Value element) {
    auto [step, lane] = divide(part, lanes);
    memref::StoreOp::create(builder, loc, value, buffer,
                            getPlace(element, step, lane));
  });

  int64_t threads = int64_t(1)
                    << (program.threads.lanes + program.threads.warps);
  Value thread = arith::AndIOp::create(builder, loc, program.getThread(),
                                       program.index(threads - 1));
  auto [first, lane] = divide(thread, lanes);
  // Threads behind the last element repeat what others do, but for writes.
  first =
      arith::AndIOp::create(builder, loc, first, program.index(elements - 1));
  int64_t step = threads / lanes;
  SmallVector<Value> places, sums;
  for (int64_t element = 0; element == 0 || element + step <= elements;
       element += step) {
    places.push_back(program.add(first, element));
    SmallVector<Value> own;
    for (int64_t part = 0; part < parts / lanes; ++part)
      own.push_back(memref::LoadOp::create(
          builder, loc, buffer,
          getPlace(places.back(), program.index(part), lane)));
    sums.push_back(reduceElements(vector::FromElementsOp::create(
        builder, loc,
        VectorType::get({static_cast<int64_t>(own.size())}, elementType),
        own)));
  }
  Value all = vector::FromElementsOp::create(
      builder, loc,
      VectorType::get({static_cast<int64_t>(sums.size())}, elementType), sums);
  all = reduceLanes(all, lanes - 1);
  int64_t repeats = (threads - 1) & ~(elements * lanes - 1);
  program.runIf(program.areZero(repeats | (lanes - 1)), [&] {
    for (auto [i, place] : llvm::enumerate(places))
      memref::StoreOp::create(builder, loc, program.extract(all, i), results,
                              ValueRange{place});
  });
  program.barrier();
  SmallVector<Value> own;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    own.push_back(memref::LoadOp::create(
        builder, loc, results,
        ValueRange{program.getCoordinate(exchange.order, 0, i)}));
  return vector::FromElementsOp::create(builder, loc, type, own);
}

Value Reducer::reduceWarps(Value registers, const ExchangeTurn &turn) {
  if (getReducedBits(Place::Warp) == 0)
    return registers;
  Exchange exchange(*this);
  return exchange.isShared ? reduceTogether(registers, exchange)
                           : reduceDirectly(registers, exchange, turn);
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
