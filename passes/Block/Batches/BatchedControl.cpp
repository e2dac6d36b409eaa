//===- BatchedControl.cpp - loops and branches of several programs --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BatchedControl.h.
//
//===----------------------------------------------------------------------===//

#include "BatchedControl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

//===--------------------------------------------------------------------===//
// Control flow
//===--------------------------------------------------------------------===//

void BatchedControl::batch(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) {
        bool isCommon =
            llvm::none_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(),
                                     loop.getStep()},
                          [&](Value bound) { return body.varies(bound); });
        isCommon ? batchLoop(loop) : batchDivergent(loop);
      })
      .Case([&](scf::IfOp branch) {
        body.varies(branch.getCondition()) ? batchDivergent(branch)
                                           : batchBranch(branch);
      })
      .Case([&](scf::WhileOp loop) {
        variance.varies(loop.getConditionOp().getCondition())
            ? batchDivergent(loop)
            : batchLoop(loop);
      })
      .Default([&](Operation *) {
        body.refuse(op, "has no form for several programs");
      });
}

/// What differs between programs is carried as a vector.
Type BatchedControl::getCarriedType(Value value) {
  return variance.varies(value) ? body.getType(value.getType())
                                : value.getType();
}
Value BatchedControl::getCarried(Location loc, Value value, Value carrier) {
  return variance.varies(carrier) ? body.toVector(loc, value)
                                  : body.uniform.lookup(value);
}
SmallVector<Value> BatchedControl::getCarried(Location loc, ValueRange from,
                                              ValueRange carriers) {
  SmallVector<Value> carried;
  for (auto [value, carrier] : llvm::zip_equal(from, carriers))
    carried.push_back(getCarried(loc, value, carrier));
  return carried;
}
void BatchedControl::setCarried(ValueRange from, ValueRange to) {
  for (auto [value, carried] : llvm::zip_equal(from, to))
    if (variance.varies(value))
      body.vectors[value] = carried;
    else
      body.uniform.map(value, carried);
}

/// Writes a region: `body` for the programs of a mask, and its end. A region
/// that is dropped has one, too.
void BatchedControl::writeBody(Block &from, Value mask,
                               function_ref<void()> writeEnd) {
  Value outer = std::exchange(body.mask, mask);
  batchBlock(from);
  body.mask = outer;
  if (body.refusal.empty())
    writeEnd();
}

void BatchedControl::batchLoop(scf::ForOp loop) {
  Location loc = loop.getLoc();
  auto batched = scf::ForOp::create(
      builder, loc, body.uniform.lookup(loop.getLowerBound()),
      body.uniform.lookup(loop.getUpperBound()),
      body.uniform.lookup(loop.getStep()),
      getCarried(loc, loop.getInitArgs(), loop.getRegionIterArgs()));
  batched->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  body.uniform.map(loop.getInductionVar(), batched.getInductionVar());
  setCarried(loop.getRegionIterArgs(), batched.getRegionIterArgs());
  startBody(batched);
  writeBody(*loop.getBody(), body.mask, [&] {
    scf::YieldOp::create(
        builder, loc,
        getCarried(loc, loop.getYieldedValues(), loop.getRegionIterArgs()));
  });
  builder.setInsertionPointAfter(batched);
  setCarried(loop.getResults(), batched.getResults());
}

/// Starts a body that has no terminator yet.
void BatchedControl::startBody(scf::ForOp loop) {
  Block *block = loop.getBody();
  if (!block->empty())
    block->getTerminator()->erase();
  builder.setInsertionPointToEnd(block);
}

void BatchedControl::batchBranch(scf::IfOp branch) {
  Location loc = branch.getLoc();
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    types.push_back(getCarriedType(result));
  auto batched = scf::IfOp::create(
      builder, loc, types, body.uniform.lookup(branch.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/branch.elseBlock() != nullptr);
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), batched->getRegions())) {
    if (from.empty())
      continue;
    Block &block = from.front();
    builder.setInsertionPointToEnd(&to.front());
    writeBody(block, body.mask, [&] {
      scf::YieldOp::create(builder, loc,
                           getCarried(loc, block.getTerminator()->getOperands(),
                                      branch.getResults()));
    });
  }
  builder.setInsertionPointAfter(batched);
  setCarried(branch.getResults(), batched.getResults());
}

void BatchedControl::batchLoop(scf::WhileOp loop) {
  Location loc = loop.getLoc();
  SmallVector<Type> types;
  for (Value result : loop.getResults())
    types.push_back(getCarriedType(result));
  auto batched = scf::WhileOp::create(
      builder, loc, types,
      getCarried(loc, loop.getInits(), loop.getBeforeArguments()));
  batched->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  addBlock(batched.getBefore(), ValueRange(batched.getInits()).getTypes());
  setCarried(loop.getBeforeArguments(), batched.getBeforeArguments());
  scf::ConditionOp end = loop.getConditionOp();
  writeBody(*loop.getBeforeBody(), body.mask, [&] {
    scf::ConditionOp::create(
        builder, loc, body.uniform.lookup(end.getCondition()),
        getCarried(loc, end.getArgs(), loop.getAfterArguments()));
  });
  addBlock(batched.getAfter(), types);
  setCarried(loop.getAfterArguments(), batched.getAfterArguments());
  writeBody(*loop.getAfterBody(), body.mask, [&] {
    scf::YieldOp::create(
        builder, loc,
        getCarried(loc, loop.getYieldedValues(), loop.getBeforeArguments()));
  });
  builder.setInsertionPointAfter(batched);
  setCarried(loop.getResults(), batched.getResults());
}

