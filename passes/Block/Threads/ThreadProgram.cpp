//===- ThreadProgram.cpp - what a thread does for the CTA -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ThreadProgram.h.
//
//===----------------------------------------------------------------------===//

#include "ThreadProgram.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

/// The numbers that the bits of a thread select in a dimension.
//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//
static std::vector<uint32_t> getThreadNumbers(const LinearLayout &layout,
                                              unsigned dim) {
  std::vector<uint32_t> numbers;
  for (Place place : {Place::Lane, Place::Warp, Place::CTA})
    for (const auto &basis : layout.getBases(place))
      numbers.push_back(basis[dim]);
  return numbers;
}

uint32_t carousel::getFreeThreadBits(const LinearLayout &layout) {
  unsigned lanes = layout.getNumBits(Place::Lane);
  unsigned warps = layout.getNumBits(Place::Warp);
  return layout.getFreeBits(Place::Lane) |
         layout.getFreeBits(Place::Warp) << lanes |
         layout.getFreeBits(Place::CTA) << (lanes + warps);
}

VectorType carousel::getThreadType(Type vector, const LinearLayout &layout) {
  return VectorType::get({countRegisters(layout)},
                         cast<VectorType>(vector).getElementType());
}

/// Whether a thread's part of a coordinate has no bit in common with any
/// register's, so that they add.
static bool isDisjoint(const LinearLayout &layout, unsigned dim) {
  uint32_t ofThreads = 0, ofRegisters = 0;
  for (uint32_t number : getThreadNumbers(layout, dim))
    ofThreads |= number;
  for (const auto &basis : layout.getBases(Place::Register))
    ofRegisters |= basis[dim];
  return (ofThreads & ofRegisters) == 0;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ThreadProgram::ThreadProgram(OpBuilder &builder, Location loc,
                             ThreadBits threads)
    : builder(builder), loc(loc), threads(threads),
      entry(builder.getInsertionBlock()) {
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  if (threads.ctas != 0) {
    // CTAs of a cluster follow each other in the grid.
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    Value rank = arith::AndIOp::create(builder, loc, block,
                                       index((int64_t(1) << threads.ctas) - 1));
    Value before = arith::MulIOp::create(
        builder, loc, rank,
        index(int64_t(1) << (threads.lanes + threads.warps)));
    thread = arith::AddIOp::create(builder, loc, before, thread);
  }
  last = thread.getDefiningOp();
}

/// Writes behind what is at the entry already.
template <typename Write> Value ThreadProgram::atEntry(Write write) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(last);
  Value value = write();
  last = value.getDefiningOp();
  return value;
}

Value ThreadProgram::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value ThreadProgram::constant(Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(vector, Attribute(element)));
  return arith::ConstantOp::create(builder, loc, element);
}

Value ThreadProgram::add(Value value, int64_t constant) {
  return constant == 0
             ? value
             : arith::AddIOp::create(builder, loc, value, index(constant));
}

Value ThreadProgram::isFirstCopy(const LinearLayout &layout) {
  return areZero(getFreeThreadBits(layout));
}

Value ThreadProgram::isFirstCopyOfCTA(const LinearLayout &layout) {
  uint32_t ofCTA = (1u << (threads.lanes + threads.warps)) - 1;
  return areZero(getFreeThreadBits(layout) & ofCTA);
}

Value ThreadProgram::areZero(uint32_t mask) {
  if (mask == 0)
    return nullptr;
  Value &known = firstCopies[mask];
  if (!known)
    known = atEntry([&] {
      Value bits = arith::AndIOp::create(builder, loc, thread, index(mask));
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits,
                                   index(0));
    });
  return known;
}

