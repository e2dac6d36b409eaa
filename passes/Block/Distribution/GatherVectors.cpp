//===- GatherVectors.cpp - elements by their indices ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GatherVectors.h. A run that a mask divides, or that begins at another
// place, is accessed by elements.
//
//===----------------------------------------------------------------------===//

#include "GatherVectors.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

namespace {

class IndexedElements {
public:
  IndexedElements(ThreadProgram &program, const IndexedAccess &access)
      : program(program), builder(program.builder), loc(program.loc),
        access(access) {}

  /// The index of a register's element in the last dimension.
  Value getIndex(int64_t number) {
    Value index = program.extract(access.indices, number);
    if (!index.getType().isIndex())
      index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         index);
    return arith::AddIOp::create(builder, loc, access.offsets.back(), index);
  }

  SmallVector<Value> getPlace(Value index) const {
    SmallVector<Value> place(access.offsets);
    place.back() = index;
    return place;
  }

  /// Whether the element exists and isn't masked. Some only fill the vector's
  /// extent up to a power of two.
  Value isOpen(int64_t number) {
    Value open = program.extract(access.mask, number);
    for (auto [dim, extent] : llvm::enumerate(access.type.getShape()))
      if (extent < int64_t(1) << access.layout.getExtentBits()[dim])
        open = arith::AndIOp::create(
            builder, loc, open,
            arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::ult,
                program.getCoordinate(access.layout, dim, number),
                program.index(extent)));
    return open;
  }

  /// Whether a run begins where it can be accessed at once, and whether the
  /// mask opens all of it.
  Value isWhole(int64_t number, Value index) {
    Value rest = arith::AndIOp::create(builder, loc, index,
                                       program.index(access.run - 1));
    Value whole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rest, program.index(0));
    for (int64_t i = 0; i < access.run; ++i)
      whole = arith::AndIOp::create(builder, loc, whole, isOpen(number + i));
    return whole;
  }

  /// Whether the mask opens an element of a run.
  Value isOpenInPart(int64_t number) {
    Value open = isOpen(number);
    for (int64_t i = 1; i < access.run; ++i)
      open = arith::OrIOp::create(builder, loc, open, isOpen(number + i));
    return open;
  }

  VectorType getRunType() const {
    return VectorType::get(access.run, access.type.getElementType());
  }

  Value getRun(Value registers, int64_t number) {
    SmallVector<int64_t> own(access.run);
    std::iota(own.begin(), own.end(), number);
    return program.select(registers, own);
  }

  /// An element, or another one under a condition that doesn't hold.
  Value readElement(Value condition, Value index, Value other) {
    return choose(
        condition, other.getType(),
        [&] {
          return memref::LoadOp::create(builder, loc, access.memref,
                                        getPlace(index));
        },
        [&] { return other; });
  }

  Value choose(Value condition, Type type, function_ref<Value()> get,
               function_ref<Value()> getOther) {
    auto branch = scf::IfOp::create(builder, loc, type, condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, get());
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, getOther());
    return branch.getResult(0);
  }

  /// Each register on its own.
  Value readElements(Value others) {
    Value result = others;
    for (int64_t i = 0; i < countRegisters(access.layout); ++i)
      result = program.replace(result, readElements(i, others), i);
    return result;
  }

  /// Those of the run that begins at a register, one by one.
  Value readElements(int64_t number, Value others) {
    Value index = getIndex(number);
    SmallVector<Value> elements;
    for (int64_t i = number; i < number + access.run; ++i)
      elements.push_back(readElement(isOpen(i), program.add(index, i - number),
                                     program.extract(others, i)));
    return vector::FromElementsOp::create(builder, loc, getRunType(), elements);
  }

  /// All runs that can be accessed at once, so that the thread waits once. One
  /// that isn't aligned, or that the mask opens in part, is rare: a single
  /// branch is for all of them.
  Value readRuns(Value others) {
    int64_t count = countRegisters(access.layout);
    Value result = others;
    Value isRare =
        program.constant(builder.getI1Type(), builder.getBoolAttr(false));
    SmallVector<Value> wholes;
    for (int64_t number = 0; number < count; number += access.run) {
      Value index = getIndex(number), whole = isWhole(number, index);
      Value run = choose(
          whole, getRunType(),
          [&] {
            return program.load(getRunType(), access.memref, getPlace(index));
          },
          [&] { return getRun(others, number); });
      result = program.replace(result, run, number);
      Value cut = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                        isOpenInPart(number), whole);
      isRare = arith::OrIOp::create(builder, loc, isRare, cut);
      wholes.push_back(whole);
    }
    return choose(
        isRare, result.getType(),
        [&] { return readRest(result, others, wholes); },
        [&] { return result; });
  }

private:
  /// `result` with the elements of the runs that aren't whole.
  Value readRest(Value result, Value others, ArrayRef<Value> wholes) {
    Value complete = result;
    for (auto [i, whole] : llvm::enumerate(wholes)) {
      int64_t number = i * access.run;
      Value run = choose(
          whole, getRunType(), [&] { return getRun(result, number); },
          [&] { return readElements(number, others); });
      complete = program.replace(complete, run, number);
    }
    return complete;
  }

  ThreadProgram &program;
  OpBuilder &builder;
  Location loc;
  const IndexedAccess &access;
};

} // namespace

Value carousel::gatherVector(ThreadProgram &program,
                             const IndexedAccess &access, Value others) {
  IndexedElements elements(program, access);
  return access.run > 1 ? elements.readRuns(others)
                        : elements.readElements(others);
}

void carousel::scatterVector(ThreadProgram &program,
                             const IndexedAccess &access, Value registers) {
  IndexedElements elements(program, access);
  program.runIf(program.isFirstCopy(access.layout), [&] {
    for (int64_t number = 0; number < countRegisters(access.layout); ++number)
      program.runIf(elements.isOpen(number), [&] {
        memref::StoreOp::create(
            program.builder, program.loc, program.extract(registers, number),
            access.memref, elements.getPlace(elements.getIndex(number)));
      });
  });
}
