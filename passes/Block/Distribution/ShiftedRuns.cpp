//===- ShiftedRuns.cpp - runs that begin at any element -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ShiftedRuns.h. Granules that the ends of a row cut are read as a whole: a
// contiguous memref has them, but for those around its first and last elements.
// There, and at the ends of all rows of other memrefs, a warp reads elements.
// What isn't the row's is replaced by the padding.
//
// Only the row's elements are written. A lane takes the granule that begins
// within its run, with the next lane's first elements. What is left are the
// head of the first lane's run and the rest of the last one's. Each is a sum of
// different powers of two, and so are its pieces, which are aligned.
//
//===----------------------------------------------------------------------===//

#include "ShiftedRuns.h"

#include "carousel/Dialect/Transforms/ShiftedWords.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

ShiftedRuns::ShiftedRuns(ThreadProgram &program, Value memref, VectorType run,
                         bool isAligned)
    : program(program), builder(program.builder), loc(program.loc),
      memref(memref), type(run), elements(run.getNumElements()),
      elementBytes(run.getElementTypeBitWidth() / 8), isAligned(isAligned) {
  int64_t last = cast<MemRefType>(memref.getType()).getRank() - 1;
  end = builder.createOrFold<memref::DimOp>(loc, memref, last);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value pointer =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  auto getLow = [&](OpFoldResult number) -> Value {
    return getValueOrCreateCastToIndexLike(
        builder, loc, builder.getI32Type(),
        getValueOrCreateConstantIndexOp(builder, loc, number));
  };
  Value first = arith::DivUIOp::create(builder, loc, pointer,
                                       program.index(elementBytes));
  address = arith::AddIOp::create(builder, loc, getLow(first),
                                  getLow(metadata.getConstifiedMixedOffset()));
  total = program.index(1);
  for (auto [dim, stride] :
       llvm::enumerate(metadata.getConstifiedMixedStrides())) {
    strides.push_back(getLow(stride));
    steps.push_back(getValueOrCreateConstantIndexOp(builder, loc, stride));
    Value extent =
        builder.createOrFold<memref::DimOp>(loc, memref, int64_t(dim));
    total = builder.createOrFold<arith::AddIOp>(
        loc, total,
        builder.createOrFold<arith::MulIOp>(loc, program.add(extent, -1),
                                            steps.back()));
  }
  auto type = cast<MemRefType>(memref.getType());
  auto layout =
      StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic, {1});
  auto line = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                              layout, type.getMemorySpace());
  flat = memref::ReinterpretCastOp::create(
      builder, loc, line, memref,
      OpFoldResult(getValueOrCreateConstantIndexOp(
          builder, loc, metadata.getConstifiedMixedOffset())),
      ArrayRef<OpFoldResult>(total),
      ArrayRef<OpFoldResult>(builder.getIndexAttr(1)));
}

Value ShiftedRuns::compare(arith::CmpIPredicate predicate, Value lhs,
                           Value rhs) {
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

Value ShiftedRuns::makeBit(bool value) {
  return arith::ConstantIntOp::create(builder, loc, value, /*width=*/1);
}

Value ShiftedRuns::choose(Value condition, Value value, Value other) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, value, other);
}

Value ShiftedRuns::asIndex(Value word) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), word);
}

Value ShiftedRuns::makeWord(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, /*width=*/32);
}

Value ShiftedRuns::getDistance(Indices place) {
  if (isAligned)
    return makeWord(0);
  Value sum = address;
  for (auto [index, stride] : llvm::zip_equal(place, strides)) {
    Value low =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
    sum = arith::AddIOp::create(
        builder, loc, sum, arith::MulIOp::create(builder, loc, low, stride));
  }
  return arith::AndIOp::create(builder, loc, sum, makeWord(elements - 1));
}

Value ShiftedRuns::getBytes(Value count) {
  return arith::MulIOp::create(builder, loc, count, makeWord(elementBytes));
}

SmallVector<Value> ShiftedRuns::getWords(Value registers) {
  auto ofWords = VectorType::get({kWordsOfGranule}, builder.getI32Type());
  Value whole = vector::BitCastOp::create(builder, loc, ofWords, registers);
  SmallVector<Value> words;
  for (int64_t i = 0; i < kWordsOfGranule; ++i)
    words.push_back(program.extract(whole, i));
  return words;
}

