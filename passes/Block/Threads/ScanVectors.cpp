//===- ScanVectors.cpp - scans by all threads -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ScanVectors.h. The bits of the coordinate are gone through from the
// lowest on, as many at once as are one place's. Behind each step, a thread has
// each element combined with those before it in its block, and the block's
// total: blocks grow until one has the whole dimension.
//
//===----------------------------------------------------------------------===//

#include "ScanVectors.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

/// Values that elements which follow each other combine to, one for each
/// source.
struct Partial {
  SmallVector<Value> values = {}; ///< empty: of no elements
  /// Whether there are such elements; null if there always are.
  Value exists = nullptr;
};

class Scanner {
public:
  Scanner(ThreadProgram &program, ScanOp op, const LinearLayout &layout)
      : program(program), builder(program.builder), op(op), layout(layout),
        dim(op.getDim()), bits(*findScannedBits(layout, op.getDim())),
        count(countRegisters(layout)) {}

  ScannedRegisters run(ValueRange sources, ValueRange inits,
                       const ExchangeTurn &turn);

private:
  void readElements(ValueRange sources);
  /// Combines \p first with \p second, whose elements follow.
  Partial join(const Partial &first, const Partial &second);
  SmallVector<Value> combine(ValueRange first, ValueRange second);
  Partial restrict(Partial range, Value condition);
  Value choose(Value condition, Value value, Value other);
  /// Puts a range before the blocks of a register.
  void putBefore(const Partial &range, uint32_t base);

  void scanRegisters(ArrayRef<unsigned> own);
  void scanLanes(ArrayRef<unsigned> own);
  void scanWarps(ArrayRef<unsigned> own, const ExchangeTurn &turn);
  Partial shuffle(const Partial &range, Value lane);
  /// Whether a lane comes behind the one that differs in the bit.
  Value isBehind(unsigned bit);

  /// Whether a register begins a block of what has been scanned.
  bool isBase(uint32_t number) const { return (number & scanned) == 0; }
  bool isReversed() { return op.getReverse(); }

  ThreadProgram &program;
  OpBuilder &builder;
  ScanOp op;
  const LinearLayout &layout;
  unsigned dim;
  SmallVector<PlaceBit> bits;
  uint32_t count;
  /// By register: what is before an element, or up to it, in its block.
  SmallVector<Partial> elements;
  /// By register that begins a block.
  SmallVector<Partial> totals;
  uint32_t scanned = 0; ///< bits of registers
  uint32_t scannedLanes = 0;
};

} // namespace

Value Scanner::choose(Value condition, Value value, Value other) {
  return arith::SelectOp::create(builder, program.loc, condition, value, other);
}

