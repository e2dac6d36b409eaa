//===- BatchPrograms.cpp - several programs in one CTA --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --carousel-batch-programs. Writes the batched body beside the old one, and
// replaces that one if every op has a batched form. Values that depend on the
// program are either an index plus the program's number, or vectors whose first
// dimension counts programs.
//
//===----------------------------------------------------------------------===//

#include "../Kernels/NewBody.h"
#include "../Kernels/VerifyBlock.h"
#include "BatchedAccesses.h"

#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace carousel {
#define GEN_PASS_DEF_BATCHPROGRAMS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Loops and branches of several programs
//
// Control flow of programs that a CTA executes together. Where programs have
// conditions and bounds in common, it stays as it is. Otherwise the CTA takes
// each way that one of its programs takes, with a mask of these.
//===----------------------------------------------------------------------===//

namespace {

/// Finds the values of a block program that depend on its number. Programs that
/// a CTA executes together have all others in common.
class ProgramVariance {
public:
  explicit ProgramVariance(gpu::GPUFuncOp kernel);

  bool varies(Value value) const { return varying.contains(value); }

private:
  bool update(Operation *op);
  bool update(scf::ForOp loop);
  bool update(scf::IfOp branch);
  bool update(scf::WhileOp loop);
  bool anyVaries(ValueRange values) const;
  bool mark(ValueRange values);
  bool markEach(ValueRange from, ValueRange to);

  DenseSet<Value> varying;
};

class BatchedControl {
public:
  /// `batchBlock` writes the ops of a block without its terminator.
  BatchedControl(gpu::GPUFuncOp kernel, BatchedBody &body,
                 BatchedAccesses &accesses,
                 std::function<void(Block &)> batchBlock)
      : body(body), builder(body.builder), accesses(accesses), variance(kernel),
        batchBlock(std::move(batchBlock)) {}

  /// An op with regions.
  void batch(Operation *op);

private:
  void batchLoop(scf::ForOp loop);
  void batchLoop(scf::WhileOp loop);
  void batchBranch(scf::IfOp branch);
  void batchDivergent(scf::ForOp loop);
  void batchDivergent(scf::WhileOp loop);
  void batchDivergent(scf::IfOp branch);
  void writeBefore(scf::WhileOp loop, scf::WhileOp batched);
  void writeAfter(scf::WhileOp loop, scf::WhileOp batched);

  Type getCarriedType(Value value);
  Value getCarried(Location loc, Value value, Value carrier);
  SmallVector<Value> getCarried(Location loc, ValueRange from,
                                ValueRange carriers);
  void setCarried(ValueRange from, ValueRange to);
  void writeBody(Block &from, Value mask, function_ref<void()> writeEnd);
  void startBody(scf::ForOp loop);
  void addBlock(Region &region, TypeRange types);
  SmallVector<Value> runIfAny(Operation *op, Value mask, ValueRange results,
                              function_ref<SmallVector<Value>()> write);
  Value toIndices(Location loc, Value numbers);
  void setInduction(scf::ForOp loop, Value number);

  BatchedBody &body;
  OpBuilder &builder;
  BatchedAccesses &accesses;
  const ProgramVariance variance;
  std::function<void(Block &)> batchBlock;
};

} // namespace

//===----------------------------------------------------------------------===//
// Differences between programs
//===----------------------------------------------------------------------===//

// Repeats until nothing new is found: loops carry values
// to earlier ops.

ProgramVariance::ProgramVariance(gpu::GPUFuncOp kernel) {
  bool changed = true;
  while (changed) {
    changed = false;
    kernel->walk([&](Operation *op) {
      if (op != kernel)
        changed |= update(op);
    });
  }
}

bool ProgramVariance::anyVaries(ValueRange values) const {
  return llvm::any_of(values, [&](Value value) { return varies(value); });
}

