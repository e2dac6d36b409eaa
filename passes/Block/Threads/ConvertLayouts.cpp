//===- ConvertLayouts.cpp - vectors into other layouts --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConvertLayouts.h.
//
//===----------------------------------------------------------------------===//

#include "ConvertLayouts.h"

#include "carousel/Analysis/Layouts/ExchangePlan.h"
#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace carousel;

std::optional<SmallVector<int64_t>>
carousel::findRegisters(const LinearLayout &from, const LinearLayout &to) {
  std::optional<Conversion> conversion = Conversion::plan(from, to);
  if (!conversion)
    return std::nullopt;
  for (Place place : {Place::Lane, Place::Warp, Place::CTA})
    for (unsigned bit = 0; bit < to.getNumBits(place); ++bit) {
      PlaceNumbers number = {};
      number[static_cast<unsigned>(place)] = 1u << bit;
      if (conversion->apply(number) != number)
        return std::nullopt;
    }
  SmallVector<int64_t> sources;
  for (uint32_t number = 0; number < countRegisters(to); ++number) {
    PlaceNumbers source = conversion->apply({number, 0, 0, 0});
    if (source[1] != 0 || source[2] != 0 || source[3] != 0)
      return std::nullopt;
    sources.push_back(source[0]);
  }
  return sources;
}

bool carousel::isWithinThreads(const LinearLayout &from,
                               const LinearLayout &to) {
  return from == to || findRegisters(from, to).has_value();
}

/// Bits are moved as bytes.
static Value toBytes(ThreadProgram &program, Value registers) {
  auto type = cast<VectorType>(registers.getType());
  if (!type.getElementType().isInteger(1))
    return registers;
  return arith::ExtUIOp::create(program.builder, program.loc,
                                type.clone(program.builder.getI8Type()),
                                registers);
}

static Value exchange(ThreadProgram &program, Value registers,
                      const LinearLayout &source, const LinearLayout &target) {
  OpBuilder &builder = program.builder;
  Type original = cast<VectorType>(registers.getType()).getElementType();
  registers = toBytes(program, registers);
  Type element = cast<VectorType>(registers.getType()).getElementType();
  int64_t bytes =
      element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
  ExchangePlan plan = ExchangePlan::compute(source, target, bytes);
  registers = program.select(registers, plan.writerRegisters);
  Value buffer = program.allocate({plan.elements}, element);

  // An earlier exchange through this buffer may not have been read yet.
  if (program.builder.getInsertionBlock() != program.getEntry())
    program.barrier();
  program.runIf(program.isFirstCopyOfCTA(plan.writer), [&] {
    for (int64_t number = 0; number < countRegisters(plan.writer);
         number += plan.writeRun) {
      SmallVector<int64_t> run(plan.writeRun);
      std::iota(run.begin(), run.end(), number);
      program.store(program.select(registers, run), buffer,
                    program.getCoordinate(plan.writer, 0, number));
    }
  });
  program.barrier();
  auto type = VectorType::get({countRegisters(plan.reader)}, element);
  Value result =
      program.constant(type, cast<TypedAttr>(builder.getZeroAttr(element)));
  for (int64_t number = 0; number < countRegisters(plan.reader);
       number += plan.readRun) {
    Value part = program.load(VectorType::get({plan.readRun}, element), buffer,
                              program.getCoordinate(plan.reader, 0, number));
    result = program.replace(result, part, number);
  }
  SmallVector<int64_t> order(plan.readerRegisters.size());
  for (auto [number, own] : llvm::enumerate(plan.readerRegisters))
    order[own] = number;
  result = program.select(result, order);
  if (original != element)
    result = arith::TruncIOp::create(builder, program.loc, type.clone(original),
                                     result);
  return result;
}

Value carousel::convertLayout(ThreadProgram &program, Value registers,
                              const LinearLayout &from,
                              const LinearLayout &to) {
  if (from == to)
    return registers;
  if (auto sources = findRegisters(from, to))
    return program.select(registers, *sources);
  return exchange(program, registers, from, to);
}

Value carousel::broadcastElement(ThreadProgram &program, Value registers,
                                 const LinearLayout &layout,
                                 ArrayRef<uint32_t> coordinates) {
  OpBuilder &builder = program.builder;
  PlaceNumbers place = *layout.find(coordinates);
  uint32_t threads =
      (1u << (program.threads.lanes + program.threads.warps)) - 1;
  uint32_t free = getFreeThreadBits(layout);
  Value element = program.extract(registers, place[0]);
  if (free == threads)
    return element;
  Type original = element.getType();
  if (original.isInteger(1))
    element = arith::ExtUIOp::create(builder, program.loc, builder.getI8Type(),
                                     element);
  Value buffer = program.allocate({1}, element.getType());
  if (builder.getInsertionBlock() != program.getEntry())
    program.barrier();
  // The owner is the first one of the threads with the element.
  Value owner = program.index(place[1] | place[2] << program.threads.lanes);
  Value isOwner =
      arith::CmpIOp::create(builder, program.loc, arith::CmpIPredicate::eq,
                            program.getThread(), owner);
  program.runIf(isOwner, [&] {
    memref::StoreOp::create(builder, program.loc, element, buffer,
                            ValueRange(program.index(0)));
  });
  program.barrier();
  Value shared = memref::LoadOp::create(builder, program.loc, buffer,
                                        ValueRange(program.index(0)));
  if (original.isInteger(1))
    return arith::TruncIOp::create(builder, program.loc, original, shared);
  return shared;
}
