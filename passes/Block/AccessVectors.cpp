//===- AccessVectors.cpp - reads and writes by all threads ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccessVectors.h. The plan's run divides the rows of the memref, so that a
// run is wholly inside or wholly outside.
//
//===----------------------------------------------------------------------===//

#include "AccessVectors.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

namespace {

class RunAccess {
public:
  RunAccess(ThreadProgram &program, const ThreadAccess &access)
      : program(program), builder(program.builder), access(access),
        transfer(access.transfer), memref(access.memref) {
    if (access.plan.isTransfer)
      memref = program.allocate(transfer.getVectorType().getShape(),
                                transfer.getVectorType().getElementType());
    else
      findExtents();
  }

  Value getMemRef() const { return memref; }

  int64_t getRun() const { return access.mask ? 1 : access.plan.run; }

  /// The place of the run that begins at a register.
  SmallVector<Value> getPlace(uint32_t number) {
    const LinearLayout &layout = access.plan.layout;
    if (access.plan.isTransfer) {
      SmallVector<Value> place;
      for (unsigned dim = 0; dim < layout.getExtentBits().size(); ++dim)
        place.push_back(program.getCoordinate(layout, dim, number));
      return place;
    }
    SmallVector<Value> place(access.indices);
    for (auto [dim, expr] :
         llvm::enumerate(transfer.getPermutationMap().getResults())) {
      auto along = dyn_cast<AffineDimExpr>(expr);
      if (!along)
        continue;
      Value &index = place[along.getPosition()];
      // The thread's part is the same for all registers.
      uint32_t own = getRegisterCoordinates(layout, number)[dim];
      Value ofThread = program.getCoordinate(layout, dim);
      Value coordinate = program.getCoordinate(layout, dim, number);
      if (coordinate != ofThread && isSum(coordinate, ofThread))
        index = program.add(
            arith::AddIOp::create(builder, program.loc, index, ofThread), own);
      else
        index = arith::AddIOp::create(builder, program.loc, index, coordinate);
    }
    return place;
  }

  /// Whether the run exists and isn't masked; null if it always does.
  Value exists(uint32_t number, ValueRange place) {
    Value all;
    auto require = [&](Value condition) {
      all = all ? arith::AndIOp::create(builder, program.loc, all, condition)
                : condition;
    };
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (extent)
        require(arith::CmpIOp::create(builder, program.loc,
                                      arith::CmpIPredicate::ult, place[dim],
                                      extent));
    // Elements that only fill the vector's extent up to a power of two.
    const LinearLayout &layout = access.plan.layout;
    for (auto [dim, extent] :
         llvm::enumerate(transfer.getVectorType().getShape()))
      if (extent < int64_t(1) << layout.getExtentBits()[dim])
        require(arith::CmpIOp::create(
            builder, program.loc, arith::CmpIPredicate::ult,
            program.getCoordinate(layout, dim, number), program.index(extent)));
    if (access.mask)
      require(program.extract(access.mask, number));
    return all;
  }

private:
  static bool isSum(Value value, Value term) {
    auto sum = value.getDefiningOp<arith::AddIOp>();
    return sum && sum.getLhs() == term;
  }

  /// Of the dimensions that aren't in bounds. An index that no vector dimension
  /// runs along is in bounds, too.
  void findExtents() {
    extents.resize(access.indices.size());
    AffineMap map = transfer.getPermutationMap();
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto along = dyn_cast<AffineDimExpr>(expr);
      if (!along || transfer.isDimInBounds(dim))
        continue;
      Value &extent = extents[along.getPosition()];
      extent = memref::DimOp::create(builder, program.loc, access.memref,
                                     int64_t(along.getPosition()));
    }
  }

  ThreadProgram &program;
  OpBuilder &builder;
  const ThreadAccess &access;
  VectorTransferOpInterface transfer; ///< its queries are not const
  Value memref;
  /// Null for dimensions that are in bounds.
  SmallVector<Value> extents;
};

} // namespace

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

static bool isInBounds(VectorTransferOpInterface transfer) {
  for (int64_t dim = 0; dim < transfer.getTransferRank(); ++dim)
    if (!transfer.isDimInBounds(dim))
      return false;
  return true;
}