Value ShiftedRuns::getRegisters(ValueRange words) {
  auto ofWords = VectorType::get({kWordsOfGranule}, builder.getI32Type());
  return vector::BitCastOp::create(
      builder, loc, type,
      vector::FromElementsOp::create(builder, loc, ofWords, words));
}

Value ShiftedRuns::meetsRow(const Run &run) {
  Value column = run.place.back();
  return program.bothHold(
      run.rowExists,
      program.bothHold(compare(arith::CmpIPredicate::slt, column, end),
                       compare(arith::CmpIPredicate::sgt,
                               program.add(column, elements),
                               program.index(0))));
}

Value ShiftedRuns::isInRow(const Run &run) {
  Value column = run.place.back();
  return program.bothHold(
      compare(arith::CmpIPredicate::sge, column, program.index(0)),
      compare(arith::CmpIPredicate::sle, program.add(column, elements), end));
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

ShiftedRuns::Granules ShiftedRuns::findGranules(const Run &run) {
  Granules granules;
  granules.distance = getDistance(run.place);
  Value first = program.index(0);
  for (auto [index, step] : llvm::zip_equal(run.place, steps))
    first = builder.createOrFold<arith::AddIOp>(
        loc, first, builder.createOrFold<arith::MulIOp>(loc, index, step));
  granules.index =
      arith::SubIOp::create(builder, loc, first, asIndex(granules.distance));
  int64_t count = (isAligned ? 1 : 2) * elements;
  auto isWithin = [&](Value begin, Value behind) {
    return program.bothHold(
        compare(arith::CmpIPredicate::sge, begin, program.index(0)),
        compare(arith::CmpIPredicate::sle, begin, program.add(behind, -count)));
  };
  granules.exist = isWithin(granules.index, total);
  // Bytes between rows may be nobody's.
  if (!cast<MemRefType>(memref.getType()).getLayout().isIdentity())
    granules.exist = program.bothHold(
        granules.exist,
        isWithin(arith::SubIOp::create(builder, loc, run.place.back(),
                                       asIndex(granules.distance)),
                 end));
  return granules;
}

/// The words of both granules. They are any where the row has no element of the
/// run.
SmallVector<Value> ShiftedRuns::readGranules(const Run &run,
                                             const Granules &granules) {
  SmallVector<Type> types(2, type);
  auto branch = scf::IfOp::create(builder, loc, types, meetsRow(run),
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value low = program.load(type, flat, granules.index);
    Value high =
        isAligned
            ? low
            : program.load(type, flat, program.add(granules.index, elements));
    scf::YieldOp::create(builder, loc, ValueRange{low, high});
    builder.setInsertionPointToStart(branch.elseBlock());
    Value zero = program.constant(
        type, cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
    scf::YieldOp::create(builder, loc, ValueRange{zero, zero});
  }
  return branch.getResults();
}

Value ShiftedRuns::keepRow(Value registers, const Run &run, Value padding) {
  Value isWhole = program.bothHold(run.rowExists, isInRow(run));
  auto branch = scf::IfOp::create(builder, loc, type, isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, registers);
  builder.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> kept;
  for (int64_t i = 0; i < elements; ++i) {
    Value exists = program.bothHold(
        run.rowExists, compare(arith::CmpIPredicate::ult,
                               program.add(run.place.back(), i), end));
    kept.push_back(choose(exists, program.extract(registers, i), padding));
  }
  scf::YieldOp::create(
      builder, loc,
      vector::FromElementsOp::create(builder, loc, type, kept).getResult());
  return branch.getResult(0);
}

Value ShiftedRuns::readElements(const Run &run, Value padding) {
  Value result = vector::BroadcastOp::create(builder, loc, type, padding);
  auto one = VectorType::get({1}, type.getElementType());
  for (int64_t i = 0; i < elements; ++i) {
    Value column = program.add(run.place.back(), i);
    Value exists = program.bothHold(
        run.rowExists, compare(arith::CmpIPredicate::ult, column, end));
    auto branch = scf::IfOp::create(builder, loc, one, exists,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      SmallVector<Value> place(run.place);
      place.back() = column;
      scf::YieldOp::create(builder, loc, program.load(one, memref, place));
      builder.setInsertionPointToStart(branch.elseBlock());
      Value outside = vector::BroadcastOp::create(builder, loc, one, padding);
      scf::YieldOp::create(builder, loc, outside);
    }
    result = program.replace(result, branch.getResult(0), i);
  }
  return result;
}

/// One branch is around all runs, and all are read first: ptxas waits for what
/// is read where it is used, or where branches meet.
Value ShiftedRuns::read(ArrayRef<Run> runs, Value padding) {
  auto all =
      VectorType::get({int64_t(runs.size()) * elements}, type.getElementType());
  SmallVector<Granules> granules;
  Value exist;
  for (const Run &run : runs) {
    granules.push_back(findGranules(run));
    exist = program.bothHold(exist, granules.back().exist);
  }
  auto join = [&](function_ref<Value(size_t)> getOne) {
    Value result = vector::BroadcastOp::create(builder, loc, all, padding);
    for (size_t i = 0; i < runs.size(); ++i)
      result = program.replace(result, getOne(i), int64_t(i) * elements);
    scf::YieldOp::create(builder, loc, result);
  };
  auto branch =
      scf::IfOp::create(builder, loc, all, exist, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<SmallVector<Value>> read;
  for (auto [run, own] : llvm::zip_equal(runs, granules))
    read.push_back(readGranules(run, own));
  join([&](size_t i) {
    if (isAligned)
      return keepRow(read[i][0], runs[i], padding);
    SmallVector<Value> words = getWords(read[i][0]);
    llvm::append_range(words, getWords(read[i][1]));
    Value shifted = getRegisters(shiftWords(
        builder, loc, words, getBytes(granules[i].distance), elementBytes));
    return keepRow(shifted, runs[i], padding);
  });
  builder.setInsertionPointToStart(branch.elseBlock());
  join([&](size_t i) { return readElements(runs[i], padding); });
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

ShiftedRuns::Lanes ShiftedRuns::findLanes() {
  int64_t most = (int64_t(1) << laneBits) - 1;
  Value lane = arith::AndIOp::create(builder, loc, program.getThread(),
                                     program.index(most));
  return {compare(arith::CmpIPredicate::eq, lane, program.index(0)),
          compare(arith::CmpIPredicate::eq, lane, program.index(most))};
}

ShiftedRuns::Part ShiftedRuns::makePart(Value registers, const Run &run) {
  Part part{run, registers, getWords(registers)};
  part.head = arith::AndIOp::create(
      builder, loc,
      arith::SubIOp::create(builder, loc, makeWord(elements),
                            getDistance(run.place)),
      makeWord(elements - 1));
  part.begin =
      arith::AddIOp::create(builder, loc, run.place.back(), asIndex(part.head));
  Value zero = program.index(0);
  part.isWhole = program.bothHold(
      program.bothHold(run.rowExists, compare(arith::CmpIPredicate::sge,
                                              run.place.back(), zero)),
      compare(arith::CmpIPredicate::sle, program.add(part.begin, elements),
              end));
  return part;
}

/// The granule that begins within the run. The last lane's next run is the
/// first lane's of the next registers.
Value ShiftedRuns::makeGranule(const Part &part, const Part *next) {
  if (isAligned)
    return part.registers;
  SmallVector<Value> words(part.words);
  Value lane = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                          program.getThread());
  Value following = arith::AddIOp::create(builder, loc, lane, makeWord(1));
  following = arith::AndIOp::create(builder, loc, following,
                                    makeWord(rules::kWarpSize - 1));
  Value isFirst = findLanes().isFirst;
  for (auto [i, word] : llvm::enumerate(part.words)) {
    Value own = next ? choose(isFirst, next->words[i], word) : word;
    words.push_back(program.shuffle(own, following, gpu::ShuffleMode::IDX));
  }
  return getRegisters(
      shiftWords(builder, loc, words, getBytes(part.head), elementBytes));
}

void ShiftedRuns::writeGranule(const Part &part, const Part *next) {
  Lanes lanes = findLanes();
  Value granule = makeGranule(part, next);
  Value isStored = part.isWhole;
  Value hasHead = compare(arith::CmpIPredicate::ne, part.head, makeWord(0));
  if (!next)
    isStored =
        choose(arith::AndIOp::create(builder, loc, hasHead, lanes.isLast),
               makeBit(false), isStored);
  SmallVector<Value> place(part.run.place);
  place.back() = part.begin;
  program.runIf(isStored, [&] { program.store(granule, memref, place); });
  // A lane before that begins before the row has left the head.
  Value isHeadLeft = program.bothHold(
      hasHead, compare(arith::CmpIPredicate::slt, part.run.place.back(),
                       program.index(elements)));
  if (part.isFirst)
    isHeadLeft = choose(lanes.isFirst, makeBit(false), isHeadLeft);
  Value isCut = choose(part.isWhole, isHeadLeft, meetsRow(part.run));
  program.runIf(isCut, [&] { writeElements(part, lanes.isFirst); });
}

/// Elements of a run whose granule the row hasn't, or whose head is left. The
/// lane before has written the head, unless the run is a chain's first one.
void ShiftedRuns::writeElements(const Part &part, Value isFirst) {
  Value column = part.run.place.back();
  Value isHeadTaken = program.bothHold(
      compare(arith::CmpIPredicate::sle, part.begin, end),
      compare(arith::CmpIPredicate::sge, column, program.index(elements)));
  if (part.isFirst)
    isHeadTaken = choose(isFirst, makeBit(false), isHeadTaken);
  for (int64_t i = 0; i < elements; ++i) {
    Value isOfHead = compare(arith::CmpIPredicate::sgt, part.head, makeWord(i));
    Value isTaken = arith::AndIOp::create(builder, loc, isOfHead, isHeadTaken);
    Value at = program.add(column, i);
    Value isOwn = choose(isTaken, makeBit(false),
                         compare(arith::CmpIPredicate::ult, at, end));
    program.runIf(isOwn, [&] {
      SmallVector<Value> place(part.run.place);
      place.back() = at;
      program.store(program.select(part.registers, ArrayRef<int64_t>(i)),
                    memref, place);
    });
  }
}

/// The head of the chain's first run, in the first lane, and the rest of the
/// last one, in the last lane.
void ShiftedRuns::writeEnds() {
  if (isAligned)
    return;
  Lanes lanes = findLanes();
  auto ofLane = [&](Value ofFirst, Value ofLast) {
    return choose(lanes.isFirst, ofFirst, ofLast);
  };
  Value head = ofLane(first->head, last->head);
  Value isEnd = arith::OrIOp::create(builder, loc, lanes.isFirst, lanes.isLast);
  Value hasHead = compare(arith::CmpIPredicate::ne, head, makeWord(0));
  Value isWhole = ofLane(first->isWhole, last->isWhole);
  program.runIf(
      program.bothHold(program.bothHold(isEnd, hasHead), isWhole), [&] {
        SmallVector<Value> words;
        for (auto [ofFirst, ofLast] :
             llvm::zip_equal(first->words, last->words))
          words.push_back(ofLane(ofFirst, ofLast));
        llvm::append_range(words, SmallVector<Value>(words));
        SmallVector<Value> place;
        for (auto [ofFirst, ofLast] :
             llvm::zip_equal(first->run.place, last->run.place))
          place.push_back(ofLane(ofFirst, ofLast));
        Value rest =
            arith::SubIOp::create(builder, loc, makeWord(elements), head);
        Value count = ofLane(head, rest);
        for (int64_t size = 1; size < elements; size *= 2) {
          // The head ends at a multiple of its pieces, the rest begins at one.
          Value smaller =
              arith::AndIOp::create(builder, loc, head, makeWord(size - 1));
          Value larger = arith::AndIOp::create(builder, loc, rest,
                                               makeWord(elements - 2 * size));
          Value offset = ofLane(
              smaller, arith::AddIOp::create(builder, loc, head, larger));
          Value bit =
              arith::AndIOp::create(builder, loc, count, makeWord(size));
          program.runIf(
              compare(arith::CmpIPredicate::ne, bit, makeWord(0)), [&] {
                Value shifted = getRegisters(shiftWords(
                    builder, loc, words, getBytes(offset), elementBytes));
                SmallVector<int64_t> own(size);
                std::iota(own.begin(), own.end(), 0);
                SmallVector<Value> at(place);
                at.back() = arith::AddIOp::create(builder, loc, place.back(),
                                                  asIndex(offset));
                program.store(program.select(shifted, own), memref, at);
              });
        }
      });
}

void ShiftedRuns::write(Value registers, const Run &run, unsigned ofLanes,
                        bool follows) {
  Part part = makePart(registers, run);
  if (last && !follows)
    finishWrites();
  laneBits = ofLanes;
  part.isFirst = !last;
  if (last)
    writeGranule(*last, &part);
  else
    first = part;
  last = std::move(part);
}

void ShiftedRuns::finishWrites() {
  if (!last)
    return;
  writeGranule(*last, /*next=*/nullptr);
  writeEnds();
  first.reset();
  last.reset();
}