SmallVector<Value> Scanner::combine(ValueRange first, ValueRange second) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments().take_front(first.size()), first);
  mapping.map(body.getArguments().drop_front(first.size()), second);
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  return llvm::map_to_vector(op.getEnd()->getOperands(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
}

Partial Scanner::join(const Partial &first, const Partial &second) {
  if (first.values.empty())
    return second;
  if (second.values.empty())
    return first;
  Partial both = {combine(first.values, second.values)};
  for (auto [value, a, b] :
       llvm::zip_equal(both.values, first.values, second.values)) {
    if (second.exists)
      value = choose(second.exists, value, a);
    if (first.exists)
      value = choose(first.exists, value, b);
  }
  if (first.exists && second.exists)
    both.exists =
        arith::OrIOp::create(builder, program.loc, first.exists, second.exists);
  return both;
}

Partial Scanner::restrict(Partial range, Value condition) {
  if (!range.values.empty())
    range.exists = program.bothHold(range.exists, condition);
  return range;
}

void Scanner::readElements(ValueRange sources) {
  int64_t extent = op.getType().getDimSize(dim);
  Value exist;
  // Elements that only fill an extent up to a power of two are no elements.
  if (!llvm::isPowerOf2_64(extent))
    exist = program.compareCoordinatesWith(
        layout, dim, arith::CmpIPredicate::slt, program.index(extent));
  for (uint32_t number = 0; number < count; ++number) {
    Partial &total = totals.emplace_back();
    for (Value source : sources)
      total.values.push_back(program.extract(source, number));
    if (exist)
      total.exists = program.extract(exist, number);
  }
  elements = op.getExclusive() ? SmallVector<Partial>(count) : totals;
}

void Scanner::putBefore(const Partial &range, uint32_t base) {
  for (uint32_t number = 0; number < count; ++number)
    if ((number & ~scanned) == base)
      elements[number] = join(range, elements[number]);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The bits of `number`, each at a place of its own.
static uint32_t deposit(uint32_t number, ArrayRef<unsigned> places) {
  uint32_t deposited = 0;
  for (auto [bit, place] : llvm::enumerate(places))
    deposited |= (number >> bit & 1) << place;
  return deposited;
}

void Scanner::scanRegisters(ArrayRef<unsigned> own) {
  uint32_t all = uint32_t(1) << own.size();
  uint32_t mask = deposit(all - 1, own);
  for (uint32_t line = 0; line < count; ++line) {
    if (!isBase(line) || (line & mask) != 0)
      continue;
    Partial before;
    for (uint32_t i = 0; i < all; ++i) {
      uint32_t base = line | deposit(isReversed() ? all - 1 - i : i, own);
      Partial total = totals[base];
      putBefore(before, base);
      before = join(before, total);
    }
    totals[line] = before;
  }
  scanned |= mask;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value Scanner::isBehind(unsigned bit) {
  Location loc = program.loc;
  Value own = arith::AndIOp::create(builder, loc, program.getThread(),
                                    program.index(int64_t(1) << bit));
  return arith::CmpIOp::create(builder, loc,
                               isReversed() ? arith::CmpIPredicate::eq
                                            : arith::CmpIPredicate::ne,
                               own, program.index(0));
}

Partial Scanner::shuffle(const Partial &range, Value lane) {
  Partial other;
  for (Value value : range.values)
    other.values.push_back(program.shuffle(value, lane, gpu::ShuffleMode::IDX));
  if (range.exists)
    other.exists = program.shuffle(range.exists, lane, gpu::ShuffleMode::IDX);
  return other;
}

void Scanner::scanLanes(ArrayRef<unsigned> own) {
  Location loc = program.loc;
  uint32_t lower = 0;
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value thread = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                            program.getThread());
  int64_t lanes = (int64_t(1) << program.threads.lanes) - 1;
  // The lane whose bits of `set` are set, and those of `cleared` aren't.
  auto getLane = [&](uint32_t set, uint32_t cleared) -> Value {
    if (isReversed())
      std::swap(set, cleared);
    Value lane = arith::AndIOp::create(builder, loc, thread,
                                       i32(lanes & ~int64_t(cleared)));
    return arith::OrIOp::create(builder, loc, lane, i32(set));
  };
  SmallVector<Partial> before(count);
  for (unsigned bit : own) {
    Value source = getLane(lower, uint32_t(1) << bit),
          condition = isBehind(bit);
    for (uint32_t base = 0; base < count; ++base) {
      if (!isBase(base))
        continue;
      Partial half = restrict(shuffle(totals[base], source), condition);
      totals[base] = join(half, totals[base]);
      before[base] = join(half, before[base]);
    }
    lower |= uint32_t(1) << bit;
  }
  Value last = getLane(lower, 0);
  for (uint32_t base = 0; base < count; ++base)
    if (isBase(base)) {
      putBefore(before[base], base);
      totals[base] = shuffle(totals[base], last);
    }
  scannedLanes |= lower;
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

void Scanner::scanWarps(ArrayRef<unsigned> own, const ExchangeTurn &turn) {
  Location loc = program.loc;
  uint32_t mask = 0;
  for (unsigned bit : own)
    mask |= uint32_t(1) << bit;
  auto getCounted = [&](Place place) -> uint32_t {
    uint32_t all = (uint32_t(1) << layout.getNumBits(place)) - 1;
    uint32_t scannedHere = place == Place::Register ? scanned
                           : place == Place::Lane   ? scannedLanes
                           : place == Place::Warp   ? mask
                                                    : all;
    return all & ~layout.getFreeBits(place) & ~scannedHere;
  };
  // Lines of blocks, and the blocks of a line.
  LinearLayout lines = numberPlaces(layout, getCounted);
  LinearLayout parts = numberPlaces(layout, [&](Place place) {
    return place == Place::Warp ? mask : uint32_t(0);
  });
  int64_t all = int64_t(1) << own.size();
  int64_t lineCount = int64_t(1) << lines.getExtentBits().front();
  Value part = program.getCoordinate(parts, 0);
  Value number = turn.buffer ? turn.buffer : program.index(0);
  auto hasFlags = [&](uint32_t base) { return totals[base].exists != nullptr; };
  SmallVector<Value> buffers;
  auto allocate = [&](Type type) {
    buffers.push_back(
        program.allocate({turn.buffer ? 2 : 1, all, lineCount}, type));
  };
  for (Value source : op.getSources())
    allocate(cast<VectorType>(source.getType()).getElementType());
  if (hasFlags(0))
    allocate(builder.getI1Type());
  if (turn.needsBarrier)
    program.barrier();
  uint32_t copies = layout.getFreeBits(Place::Lane) | scannedLanes |
                    layout.getFreeBits(Place::Warp)
                        << layout.getNumBits(Place::Lane);
  program.runIf(program.areZero(copies), [&] {
    for (uint32_t base = 0; base < count; ++base) {
      if (!isBase(base))
        continue;
      SmallVector<Value> values = totals[base].values;
      if (hasFlags(base))
        values.push_back(totals[base].exists);
      Value line = program.getCoordinate(lines, 0, base);
      for (auto [value, buffer] : llvm::zip_equal(values, buffers))
        memref::StoreOp::create(builder, loc, value, buffer,
                                ValueRange{number, part, line});
    }
  });
  program.barrier();
  for (uint32_t base = 0; base < count; ++base) {
    if (!isBase(base))
      continue;
    Value line = program.getCoordinate(lines, 0, base);
    bool flags = hasFlags(base);
    Partial before, total;
    for (int64_t i = 0; i < all; ++i) {
      int64_t at = isReversed() ? all - 1 - i : i;
      SmallVector<Value> values =
          llvm::map_to_vector(buffers, [&](Value buffer) -> Value {
            return memref::LoadOp::create(
                builder, loc, buffer,
                ValueRange{number, program.index(at), line});
          });
      Partial own;
      if (flags)
        own.exists = values.pop_back_val();
      own.values = values;
      total = join(total, own);
      if (i + 1 == all)
        continue;
      Value isBefore = arith::CmpIOp::create(
          builder, loc,
          isReversed() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::ugt,
          part, program.index(at));
      before = join(before, restrict(own, isBefore));
    }
    putBefore(before, base);
    totals[base] = total;
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

ScannedRegisters Scanner::run(ValueRange sources, ValueRange inits,
                              const ExchangeTurn &turn) {
  readElements(sources);
  for (size_t first = 0; first < bits.size();) {
    Place place = bits[first].place;
    SmallVector<unsigned> own;
    for (; first < bits.size() && bits[first].place == place; ++first)
      own.push_back(bits[first].bit);
    if (place == Place::Register)
      scanRegisters(own);
    else if (place == Place::Lane)
      scanLanes(own);
    else
      scanWarps(own, turn);
  }
  // The register of a line in the layout without the dimension.
  auto getInit = [&](uint32_t base) {
    uint32_t line = 0, next = 0;
    for (unsigned bit = 0; bit < layout.getNumBits(Place::Register); ++bit)
      if ((scanned >> bit & 1) == 0)
        line |= (base >> bit & 1) << next++;
    Partial init;
    for (Value value : inits)
      init.values.push_back(isa<VectorType>(value.getType())
                                ? program.extract(value, line)
                                : value);
    return init;
  };
  ScannedRegisters results;
  SmallVector<SmallVector<Value>> scannedOf(sources.size()),
      totalsOf(sources.size());
  for (uint32_t number = 0; number < count; ++number) {
    Partial init = getInit(number & ~scanned);
    Partial element = join(init, elements[number]);
    for (auto [own, value] : llvm::zip_equal(scannedOf, element.values))
      own.push_back(value);
    if (!isBase(number))
      continue;
    Partial total = join(init, totals[number]);
    for (auto [own, value] : llvm::zip_equal(totalsOf, total.values))
      own.push_back(value);
  }
  for (auto [source, own, total, init] :
       llvm::zip_equal(sources, scannedOf, totalsOf, inits)) {
    results.scanned.push_back(vector::FromElementsOp::create(
        builder, program.loc, cast<VectorType>(source.getType()), own));
    auto type = dyn_cast<VectorType>(init.getType());
    results.totals.push_back(
        type ? vector::FromElementsOp::create(builder, program.loc, type, total)
                   .getResult()
             : total.front());
  }
  return results;
}

ScannedRegisters carousel::scanVectors(ThreadProgram &program, ScanOp op,
                                       const LinearLayout &layout,
                                       ValueRange sources, ValueRange inits,
                                       const ExchangeTurn &turn) {
  return Scanner(program, op, layout).run(sources, inits, turn);
}
