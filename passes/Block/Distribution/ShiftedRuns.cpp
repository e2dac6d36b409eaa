//===- ShiftedRuns.cpp - runs that begin at any element -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ShiftedRuns.h. No granule is accessed that the ends of a row cut: it may
// be outside of the memref, and others may write their part of it. There,
// elements are accessed, of reads in the warps that have such a run.
//
// In a write, a lane takes the granule that begins within its run, with the
// next lane's first elements. What is left are the head of the first lane's run
// and the rest of the last one's. Each is a sum of different powers of two, and
// so are its pieces, which are aligned.
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

ShiftedRuns::ShiftedRuns(ThreadProgram &program, Value memref, VectorType run)
    : program(program), builder(program.builder), loc(program.loc),
      memref(memref), type(run), elements(run.getNumElements()),
      elementBytes(run.getElementTypeBitWidth() / 8) {
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
                                       makeIndex(elementBytes));
  address = arith::AddIOp::create(builder, loc, getLow(first),
                                  getLow(metadata.getConstifiedMixedOffset()));
  for (OpFoldResult stride : metadata.getConstifiedMixedStrides())
    strides.push_back(getLow(stride));
}

Value ShiftedRuns::compare(arith::CmpIPredicate predicate, Value lhs,
                           Value rhs) {
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

Value ShiftedRuns::bothHold(Value first, Value second) {
  if (!first || !second)
    return first ? first : second;
  return arith::AndIOp::create(builder, loc, first, second);
}

Value ShiftedRuns::makeWord(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, /*width=*/32);
}

Value ShiftedRuns::getDistance(Indices place) {
  Value sum = address;
  for (auto [index, stride] : llvm::zip_equal(place, strides)) {
    Value low = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                           index);
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

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

ShiftedRuns::Granules ShiftedRuns::findGranules(const Run &run) {
  Granules granules;
  granules.distance = getDistance(run.place);
  Value back = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          granules.distance);
  granules.column =
      arith::SubIOp::create(builder, loc, run.place.back(), back);
  Value behind = program.add(granules.column, 2 * elements);
  granules.exist = bothHold(
      run.rowExists,
      bothHold(compare(arith::CmpIPredicate::sge, granules.column,
                       makeIndex(0)),
               compare(arith::CmpIPredicate::sle, behind, end)));
  return granules;
}

Value ShiftedRuns::readGranules(const Run &run, const Granules &granules) {
  SmallVector<Value> words;
  for (int64_t i : {0, 1})
    llvm::append_range(
        words,
        getWords(program.load(
            type, memref,
            move(run.place, program.add(granules.column, i * elements)))));
  return getRegisters(shiftWords(builder, loc, words,
                                 getBytes(granules.distance), elementBytes));
}

Value ShiftedRuns::readElements(const Run &run, Value padding) {
  Value result = vector::BroadcastOp::create(builder, loc, type, padding);
  auto one = VectorType::get({1}, type.getElementType());
  for (int64_t i = 0; i < elements; ++i) {
    Value column = program.add(run.place.back(), i);
    Value exists =
        bothHold(run.rowExists, compare(arith::CmpIPredicate::ult, column, end));
    auto branch = scf::IfOp::create(builder, loc, one, exists,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(builder, loc,
                           program.load(one, memref, move(run.place, column)));
      builder.setInsertionPointToStart(branch.elseBlock());
      Value outside = vector::BroadcastOp::create(builder, loc, one, padding);
      scf::YieldOp::create(builder, loc, outside);
    }
    result = program.replace(result, branch.getResult(0), i);
  }
  return result;
}