void BatchedControl::addBlock(Region &region, TypeRange types) {
  builder.createBlock(&region, region.end(), types,
                      SmallVector<Location>(types.size(), region.getLoc()));
}

//===--------------------------------------------------------------------===//
// Control flow that differs between programs
//===--------------------------------------------------------------------===//

/// Vectors that `write` computes if a program is in the mask, and zeros
/// otherwise.
SmallVector<Value>
BatchedControl::runIfAny(Operation *op, Value mask, ValueRange results,
                         function_ref<SmallVector<Value>()> write) {
  Location loc = op->getLoc();
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(body.getType(result.getType()));
  auto branch = scf::IfOp::create(builder, loc, types, body.isAny(loc, mask),
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/!types.empty());
  builder.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> computed = write();
  if (!body.refusal.empty())
    return {};
  scf::YieldOp::create(builder, loc, computed);
  if (!types.empty()) {
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc,
                         llvm::map_to_vector(types, [&](Type type) {
                           return body.makeZero(loc, type);
                         }));
  }
  builder.setInsertionPointAfter(branch);
  return SmallVector<Value>(branch.getResults());
}

/// Both branches, each for its programs.
void BatchedControl::batchDivergent(scf::IfOp branch) {
  Location loc = branch.getLoc();
  Value taken = body.toVector(branch.getLoc(), branch.getCondition());
  Value ones = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(cast<VectorType>(taken.getType()), true));
  Value others = arith::XOrIOp::create(builder, loc, taken, ones);
  SmallVector<SmallVector<Value>> results;
  for (auto [region, mask] : {std::pair(&branch.getThenRegion(), taken),
                              {&branch.getElseRegion(), others}}) {
    if (region->empty())
      continue;
    Block &from = region->front();
    Value own = accesses.narrowMask(branch, mask);
    if (!own)
      return;
    results.push_back(runIfAny(branch, own, branch.getResults(), [&] {
      SmallVector<Value> yielded;
      writeBody(from, own, [&] {
        yielded = body.toVectors(loc, from.getTerminator()->getOperands());
      });
      return yielded;
    }));
    if (!body.refusal.empty())
      return;
  }
  for (auto [number, result] : llvm::enumerate(branch.getResults()))
    body.vectors[result] = body.select(loc, taken, results.front()[number],
                                       results.back()[number]);
}

/// As many iterations as the longest program has, each for the programs that
/// have it. Programs that have ended keep what they carry.
void BatchedControl::batchDivergent(scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value first = body.toVector(loop.getLoc(), loop.getLowerBound());
  Value end = body.toVector(loop.getLoc(), loop.getUpperBound());
  Value step = body.toVector(loop.getLoc(), loop.getStep());
  Value isIn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     first, end);
  Value programs = accesses.narrowMask(loop, isIn);
  if (!programs)
    return;
  // A step has at least 1.
  Value count = arith::SubIOp::create(builder, loc, end, first);
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          cast<ShapedType>(count.getType()),
          Attribute(builder.getIntegerAttr(loop.getStep().getType(), 1))));
  count = arith::SubIOp::create(builder, loc, count, one);
  count = arith::DivSIOp::create(builder, loc, count, step);
  count = arith::AddIOp::create(builder, loc, count, one);
  count = toIndices(loc, count);
  count =
      body.select(loc, programs, count, body.makeZero(loc, count.getType()));
  auto wide = VectorType::get(body.programs, builder.getI64Type());
  Value most =
      body.findMost(loc, arith::IndexCastOp::create(builder, loc, wide, count));
  most = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), most);
  auto batched = scf::ForOp::create(builder, loc, body.makeIndex(loc, 0), most,
                                    body.makeIndex(loc, 1),
                                    body.toVectors(loc, loop.getInitArgs()));
  batched->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  startBody(batched);
  Value number = batched.getInductionVar();
  Value numbers =
      vector::BroadcastOp::create(builder, loc, count.getType(), number);
  Value mask = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     numbers, count);
  setInduction(loop, number);
  for (auto [from, to] :
       llvm::zip_equal(loop.getRegionIterArgs(), batched.getRegionIterArgs()))
    body.vectors[from] = to;
  writeBody(*loop.getBody(), mask, [&] {
    SmallVector<Value> carried;
    for (auto [value, before] :
         llvm::zip_equal(loop.getYieldedValues(), batched.getRegionIterArgs()))
      carried.push_back(
          body.select(loc, mask, body.toVector(loop.getLoc(), value), before));
    scf::YieldOp::create(builder, loc, carried);
  });
  builder.setInsertionPointAfter(batched);
  for (auto [from, to] :
       llvm::zip_equal(loop.getResults(), batched.getResults()))
    body.vectors[from] = to;
}

