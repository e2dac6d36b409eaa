//===- LowerElements.cpp - elementwise ops, constants and masks -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerValues.h"

#include "carousel/Dialect/IR/DistributionOpInterface.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel::sim;

static ArrayRef<int64_t> getShape(Value vector) {
  return cast<VectorType>(vector.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Applies the same op to elements. Attributes of other phases, such as
/// layouts, describe the vector. Without fast-math flags the host's compiler
/// joins and reorders nothing.
static Operation *applyToElements(ImplicitLocOpBuilder &b, Operation *op,
                                  ValueRange elements) {
  if (isa<vector::FMAOp>(op)) // has no scalar form
    return math::FmaOp::create(b, elements[0], elements[1], elements[2]);
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(getElementTypeOrSelf(type));
  Operation *scalar = Operation::create(
      op->getLoc(), op->getName(), types, elements, b.getDictionaryAttr({}),
      op->getPropertiesStorage(), BlockRange(), /*numRegions=*/0);
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(scalar))
    scalar->setAttr(flags.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(b.getContext(),
                                                  arith::FastMathFlags::none));
  return b.insert(scalar);
}

/// Writes one loop for all ops, since LLVM's time and memory are quadratic in
/// loops. Results that only the run uses have no memory.
void carousel::sim::lowerRun(ValueAccess &access, ArrayRef<Operation *> run) {
  Operation *last = run.back();
  ImplicitLocOpBuilder b(last->getLoc(), last);
  auto type = cast<VectorType>(last->getResult(0).getType());
  access.forEach(b, type.getNumElements(), [&](Coords coords) {
    DenseMap<Value, Value> elements;
    for (Operation *op : run) {
      b.setLoc(op->getLoc());
      SmallVector<Value> operands;
      for (Value operand : op->getOperands()) {
        Value &element = elements[operand];
        if (!element)
          element = access.readFlat(b, operand, coords[0]);
        operands.push_back(element);
      }
      Operation *scalar = applyToElements(b, op, operands);
      for (auto [vector, element] :
           llvm::zip_equal(op->getResults(), scalar->getResults())) {
        elements[vector] = element;
        if (access.isStored(vector))
          access.writeFlat(b, vector, coords[0], element);
      }
    }
  });
}

/// Computes each element of an op of another dialect from its sources.
static LogicalResult applyInterface(ImplicitLocOpBuilder &b,
                                    ValueAccess &access,
                                    carousel::DistributionOpInterface op) {
  // The verifier hasn't checked an interface that was attached to the op.
  if (failed(carousel::verifyDistribution(op)))
    return failure();
  bool isValid = true;
  access.forEach(b, getShape(op->getResult(0)), [&](Coords coords) {
    SmallVector<Value> sources;
    for (const carousel::ElementSource &source : op.getElementSources()) {
      Value operand = op->getOperand(source.operand);
      SmallVector<Value> place;
      for (AffineExpr expr : source.map.getResults())
        place.push_back(
            affine::expandAffineExpr(b, b.getLoc(), expr, coords, {}));
      sources.push_back(isa<VectorType>(operand.getType())
                            ? access.read(b, operand, place)
                            : operand);
    }
    auto elements =
        carousel::createElements(op, b, sources, /*count=*/std::nullopt);
    if (failed(elements)) {
      isValid = false;
      return;
    }
    for (auto [vector, element] : llvm::zip_equal(op->getResults(), *elements))
      access.write(b, vector, coords, element);
  });
  return success(isValid);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Elements that differ are read from a global of the kernel.
static LogicalResult readConstant(ImplicitLocOpBuilder &b, ValueAccess &access,
                                  arith::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.emitError("expected dense elements in a constant of a block "
                        "program, got ")
           << op.getValue();
  auto type = cast<VectorType>(op.getType());
  Type element = type.getElementType(), stored = getStoredType(element);
  if (stored != element)
    elements = elements.mapValues(
        stored, [](const APInt &value) { return value.zext(8); });
  auto flat = MemRefType::get({type.getNumElements()}, stored);
  SymbolTable symbols(SymbolTable::getNearestSymbolTable(op));
  OpBuilder atModule =
      OpBuilder::atBlockBegin(&symbols.getOp()->getRegion(0).front());
  auto global = memref::GlobalOp::create(
      atModule, b.getLoc(), "__carousel_constant", b.getStringAttr("private"),
      flat, elements.reshape(RankedTensorType::get(flat.getShape(), stored)),
      /*constant=*/true, /*alignment=*/nullptr);
  StringAttr name = symbols.insert(global);
  Value source = memref::GetGlobalOp::create(b, flat, name.getValue());
  access.forEach(b, flat.getShape(), [&](Coords coords) {
    Value value = memref::LoadOp::create(b, source, coords);
    if (stored != element)
      value = arith::TruncIOp::create(b, element, value);
    access.writeFlat(b, op, coords[0], value);
  });
  return success();
}

static void count(ImplicitLocOpBuilder &b, ValueAccess &access,
                  vector::StepOp op) {
  access.forEach(b, getShape(op), [&](Coords coords) {
    access.write(b, op, coords, coords[0]);
  });
}

/// The elements whose coordinates are all below these extents.
static void fillMask(ImplicitLocOpBuilder &b, ValueAccess &access, Value mask,
                     ValueRange extents) {
  access.forEach(b, getShape(mask), [&](Coords coords) {
    // A mask without dimensions has one extent.
    SmallVector<Value> all(coords);
    if (all.empty())
      all.push_back(createIndex(b, 0));
    Value isInside;
    for (auto [coord, extent] : llvm::zip_equal(all, extents)) {
      Value isBelow =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, coord, extent);
      isInside =
          isInside ? arith::AndIOp::create(b, isInside, isBelow) : isBelow;
    }
    access.write(b, mask, coords, isInside);
  });
}

FailureOr<bool> carousel::sim::lowerElements(ImplicitLocOpBuilder &b,
                                             ValueAccess &access,
                                             Operation *op) {
  // Reads of splats read their sources.
  if (op->getNumResults() == 1 && findSplat(op->getResult(0)))
    return true;
  if (auto own = dyn_cast<carousel::DistributionOpInterface>(op)) {
    if (failed(applyInterface(b, access, own)))
      return failure();
    return true;
  }
  return llvm::TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case([&](arith::ConstantOp op) -> FailureOr<bool> {
        if (failed(readConstant(b, access, op)))
          return failure();
        return true;
      })
      .Case([&](vector::StepOp op) {
        count(b, access, op);
        return true;
      })
      .Case([&](vector::CreateMaskOp op) {
        fillMask(b, access, op, op.getOperands());
        return true;
      })
      .Case([&](vector::ConstantMaskOp op) {
        SmallVector<Value> extents;
        for (int64_t extent : op.getMaskDimSizes())
          extents.push_back(createIndex(b, extent));
        fillMask(b, access, op, extents);
        return true;
      })
      .Default([](Operation *) { return false; });
}
