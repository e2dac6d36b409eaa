//===- LowerBlockProgram.cpp - kernels of the block phase -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread executes the kernel alone. Vectors become bytes of its own, and
// ops on them become loops, before the kernel is lowered like any other. Loops
// and branches lose the vectors that they carry: each carried value has a fixed
// place, to which its sources are copied.
//
//===----------------------------------------------------------------------===//

#include "LowerValues.h"

#include "../KernelModule.h"

#include "carousel/Dialect/Transforms/CoveredVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::sim;

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

namespace {

class BlockLowering {
public:
  BlockLowering(const ValuePlan &plan, Value memory)
      : plan(plan), access(plan, memory) {}

  void setCovered(int64_t width, Value end) { access.setCovered(width, end); }

  /// Creates the loops before the op. The op stays until `finish`, since its
  /// results stand for their places.
  LogicalResult lower(Operation *op);
  /// Erases the ops on vectors.
  void finish();

private:
  bool lowerControl(Operation *op);
  LogicalResult lowerMask(vector::MaskOp op);
  FailureOr<bool> lowerOne(ImplicitLocOpBuilder &b, Operation *op, Value mask);
  void copyAll(Operation *before, ValueRange from, ValueRange to);
  void yieldTo(Operation *terminator, ValueRange to);

  const ValuePlan &plan;
  ValueAccess access;
  std::vector<Operation *> lowered, control, terminators;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

void BlockLowering::copyAll(Operation *before, ValueRange from, ValueRange to) {
  ImplicitLocOpBuilder b(before->getLoc(), before);
  for (auto [source, target] : llvm::zip_equal(from, to))
    if (isVector(source))
      access.copy(b, source, target);
}

/// All are copied as if at once: values that a copy may overwrite are saved
/// first.
void BlockLowering::yieldTo(Operation *terminator, ValueRange to) {
  ImplicitLocOpBuilder b(terminator->getLoc(), terminator);
  for (OpOperand &operand : terminator->getOpOperands())
    if (isVector(operand.get()))
      access.save(b, operand);
  for (auto [operand, target] :
       llvm::zip_equal(terminator->getOpOperands(), to))
    if (isVector(operand.get()))
      access.copyYielded(b, operand, target);
  terminators.push_back(terminator);
}

bool BlockLowering::lowerControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    copyAll(op, loop.getInitArgs(), loop.getRegionIterArgs());
    yieldTo(loop.getBody()->getTerminator(), loop.getRegionIterArgs());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    copyAll(op, loop.getInits(), loop.getBeforeArguments());
    scf::ConditionOp condition = loop.getConditionOp();
    copyAll(condition, condition.getArgs(), loop.getAfterArguments());
    terminators.push_back(condition);
    yieldTo(loop.getYieldOp(), loop.getBeforeArguments());
  } else if (isa<scf::IfOp, scf::ExecuteRegionOp, scf::IndexSwitchOp,
                 memref::AllocaScopeOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        yieldTo(region.front().getTerminator(), op->getResults());
  } else {
    return false;
  }
  control.push_back(op);
  return true;
}

static void eraseVectors(MutableArrayRef<OpOperand> operands, Operation *op) {
  BitVector vectors(op->getNumOperands());
  for (OpOperand &operand : operands)
    if (isVector(operand.get()))
      vectors.set(operand.getOperandNumber());
  op->eraseOperands(vectors);
}

/// Creates the op again, with its regions and the results that aren't vectors.
static void removeVectorResults(Operation *op) {
  SmallVector<Type> types;
  SmallVector<Value> kept;
  for (Value result : op->getResults())
    if (!isVector(result)) {
      types.push_back(result.getType());
      kept.push_back(result);
    }
  Operation *scalar = Operation::create(
      op->getLoc(), op->getName(), types, op->getOperands(),
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      BlockRange(), op->getNumRegions());
  OpBuilder(op).insert(scalar);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), scalar->getRegions())) {
    to.takeBody(from);
    for (Block &block : to)
      block.eraseArguments(
          [](BlockArgument argument) { return isVector(argument); });
  }
  for (auto [from, to] : llvm::zip_equal(kept, scalar->getResults()))
    from.replaceAllUsesWith(to);
  op->erase();
}

