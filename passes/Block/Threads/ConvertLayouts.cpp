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

#include "carousel/Analysis/Layouts/LayoutRules.h"
#include "carousel/Dialect/IR/CarouselOps.h"
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

static int64_t countBytes(Type element) {
  return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
}

static Type getElement(Value registers) {
  return cast<VectorType>(registers.getType()).getElementType();
}

/// Whether each warp reads what it has written alone.
static bool staysInWarps(const LinearLayout &from, const LinearLayout &to) {
  std::optional<Conversion> conversion = Conversion::plan(from, to);
  return conversion && conversion->getMovement() <= Movement::Lanes &&
         from.getFreeBits(Place::Warp) == 0;
}

/// The bits of a loop's numbers, in coordinates as one number.
static uint32_t findLoopBits(const LinearLayout &layout,
                             std::optional<SharedVector::Loop> loop) {
  if (!loop)
    return 0;
  unsigned later = 0;
  ArrayRef<unsigned> bits = layout.getExtentBits();
  for (unsigned dim = loop->dim + 1; dim < bits.size(); ++dim)
    later += bits[dim];
  return ((1u << bits[loop->dim]) - loop->step) << later;
}

SharedVector::SharedVector(ThreadProgram &program, Value registers,
                           const LinearLayout &from, const LinearLayout &to,
                           std::optional<Loop> loop, bool isReadAtOnce)
    : program(program), to(to), loop(loop),
      exchange(ExchangePlan::compute(
          from, to, countBytes(getElement(registers)), findLoopBits(to, loop))),
      sources(exchange.readerRegisters.size()) {
  for (auto [number, own] : llvm::enumerate(exchange.readerRegisters))
    sources[own] = number;
  registers = program.select(registers, exchange.writerRegisters);
  bool inWarps = staysInWarps(from, to);
  Type element = getElement(registers);
  buffer = isReadAtOnce && !inWarps
               ? program.allocateBetweenBarriers(exchange.elements, element)
               : program.allocate(exchange.elements, element);

  auto meet = [&] {
    if (inWarps)
      BarrierWarpOp::create(program.builder, program.loc, /*mask=*/Value());
    else
      program.barrier();
  };
  // An earlier exchange through this buffer may not have been read yet.
  if (program.builder.getInsertionBlock() != program.getEntry())
    meet();
  program.runIf(program.isFirstCopyOfCTA(exchange.writer), [&] {
    for (int64_t number = 0; number < countRegisters(exchange.writer);
         number += exchange.writeRun) {
      SmallVector<int64_t> run(exchange.writeRun);
      std::iota(run.begin(), run.end(), number);
      program.store(program.select(registers, run), buffer,
                    program.getCoordinate(exchange.writer, 0, number));
    }
  });
  meet();
}

uint32_t SharedVector::getAddress(uint32_t coordinate) const {
  SmallVector<uint32_t> at(to.getExtentBits().size(), 0);
  at[loop->dim] = coordinate;
  int64_t number = sources[*to.findRegister(at)];
  return getRegisterCoordinates(exchange.reader, number).front();
}

bool SharedVector::isApart() const {
  uint32_t own = 0, others = 0;
  for (Place place : {Place::Register, Place::Lane, Place::Warp})
    for (unsigned bit = 0; bit < to.getNumBits(place); ++bit) {
      PlaceNumbers number = {};
      number[static_cast<unsigned>(place)] = 1u << bit;
      uint32_t address = exchange.reader.apply(
          place == Place::Register
              ? PlaceNumbers{uint32_t(sources[1u << bit]), 0, 0, 0}
              : number)[0];
      bool isOfLoop = to.apply(number)[loop->dim] >= loop->step;
      (isOfLoop ? own : others) |= address;
    }
  return (own & others) == 0;
}

Value SharedVector::getOffset(Value number) {
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  Value offset;
  for (uint32_t bit = loop->step; bit < 1u << to.getExtentBits()[loop->dim];
       bit *= 2) {
    Value isSet =
        arith::AndIOp::create(builder, loc, number, program.index(bit));
    uint32_t address = getAddress(bit);
    assert(address != 0 && (address % bit == 0 || bit % address == 0) &&
           "a coordinate of the loop has one bit of the address");
    Value part = address >= bit
                     ? Value(arith::MulIOp::create(
                           builder, loc, isSet, program.index(address / bit)))
                     : arith::DivUIOp::create(builder, loc, isSet,
                                              program.index(bit / address));
    offset = offset ? arith::XOrIOp::create(builder, loc, offset, part) : part;
  }
  return offset;
}

Value SharedVector::readRuns(ArrayRef<int64_t> firsts, Value offset) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type =
      VectorType::get({int64_t(firsts.size()) * exchange.readRun}, element);
  Value result = program.constant(
      type, cast<TypedAttr>(program.builder.getZeroAttr(element)));
  for (auto [at, first] : llvm::enumerate(firsts)) {
    Value place = program.getCoordinate(exchange.reader, 0, first);
    if (offset && isApart())
      place =
          arith::AddIOp::create(program.builder, program.loc, place, offset);
    else if (offset)
      place =
          arith::XOrIOp::create(program.builder, program.loc, place, offset);
    Value part = program.load(VectorType::get({exchange.readRun}, element),
                              buffer, place);
    result = program.replace(result, part, at * exchange.readRun);
  }
  return result;
}

Value SharedVector::readAll() {
  SmallVector<int64_t> firsts;
  for (int64_t number = 0; number < countRegisters(exchange.reader);
       number += exchange.readRun)
    firsts.push_back(number);
  return program.select(readRuns(firsts), sources);
}

static Value exchange(ThreadProgram &program, Value registers,
                      const LinearLayout &source, const LinearLayout &target) {
  Type original = getElement(registers);
  Value bytes = toBytes(program, registers);
  Value result = SharedVector(program, bytes, source, target, /*loop=*/{},
                              /*isReadAtOnce=*/true)
                     .readAll();
  if (original == getElement(result))
    return result;
  return arith::TruncIOp::create(
      program.builder, program.loc,
      cast<VectorType>(result.getType()).clone(original), result);
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
