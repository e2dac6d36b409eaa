//===- SplitAddresses.cpp - a thread's address, and constants -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a swizzled tile that a thread accesses differ by constants,
// but the indices are exclusive ors, of which LLVM makes an address each, and
// hoists it out of loops: a thread with 128 stores has no registers left. Here
// they become few addresses, and the rest of each is a constant, which is part
// of an instruction.
//
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"

#include "carousel/Analysis/Values/BitIndex.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <set>
#include <vector>

using namespace mlir;
using namespace carousel;

namespace {

/// An access, and the place of its first element in the tile.
struct Access {
  Operation *op;
  BitIndex place;

  /// The part of the constant that no sum adds.
  uint32_t getFlipped() const { return place.constant & place.getVariable(); }
  uint32_t getAdded() const { return place.constant & ~place.getVariable(); }
};

class AddressSplitter {
public:
  explicit AddressSplitter(Operation *root) : dominance(root) {}

  /// Reads an access of a tile; returns its memref if it counts.
  Value read(Operation *op, Access &access);
  /// Rewrites accesses of one memref, if that leaves few addresses.
  unsigned split(Value memref, ArrayRef<Access> accesses);

private:
  /// A thread's place, and what is flipped of it.
  using Base = std::pair<std::array<uint64_t, BitIndex::kBits>, uint32_t>;

  Value createBase(const Access &access);
  void rewrite(const Access &access, Value flat, Value base);

  BitIndices indices;
  DominanceInfo dominance;
  std::map<Base, Value> bases;
};

} // namespace

/// The operands that are the indices of an access of elements in order.
static OperandRange getIndices(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperandRange>(op)
      .Case<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(
          [](auto access) { return access.getIndices(); });
}

static Value getMemRef(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<memref::LoadOp, memref::StoreOp>(
          [](auto access) { return access.getMemRef(); })
      .Case<vector::LoadOp, vector::StoreOp>(
          [](auto access) { return access.getBase(); })
      .Default(Value());
}

Value AddressSplitter::read(Operation *op, Access &access) {
  Value memref = getMemRef(op);
  auto type = memref ? dyn_cast<MemRefType>(memref.getType()) : MemRefType();
  if (!type || !isSharedMemRef(type) || !type.hasStaticShape() ||
      !type.getLayout().isIdentity() || type.getRank() == 0)
    return {};
  std::optional<BitIndex> place =
      indices.linearize(getIndices(op), type.getShape());
  if (!place || !place->isPermuted)
    return {};
  access = {op, *place};
  return memref;
}

/// Where the last of its sources is computed.
Value AddressSplitter::createBase(const Access &access) {
  Base key = {access.place.rows, access.getFlipped()};
  Value &base = bases[key];
  if (base)
    return base;
  SmallVector<BitTerm> terms = indices.getTerms(access.place);
  Value last = terms.front().source;
  for (const BitTerm &term : terms) {
    auto argument = dyn_cast<BlockArgument>(term.source);
    Operation *from =
        argument ? &argument.getOwner()->front() : term.source.getDefiningOp();
    if (dominance.properlyDominates(last, from))
      last = term.source;
  }
  ImplicitLocOpBuilder b(access.op->getLoc(), access.op->getContext());
  b.setInsertionPointAfterValue(last);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  for (const BitTerm &term : terms) {
    Value bits = term.source;
    if (!bits.getType().isIndex())
      bits = arith::IndexCastUIOp::create(b, b.getIndexType(), bits);
    bits = arith::AndIOp::create(b, bits, constant(term.mask));
    if (term.shift > 0)
      bits = arith::ShLIOp::create(b, bits, constant(term.shift));
    else if (term.shift < 0)
      bits = arith::ShRUIOp::create(b, bits, constant(-term.shift));
    base = base ? arith::XOrIOp::create(b, base, bits) : bits;
  }
  if (uint32_t flipped = access.getFlipped())
    base = arith::XOrIOp::create(b, base, constant(flipped));
  return base;
}

void AddressSplitter::rewrite(const Access &access, Value flat, Value base) {
  ImplicitLocOpBuilder b(access.op->getLoc(), access.op);
  Value place = base;
  if (uint32_t added = access.getAdded())
    place = arith::AddIOp::create(
        b, base, arith::ConstantIndexOp::create(b, added),
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
  llvm::TypeSwitch<Operation *>(access.op)
      .Case<memref::LoadOp, memref::StoreOp>([&](auto op) {
        op.getMemrefMutable().assign(flat);
        op.getIndicesMutable().assign(place);
      })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto op) {
        op.getBaseMutable().assign(flat);
        op.getIndicesMutable().assign(place);
      });
}

unsigned AddressSplitter::split(Value memref, ArrayRef<Access> accesses) {
  // Fewer accesses leave registers enough; the others are as they were.
  constexpr size_t kFewest = 8, kOfEachBase = 4;
  std::set<Base> own;
  for (const Access &access : accesses)
    own.insert({access.place.rows, access.getFlipped()});
  if (accesses.size() < kFewest || accesses.size() < kOfEachBase * own.size())
    return 0;
  auto type = cast<MemRefType>(memref.getType());
  OpBuilder builder(memref.getContext());
  builder.setInsertionPointAfterValue(memref);
  Value flat = memref;
  if (type.getRank() > 1) {
    int64_t elements = type.getNumElements();
    auto line = MemRefType::get({elements}, type.getElementType(), nullptr,
                                type.getMemorySpace());
    flat = memref::ReinterpretCastOp::create(
        builder, memref.getLoc(), line, memref, /*offset=*/0,
        ArrayRef<int64_t>{elements}, ArrayRef<int64_t>{1});
  }
  for (const Access &access : accesses)
    rewrite(access, flat, createBase(access));
  return accesses.size();
}

unsigned carousel::splitAddresses(Operation *root) {
  AddressSplitter splitter(root);
  llvm::MapVector<Value, std::vector<Access>> tiles;
  root->walk([&](Operation *op) {
    Access access;
    if (Value memref = splitter.read(op, access))
      tiles[memref].push_back(access);
  });
  unsigned count = 0;
  for (auto &[memref, accesses] : tiles)
    count += splitter.split(memref, accesses);
  return count;
}
