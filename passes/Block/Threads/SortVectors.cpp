//===- SortVectors.cpp - sorts by all threads -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SortVectors.h. Phase p of the network makes sorted blocks of 2^p elements
// of pairs of blocks: it compares elements whose coordinates differ in bit
// p - 1, then in bit p - 2, down to bit 0. Blocks fall where bit p is set.
// Elements that differ in a register's bit are compared within a thread, and
// those that differ in a lane's by shuffles. Other bits get registers in
// another layout, as many at once as there are.
//
// Integers of 32 bits have instructions for the lesser and the greater one.
// There, all bits of blocks that fall are complemented, so that each comparison
// puts the lesser element first.
//
// A sort of the first 2^f elements keeps those alone: behind phase f the lesser
// one of each pair whose coordinates differ in bit p - 1 stays, and bits from f
// on have one value.
//
//===----------------------------------------------------------------------===//

#include "SortVectors.h"

#include "ConvertLayouts.h"

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// Two shuffles take less time than two exchanges, to another layout and back.
static constexpr unsigned kMostShuffles = 2;

namespace {

/// Keys with their positions: one integer where both fit 64 bits, the key in
/// its high bits, and otherwise two. Parts are values by register.
using Parts = SmallVector<SmallVector<Value>, 2>;

class Sorter {
public:
  Sorter(ThreadProgram &program, SortOp op, const LinearLayout &layout)
      : program(program), builder(program.builder), loc(program.loc), op(op),
        original(layout), layout(layout), dim(op.getDim()),
        positionBits(layout.getExtentBits()[dim]),
        firstBits(llvm::Log2_64_Ceil(op.getFirstCount())),
        count(countRegisters(layout)) {
    unsigned keyBits = op.getType().getElementTypeBitWidth();
    isPacked = keyBits + positionBits <= 64;
    packed = builder.getIntegerType(keyBits + positionBits <= 32 ? 32 : 64);
    bits = findBits(layout);
  }

  SmallVector<Value> run(Value key, ValueRange values);

private:
  /// The places of the bits, in a layout that placeBits gives.
  SmallVector<PlaceBit> findBits(const LinearLayout &of) const;
  void readKeys(Value key);
  SmallVector<Value> getPositions();
  /// The elements of a value at the sorted positions, which have the layout
  /// `to`.
  Value gather(Value value, const LinearLayout &to, ArrayRef<Value> positions);

  // The network.
  void merge(unsigned phase);
  /// Complements integers of 32 bits where one of the bits is set, or both are,
  /// twice.
  void complement(ArrayRef<unsigned> orders);
  /// Elements fall where the bit `order` is set.
  void compareRegisters(unsigned bit, unsigned order);
  void compareThreads(unsigned bit, unsigned order, bool keepsLess = false);
  /// Whether a bit of the coordinate is set in all elements of the thread, or
  /// in none; null if it is in none of all.
  Value falls(unsigned order);
  /// The bit of a register's number that makes its element fall, or 0.
  uint32_t getRegisterOrder(unsigned order) const;
  bool hasExtrema() const { return isPacked && packed.isInteger(32); }
  /// The parts of the thread whose coordinate differs in a bit.
  Parts exchange(unsigned bit);
  /// Keeps the lesser one of two elements that differ in a bit, and no bit.
  void dropBit(unsigned bit);
  /// Gives all registers to coordinates' bits, from this one down.
  void moveToRegisters(unsigned bit);
  void convertTo(const LinearLayout &wanted);
  bool isInRegisters(unsigned bit) const {
    return bits[bit].place == Place::Register;
  }

  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Type getPartType(unsigned part) {
    return isPacked    ? packed
           : part == 0 ? op.getType().getElementType()
                       : Type(IntegerType::get(op.getContext(), 32));
  }
  /// Whether the first element comes first.
  Value isLess(ArrayRef<Value> first, ArrayRef<Value> second);
  static SmallVector<Value, 2> getItem(const Parts &parts, uint32_t number) {
    return llvm::map_to_vector<2>(
        parts, [&](const SmallVector<Value> &part) { return part[number]; });
  }
  /// Whether a bit of the thread's number is set.
  Value isSet(const PlaceBit &bit);