bool ProgramVariance::mark(ValueRange values) {
  bool isNew = false;
  for (Value value : values)
    isNew |= varying.insert(value).second;
  return isNew;
}

bool ProgramVariance::markEach(ValueRange from, ValueRange to) {
  bool isNew = false;
  for (auto [source, target] : llvm::zip_equal(from, to))
    if (varies(source))
      isNew |= mark(target);
  return isNew;
}

bool ProgramVariance::update(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](gpu::BlockIdOp id) {
        return id.getDimension() == gpu::Dimension::x && mark(op->getResults());
      })
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp>(
          [&](auto control) { return update(control); })
      .Default([&](Operation *) {
        return anyVaries(op->getOperands()) && mark(op->getResults());
      });
}

/// Programs that leave a loop at other times carry other values out of it.
bool ProgramVariance::update(scf::ForOp loop) {
  bool isNew = false;
  if (anyVaries({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})) {
    isNew |= mark(loop.getRegionIterArgs());
    isNew |= mark(loop.getResults());
    if (anyVaries({loop.getLowerBound(), loop.getStep()}))
      isNew |= mark(loop.getInductionVar());
  }
  isNew |= markEach(loop.getInitArgs(), loop.getRegionIterArgs());
  isNew |= markEach(loop.getYieldedValues(), loop.getRegionIterArgs());
  isNew |= markEach(loop.getRegionIterArgs(), loop.getResults());
  return isNew;
}

bool ProgramVariance::update(scf::IfOp branch) {
  if (varies(branch.getCondition()))
    return mark(branch.getResults());
  if (branch.getNumResults() == 0)
    return false;
  bool isNew = markEach(branch.thenYield().getResults(), branch.getResults());
  isNew |= markEach(branch.elseYield().getResults(), branch.getResults());
  return isNew;
}

/// Programs leave the loop at other times.
bool ProgramVariance::update(scf::WhileOp loop) {
  scf::ConditionOp end = loop.getConditionOp();
  bool isNew = false;
  if (varies(end.getCondition())) {
    isNew |= mark(loop.getBeforeArguments());
    isNew |= mark(loop.getAfterArguments());
    isNew |= mark(loop.getResults());
    return isNew;
  }
  isNew |= markEach(loop.getInits(), loop.getBeforeArguments());
  isNew |= markEach(loop.getYieldedValues(), loop.getBeforeArguments());
  isNew |= markEach(end.getArgs(), loop.getAfterArguments());
  isNew |= markEach(end.getArgs(), loop.getResults());
  return isNew;
}

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

/// Values that differ between programs are carried as vectors.
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

//===----------------------------------------------------------------------===//
// Several programs in one CTA
//===----------------------------------------------------------------------===//

namespace {

class Batcher {
public:
  Batcher(gpu::GPUFuncOp kernel, int64_t programs, OpBuilder &builder)
      : body(builder, programs), builder(builder), accesses(kernel, body),
        control(kernel, body, accesses,
                [this](Block &block) { batch(block); }) {}

  /// If not empty, why the kernel can't be batched.
  StringRef getRefusal() const { return body.refusal; }

  ArrayRef<GuardAttr> getGuards() const { return accesses.guards; }