/// One branch is around all runs: ptxas waits for what is read where branches
/// meet.
Value ShiftedRuns::read(ArrayRef<Run> runs, Value padding) {
  auto all = VectorType::get({int64_t(runs.size()) * elements},
                             type.getElementType());
  SmallVector<Granules> granules;
  Value exist;
  for (const Run &run : runs) {
    granules.push_back(findGranules(run));
    exist = bothHold(exist, granules.back().exist);
  }
  auto join = [&](function_ref<Value(size_t)> readOne) {
    Value result = vector::BroadcastOp::create(builder, loc, all, padding);
    for (size_t i = 0; i < runs.size(); ++i)
      result = program.replace(result, readOne(i), int64_t(i) * elements);
    scf::YieldOp::create(builder, loc, result);
  };
  auto branch =
      scf::IfOp::create(builder, loc, all, exist, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  join([&](size_t i) { return readGranules(runs[i], granules[i]); });
  builder.setInsertionPointToStart(branch.elseBlock());
  join([&](size_t i) { return readElements(runs[i], padding); });
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

void ShiftedRuns::writeElements(Value registers, const Run &run,
                                const RunEnds &ends) {
  for (int64_t i = 0; i < elements; ++i) {
    Value isOfHead = compare(arith::CmpIPredicate::sgt, ends.head, makeWord(i));
    Value isTaken = arith::SelectOp::create(builder, loc, isOfHead,
                                            ends.isHeadTaken, ends.isRestTaken);
    Value column = program.add(run.place.back(), i);
    Value isOwn = arith::XOrIOp::create(
        builder, loc, isTaken,
        arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1));
    Value exists = compare(arith::CmpIPredicate::ult, column, end);
    program.runIf(bothHold(exists, isOwn), [&] {
      program.store(program.select(registers, ArrayRef<int64_t>(i)), memref,
                    move(run.place, column));
    });
  }
}

void ShiftedRuns::writePieces(Value registers, const Run &run,
                              const RunEnds &ends) {
  SmallVector<Value> words = getWords(registers);
  llvm::append_range(words, SmallVector<Value>(words));
  Value rest =
      arith::SubIOp::create(builder, loc, makeWord(elements), ends.head);
  Value count =
      arith::SelectOp::create(builder, loc, ends.isFirst, ends.head, rest);
  for (int64_t size = 1; size < elements; size *= 2) {
    // The head ends at a multiple of its pieces, the rest begins at one.
    Value before = arith::AndIOp::create(builder, loc, ends.head,
                                         makeWord(size - 1));
    Value ofLarger = arith::AddIOp::create(
        builder, loc, ends.head,
        arith::AndIOp::create(builder, loc, rest,
                              makeWord(elements - 2 * size)));
    Value offset = arith::SelectOp::create(builder, loc, ends.isFirst, before,
                                           ofLarger);
    Value bit =
        arith::AndIOp::create(builder, loc, count, makeWord(size));
    program.runIf(
        compare(arith::CmpIPredicate::ne, bit, makeWord(0)), [&] {
          Value shifted = getRegisters(shiftWords(
              builder, loc, words, getBytes(offset), elementBytes));
          SmallVector<int64_t> own(size);
          std::iota(own.begin(), own.end(), 0);
          Value column = arith::AddIOp::create(
              builder, loc, run.place.back(),
              arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         offset));
          program.store(program.select(shifted, own), memref,
                        move(run.place, column));
        });
  }
}

void ShiftedRuns::write(Value registers, const Run &run, unsigned laneBits) {
  RunEnds ends;
  Value distance = getDistance(run.place);
  ends.head = arith::AndIOp::create(
      builder, loc,
      arith::SubIOp::create(builder, loc, makeWord(elements), distance),
      makeWord(elements - 1));
  Value hasHead = compare(arith::CmpIPredicate::ne, ends.head, makeWord(0));
  SmallVector<Value> words = getWords(registers);
  SmallVector<Value> both(words);
  for (Value word : words)
    both.push_back(
        program.shuffle(word, makeWord(1), gpu::ShuffleMode::DOWN));
  Value granule = getRegisters(
      shiftWords(builder, loc, both, getBytes(ends.head), elementBytes));

  int64_t lanes = int64_t(1) << laneBits;
  Value lane = arith::AndIOp::create(builder, loc, program.getThread(),
                                     makeIndex(lanes - 1));
  ends.isFirst = compare(arith::CmpIPredicate::eq, lane, makeIndex(0));
  Value isLast =
      compare(arith::CmpIPredicate::eq, lane, makeIndex(lanes - 1));
  Value column = run.place.back();
  ends.begin = arith::AddIOp::create(
      builder, loc, column,
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                 ends.head));
  // Whether the row has an element of the run, and all of the granule.
  Value zero = makeIndex(0), behind = program.add(column, elements);
  Value meets = bothHold(
      run.rowExists,
      bothHold(compare(arith::CmpIPredicate::slt, column, end),
               compare(arith::CmpIPredicate::sgt, behind, zero)));
  Value isWhole = bothHold(
      bothHold(meets, compare(arith::CmpIPredicate::sge, column, zero)),
      compare(arith::CmpIPredicate::sle, program.add(ends.begin, elements),
              end));
  Value needsNext = arith::AndIOp::create(builder, loc, hasHead, isLast);
  Value isFalse = arith::ConstantIntOp::create(builder, loc, 0, /*width=*/1);
  ends.isRestTaken = arith::SelectOp::create(builder, loc, needsNext, isFalse,
                                             isWhole);
  program.runIf(ends.isRestTaken, [&] {
    program.store(granule, memref, move(run.place, ends.begin));
  });
  Value isHeadWhole = bothHold(
      compare(arith::CmpIPredicate::sle, ends.begin, end),
      compare(arith::CmpIPredicate::sge, column, makeIndex(elements)));
  ends.isHeadTaken = arith::SelectOp::create(builder, loc, ends.isFirst,
                                             isFalse, isHeadWhole);

  Value isAtEnd = arith::OrIOp::create(builder, loc, ends.isFirst, isLast);
  Value hasPieces = bothHold(bothHold(isAtEnd, hasHead), isWhole);
  program.runIf(hasPieces, [&] { writePieces(registers, run, ends); });
  Value isCut = arith::SelectOp::create(builder, loc, isWhole, isFalse, meets);
  program.runIf(isCut, [&] { writeElements(registers, run, ends); });
}