Value BatchedControl::toIndices(Location loc, Value numbers) {
  auto type = VectorType::get(body.programs, builder.getIndexType());
  return numbers.getType() == type
             ? numbers
             : arith::IndexCastOp::create(builder, loc, type, numbers)
                   .getResult();
}

/// Programs that start alike have the same index in an iteration.
void BatchedControl::setInduction(scf::ForOp loop, Value number) {
  Location loc = loop.getLoc();
  Value first = loop.getLowerBound(), step = loop.getStep();
  Type type = first.getType();
  if (!type.isIndex())
    number = arith::IndexCastOp::create(builder, loc, type, number);
  auto move = [&](Value first, Value step, Value number) -> Value {
    Value distance = arith::MulIOp::create(builder, loc, number, step);
    return arith::AddIOp::create(builder, loc, first, distance);
  };
  Value index = loop.getInductionVar();
  if (body.vectors.contains(first) || body.varies(step)) {
    Value numbers =
        vector::BroadcastOp::create(builder, loc, body.getType(type), number);
    body.vectors[index] = move(body.toVector(loop.getLoc(), first),
                               body.toVector(loop.getLoc(), step), numbers);
  } else if (Value base = body.bases.lookup(first)) {
    body.bases[index] = move(base, body.uniform.lookup(step), number);
  } else {
    body.uniform.map(index, move(body.uniform.lookup(first),
                                 body.uniform.lookup(step), number));
  }
}

/// Goes on while a program does. The loop carries the programs that do, and
/// the results of those that have ended.
void BatchedControl::batchDivergent(scf::WhileOp loop) {
  Location loc = loop.getLoc();
  Value all = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          VectorType::get(body.programs, builder.getI1Type()), true));
  Value programs = accesses.narrowMask(loop, all);
  if (!programs)
    return;
  SmallVector<Value> results = runIfAny(loop, programs, loop.getResults(), [&] {
    SmallVector<Value> inits = body.toVectors(loc, loop.getInits());
    SmallVector<Value> ofResults = {programs};
    for (Value result : loop.getResults())
      ofResults.push_back(body.makeZero(loc, body.getType(result.getType())));
    llvm::append_range(inits, ofResults);
    auto batched = scf::WhileOp::create(
        builder, loc, ValueRange(ofResults).getTypes(), inits);
    writeBefore(loop, batched);
    if (body.refusal.empty())
      writeAfter(loop, batched);
    builder.setInsertionPointAfter(batched);
    return SmallVector<Value>(batched.getResults().drop_front());
  });
  if (!body.refusal.empty())
    return;
  for (auto [from, to] : llvm::zip_equal(loop.getResults(), results))
    body.vectors[from] = to;
}

void BatchedControl::writeBefore(scf::WhileOp loop, scf::WhileOp batched) {
  Location loc = loop.getLoc();
  addBlock(batched.getBefore(), ValueRange(batched.getInits()).getTypes());
  ValueRange arguments = batched.getBeforeArguments();
  size_t count = loop.getInits().size();
  for (auto [from, to] :
       llvm::zip_equal(loop.getBeforeArguments(), arguments.take_front(count)))
    body.vectors[from] = to;
  Value programs = arguments[count];
  ValueRange before = arguments.drop_front(count + 1);
  scf::ConditionOp end = loop.getConditionOp();
  writeBody(*loop.getBeforeBody(), programs, [&] {
    Value goOn =
        arith::AndIOp::create(builder, loc, programs,
                              body.toVector(loop.getLoc(), end.getCondition()));
    SmallVector<Value> forwarded = {goOn};
    for (auto [value, old] : llvm::zip_equal(end.getArgs(), before))
      forwarded.push_back(
          body.select(loc, programs, body.toVector(loop.getLoc(), value), old));
    scf::ConditionOp::create(builder, loc, body.isAny(loc, goOn), forwarded);
  });
}

void BatchedControl::writeAfter(scf::WhileOp loop, scf::WhileOp batched) {
  Location loc = loop.getLoc();
  addBlock(batched.getAfter(), batched.getResultTypes());
  ValueRange arguments = batched.getAfterArguments();
  for (auto [from, to] :
       llvm::zip_equal(loop.getAfterArguments(), arguments.drop_front()))
    body.vectors[from] = to;
  writeBody(*loop.getAfterBody(), arguments.front(), [&] {
    SmallVector<Value> carried = body.toVectors(loc, loop.getYieldedValues());
    llvm::append_range(carried, arguments);
    scf::YieldOp::create(builder, loc, carried);
  });
}