  void batch(Block &old, Block *to) {
    body.uniform.map(old.getArguments(), to->getArguments());
    batch(old);
  }

private:
  void batch(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (!body.refusal.empty())
        return;
      batch(&op);
    }
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  void batch(Operation *op) {
    Location loc = op->getLoc();
    if (isa<gpu::GridDimOp, SerializeOp, GridTicketOp, SignalOp, WaitSignalOp>(
            op))
      return body.refuse(op, "depends on the number of CTAs");
    if (auto id = dyn_cast<gpu::BlockIdOp>(op);
        id && id.getDimension() == gpu::Dimension::x) {
      Value block = builder.clone(*op)->getResult(0);
      body.bases[id] = arith::MulIOp::create(
          builder, loc, block, body.makeIndex(loc, body.programs));
      return;
    }
    if (op->getNumRegions() != 0)
      return control.batch(op);
    bool depends = llvm::any_of(
        op->getOperands(), [&](Value value) { return body.varies(value); });
    if (!depends) {
      // As many times as there are programs would be the same.
      builder.clone(*op, body.uniform);
      return;
    }
    auto isFull = [](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return vector && vector.getRank() == kMostVectorDims;
    };
    if (llvm::any_of(op->getOperandTypes(), isFull) ||
        llvm::any_of(op->getResultTypes(), isFull))
      return body.refuse(op, "has a vector of four dimensions");
    llvm::TypeSwitch<Operation *>(op)
        .Case<arith::AddIOp, arith::SubIOp>([&](auto sum) { batchSum(sum); })
        .Case<vector::TransferReadOp, vector::TransferWriteOp, memref::LoadOp,
              memref::StoreOp, memref::SubViewOp>(
            [&](auto access) { accesses.batch(access); })
        .Case([&](vector::MultiDimReductionOp reduction) {
          batchReduction(reduction);
        })
        .Case([&](vector::BroadcastOp copies) {
          body.vectors[copies] =
              body.broadcast(loc, toVector(copies, copies.getSource()),
                             body.getType(copies.getType()));
        })
        .Case([&](vector::TransposeOp transpose) {
          SmallVector<int64_t> order = {0};
          for (int64_t dim : transpose.getPermutation())
            order.push_back(dim + 1);
          body.vectors[transpose] = vector::TransposeOp::create(
              builder, loc, toVector(op, transpose.getVector()), order);
        })
        .Case([&](vector::ShapeCastOp cast) {
          body.vectors[cast] = vector::ShapeCastOp::create(
              builder, loc, body.getType(cast.getType()),
              toVector(op, cast.getSource()));
        })
        .Case([&](vector::CreateMaskOp mask) { batchMask(mask); })
        .Default([&](Operation *) {
          if (OpTrait::hasElementwiseMappableTraits(op))
            return batchElementwise(op);
          body.refuse(op, "has no form for several programs");
        });
  }

  Value toVector(Operation *op, Value value) {
    return body.toVector(op->getLoc(), value);
  }

  /// An index plus what all programs have in common.
  template <typename Op> void batchSum(Op op) {
    Value lhs = op.getLhs(), rhs = op.getRhs();
    if (std::is_same_v<Op, arith::AddIOp> && !body.bases.contains(lhs))
      std::swap(lhs, rhs);
    if (!body.bases.contains(lhs) || body.varies(rhs))
      return batchElementwise(op);
    body.bases[op] = Op::create(builder, op.getLoc(), body.bases.lookup(lhs),
                                body.uniform.lookup(rhs));
  }