void BlockLowering::finish() {
  for (Operation *op : terminators)
    eraseVectors(op->getOpOperands(), op);
  for (Operation *op : control)
    eraseVectors(op->getOpOperands(), op);
  // Users come after what they use, and inner ops after outer ones.
  for (Operation *op : llvm::reverse(lowered))
    op->erase();
  for (Operation *op : llvm::reverse(control))
    removeVectorResults(op);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

FailureOr<bool> BlockLowering::lowerOne(ImplicitLocOpBuilder &b, Operation *op,
                                        Value mask) {
  if (!mask)
    for (auto lowerKind : {lowerElements, lowerMoves}) {
      FailureOr<bool> isKnown = lowerKind(b, access, op);
      if (failed(isKnown) || *isKnown)
        return isKnown;
    }
  for (auto lowerKind : {lowerAccesses, lowerReductions}) {
    FailureOr<bool> isKnown = lowerKind(b, access, op, mask);
    if (failed(isKnown) || *isKnown)
      return isKnown;
  }
  return false;
}

/// Elements that aren't selected are those of the passthru. The mask of a
/// transfer has the memref's order of dimensions.
static void copyPassthru(ImplicitLocOpBuilder &b, ValueAccess &access,
                         vector::MaskOp op) {
  Value result = op.getResult(0);
  auto type = cast<VectorType>(result.getType());
  AffineMap order = b.getMultiDimIdentityMap(type.getRank());
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op.getMaskableOp()))
    order =
        inversePermutation(compressUnusedDims(transfer.getPermutationMap()));
  access.forEach(b, type.getShape(), [&](Coords coords) {
    SmallVector<Value> place;
    for (AffineExpr expr : order.getResults())
      place.push_back(coords[cast<AffineDimExpr>(expr).getPosition()]);
    Value element = arith::SelectOp::create(
        b, access.read(b, op.getMask(), place), access.read(b, result, coords),
        access.read(b, op.getPassthru(), coords));
    access.write(b, result, coords, element);
  });
}

LogicalResult BlockLowering::lowerMask(vector::MaskOp op) {
  Operation *inner = op.getMaskableOp();
  if (!inner)
    return op.emitError("expected a vector.mask with an op in a block program, "
                        "got no op");
  for (auto [from, to] : llvm::zip_equal(inner->getResults(), op.getResults()))
    access.alias(from, to);
  ImplicitLocOpBuilder b(inner->getLoc(), op);
  FailureOr<bool> isKnown = lowerOne(b, inner, op.getMask());
  if (succeeded(isKnown) && !*isKnown)
    return inner->emitError("expected an op that the simulated machine masks "
                            "in a block program, got '")
           << inner->getName() << "'";
  if (failed(isKnown))
    return failure();
  if (op.hasPassthru())
    copyPassthru(b, access, op);
  Operation *yield = op.getMaskBlock()->getTerminator();
  for (auto [from, to] : llvm::zip_equal(yield->getOperands(), op.getResults()))
    if (!isVector(to))
      to.replaceAllUsesWith(from);
  return success();
}

LogicalResult BlockLowering::lower(Operation *op) {
  if (lowerControl(op))
    return success();
  lowered.push_back(op);
  if (auto mask = dyn_cast<vector::MaskOp>(op))
    return lowerMask(mask);
  if (const ValuePlan::Run *run = plan.findRun(op)) {
    if (op == run->back())
      lowerRun(access, *run);
    return success();
  }
  ImplicitLocOpBuilder b(op->getLoc(), op);
  FailureOr<bool> isKnown = lowerOne(b, op, /*mask=*/Value());
  if (succeeded(isKnown) && !*isKnown)
    return op->emitError("expected an op that the simulated machine has for "
                         "vectors of a block program, got '")
           << op->getName() << "'";
  return success(succeeded(isKnown));
}

/// A place of the kernel is written once between two points only if control is
/// structured.
static LogicalResult verifyStructured(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([](Operation *op) {
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock()) {
        op->emitError("expected regions of one block in a block program, got ")
            << region.getBlocks().size() << " blocks";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static bool isYield(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() &&
         isa<scf::SCFDialect, memref::MemRefDialect>(op->getDialect());
}

/// The covered extent. Launches of more than the width get wider vectors
/// (SimKernelImpl.h).
static LogicalResult findCovered(OpBuilder &builder, gpu::GPUFuncOp kernel,
                                 BlockLowering &lowering) {
  auto program =
      kernel->getAttrOfType<BlockProgramAttr>(CarouselDialect::kBlockProgram);
  if (program.getWidth() == 0)
    return success();
  Location loc = kernel.getLoc();
  Value extent = createExtent(builder, loc, kernel, program.getCovers());
  // C248
  if (!extent)
    return kernel.emitError("expected a covered extent that is computed from "
                            "extents, numbers and constants, got ")
           << program.getCovers();
  Value width =
      arith::ConstantIndexOp::create(builder, loc, program.getWidth());
  lowering.setCovered(program.getWidth(),
                      arith::MinSIOp::create(builder, loc, extent, width));
  return success();
}

LogicalResult sim::lowerBlockProgram(gpu::GPUFuncOp kernel,
                                     StaticMemory &memory) {
  if (failed(verifyStructured(kernel)))
    return failure();
  FailureOr<ValuePlan> plan = ValuePlan::compute(kernel);
  if (failed(plan))
    return failure();
  memory.valueBytes = plan->getBytes();
  std::vector<Operation *> ops;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel || !hasVectors(op) || isYield(op))
      return WalkResult::advance();
    ops.push_back(op);
    return isa<vector::MaskOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  if (ops.empty())
    return success();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto type = MemRefType::get(int64_t(memory.valueBytes), builder.getI8Type());
  Value bytes = memref::GetGlobalOp::create(builder, kernel.getLoc(), type,
                                            kValuesSymbol);
  BlockLowering lowering(*plan, bytes);
  if (failed(findCovered(builder, kernel, lowering)))
    return failure();
  for (Operation *op : ops)
    if (failed(lowering.lower(op)))
      return failure();
  lowering.finish();
  return success();
}
