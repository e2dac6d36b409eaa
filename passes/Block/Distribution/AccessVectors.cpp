//===- AccessVectors.cpp - reads and writes by all threads ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccessVectors.h. The plan's run divides the rows of the memref, so that a
// run is wholly inside or wholly outside. A run that a mask divides is accessed
// by elements.
//
//===----------------------------------------------------------------------===//

#include "AccessVectors.h"

#include "../Rows/LoadOfRead.h"

#include "carousel/Analysis/Layouts/FragmentLayouts.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
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
    if (access.plan.byWarpgroups)
      memref = allocateForWarpgroups();
    else if (access.plan.isTransfer)
      memref = program.allocate(transfer.getVectorType().getShape(),
                                transfer.getVectorType().getElementType());
    else
      findExtents();
  }

  Value getMemRef() const { return memref; }

  /// Where the tile is in the box: at the warpgroup's first row, if it is the
  /// warpgroup's.
  SmallVector<Value> getTileIndices() {
    SmallVector<Value> indices(access.indices);
    if (access.plan.byWarpgroups) {
      Value &row = indices[indices.size() - 2];
      row = arith::AddIOp::create(
          builder, program.loc, row,
          program.getCoordinate(ofWarpgroups(access.plan.layout), 0));
    }
    return indices;
  }

  int64_t getRun() const { return access.plan.run; }

  /// The place of the run that begins at a register.
  SmallVector<Value> getPlace(uint32_t number) {
    if (access.plan.isTransfer) {
      LinearLayout layout = access.plan.byWarpgroups
                                ? inWarpgroup(access.plan.layout)
                                : access.plan.layout;
      SmallVector<Value> place;
      for (unsigned dim = 0; dim < layout.getExtentBits().size(); ++dim)
        place.push_back(program.getCoordinate(layout, dim, number));
      return place;
    }
    const LinearLayout &layout = access.plan.layout;
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

  /// Whether the run exists; null if it always does.
  Value exists(uint32_t number, ValueRange place) {
    Value all;
    auto require = [&](Value condition) { all = bothHold(all, condition); };
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
    return all;
  }

  /// Whether the run exists and isn't masked in any element.
  Value isOpen(uint32_t number, ValueRange place) {
    Value all = exists(number, place);
    if (access.mask)
      for (int64_t i = 0; i < getRun(); ++i)
        all = bothHold(all, program.extract(access.mask, number + i));
    return all;
  }

  /// The same of one element of a run that exists on a condition.
  Value isOpenElement(Value exists, int64_t number) {
    return bothHold(exists, program.extract(access.mask, number));
  }

  /// The place of an element of a run.
  SmallVector<Value> getElement(ValueRange place, int64_t number) {
    SmallVector<Value> element(place);
    element.back() = program.add(element.back(), number);
    return element;
  }

private:
  Value bothHold(Value first, Value second) {
    if (!first)
      return second;
    return arith::AndIOp::create(builder, program.loc, first, second);
  }

  /// A tile of each warpgroup's rows, at a buffer's multiple of its size, so
  /// that it has the layout of a buffer of its own.
  Value allocateForWarpgroups() {
    VectorType type = transfer.getVectorType();
    int64_t groups = int64_t(1) << (program.threads.warps - kWarpBitsOfGroup);
    int64_t rows = type.getDimSize(0) / groups;
    int64_t bytes =
        rows * type.getDimSize(1) * type.getElementTypeBitWidth() / 8;
    Value all = program.allocate(groups * bytes, builder.getI8Type());
    Value group =
        arith::DivUIOp::create(builder, program.loc, program.getThread(),
                               program.index(rules::kWarpgroupSize));
    auto own =
        MemRefType::get({rows, type.getDimSize(1)}, type.getElementType(),
                        MemRefLayoutAttrInterface(),
                        cast<MemRefType>(all.getType()).getMemorySpace());
    Value begin = arith::MulIOp::create(builder, program.loc, group,
                                        program.index(bytes));
    return memref::ViewOp::create(builder, program.loc, own, all, begin,
                                  /*sizes=*/ValueRange());
  }

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
  createTileLoad(program.builder, program.loc,
                 {access.memref, access.indices, isInBounds(access.transfer),
                  access.plan.rounds},
                 tile, padding, access.plan.swizzle);
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
                      Value tile, ValueRange indices) {
  StoreOp::create(program.builder, program.loc, tile, access.memref, indices,
                  ReductionAttr(), /*exclusive=*/false,
                  access.plan.byWarpgroups ? TransferScope::Warpgroup
                                           : TransferScope::CTA,
                  isInBounds(access.transfer),
                  /*by_threads=*/false, access.plan.swizzle,
                  EvictPriority::Normal, EngineAttr(), /*map=*/Value());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// A value where the condition holds, and another one elsewhere. A condition of
/// null always holds.
static Value choose(ThreadProgram &program, Value condition, Type type,
                    function_ref<Value()> get, function_ref<Value()> getOther) {
  if (!condition)
    return get();
  OpBuilder &builder = program.builder;
  auto branch = scf::IfOp::create(builder, program.loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, program.loc, get());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, program.loc, getOther());
  return branch.getResult(0);
}

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
  auto oneType = VectorType::get({1}, type.getElementType());
  auto pad = [&](VectorType type) -> Value {
    return vector::BroadcastOp::create(builder, program.loc, type, padding);
  };
  Value result = pad(type);
  for (int64_t number = 0; number < type.getNumElements(); number += run) {
    SmallVector<Value> place = runs.getPlace(number);
    auto read = [&](VectorType type, ValueRange at) {
      return program.load(type, runs.getMemRef(), at, access.plan.isReadOnce);
    };
    auto readElements = [&] {
      Value elements = pad(runType);
      Value exists = runs.exists(number, place);
      for (int64_t i = 0; i < run; ++i) {
        Value isOpen = runs.isOpenElement(exists, number + i);
        Value element = choose(
            program, isOpen, oneType,
            [&] { return read(oneType, runs.getElement(place, i)); },
            [&] { return pad(oneType); });
        elements = program.replace(elements, element, i);
      }
      return elements;
    };
    bool isDivisible = access.mask && run != 1;
    Value part = choose(
        program, runs.isOpen(number, place), runType,
        [&] { return read(runType, place); },
        [&] { return isDivisible ? readElements() : pad(runType); });
    result = program.replace(result, part, number);
  }
  return result;
}

