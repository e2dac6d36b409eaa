//===- ValueAccess.cpp - loops over elements ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace carousel::sim;

Value carousel::sim::createIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value carousel::sim::addConstant(ImplicitLocOpBuilder &b, Value value,
                                 int64_t constant) {
  if (constant == 0)
    return value;
  return arith::AddIOp::create(b, value, createIndex(b, constant));
}

Value carousel::sim::scale(ImplicitLocOpBuilder &b, Value value,
                           int64_t factor) {
  if (factor == 1)
    return value;
  return arith::MulIOp::create(b, value, createIndex(b, factor));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Tells instrumentMemory that the loop ends by itself. Its iterations are no
/// steps of the thread; those that access memory of others are counted by their
/// accesses.
static void markBounded(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto attr = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
      /*mustProgress=*/BoolAttr::get(context, true), {}, {}, {}, {});
  loop->setDiscardableAttr("loop_annotation", attr);
}

/// Dimensions without an extent end before `end`.
static Value foldFrom(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                      Value end, SmallVectorImpl<Value> &coords, Value value,
                      function_ref<Value(Coords, Value)> body) {
  size_t dim = coords.size();
  if (dim == shape.size())
    return body(coords, value);
  Value zero = createIndex(b, 0);
  if (shape[dim] == 1) {
    coords.push_back(zero);
    Value result = foldFrom(b, shape, end, coords, value, body);
    coords.pop_back();
    return result;
  }
  Value extent =
      ShapedType::isDynamic(shape[dim]) ? end : createIndex(b, shape[dim]);
  auto loop = scf::ForOp::create(b, zero, extent, createIndex(b, 1),
                                 value ? ValueRange(value) : ValueRange());
  markBounded(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  coords.push_back(loop.getInductionVar());
  Value next = foldFrom(b, shape, end, coords,
                        value ? loop.getRegionIterArg(0) : Value(), body);
  coords.pop_back();
  if (!value)
    return {};
  // The builder has moved to the end of what the body created.
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

Value ValueAccess::fold(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                        Value initial,
                        function_ref<Value(Coords, Value)> body) {
  SmallVector<Value> coords;
  return foldFrom(b, shape, coveredEnd, coords, initial, body);
}

void ValueAccess::forEach(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                          function_ref<void(Coords)> body) {
  fold(b, shape, {}, [&](Coords coords, Value) {
    body(coords);
    return Value();
  });
}

Value ValueAccess::isInside(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                            Coords coords) const {
  Value inside;
  for (auto [extent, coord] : llvm::zip_equal(shape, coords)) {
    if (!isCovered(extent))
      continue;
    Value own =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, coord, coveredEnd);
    inside = inside ? arith::AndIOp::create(b, inside, own) : own;
  }
  return inside;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value ValueAccess::getView(Type type, uint64_t offset) {
  auto vector = cast<VectorType>(type);
  auto flat = MemRefType::get({vector.getNumElements()},
                              getStoredType(vector.getElementType()));
  Value &view = views[{flat, offset}];
  if (!view) {
    ImplicitLocOpBuilder b(memory.getLoc(), memory.getContext());
    b.setInsertionPointAfterValue(memory);
    Value byte = createIndex(b, int64_t(offset));
    view = memref::ViewOp::create(b, flat, memory, byte, ValueRange());
  }
  return view;
}

Value ValueAccess::getPlace(Value vector) {
  if (Value outer = aliases.lookup(vector))
    vector = outer;
  return getView(vector.getType(), plan.getOffset(vector));
}

static Value linearize(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                       Coords coords) {
  Value number;
  for (auto [extent, coord] : llvm::zip_equal(shape, coords)) {
    if (extent == 1)
      continue;
    number = number ? arith::AddIOp::create(b, scale(b, number, extent), coord)
                    : coord;
  }
  return number ? number : createIndex(b, 0);
}

static Value readSplat(ImplicitLocOpBuilder &b, const SplatSource &splat,
                       Type element) {
  if (splat.scalar)
    return splat.scalar;
  if (splat.constant)
    return arith::ConstantOp::create(b, splat.constant);
  OpBuilder &builder = b;
  auto poison = ub::PoisonOp::create(builder, splat.poison->getLoc(), element);
  poison->setDiscardableAttrs(splat.poison->getDiscardableAttrDictionary());
  return poison;
}

Value ValueAccess::load(ImplicitLocOpBuilder &b, Value view, Value number,
                        Type element) {
  Value stored = memref::LoadOp::create(b, view, number);
  if (stored.getType() == element)
    return stored;
  return arith::TruncIOp::create(b, element, stored);
}

Value ValueAccess::readFlat(ImplicitLocOpBuilder &b, Value value,
                            Value number) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return value;
  if (std::optional<SplatSource> splat = findSplat(value))
    return readSplat(b, *splat, type.getElementType());
  return load(b, getPlace(value), number, type.getElementType());
}

Value ValueAccess::read(ImplicitLocOpBuilder &b, Value vector, Coords coords) {
  auto type = cast<VectorType>(vector.getType());
  return readFlat(b, vector, linearize(b, type.getShape(), coords));
}

void ValueAccess::writeFlat(ImplicitLocOpBuilder &b, Value vector, Value number,
                            Value element) {
  Type stored = getStoredType(element.getType());
  if (stored != element.getType())
    element = arith::ExtUIOp::create(b, stored, element);
  memref::StoreOp::create(b, element, getPlace(vector), number);
}

void ValueAccess::write(ImplicitLocOpBuilder &b, Value vector, Coords coords,
                        Value element) {
  auto type = cast<VectorType>(vector.getType());
  writeFlat(b, vector, linearize(b, type.getShape(), coords), element);
}

void ValueAccess::copy(ImplicitLocOpBuilder &b, Value from, Value to) {
  int64_t count = cast<VectorType>(to.getType()).getNumElements();
  forEach(b, count, [&](Coords coords) {
    writeFlat(b, to, coords[0], readFlat(b, from, coords[0]));
  });
}

static void copyView(ValueAccess &access, ImplicitLocOpBuilder &b, Value from,
                     Value to) {
  access.forEach(b, cast<MemRefType>(to.getType()).getShape(),
                 [&](Coords coords) {
                   Value element = memref::LoadOp::create(b, from, coords);
                   memref::StoreOp::create(b, element, to, coords);
                 });
}

void ValueAccess::save(ImplicitLocOpBuilder &b, OpOperand &yielded) {
  if (std::optional<uint64_t> offset = plan.getCopyOffset(yielded))
    copyView(*this, b, getPlace(yielded.get()),
             getView(yielded.get().getType(), *offset));
}

void ValueAccess::copyYielded(ImplicitLocOpBuilder &b, OpOperand &yielded,
                              Value to) {
  Value from = yielded.get();
  if (std::optional<uint64_t> offset = plan.getCopyOffset(yielded))
    copyView(*this, b, getView(from.getType(), *offset), getPlace(to));
  else if (findSplat(from) || getPlace(from) != getPlace(to))
    copy(b, from, to);
}