  ThreadProgram &program;
  OpBuilder &builder;
  Location loc;
  SortOp op;
  const LinearLayout original;
  LinearLayout layout; ///< of the parts
  unsigned dim;
  unsigned positionBits;
  unsigned firstBits; ///< of the results' coordinates
  uint32_t count;
  bool isPacked = true;
  Type packed;
  SmallVector<PlaceBit> bits; ///< by bit of the coordinate
  Parts parts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

SmallVector<PlaceBit> Sorter::findBits(const LinearLayout &of) const {
  SmallVector<PlaceBit> found(positionBits);
  for (Place place : kAllPlaces)
    for (auto [number, basis] : llvm::enumerate(of.getBases(place)))
      if (basis[dim] != 0)
        found[llvm::Log2_32(basis[dim])] = {place, unsigned(number)};
  return found;
}

void Sorter::readKeys(Value key) {
  int64_t extent = op.getType().getDimSize(dim);
  Value exist;
  // Elements that only fill an extent up to a power of two come last.
  if (!llvm::isPowerOf2_64(extent))
    exist = program.compareCoordinatesWith(
        layout, dim, arith::CmpIPredicate::slt, program.index(extent));
  parts.resize(isPacked ? 1 : 2);
  for (uint32_t number = 0; number < count; ++number) {
    Value own = program.extract(key, number);
    Value place =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                   program.getCoordinate(layout, dim, number));
    if (isPacked) {
      if (own.getType() != packed)
        own = arith::ExtSIOp::create(builder, loc, packed, own);
      if (place.getType() != packed)
        place = arith::ExtUIOp::create(builder, loc, packed, place);
      own = arith::ShLIOp::create(builder, loc, own,
                                  constant(packed, positionBits));
      own = arith::OrIOp::create(builder, loc, own, place);
    }
    if (exist) {
      Type type = own.getType();
      Value last = arith::ConstantOp::create(
          builder, loc,
          builder.getIntegerAttr(
              type, APInt::getSignedMaxValue(type.getIntOrFloatBitWidth())));
      own = arith::SelectOp::create(builder, loc,
                                    program.extract(exist, number), own, last);
    }
    parts[0].push_back(own);
    if (!isPacked)
      parts[1].push_back(place);
  }
}

SmallVector<Value> Sorter::getPositions() {
  Type i32 = builder.getI32Type();
  return llvm::map_to_vector(parts.back(), [&](Value part) -> Value {
    if (!isPacked)
      return part;
    Value position = part;
    if (packed != i32)
      position = arith::TruncIOp::create(builder, loc, i32, position);
    return arith::AndIOp::create(
        builder, loc, position,
        constant(i32, (int64_t(1) << positionBits) - 1));
  });
}

Value Sorter::gather(Value value, const LinearLayout &to,
                     ArrayRef<Value> positions) {
  Type element = cast<VectorType>(value.getType()).getElementType();
  bool isBit = element.isInteger(1);
  Type stored = isBit ? builder.getI8Type() : element;
  SmallVector<int64_t> extents = llvm::map_to_vector(
      original.getExtentBits(), [](unsigned own) { return int64_t(1) << own; });
  Value buffer = program.allocate(extents, stored);
  auto getPlace = [&](const LinearLayout &at, uint32_t number) {
    SmallVector<Value> place;
    for (unsigned own = 0; own < extents.size(); ++own)
      place.push_back(program.getCoordinate(at, own, number));
    return place;
  };
  // An iteration before this one may not have read all yet.
  if (builder.getInsertionBlock() != program.getEntry())
    program.barrier();
  program.runIf(program.isFirstCopyOfCTA(original), [&] {
    for (uint32_t number = 0; number < countRegisters(original); ++number) {
      Value own = program.extract(value, number);
      if (isBit)
        own = arith::ExtUIOp::create(builder, loc, stored, own);
      memref::StoreOp::create(builder, loc, own, buffer,
                              getPlace(original, number));
    }
  });
  program.barrier();
  SmallVector<Value> sorted;
  for (auto [number, position] : llvm::enumerate(positions)) {
    SmallVector<Value> place = getPlace(to, number);
    place[dim] = arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), position);
    Value own = memref::LoadOp::create(builder, loc, buffer, place);
    if (isBit)
      own = arith::TruncIOp::create(builder, loc, element, own);
    sorted.push_back(own);
  }
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({int64_t(sorted.size())}, element), sorted);
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

