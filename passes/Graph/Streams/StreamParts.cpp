//===- StreamParts.cpp - a stream that parts of a program divide ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamWriter.h. Each part has sums of its own, which were computed with
// rows of its own. They are combined in the order of the parts: as in the loop,
// the rows of all elements correct both what is there and what is added.
//
//===----------------------------------------------------------------------===//

#include "StreamWriter.h"

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

LogicalResult StreamWriter::addPart(MutableArrayRef<Value> sums,
                                    ValueRange part) {
  FailureOr<Rows> own = computeRows(SmallVector<Value>(sums)),
                  other = computeRows(part);
  if (failed(own) || failed(other))
    return failure();
  FailureOr<Rows> all = own;
  Changes ofOwn, ofOther;
  auto correctSum = [&](unsigned op, Value sum, const Rows &before,
                        Changes &known) -> FailureOr<Value> {
    std::swap(changes, known);
    FailureOr<Change> change = findChange(op, before, *all);
    std::swap(changes, known);
    if (failed(change))
      return failure();
    return correctSoFar(op, *change, sum);
  };
  unsigned number = 0;
  for (unsigned op : program.group.ops) {
    if (getRole(op) != StreamRole::Sum)
      continue;
    Value &sum = sums[number];
    FailureOr<Value> before = correctSum(op, sum, *own, ofOwn);
    FailureOr<Value> added = correctSum(op, part[number++], *other, ofOther);
    if (failed(before) || failed(added))
      return failure();
    sum = vector::makeArithReduction(vectors.builder, vectors.loc,
                                     findCombination(getOp(op))->kind, *before,
                                     *added);
    // Later sums are corrected by what this one is now.
    if (isNeeded(getResult(op)) && failed(all = computeRows(sums)))
      return failure();
  }
  return success();
}

LogicalResult StreamWriter::combineParts(SmallVectorImpl<Value> &sums) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  SmallVector<GroupValue> own;
  for (unsigned op : program.group.ops)
    if (getRole(op) == StreamRole::Sum)
      own.push_back({sums[own.size()], findSumDims(op), {}});
  for (const GroupValue &sum : own)
    parts->leave(sum);
  parts->startLast();
  // Some parts are read together, so that threads wait once for all of them.
  int64_t together = countTogether(program.shape, program.schedule);
  auto getIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(builder, loc, getIndex(0), parts->getCount(),
                                 getIndex(together), starts);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<SmallVector<Value>> read(together);
    for (int64_t at = 0; at != together; ++at) {
      Value part = loop.getInductionVar(), exists;
      if (at != 0) {
        Value next = arith::AddIOp::create(builder, loc, part, getIndex(at));
        exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       next, parts->getCount());
        part = arith::SelectOp::create(builder, loc, exists, next, part);
      }
      for (auto [op, sum] : llvm::enumerate(own)) {
        Value value = parts->read(op, part, sum);
        if (exists)
          value =
              arith::SelectOp::create(builder, loc, exists, value, starts[op]);
        read[at].push_back(value);
      }
    }
    SmallVector<Value> combined(loop.getRegionIterArgs());
    for (const SmallVector<Value> &part : read)
      if (failed(addPart(combined, part)))
        return failure();
    scf::YieldOp::create(builder, loc, combined);
  }
  sums.assign(loop.getResults().begin(), loop.getResults().end());
  return success();
}