  void batchElementwise(Operation *op) {
    VectorType type = body.getType(op->getResult(0).getType());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value vector = toVector(op, operand);
      // The condition of a select may be one for all elements.
      auto own = cast<VectorType>(vector.getType());
      operands.push_back(body.broadcast(op->getLoc(), vector,
                                        type.clone(own.getElementType())));
    }
    SmallVector<Type> types;
    for (Type result : op->getResultTypes())
      types.push_back(body.getType(result));
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getAttrs());
    Operation *batched = builder.create(state);
    for (auto [old, result] :
         llvm::zip_equal(op->getResults(), batched->getResults()))
      body.vectors[old] = result;
  }

  void batchReduction(vector::MultiDimReductionOp op) {
    SmallVector<bool> dims = {false};
    for (int64_t dim = 0; dim < op.getSourceVectorType().getRank(); ++dim)
      dims.push_back(op.isReducedDim(dim));
    Value acc = toVector(op, op.getAcc());
    body.vectors[op] = vector::MultiDimReductionOp::create(
        builder, op.getLoc(), toVector(op, op.getSource()), acc, dims,
        op.getKind());
  }

  /// A mask that ends elsewhere in each program.
  void batchMask(vector::CreateMaskOp op) {
    Location loc = op.getLoc();
    VectorType type = body.getType(op.getType());
    VectorType numbers = type.clone(builder.getIndexType());
    Value all;
    for (auto [dim, size] : llvm::enumerate(op.getOperands())) {
      auto steps =
          VectorType::get(op.getType().getDimSize(dim), builder.getIndexType());
      Value at = vector::StepOp::create(builder, loc, steps);
      if (int64_t(dim) + 1 < op.getType().getRank()) {
        SmallVector<int64_t> shape(op.getType().getRank() - dim, 1);
        shape.front() = steps.getDimSize(0);
        at = vector::ShapeCastOp::create(
            builder, loc, VectorType::get(shape, builder.getIndexType()), at);
      }
      at = vector::BroadcastOp::create(builder, loc, numbers, at);
      Value limit = body.broadcast(loc, toVector(op, size), numbers);
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, at, limit);
      all = all ? arith::AndIOp::create(builder, loc, all, inside).getResult()
                : inside;
    }
    body.vectors[op] = all;
  }

  BatchedBody body;
  OpBuilder &builder;
  BatchedAccesses accesses;
  BatchedControl control;
};

struct BatchPrograms : public carousel::impl::BatchProgramsBase<BatchPrograms> {
  using BatchProgramsBase::BatchProgramsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>()) {
      auto program =
          func->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
      if (!program || !program.getPrograms())
        continue;
      func->setAttr(CarouselDialect::kBlockProgram,
                    BlockProgramAttr::get(&getContext(), program.getWidth(),
                                          program.getCovers(), std::nullopt,
                                          program.getKeeps()));
      if (*program.getPrograms() > 1)
        batch(func, *program.getPrograms());
    }
  }

  void batch(gpu::GPUFuncOp kernel, int64_t programs) {
    Block &old = kernel.getBody().front();
    OpBuilder builder(kernel.getContext());
    Block *body = startNewBody(kernel, builder);
    Batcher batcher(kernel, programs, builder);
    auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
    if (launch)
      batcher.batch(old, body);
    // A variant without guards must stay one.
    auto variant =
        kernel->getAttrOfType<VariantAttr>(CarouselDialect::kVariant);
    bool mayGuard = variant && !variant.getGuards().empty();
    std::string refusal =
        launch ? batcher.getRefusal().str() : "the kernel has no launch";
    if (refusal.empty() && !batcher.getGuards().empty() && !mayGuard)
      refusal = "the kernel has no other variant for launches in which "
                "results have more rows than there are programs";
    remark::RemarkOpts options = remark::RemarkOpts::name("Programs")
                                     .category("carousel-batch-programs")
                                     .function(kernel.getName());
    if (!refusal.empty()) {
      body->dropAllDefinedValueUses();
      body->erase();
      ++missed;
      remark::missed(kernel.getLoc(), options) << remark::add(
          "{0} programs not together in a CTA: {1}", programs, refusal);
      return;
    }
    builder.setInsertionPointToEnd(body);
    builder.clone(*old.getTerminator());
    old.erase();
    addGuards(kernel, getKernelName(kernel), batcher.getGuards());
    SmallVector<ExprAttr> grid(launch.getGrid());
    MLIRContext *context = &getContext();
    grid[0] = ExprAttr::get(
        context, ExprKind::CeilDiv, 0, 0, grid[0],
        ExprAttr::get(context, ExprKind::Constant, programs, 0, {}, {}));
    kernel->setAttr(CarouselDialect::kLaunch,
                    LaunchAttr::get(context, grid, launch.getBlock(),
                                    launch.getCluster(), launch.getShared()));
    ++batched;
    remark::passed(kernel.getLoc(), options)
        << remark::add("{0} programs together in a CTA", programs);
  }
};

} // namespace