Value Sorter::isLess(ArrayRef<Value> first, ArrayRef<Value> second) {
  auto compare = [&](unsigned part, arith::CmpIPredicate predicate) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, first[part],
                                 second[part]);
  };
  Value less = compare(0, arith::CmpIPredicate::slt);
  if (isPacked)
    return less;
  Value both =
      arith::AndIOp::create(builder, loc, compare(0, arith::CmpIPredicate::eq),
                            compare(1, arith::CmpIPredicate::slt));
  return arith::OrIOp::create(builder, loc, less, both);
}

Value Sorter::isSet(const PlaceBit &bit) {
  unsigned shift =
      bit.bit + (bit.place == Place::Warp ? layout.getNumBits(Place::Lane) : 0);
  Value own = arith::AndIOp::create(builder, loc, program.getThread(),
                                    program.index(int64_t(1) << shift));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, own,
                               program.index(0));
}

Value Sorter::falls(unsigned order) {
  // One block has all elements, and rises.
  bool isKnown = hasExtrema() || order == 0 || order == positionBits;
  return isKnown || isInRegisters(order) ? Value() : isSet(bits[order]);
}

uint32_t Sorter::getRegisterOrder(unsigned order) const {
  bool isKnown = hasExtrema() || order == positionBits;
  return isKnown || !isInRegisters(order) ? 0 : uint32_t(1) << bits[order].bit;
}

void Sorter::compareRegisters(unsigned bit, unsigned order) {
  uint32_t mask = uint32_t(1) << bits[bit].bit;
  Value ofThread = falls(order);
  uint32_t ofRegister = getRegisterOrder(order);
  for (uint32_t low = 0; low < count; ++low) {
    if ((low & mask) != 0)
      continue;
    uint32_t high = low | mask;
    if (hasExtrema()) {
      Value first = parts[0][low], second = parts[0][high];
      parts[0][low] = arith::MinSIOp::create(builder, loc, first, second);
      parts[0][high] = arith::MaxSIOp::create(builder, loc, first, second);
      continue;
    }
    SmallVector<Value, 2> first = getItem(parts, low),
                          second = getItem(parts, high);
    Value swaps =
        (low & ofRegister) != 0 ? isLess(first, second) : isLess(second, first);
    if (ofThread)
      swaps = arith::XOrIOp::create(builder, loc, swaps, ofThread);
    for (auto [part, a, b] : llvm::zip_equal(parts, first, second)) {
      part[low] = arith::SelectOp::create(builder, loc, swaps, b, a);
      part[high] = arith::SelectOp::create(builder, loc, swaps, a, b);
    }
  }
}

Parts Sorter::exchange(unsigned bit) {
  Parts others(parts.size());
  int64_t distance = int64_t(1) << bits[bit].bit;
  if (bits[bit].place == Place::Lane) {
    Value lanes = constant(builder.getI32Type(), distance);
    for (auto [other, part] : llvm::zip_equal(others, parts))
      for (Value own : part)
        other.push_back(program.shuffle(own, lanes, gpu::ShuffleMode::XOR));
    return others;
  }
  // Threads of other warps, by shared memory.
  int64_t threads = int64_t(1)
                    << (program.threads.lanes + program.threads.warps);
  distance <<= program.threads.lanes;
  Value own = program.getThread();
  if (program.threads.ctas != 0)
    own = arith::AndIOp::create(builder, loc, own, program.index(threads - 1));
  Value partner =
      arith::XOrIOp::create(builder, loc, own, program.index(distance));
  auto getPlace = [&](Value thread, int64_t number) {
    return program.add(thread, number * threads);
  };
  SmallVector<Value> buffers;
  for (unsigned part = 0; part < parts.size(); ++part)
    buffers.push_back(
        program.allocateBetweenBarriers(count * threads, getPartType(part)));
  if (builder.getInsertionBlock() != program.getEntry())
    program.barrier();
  for (auto [part, buffer] : llvm::zip_equal(parts, buffers))
    for (auto [number, value] : llvm::enumerate(part))
      memref::StoreOp::create(builder, loc, value, buffer,
                              getPlace(own, number));
  program.barrier();
  for (auto [other, buffer] : llvm::zip_equal(others, buffers))
    for (uint32_t number = 0; number < count; ++number)
      other.push_back(memref::LoadOp::create(builder, loc, buffer,
                                             getPlace(partner, number)));
  return others;
}

