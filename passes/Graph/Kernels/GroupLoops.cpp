//===- GroupLoops.cpp - the loops of a group's kernel ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GroupLoops.h.
//
//===----------------------------------------------------------------------===//

#include "GroupLoops.h"

#include "GroupMemory.h"

#include "carousel/Analysis/Graph/GroupDivision.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <set>

using namespace mlir;
using namespace carousel;

void carousel::pipelineLoop(scf::ForOp loop) {
  loop->setAttr(CarouselDialect::kPipeline,
                PipelineAttr::getAuto(loop.getContext()));
}

SmallVector<unsigned>
carousel::findLoopPositions(const GroupSchedule &schedule) {
  SmallVector<unsigned> positions, inner;
  for (auto [position, dim] : llvm::enumerate(schedule.dims))
    if (dim.walk == DimWalk::Loop)
      // Dimensions of vectors are innermost.
      (schedule.hasOneLoop && dim.tile != 1 ? inner : positions)
          .push_back(position);
  llvm::append_range(positions, inner);
  return positions;
}

/// Counts the bytes that an iteration brings to and from shared memory.
static int64_t countTileBytes(const GroupProgram &program) {
  const GraphProblem &problem = program.graph.problem;
  std::set<std::pair<unsigned, SmallVector<unsigned>>> tiles;
  int64_t bytes = 0;
  for (auto [number, op] : llvm::enumerate(problem.ops))
    for (const GraphAccess &access :
         llvm::concat<const GraphAccess>(op.reads, op.writes)) {
      // The init of a sum is read before the loop.
      bool isInLoop =
          !op.reduces() &&
          carousel::isInLoop(program.shape, program.schedule, number);
      int64_t elements = 1;
      SmallVector<unsigned> positions = getPositions(program, number, access);
      for (unsigned position : positions) {
        const ScheduledDim &dim = program.schedule.dims[position];
        isInLoop |= dim.walk == DimWalk::Loop;
        elements *= dim.tile;
      }
      bool isInMemory =
          isa<BlockArgument>(program.graph.tensors[access.tensor]) ||
          leavesGroup(problem, program.group, access.tensor);
      if (isInLoop && isInMemory && elements != 1 &&
          tiles.insert({access.tensor, positions}).second)
        bytes += elements * problem.tensors[access.tensor].elementBytes;
    }
  return bytes;
}

bool carousel::isPipelined(const GroupProgram &program) {
  // Two slots of each tile fit the least shared memory that chips have, 99 KiB,
  // and those of online reductions, which have two products, the 227 KiB of
  // sm_90.
  bool isOnlineReduction = program.schedule.family == ScheduleFamily::Stream;
  // Sums along the same pixels read most of them again, from the L1.
  int64_t stencils =
      llvm::count_if(program.graph.problem.ops, [](const GraphOp &op) {
        return op.kind == GraphOpKind::Stencil;
      });
  if (stencils > 1)
    return false;
  int64_t mostTileBytes = (isOnlineReduction ? 96 : 48) << 10;
  const GroupSchedule &schedule = program.schedule;
  SmallVector<unsigned> loops = findLoopPositions(schedule);
  if (loops.empty() || schedule.dims[loops.back()].tile == 1)
    return false;
  auto isOnce = [&](unsigned position) {
    const ScheduledDim &dim = schedule.dims[position];
    return dim.extent > 0 && dim.extent <= dim.tile &&
           !(schedule.division && schedule.division->position == position);
  };
  if (!schedule.hasOneLoop)
    loops = {loops.back()};
  // Factors of products always come by a ring; other tiles of one iteration
  // would only make a detour.
  bool isProduct =
      isOnlineReduction || schedule.family == ScheduleFamily::Contraction;
  return (isProduct || !llvm::all_of(loops, isOnce)) &&
         countTileBytes(program) <= mostTileBytes;
}

/// One loop along all dimensions: its iteration's number has a digit for each.
static GroupLoops createOneLoop(GroupVectors &vectors, DivideLoop divide,
                                ValueRange inits) {
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  auto getIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<unsigned> positions = findLoopPositions(vectors.schedule);
  SmallVector<Value> counts;
  Value total = getIndex(1);
  for (unsigned position : positions) {
    Value count = vectors.getExtent(position);
    if (int64_t tile = vectors.schedule.dims[position].tile; tile != 1)
      count =
          builder.createOrFold<arith::CeilDivUIOp>(loc, count, getIndex(tile));
    counts.push_back(count);
    total = builder.createOrFold<arith::MulIOp>(loc, total, count);
  }
  std::pair<Value, Value> range(getIndex(0), total);
  if (divide)
    range = divide(total);
  auto loop = scf::ForOp::create(builder, loc, range.first, range.second,
                                 getIndex(1), inits);
  builder.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getInductionVar();
  for (size_t at = positions.size(); at-- != 0;) {
    Value place = rest;
    if (at != 0) {
      place = builder.createOrFold<arith::RemUIOp>(loc, rest, counts[at]);
      rest = builder.createOrFold<arith::DivUIOp>(loc, rest, counts[at]);
    }
    if (int64_t tile = vectors.schedule.dims[positions[at]].tile; tile != 1)
      place = builder.createOrFold<arith::MulIOp>(loc, place, getIndex(tile));
    vectors.setBegin(positions[at], place);
  }
  return {loop, loop, SmallVector<Value>(loop.getRegionIterArgs())};
}

GroupLoops carousel::createLoops(GroupVectors &vectors,
                                 const std::optional<LoopRange> &part,
                                 DivideLoop divide, ValueRange inits) {
  if (vectors.schedule.hasOneLoop)
    return createOneLoop(vectors, divide, inits);
  OpBuilder &builder = vectors.builder;
  Location loc = vectors.loc;
  GroupLoops loops;
  loops.carried = SmallVector<Value>(inits);
  for (unsigned position : findLoopPositions(vectors.schedule)) {
    Value from = arith::ConstantIndexOp::create(builder, loc, 0);
    Value to = vectors.getExtent(position);
    if (part && part->position == position)
      std::tie(from, to) = std::pair(part->from, part->to);
    Value step = arith::ConstantIndexOp::create(
        builder, loc, vectors.schedule.dims[position].tile);
    auto loop = scf::ForOp::create(builder, loc, from, to, step, loops.carried);
    if (loops.inner && !loops.carried.empty()) {
      builder.setInsertionPointToEnd(loops.inner.getBody());
      scf::YieldOp::create(builder, loc, loop.getResults());
    }
    if (!loops.outer)
      loops.outer = loop;
    loops.inner = loop;
    loops.carried.assign(loop.getRegionIterArgs().begin(),
                         loop.getRegionIterArgs().end());
    vectors.setBegin(position, loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  return loops;
}