void carousel::writeVector(ThreadProgram &program, const ThreadAccess &access,
                           Value registers) {
  RunAccess runs(program, access);
  int64_t run = runs.getRun();
  OpBuilder &builder = program.builder;
  auto getPart = [&](int64_t first, int64_t count) {
    SmallVector<int64_t> own(count);
    std::iota(own.begin(), own.end(), first);
    return program.select(registers, own);
  };
  program.runIf(program.isFirstCopy(access.plan.layout), [&] {
    for (int64_t number = 0; number < countRegisters(access.plan.layout);
         number += run) {
      SmallVector<Value> place = runs.getPlace(number);
      auto writeRun = [&] {
        program.store(getPart(number, run), runs.getMemRef(), place);
      };
      Value isOpen = runs.isOpen(number, place);
      if (!access.mask || run == 1) {
        program.runIf(isOpen, writeRun);
        continue;
      }
      auto branch = scf::IfOp::create(builder, program.loc, isOpen,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      writeRun();
      builder.setInsertionPointToStart(branch.elseBlock());
      Value exists = runs.exists(number, place);
      for (int64_t i = 0; i < run; ++i)
        program.runIf(runs.isOpenElement(exists, number + i), [&] {
          program.store(getPart(number + i, 1), runs.getMemRef(),
                        runs.getElement(place, i));
        });
    }
  });
  if (access.plan.isTransfer)
    storeTile(program, access, runs.getMemRef(), runs.getTileIndices());
}
