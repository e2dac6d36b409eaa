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

  /// Whether a run can be accessed at once.
  Value isWhole(int64_t number, Value index) {
    Value rest = arith::AndIOp::create(builder, loc, index,
                                       program.index(access.run - 1));
    Value whole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rest, program.index(0));
    for (int64_t i = 0; i < access.run; ++i)
      whole = arith::AndIOp::create(builder, loc, whole, isOpen(number + i));
    return whole;
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

  /// The run that begins at a register.
  Value readRun(int64_t number, Value others) {
    SmallVector<int64_t> own(access.run);
    std::iota(own.begin(), own.end(), number);
    Value index = getIndex(number);
    auto type = VectorType::get(access.run, access.type.getElementType());
    auto readElements = [&] {
      SmallVector<Value> elements;
      for (int64_t i : own)
        elements.push_back(readElement(isOpen(i),
                                       program.add(index, i - number),
                                       program.extract(others, i)));
      return vector::FromElementsOp::create(builder, loc, type, elements)
          .getResult();
    };
    if (access.run == 1)
      return readElements();
    return choose(
        isWhole(number, index), type,
        [&] { return program.load(type, access.memref, getPlace(index)); },
        readElements);
  }

private:
  ThreadProgram &program;
  OpBuilder &builder;
  Location loc;
  const IndexedAccess &access;
};

} // namespace

Value carousel::gatherVector(ThreadProgram &program,
                             const IndexedAccess &access, Value others) {
  IndexedElements elements(program, access);
  Value result = others;
  for (int64_t number = 0; number < countRegisters(access.layout);
       number += access.run)
    result = program.replace(result, elements.readRun(number, others), number);
  return result;
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
