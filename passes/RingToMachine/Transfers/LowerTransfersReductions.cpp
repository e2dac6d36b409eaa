//===- LowerTransfersReductions.cpp - reductions by threads ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers reductions of transfers without an engine. They are atomic, element by
// element. If no other access reaches the box, they load, combine and store
// instead. Results equal those of the engines' reductions, except for subnormal
// f32 numbers, which bulk copies flush.
//
//===----------------------------------------------------------------------===//

#include "LowerTransfers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace carousel;

ReductionAttr carousel::getReduction(TransferOpInterface op) {
  if (auto load = dyn_cast<RingLoadOp>(op.getOperation()))
    return load.getReduceAttr();
  return cast<RingStoreOp>(op.getOperation()).getReduceAttr();
}

/// How memref.atomic_rmw spells a reduction; nothing if it can't.
static std::optional<arith::AtomicRMWKind> getAtomicKind(ReductionAttr reduce,
                                                         Type element) {
  bool isFloat = isa<FloatType>(element);
  bool isSigned = reduce.getType() == ReduceType::S32 ||
                  reduce.getType() == ReduceType::S64;
  switch (reduce.getKind()) {
  case ReduceKind::Add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case ReduceKind::Min:
    if (isFloat)
      return arith::AtomicRMWKind::minnumf;
    return isSigned ? arith::AtomicRMWKind::mins : arith::AtomicRMWKind::minu;
  case ReduceKind::Max:
    if (isFloat)
      return arith::AtomicRMWKind::maxnumf;
    return isSigned ? arith::AtomicRMWKind::maxs : arith::AtomicRMWKind::maxu;
  case ReduceKind::And:
    return arith::AtomicRMWKind::andi;
  case ReduceKind::Or:
    return arith::AtomicRMWKind::ori;
  case ReduceKind::Xor:
    return arith::AtomicRMWKind::xori;
  case ReduceKind::Inc:
  case ReduceKind::Dec:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are handled");
}

/// Increment up to a bound and decrement from it, as PTX wraps them: no kind of
/// memref.atomic_rmw does.
static Value createWrapped(ImplicitLocOpBuilder &b, ReduceKind kind, Value old,
                           Value bound) {
  auto constant = [&](int64_t value) -> Value {
    auto attr = b.getIntegerAttr(getElementTypeOrSelf(bound.getType()), value);
    if (auto vector = dyn_cast<VectorType>(bound.getType()))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, attr));
    return arith::ConstantOp::create(b, attr);
  };
  Value zero = constant(0), one = constant(1);
  Value next, wraps, wrapped;
  if (kind == ReduceKind::Inc) {
    next = arith::AddIOp::create(b, old, one);
    wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, old, bound);
    wrapped = zero;
  } else {
    next = arith::SubIOp::create(b, old, one);
    wraps = arith::OrIOp::create(
        b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, old, zero),
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, old, bound));
    wrapped = bound;
  }
  return arith::SelectOp::create(b, wraps, wrapped, next);
}

void carousel::createAtomicReduction(ImplicitLocOpBuilder &b,
                                     ReductionAttr reduce, Value value,
                                     Value memref, ValueRange indices) {
  if (std::optional<arith::AtomicRMWKind> kind =
          getAtomicKind(reduce, value.getType())) {
    memref::AtomicRMWOp::create(b, *kind, value, memref, indices);
    return;
  }
  auto update = memref::GenericAtomicRMWOp::create(b, memref, indices);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(update.getBody());
  memref::AtomicYieldOp::create(
      b, createWrapped(b, reduce.getKind(), update.getCurrentValue(), value));
}

/// f32, or a vector of it, for elements of fewer bits. The sum of two of them
/// has few enough digits that rounding it twice gives what rounding it once
/// does.
static Type getWide(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() >= 32)
    return type;
  Type wide = Float32Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(wide);
  return wide;
}

static Value createWide(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                        function_ref<Value(Value, Value)> combine) {
  Type type = lhs.getType(), wide = getWide(type);
  if (wide == type)
    return combine(lhs, rhs);
  Value result = combine(arith::ExtFOp::create(b, wide, lhs),
                         arith::ExtFOp::create(b, wide, rhs));
  return arith::TruncFOp::create(b, type, result);
}

Value carousel::createCombined(ImplicitLocOpBuilder &b, ReductionAttr reduce,
                               Value lhs, Value rhs) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(lhs.getType()));
  bool isSigned = reduce.getType() == ReduceType::S32 ||
                  reduce.getType() == ReduceType::S64;
  switch (reduce.getKind()) {
  case ReduceKind::Add:
    if (!isFloat)
      return arith::AddIOp::create(b, lhs, rhs);
    return createWide(b, lhs, rhs, [&](Value l, Value r) -> Value {
      return arith::AddFOp::create(b, l, r);
    });
  case ReduceKind::Min:
    if (isFloat)
      return createWide(b, lhs, rhs, [&](Value l, Value r) -> Value {
        return arith::MinNumFOp::create(b, l, r);
      });
    if (isSigned)
      return arith::MinSIOp::create(b, lhs, rhs);
    return arith::MinUIOp::create(b, lhs, rhs);
  case ReduceKind::Max:
    if (isFloat)
      return createWide(b, lhs, rhs, [&](Value l, Value r) -> Value {
        return arith::MaxNumFOp::create(b, l, r);
      });
    if (isSigned)
      return arith::MaxSIOp::create(b, lhs, rhs);
    return arith::MaxUIOp::create(b, lhs, rhs);
  case ReduceKind::And:
    return arith::AndIOp::create(b, lhs, rhs);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, lhs, rhs);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, lhs, rhs);
  case ReduceKind::Inc:
  case ReduceKind::Dec:
    return createWrapped(b, reduce.getKind(), lhs, rhs);
  }
  llvm_unreachable("all kinds are handled");
}
