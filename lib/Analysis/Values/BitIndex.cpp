//===- BitIndex.cpp - indices as linear maps of bits ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BitIndex.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/BitIndex.h"

#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

uint32_t BitIndex::getVariable() const {
  uint32_t bits = 0;
  for (unsigned bit = 0; bit < kBits; ++bit)
    if (rows[bit] != 0)
      bits |= 1u << bit;
  return bits;
}

BitIndex BitIndex::operator^(const BitIndex &other) const {
  BitIndex result = *this;
  for (unsigned bit = 0; bit < kBits; ++bit)
    result.rows[bit] ^= other.rows[bit];
  result.constant ^= other.constant;
  result.isPermuted |= other.isPermuted;
  return result;
}

BitIndex BitIndex::operator&(uint32_t mask) const {
  BitIndex result = *this;
  for (unsigned bit = 0; bit < kBits; ++bit)
    if (!(mask >> bit & 1))
      result.rows[bit] = 0;
  result.constant &= mask;
  return result;
}

std::optional<BitIndex> BitIndex::shift(int bits) const {
  BitIndex result;
  result.isPermuted = isPermuted;
  for (int bit = 0; bit < int(kBits); ++bit) {
    bool isOne = constant >> bit & 1;
    if ((rows[bit] == 0 && !isOne) || bit + bits < 0)
      continue;
    if (bit + bits >= int(kBits))
      return std::nullopt;
    result.rows[bit + bits] = rows[bit];
    result.constant |= uint32_t(isOne) << (bit + bits);
  }
  return result;
}

/// The exponent of a constant power of two.
static std::optional<int> getExponent(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || !number.isPowerOf2() ||
      number.logBase2() >= BitIndex::kBits)
    return std::nullopt;
  return number.logBase2();
}

static std::optional<uint32_t> getNumber(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      number.getActiveBits() > BitIndex::kBits)
    return std::nullopt;
  return uint32_t(number.getZExtValue());
}

/// Whether the bits of an index follow from those of operands: of its first
/// one, and a constant, if it isn't a sum.
static bool isOfBits(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op))
    return true;
  return isa<arith::AndIOp, arith::ShLIOp, arith::ShRUIOp, arith::MulIOp,
             arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
             arith::RemUIOp, arith::RemSIOp>(op) &&
         getNumber(op->getOperand(1));
}

std::optional<BitIndex> BitIndices::get(Value value) {
  return known.get(value, isOfBits, [&](Value inner) {
    std::optional<BitIndex> index = compute(inner);
    return index ? index : makeSource(inner);
  });
}

/// The largest number that a value may be, or nullopt.
static std::optional<uint64_t> getLargest(Value value, IndexRanges &ranges) {
  if (auto id = value.getDefiningOp<gpu::ThreadIdOp>()) {
    auto kernel = id->getParentOfType<gpu::GPUFuncOp>();
    auto block = kernel ? getKnownBlock(kernel) : std::nullopt;
    return (block ? (*block)[unsigned(id.getDimension())]
                  : rules::kMaxThreadsPerBlock) -
           1;
  }
  IntegerValueRange range = ranges.get(value);
  if (range.isUninitialized() || range.getValue().umax().getActiveBits() > 63)
    return std::nullopt;
  return range.getValue().umax().getZExtValue();
}

/// The bits of a value that isn't followed, if it has few.
std::optional<BitIndex> BitIndices::makeSource(Value value) {
  constexpr unsigned kMostBits = 16;
  std::optional<uint64_t> largest = getLargest(value, ranges);
  unsigned bits = largest ? llvm::bit_width(*largest) : kMostBits + 1;
  if (bits > kMostBits || sources.size() + bits > 64)
    return std::nullopt;
  BitIndex index;
  for (unsigned bit = 0; bit < bits; ++bit) {
    index.rows[bit] = uint64_t(1) << sources.size();
    sources.emplace_back(value, bit);
  }
  return index;
}

std::optional<BitIndex> BitIndices::compute(Value value) {
  if (std::optional<uint32_t> number = getNumber(value)) {
    BitIndex index;
    index.constant = *number;
    return index;
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() == 0)
    return std::nullopt;
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    std::optional<BitIndex> lhs = get(op->getOperand(0)),
                            rhs = get(op->getOperand(1));
    bool permutes = isa<arith::XOrIOp>(op);
    if (!lhs || !rhs ||
        (!permutes && (lhs->getPossible() & rhs->getPossible()) != 0))
      return std::nullopt;
    BitIndex index = *lhs ^ *rhs;
    index.isPermuted |= permutes;
    return index;
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return get(op->getOperand(0));
  if (isa<arith::AndIOp>(op)) {
    std::optional<uint32_t> mask = getNumber(op->getOperand(1));
    std::optional<BitIndex> from = mask ? get(op->getOperand(0)) : std::nullopt;
    return from ? std::optional(*from & *mask) : std::nullopt;
  }
  if (isa<arith::ShLIOp, arith::ShRUIOp>(op)) {
    std::optional<uint32_t> bits = getNumber(op->getOperand(1));
    std::optional<BitIndex> from =
        bits && *bits < BitIndex::kBits ? get(op->getOperand(0)) : std::nullopt;
    return from ? from->shift(isa<arith::ShLIOp>(op) ? int(*bits) : -int(*bits))
                : std::nullopt;
  }
  // By a power of two, the same for numbers that aren't negative.
  bool multiplies = isa<arith::MulIOp>(op),
       divides = isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op),
       takesRest = isa<arith::RemUIOp, arith::RemSIOp>(op);
  if (!multiplies && !divides && !takesRest)
    return std::nullopt;
  std::optional<int> exponent = getExponent(op->getOperand(1));
  std::optional<BitIndex> from =
      exponent ? get(op->getOperand(0)) : std::nullopt;
  if (!from)
    return std::nullopt;
  if (takesRest)
    return *from & ((1u << *exponent) - 1);
  return from->shift(multiplies ? *exponent : -*exponent);
}

std::optional<BitIndex> BitIndices::linearize(ValueRange indices,
                                              ArrayRef<int64_t> extents) {
  BitIndex place;
  for (auto [index, extent] : llvm::zip_equal(indices, extents)) {
    std::optional<BitIndex> of = get(index);
    if (!of || !llvm::isPowerOf2_64(extent))
      return std::nullopt;
    std::optional<BitIndex> outer = place.shift(llvm::Log2_64(extent));
    if (!outer || (outer->getPossible() & of->getPossible()) != 0)
      return std::nullopt;
    place = *outer ^ *of;
  }
  return place;
}

SmallVector<BitTerm> BitIndices::getTerms(const BitIndex &index) const {
  llvm::MapVector<std::pair<Value, int>, uint64_t> masks;
  for (unsigned bit = 0; bit < BitIndex::kBits; ++bit)
    for (uint64_t rest = index.rows[bit]; rest != 0; rest &= rest - 1) {
      auto [source, number] = sources[llvm::countr_zero(rest)];
      masks[{source, int(bit) - int(number)}] |= uint64_t(1) << number;
    }
  SmallVector<BitTerm> terms;
  for (auto &[term, mask] : masks)
    terms.push_back({term.first, mask, term.second});
  return terms;
}
