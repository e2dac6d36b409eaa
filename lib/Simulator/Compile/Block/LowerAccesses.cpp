//===- LowerAccesses.cpp - vectors read from memory, and written ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element is a memref.load or memref.store of its own, which the machine
// checks like those of a thread.
//
//===----------------------------------------------------------------------===//

#include "LowerValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel::sim;

static ArrayRef<int64_t> getShape(Value vector) {
  return cast<VectorType>(vector.getType()).getShape();
}

static Value createAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return lhs ? arith::AndIOp::create(b, lhs, rhs) : rhs;
}

/// Loads an element, or returns `otherwise` if the condition is given and
/// false.
static Value loadIf(ImplicitLocOpBuilder &b, Value condition, Value memref,
                    ArrayRef<Value> indices, Value otherwise) {
  if (!condition)
    return memref::LoadOp::create(b, memref, indices);
  auto branch = scf::IfOp::create(b, otherwise.getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value loaded = memref::LoadOp::create(b, memref, indices);
  scf::YieldOp::create(b, loaded);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise);
  return branch.getResult(0);
}

static void storeIf(ImplicitLocOpBuilder &b, Value condition, Value element,
                    Value memref, ArrayRef<Value> indices) {
  OpBuilder::InsertionGuard guard(b);
  if (condition) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  memref::StoreOp::create(b, element, memref, indices);
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// The element of memory that belongs to an element of the vector.
struct TransferredElement {
  SmallVector<Value> indices;
  /// Null if it is known to be inside and selected.
  Value condition;
};

/// `extents`: those of the memref, for dimensions that may end early.
template <typename Op>
static TransferredElement locate(ImplicitLocOpBuilder &b, ValueAccess &access,
                                 Op op, ArrayRef<Value> extents,
                                 ArrayRef<Value> masks, Coords coords) {
  TransferredElement element;
  llvm::append_range(element.indices, op.getIndices());
  AffineMap map = op.getPermutationMap();
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    // Others are constants: the dimension is a broadcast.
    auto of = dyn_cast<AffineDimExpr>(result);
    if (!of)
      continue;
    Value &index = element.indices[of.getPosition()];
    index = arith::AddIOp::create(b, index, coords[dim]);
    // Unsigned, because an element before the begin is outside, too.
    if (Value extent = extents[dim])
      element.condition = createAnd(
          b, element.condition,
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, extent));
  }
  // The mask has the memref's order of dimensions.
  AffineMap order = inversePermutation(compressUnusedDims(map));
  for (Value mask : masks) {
    if (!mask)
      continue;
    SmallVector<Value> place;
    for (AffineExpr result : order.getResults())
      place.push_back(coords[cast<AffineDimExpr>(result).getPosition()]);
    element.condition =
        createAnd(b, element.condition, access.read(b, mask, place));
  }
  return element;
}

/// Upstream's fold says that a transfer is in bounds without a look at where it
/// begins.
static bool beginsBefore(Value index) {
  std::optional<int64_t> begin = getConstantIntValue(index);
  return begin && *begin < 0;
}

template <typename Op>
static SmallVector<Value> getExtents(ImplicitLocOpBuilder &b, Op op) {
  SmallVector<Value> extents;
  for (auto [dim, result] :
       llvm::enumerate(op.getPermutationMap().getResults())) {
    auto of = dyn_cast<AffineDimExpr>(result);
    extents.push_back(
        of && (!op.isDimInBounds(dim) ||
               beginsBefore(op.getIndices()[of.getPosition()]))
            ? memref::DimOp::create(b, op.getBase(), of.getPosition())
                  .getResult()
            : Value());
  }
  return extents;
}

static void transferRead(ImplicitLocOpBuilder &b, ValueAccess &access,
                         vector::TransferReadOp op, Value mask) {
  SmallVector<Value> extents = getExtents(b, op);
  access.forEach(b, op.getVectorType().getShape(), [&](Coords coords) {
    TransferredElement element =
        locate(b, access, op, extents, {op.getMask(), mask}, coords);
    Value loaded = loadIf(b, element.condition, op.getBase(), element.indices,
                          op.getPadding());
    access.write(b, op.getVector(), coords, loaded);
  });
}