/// The upper thread takes the greater one of different elements, unless both
/// keep the lesser one.
void Sorter::compareThreads(unsigned bit, unsigned order, bool keepsLess) {
  Parts others = exchange(bit);
  Value ofThread;
  uint32_t ofRegister = 0;
  if (!keepsLess) {
    ofThread = isSet(bits[bit]);
    if (Value own = falls(order))
      ofThread = arith::XOrIOp::create(builder, loc, ofThread, own);
    ofRegister = getRegisterOrder(order);
  }
  for (uint32_t number = 0; number < count; ++number) {
    SmallVector<Value, 2> own = getItem(parts, number),
                          other = getItem(others, number);
    Value takes =
        (number & ofRegister) != 0 ? isLess(own, other) : isLess(other, own);
    if (ofThread)
      takes = arith::XOrIOp::create(builder, loc, takes, ofThread);
    for (auto [part, mine, theirs] : llvm::zip_equal(parts, own, other))
      part[number] = arith::SelectOp::create(builder, loc, takes, theirs, mine);
  }
}

void Sorter::dropBit(unsigned bit) {
  bool isRegister = isInRegisters(bit);
  if (isRegister)
    compareRegisters(bit, /*order=*/positionBits);
  else
    compareThreads(bit, /*order=*/positionBits, /*keepsLess=*/true);
  PlaceBit dropped = bits[bit];
  LinearLayout left(layout.getExtentBits());
  for (Place place : kAllPlaces)
    for (auto [number, basis] : llvm::enumerate(layout.getBases(place))) {
      SmallVector<uint32_t> own(basis);
      if (place == dropped.place && number == dropped.bit) {
        if (isRegister)
          continue;
        own[dim] = 0;
      }
      left.addBasis(place, own);
    }
  layout = left;
  if (!isRegister)
    return;
  uint32_t mask = uint32_t(1) << dropped.bit;
  for (SmallVector<Value> &part : parts) {
    SmallVector<Value> kept;
    for (auto [number, value] : llvm::enumerate(part))
      if ((number & mask) == 0)
        kept.push_back(value);
    part = kept;
  }
  count /= 2;
  for (PlaceBit &own : bits)
    if (own.place == Place::Register && own.bit > dropped.bit)
      --own.bit;
}

void Sorter::convertTo(const LinearLayout &wanted) {
  if (wanted == layout)
    return;
  for (auto [number, part] : llvm::enumerate(parts)) {
    auto type = VectorType::get({int64_t(count)}, getPartType(number));
    Value registers = convertLayout(
        program, vector::FromElementsOp::create(builder, loc, type, part),
        layout, wanted);
    for (auto [own, value] : llvm::enumerate(part))
      value = program.extract(registers, own);
  }
  layout = wanted;
}

void Sorter::moveToRegisters(unsigned bit) {
  unsigned registers = llvm::count_if(
      bits, [](const PlaceBit &own) { return own.place == Place::Register; });
  unsigned first = bit + 1 - std::min(registers, bit + 1);
  // Each takes the place of one that needs no register.
  SmallVector<PlaceBit> places = bits;
  for (unsigned own = first; own <= bit; ++own) {
    if (places[own].place == Place::Register)
      continue;
    for (unsigned other = 0; other < places.size(); ++other)
      if (places[other].place == Place::Register &&
          (other < first || other > bit)) {
        std::swap(places[own], places[other]);
        break;
      }
  }
  convertTo(placeBits(layout, dim, places));
  bits = places;
}