/// Runs of bits that select consecutive powers of two are moved together.
Value ThreadProgram::computeCoordinate(ArrayRef<uint32_t> numbers) {
  Value sum;
  uint32_t seen = 0;
  auto addTerm = [&](Value term, uint32_t bits) {
    if (!sum)
      sum = term;
    else if ((seen & bits) == 0)
      sum = arith::AddIOp::create(builder, loc, sum, term);
    else
      sum = arith::XOrIOp::create(builder, loc, sum, term);
    seen |= bits;
  };
  for (size_t bit = 0; bit < numbers.size();) {
    uint32_t number = numbers[bit];
    if (number == 0) {
      ++bit;
      continue;
    }
    size_t length = 1;
    if (llvm::isPowerOf2_32(number))
      while (bit + length < numbers.size() &&
             numbers[bit + length] == number << length)
        ++length;
    Value own = thread;
    if (bit != 0)
      own = arith::ShRUIOp::create(builder, loc, own, index(bit));
    // The thread has no bits above those of the layout.
    if (bit + length < numbers.size())
      own = arith::AndIOp::create(builder, loc, own,
                                  index((int64_t(1) << length) - 1));
    if (number != 1)
      own = arith::MulIOp::create(builder, loc, own, index(number));
    addTerm(own, number * ((1u << length) - 1));
    bit += length;
  }
  return sum ? sum : index(0);
}

Value ThreadProgram::getCoordinate(const LinearLayout &layout, unsigned dim) {
  std::vector<uint32_t> numbers = getThreadNumbers(layout, dim);
  Value &known = coordinates[numbers];
  if (!known)
    known = atEntry([&] { return computeCoordinate(numbers); });
  return known;
}

Value ThreadProgram::getCoordinate(const LinearLayout &layout, unsigned dim,
                                   uint32_t number) {
  Value ofThread = getCoordinate(layout, dim);
  uint32_t own = getRegisterCoordinates(layout, number)[dim];
  if (own == 0 || isDisjoint(layout, dim))
    return add(ofThread, own);
  return arith::XOrIOp::create(builder, loc, ofThread, index(own));
}

Value ThreadProgram::getCoordinates(const LinearLayout &layout, unsigned dim) {
  SmallVector<Attribute> own;
  for (uint32_t number = 0; number < countRegisters(layout); ++number)
    own.push_back(
        builder.getIndexAttr(getRegisterCoordinates(layout, number)[dim]));
  auto type = VectorType::get({countRegisters(layout)}, builder.getIndexType());
  Value ofRegisters = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, own));
  Value ofThread = vector::BroadcastOp::create(builder, loc, type,
                                               getCoordinate(layout, dim));
  if (isDisjoint(layout, dim))
    return arith::AddIOp::create(builder, loc, ofThread, ofRegisters);
  return arith::XOrIOp::create(builder, loc, ofThread, ofRegisters);
}