static void transferWrite(ImplicitLocOpBuilder &b, ValueAccess &access,
                          vector::TransferWriteOp op, Value mask) {
  SmallVector<Value> extents = getExtents(b, op);
  ArrayRef<int64_t> shape = op.getVectorType().getShape();
  access.forEach(b, shape, [&](Coords coords) {
    TransferredElement element =
        locate(b, access, op, extents, {op.getMask(), mask}, coords);
    if (Value inside = access.isInside(b, shape, coords))
      element.condition = createAnd(b, element.condition, inside);
    storeIf(b, element.condition, access.read(b, op.getValueToStore(), coords),
            op.getBase(), element.indices);
  });
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// A vector covers the memref's trailing dimensions.
static SmallVector<Value> addCoords(ImplicitLocOpBuilder &b, ValueRange indices,
                                    Coords coords) {
  SmallVector<Value> result(indices);
  size_t leading = result.size() - coords.size();
  for (auto [dim, coord] : llvm::enumerate(coords))
    result[leading + dim] =
        arith::AddIOp::create(b, result[leading + dim], coord);
  return result;
}

static SmallVector<Value> addToLast(ImplicitLocOpBuilder &b, ValueRange indices,
                                    Value number) {
  SmallVector<Value> result(indices);
  if (!number.getType().isIndex())
    number = arith::IndexCastOp::create(b, b.getIndexType(), number);
  result.back() = arith::AddIOp::create(b, result.back(), number);
  return result;
}

/// Reads lanes one after the other; each selected one takes the next element.
static void expandLoad(ImplicitLocOpBuilder &b, ValueAccess &access,
                       vector::ExpandLoadOp op) {
  access.fold(b, getShape(op), createIndex(b, 0),
              [&](Coords coords, Value next) -> Value {
                Value isOn = access.read(b, op.getMask(), coords);
                Value loaded = loadIf(b, isOn, op.getBase(),
                                      addToLast(b, op.getIndices(), next),
                                      access.read(b, op.getPassThru(), coords));
                access.write(b, op, coords, loaded);
                return arith::AddIOp::create(
                    b, next,
                    arith::IndexCastUIOp::create(b, b.getIndexType(), isOn));
              });
}

static void compressStore(ImplicitLocOpBuilder &b, ValueAccess &access,
                          vector::CompressStoreOp op) {
  access.fold(b, getShape(op.getValueToStore()), createIndex(b, 0),
              [&](Coords coords, Value next) -> Value {
                Value isOn = access.read(b, op.getMask(), coords);
                storeIf(b, isOn, access.read(b, op.getValueToStore(), coords),
                        op.getBase(), addToLast(b, op.getIndices(), next));
                return arith::AddIOp::create(
                    b, next,
                    arith::IndexCastUIOp::create(b, b.getIndexType(), isOn));
              });
}

/// A condition of an element that both masks select. Either may be null.
static Value readMasks(ImplicitLocOpBuilder &b, ValueAccess &access,
                       ArrayRef<Value> masks, Coords coords) {
  Value condition;
  for (Value mask : masks)
    if (mask)
      condition = createAnd(b, condition, access.read(b, mask, coords));
  return condition;
}

FailureOr<bool> carousel::sim::lowerAccesses(ImplicitLocOpBuilder &b,
                                             ValueAccess &access, Operation *op,
                                             Value mask) {
  if (!isa<vector::TransferReadOp, vector::TransferWriteOp, vector::LoadOp,
           vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp,
           vector::GatherOp, vector::ScatterOp, vector::ExpandLoadOp,
           vector::CompressStoreOp>(op))
    return false;
  for (Type type : op->getOperandTypes()) {
    bool isMemory = isa<MemRefType>(type) &&
                    !isa<VectorType>(cast<MemRefType>(type).getElementType());
    if (isa<ShapedType>(type) && !isa<VectorType>(type) && !isMemory)
      return op->emitError("expected a memref of numbers in a block program, "
                           "got ")
             << type;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case(
          [&](vector::TransferReadOp op) { transferRead(b, access, op, mask); })
      .Case([&](vector::TransferWriteOp op) {
        transferWrite(b, access, op, mask);
      })
      .Case([&](vector::LoadOp op) {
        access.forEach(b, getShape(op), [&](Coords coords) {
          SmallVector<Value> at = addCoords(b, op.getIndices(), coords);
          access.write(b, op, coords,
                       memref::LoadOp::create(b, op.getBase(), at));
        });
      })
      .Case([&](vector::StoreOp op) {
        Value source = op.getValueToStore();
        access.forEach(b, getShape(source), [&](Coords coords) {
          memref::StoreOp::create(b, access.read(b, source, coords),
                                  op.getBase(),
                                  addCoords(b, op.getIndices(), coords));
        });
      })
      .Case([&](vector::MaskedLoadOp op) {
        access.forEach(b, getShape(op), [&](Coords coords) {
          Value loaded =
              loadIf(b, access.read(b, op.getMask(), coords), op.getBase(),
                     addCoords(b, op.getIndices(), coords),
                     access.read(b, op.getPassThru(), coords));
          access.write(b, op, coords, loaded);
        });
      })
      .Case([&](vector::MaskedStoreOp op) {
        Value source = op.getValueToStore();
        access.forEach(b, getShape(source), [&](Coords coords) {
          storeIf(b, access.read(b, op.getMask(), coords),
                  access.read(b, source, coords), op.getBase(),
                  addCoords(b, op.getIndices(), coords));
        });
      })
      .Case([&](vector::GatherOp op) {
        access.forEach(b, getShape(op), [&](Coords coords) {
          Value condition = readMasks(b, access, {op.getMask(), mask}, coords);
          Value number = access.read(b, op.getIndices(), coords);
          Value loaded = loadIf(b, condition, op.getBase(),
                                addToLast(b, op.getOffsets(), number),
                                access.read(b, op.getPassThru(), coords));
          access.write(b, op.getResult(), coords, loaded);
        });
      })
      .Case([&](vector::ScatterOp op) {
        Value source = op.getValueToStore();
        access.forEach(b, getShape(source), [&](Coords coords) {
          Value condition = readMasks(b, access, {op.getMask(), mask}, coords);
          if (Value inside = access.isInside(b, getShape(source), coords))
            condition = createAnd(b, condition, inside);
          Value number = access.read(b, op.getIndices(), coords);
          storeIf(b, condition, access.read(b, source, coords), op.getBase(),
                  addToLast(b, op.getOffsets(), number));
        });
      })
      .Case([&](vector::ExpandLoadOp op) { expandLoad(b, access, op); })
      .Case([&](vector::CompressStoreOp op) { compressStore(b, access, op); });
  return true;
}