void Sorter::complement(ArrayRef<unsigned> orders) {
  if (!hasExtrema())
    return;
  Value turns; // by thread
  uint32_t mask = 0;
  for (unsigned order : orders) {
    // One block has all elements, and rises.
    if (order == 0 || order == positionBits)
      continue;
    if (isInRegisters(order)) {
      mask ^= uint32_t(1) << bits[order].bit;
      continue;
    }
    Value own = isSet(bits[order]);
    turns = turns ? arith::XOrIOp::create(builder, loc, turns, own) : own;
  }
  if (!turns && mask == 0)
    return;
  for (auto [number, part] : llvm::enumerate(parts)) {
    Type type = getPartType(number);
    Value ofThread =
        turns ? arith::ExtSIOp::create(builder, loc, type, turns).getResult()
              : Value();
    for (uint32_t own = 0; own < count; ++own) {
      if (ofThread)
        part[own] = arith::XOrIOp::create(builder, loc, part[own], ofThread);
      if (llvm::popcount(own & mask) % 2 != 0)
        part[own] =
            arith::XOrIOp::create(builder, loc, part[own], constant(type, -1));
    }
  }
}

void Sorter::merge(unsigned phase) {
  complement({phase - 1, phase});
  for (unsigned bit = phase; bit-- != 0;) {
    if (isInRegisters(bit)) {
      compareRegisters(bit, phase);
      continue;
    }
    unsigned run = 0;
    while (run <= bit && bits[bit - run].place == Place::Lane)
      ++run;
    bool isShort = run != 0 && run <= kMostShuffles &&
                   (run > bit || isInRegisters(bit - run));
    bool hasRegisters = llvm::any_of(
        bits, [](const PlaceBit &own) { return own.place == Place::Register; });
    if (!isShort && hasRegisters)
      moveToRegisters(bit);
    if (isInRegisters(bit))
      compareRegisters(bit, phase);
    else
      compareThreads(bit, phase);
  }
}

SmallVector<Value> Sorter::run(Value key, ValueRange values) {
  readKeys(key);
  // Any blocks do, where few of their elements are left: those in registers,
  // unless few bits are others'. Measured on an H200, the first 64 of 128256
  // f32 take 315 us so in place of 351, and the first 8, of which one bit is a
  // lane's, 134 otherwise in place of 173.
  unsigned others = llvm::count_if(
      ArrayRef(bits).take_front(firstBits),
      [](const PlaceBit &own) { return own.place != Place::Register; });
  if (firstBits != positionBits && others > kMostShuffles) {
    llvm::sort(bits, [](const PlaceBit &a, const PlaceBit &b) {
      return std::pair(a.place, a.bit) < std::pair(b.place, b.bit);
    });
    layout = placeBits(layout, dim, bits);
  }
  for (unsigned phase = 1; phase <= firstBits; ++phase)
    merge(phase);
  LinearLayout results = getFirstLayout(original, dim, firstBits);
  if (firstBits == positionBits) {
    convertTo(original);
  } else {
    // Layouts of low bits depend on the places alone.
    convertTo(gatherLowBits(original, dim, firstBits));
    bits = findBits(layout);
    for (unsigned phase = firstBits + 1; phase <= positionBits; ++phase) {
      complement({phase - 1});
      dropBit(phase - 1);
      complement({phase});
      for (unsigned bit = firstBits; bit-- != 0;)
        if (isInRegisters(bit))
          compareRegisters(bit, phase);
        else
          compareThreads(bit, phase);
    }
  }
  SmallVector<Value> positions = getPositions();
  SmallVector<Value> all = {vector::FromElementsOp::create(
      builder, loc,
      VectorType::get({int64_t(positions.size())}, builder.getI32Type()),
      positions)};
  for (Value value : values)
    all.push_back(gather(value, results, positions));
  return all;
}

SmallVector<Value> carousel::sortVectors(ThreadProgram &program, SortOp op,
                                         const LinearLayout &layout, Value key,
                                         ValueRange values) {
  return Sorter(program, op, layout).run(key, values);
}