/// The number that all indices are copies of.
static std::optional<int64_t> findCopied(Value indices) {
  if (auto copies = indices.getDefiningOp<vector::BroadcastOp>())
    indices = copies.getSource();
  APInt number;
  if (!matchPattern(indices, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// The result of a comparison of all numbers from `least` to `most`, if that is
/// one.
static std::optional<bool> compareRange(arith::CmpIPredicate predicate,
                                        int64_t least, int64_t most,
                                        int64_t other) {
  auto compare = [&](int64_t number) {
    return arith::applyCmpPredicate(predicate, APInt(64, number, true),
                                    APInt(64, other, true));
  };
  // Only equality may hold in the middle of a range alone.
  bool isEquality = predicate == arith::CmpIPredicate::eq ||
                    predicate == arith::CmpIPredicate::ne;
  if (compare(least) != compare(most) ||
      (isEquality && least <= other && other <= most && least != most))
    return std::nullopt;
  return compare(least);
}

static uint32_t getThreadMask(const LinearLayout &layout, unsigned dim) {
  uint32_t mask = 0;
  for (uint32_t number : getThreadNumbers(layout, dim))
    mask |= number;
  return mask;
}

/// A register's part of coordinates, for comparisons with a number: neighbours
/// that compare alike have one, where the number and the threads' parts are
/// multiples of their count.
static uint32_t getComparedPart(const LinearLayout &layout, unsigned dim,
                                uint32_t number, arith::CmpIPredicate predicate,
                                std::optional<int64_t> other) {
  uint32_t own = getRegisterCoordinates(layout, number)[dim];
  bool isOfMultiples = predicate == arith::CmpIPredicate::slt ||
                       predicate == arith::CmpIPredicate::sge;
  if (!isOfMultiples || !other || *other <= 0)
    return own;
  uint64_t bits = uint64_t(*other) | getThreadMask(layout, dim);
  return own & ~((bits & -bits) - 1);
}

std::optional<bool> carousel::compareRegister(const LinearLayout &layout,
                                              unsigned dim, uint32_t number,
                                              arith::CmpIPredicate predicate,
                                              int64_t other) {
  if (!isDisjoint(layout, dim))
    return std::nullopt;
  uint32_t own = getComparedPart(layout, dim, number, predicate, other);
  return compareRange(predicate, own, own + getThreadMask(layout, dim), other);
}

/// The thread's part goes to the other side. The difference is clamped to
/// numbers that compare alike with all coordinates, which are below 2^20. Where
/// indices are copies, so are the differences.
Value ThreadProgram::compareCoordinates(const LinearLayout &layout,
                                        unsigned dim,
                                        arith::CmpIPredicate predicate,
                                        Value indices) {
  if (!isDisjoint(layout, dim))
    return arith::CmpIOp::create(builder, loc, predicate,
                                 getCoordinates(layout, dim), indices);
  SmallVector<std::optional<bool>> known(countRegisters(layout));
  std::optional<int64_t> other = findCopied(indices);
  if (other)
    for (auto [number, result] : llvm::enumerate(known))
      result = compareRegister(layout, dim, number, predicate, *other);
  auto bits = VectorType::get({countRegisters(layout)}, builder.getI1Type());
  auto isKnown = [](std::optional<bool> result) { return result.has_value(); };
  if (llvm::all_of(known, isKnown)) {
    SmallVector<bool> results = llvm::map_to_vector(
        known, [](std::optional<bool> result) { return *result; });
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(bits, results));
  }
  auto wide = cast<VectorType>(indices.getType());
  auto narrow = wide.clone(builder.getI32Type());
  auto limit = [&](int64_t number) {
    return constant(wide, builder.getIndexAttr(number));
  };
  Value ofThread = vector::BroadcastOp::create(builder, loc, wide,
                                               getCoordinate(layout, dim));
  Value rest = arith::SubIOp::create(builder, loc, indices, ofThread);
  rest = arith::MaxSIOp::create(builder, loc, rest, limit(-1));
  rest = arith::MinSIOp::create(builder, loc, rest,
                                limit(std::numeric_limits<int32_t>::max()));
  rest = arith::IndexCastOp::create(builder, loc, narrow, rest);
  SmallVector<Attribute> own;
  for (uint32_t number = 0; number < countRegisters(layout); ++number)
    own.push_back(builder.getI32IntegerAttr(
        getComparedPart(layout, dim, number, predicate, other)));
  Value ofRegisters = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(narrow, own));
  Value results =
      arith::CmpIOp::create(builder, loc, predicate, ofRegisters, rest);
  if (llvm::none_of(known, isKnown))
    return results;
  SmallVector<Value> elements;
  for (auto [number, result] : llvm::enumerate(known))
    elements.push_back(result ? arith::ConstantOp::create(
                                    builder, loc, builder.getBoolAttr(*result))
                                    .getResult()
                              : extract(results, number));
  return vector::FromElementsOp::create(builder, loc, bits, elements);
}

Value ThreadProgram::compareCoordinatesWith(const LinearLayout &layout,
                                            unsigned dim,
                                            arith::CmpIPredicate predicate,
                                            Value other) {
  auto type = VectorType::get({countRegisters(layout)}, builder.getIndexType());
  Value copies = vector::BroadcastOp::create(builder, loc, type, other);
  return compareCoordinates(layout, dim, predicate, copies);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Value ThreadProgram::select(Value registers, ArrayRef<int64_t> numbers) {
  auto type = cast<VectorType>(registers.getType());
  bool isSame = int64_t(numbers.size()) == type.getNumElements();
  for (auto [number, source] : llvm::enumerate(numbers))
    isSame &= int64_t(number) == source;
  if (isSame)
    return registers;
  if (llvm::all_equal(numbers) && numbers.size() > 1)
    return vector::BroadcastOp::create(
        builder, loc,
        VectorType::get({int64_t(numbers.size())}, type.getElementType()),
        extract(registers, numbers.front()));
  return vector::ShuffleOp::create(builder, loc, registers, registers, numbers);
}

Value ThreadProgram::replace(Value registers, Value part, int64_t first) {
  if (part.getType() == registers.getType())
    return part;
  return vector::InsertStridedSliceOp::create(builder, loc, part, registers,
                                              ArrayRef<int64_t>(first),
                                              ArrayRef<int64_t>(1));
}

Value ThreadProgram::extract(Value registers, int64_t number) {
  return vector::ExtractOp::create(builder, loc, registers, number);
}

/// An access is aligned to its own size, up to the largest of a thread.
static llvm::MaybeAlign getAlignment(VectorType type) {
  Type element = type.getElementType();
  int64_t bytes = element.isIndex()
                      ? 8
                      : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  int64_t all = bytes * type.getNumElements();
  return llvm::Align(std::min<int64_t>(all & -all, rules::kBulkGranule));
}

Value ThreadProgram::load(VectorType type, Value memref, ValueRange indices,
                          bool once) {
  if (type.getNumElements() == 1) {
    Value element = memref::LoadOp::create(builder, loc, memref, indices, once);
    return vector::BroadcastOp::create(builder, loc, type, element);
  }
  return vector::LoadOp::create(builder, loc, type, memref, indices, once,
                                getAlignment(type));
}

void ThreadProgram::store(Value registers, Value memref, ValueRange indices) {
  if (cast<VectorType>(registers.getType()).getNumElements() == 1) {
    memref::StoreOp::create(builder, loc, extract(registers, 0), memref,
                            indices);
    return;
  }
  vector::StoreOp::create(builder, loc, registers, memref, indices,
                          /*nontemporal=*/false,
                          getAlignment(cast<VectorType>(registers.getType())));
}

//===----------------------------------------------------------------------===//
// The CTA
//===----------------------------------------------------------------------===//

Value ThreadProgram::shuffle(Value element, Value lane, gpu::ShuffleMode mode) {
  Type type = element.getType();
  if (type.isIndex())
    element =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), element);
  else if (type.isInteger(1))
    element =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), element);
  Value width = arith::ConstantIntOp::create(
      builder, loc, int64_t(1) << threads.lanes, /*width=*/32);
  element = gpu::ShuffleOp::create(builder, loc, element, lane, width, mode)
                .getShuffleResult();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, element);
  if (type.isInteger(1))
    return arith::TruncIOp::create(builder, loc, type, element);
  return element;
}

Value ThreadProgram::allocate(ArrayRef<int64_t> extents, Type element) {
  auto type =
      MemRefType::get(extents, element, MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(builder.getContext(),
                                                 gpu::AddressSpace::Workgroup));
  return atEntry([&]() -> Value {
    return memref::AllocOp::create(builder, loc, type, ValueRange(),
                                   builder.getI64IntegerAttr(16));
  });
}

Value ThreadProgram::allocateBetweenBarriers(int64_t elements, Type element) {
  Block *block = builder.getInsertionBlock();
  if (block == entry)
    return allocate(elements, element);
  Operation *outermost = entry->findAncestorOpInBlock(*block->getParentOp());
  Value &known =
      betweenBarriers[{outermost, VectorType::get(elements, element)}];
  if (!known)
    known = allocate(elements, element);
  return known;
}

void ThreadProgram::barrier() { gpu::BarrierOp::create(builder, loc); }

Value ThreadProgram::bothHold(Value first, Value second) {
  if (!first || !second)
    return first ? first : second;
  return arith::AndIOp::create(builder, loc, first, second);
}

void ThreadProgram::runIf(Value condition, function_ref<void()> write) {
  if (!condition)
    return write();
  auto branch = scf::IfOp::create(builder, loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  write();
}