static void loadTile(ThreadProgram &program, const ThreadAccess &access,
                     Value tile, Value padding) {
  OpBuilder &builder = program.builder;
  bool inBounds = isInBounds(access.transfer);
  auto fill = OutOfBoundsFill::Zero;
  Attribute value;
  Attribute constant;
  if (!inBounds && matchPattern(padding, m_Constant(&constant))) {
    if (auto number = dyn_cast<FloatAttr>(constant)) {
      if (number.getValue().isNaN())
        fill = OutOfBoundsFill::NaN;
      else if (!number.getValue().isPosZero())
        value = builder.getF64FloatAttr(number.getValueAsDouble());
    } else if (auto number = dyn_cast<IntegerAttr>(constant)) {
      if (!number.getValue().isZero())
        value = builder.getI64IntegerAttr(number.getValue().getSExtValue());
    }
  }
  LoadOp::create(builder, program.loc, access.memref, access.indices, tile,
                 fill, value, ReductionAttr(), TransferScope::CTA, inBounds,
                 /*by_threads=*/false, access.plan.swizzle,
                 EvictPriority::Normal, EngineAttr(), /*map=*/Value());
}

Value carousel::loadTile(ThreadProgram &program, const ThreadAccess &access,
                         Value padding) {
  VectorTransferOpInterface transfer = access.transfer;
  VectorType type = transfer.getVectorType();
  Value tile = program.allocate(type.getShape(), type.getElementType());
  ::loadTile(program, access, tile, padding);
  return tile;
}

static void storeTile(ThreadProgram &program, const ThreadAccess &access,
                      Value tile) {
  StoreOp::create(program.builder, program.loc, tile, access.memref,
                  access.indices, ReductionAttr(), /*exclusive=*/false,
                  TransferScope::CTA, isInBounds(access.transfer),
                  /*by_threads=*/false, access.plan.swizzle,
                  EvictPriority::Normal, EngineAttr(), /*map=*/Value());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Value carousel::readVector(ThreadProgram &program, const ThreadAccess &access,
                           Value padding) {
  OpBuilder &builder = program.builder;
  RunAccess runs(program, access);
  if (access.plan.isTransfer)
    ::loadTile(program, access, runs.getMemRef(), padding);
  VectorTransferOpInterface transfer = access.transfer;
  VectorType type = getThreadType(transfer.getVectorType(), access.plan.layout);
  int64_t run = runs.getRun();
  auto runType = VectorType::get({run}, type.getElementType());
  Value result =
      vector::BroadcastOp::create(builder, program.loc, type, padding);
  for (int64_t number = 0; number < type.getNumElements(); number += run) {
    SmallVector<Value> place = runs.getPlace(number);
    auto read = [&] {
      return program.load(runType, runs.getMemRef(), place,
                          access.plan.isReadOnce);
    };
    Value part;
    if (Value exists = runs.exists(number, place)) {
      auto branch = scf::IfOp::create(builder, program.loc, runType, exists,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(builder, program.loc, read());
      builder.setInsertionPointToStart(branch.elseBlock());
      Value pads =
          vector::BroadcastOp::create(builder, program.loc, runType, padding);
      scf::YieldOp::create(builder, program.loc, pads);
      part = branch.getResult(0);
    } else {
      part = read();
    }
    result = program.replace(result, part, number);
  }
  return result;
}

void carousel::writeVector(ThreadProgram &program, const ThreadAccess &access,
                           Value registers) {
  RunAccess runs(program, access);
  int64_t run = runs.getRun();
  program.runIf(program.isFirstCopy(access.plan.layout), [&] {
    for (int64_t number = 0; number < countRegisters(access.plan.layout);
         number += run) {
      SmallVector<Value> place = runs.getPlace(number);
      SmallVector<int64_t> own(run);
      std::iota(own.begin(), own.end(), number);
      Value part = program.select(registers, own);
      program.runIf(runs.exists(number, place),
                    [&] { program.store(part, runs.getMemRef(), place); });
    }
  });
  if (access.plan.isTransfer)
    storeTile(program, access, runs.getMemRef());
}
