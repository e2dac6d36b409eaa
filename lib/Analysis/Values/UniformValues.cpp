//===- UniformValues.cpp - values that are the same in all threads --------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See UniformValues.h. Values are uniform until they are marked as varying.
// Marks propagate from operands to results, and around loops to a fixpoint.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Values/UniformValues.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

/// Planners visit each thread, so only a block that a chip can have is known;
/// --carousel-verify-chip refuses others (C93).
static std::optional<std::array<int64_t, 3>>
makeBlock(ArrayRef<int64_t> extents) {
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t threads = 1;
  for (auto [to, extent] : llvm::zip(block, extents)) {
    threads *= extent;
    if (extent < 1 || threads > rules::kMaxThreadsPerBlock)
      return std::nullopt;
    to = extent;
  }
  return block;
}

std::optional<std::array<int64_t, 3>>
carousel::getKnownBlock(gpu::GPUFuncOp kernel) {
  if (DenseI32ArrayAttr known = kernel.getKnownBlockSizeAttr())
    return makeBlock(SmallVector<int64_t>(known.asArrayRef()));
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  return launch ? makeBlock(launch.getBlock()) : std::nullopt;
}

/// Whether `op` reads only memory that all threads of a block share.
static bool readsSharedMemory(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return !instances.empty() &&
         llvm::all_of(instances, [](const auto &instance) {
           Value memref = instance.getValue();
           return isa<MemoryEffects::Read>(instance.getEffect()) && memref &&
                  (isGlobalMemRef(memref.getType()) ||
                   isSharedMemRef(memref.getType()));
         });
}

/// Whether the results are the same in the CTAs if the operands are.
bool UniformValues::isSameInCluster(Operation *op) const {
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return id.getDimension() != gpu::Dimension::x;
  if (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::GridDimOp,
          gpu::BlockDimOp, gpu::NumSubgroupsOp, gpu::SubgroupSizeOp,
          RingCreateOp>(op))
    return true;
  return isMemoryEffectFree(op) &&
         isa_and_nonnull<arith::ArithDialect, affine::AffineDialect,
                         index::IndexDialect, math::MathDialect,
                         memref::MemRefDialect, vector::VectorDialect>(
             op->getDialect());
}

/// Whether the op divides the id of a CTA by a multiple of `ctas`.
static bool isClusterId(Operation *op, int64_t ctas) {
  if (!isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return false;
  auto id = op->getOperand(0).getDefiningOp<gpu::BlockIdOp>();
  std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
  return id && divisor && *divisor > 0 && *divisor % ctas == 0;
}

/// Whether the results are the same in all threads if the operands are.
bool UniformValues::isFunctionOfOperands(Operation *op) const {
  if (ctas != 1)
    return isSameInCluster(op);
  if (isa<gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp, gpu::ClusterIdOp,
          gpu::ClusterDimOp, gpu::ClusterBlockIdOp, gpu::NumSubgroupsOp,
          gpu::SubgroupSizeOp, gpu::DynamicSharedMemoryOp>(op))
    return true;
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return block && (*block)[static_cast<unsigned>(id.getDimension())] == 1;
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return isSharedMemRef(alloc.getType());
  if (!isa_and_nonnull<arith::ArithDialect, affine::AffineDialect,
                       index::IndexDialect, math::MathDialect,
                       memref::MemRefDialect, vector::VectorDialect>(
          op->getDialect()))
    return false;
  return isPure(op) || readsSharedMemory(op);
}

UniformValues::UniformValues(gpu::GPUFuncOp kernel)
    : UniformValues(kernel, /*ctas=*/1) {}

UniformValues::UniformValues(gpu::GPUFuncOp kernel, int64_t ctas)
    : ctas(ctas), block(getKnownBlock(kernel)) {
  if (kernel.isExternal())
    return;
  for (BlockArgument memref : kernel.getPrivateAttributions())
    mark(memref);
  do {
    changed = false;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  } while (changed);
}

void UniformValues::mark(Value value) {
  changed |= varying.insert(value).second;
}

void UniformValues::visitLoop(Operation *op) {
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    scf::ConditionOp end = loop.getConditionOp();
    // Threads that leave at different times have different values.
    bool varies = !contains(end.getCondition());
    auto markIf = [&](auto isUniform, ValueRange values) {
      for (auto [index, value] : llvm::enumerate(values))
        if (varies || !isUniform(index))
          mark(value);
    };
    markIf(
        [&](size_t index) {
          return contains(loop.getInits()[index]) &&
                 contains(loop.getYieldOp().getOperand(index));
        },
        loop.getBeforeArguments());
    auto isPassed = [&](size_t index) {
      return contains(end.getArgs()[index]);
    };
    markIf(isPassed, loop.getAfterArguments());
    markIf(isPassed, loop.getResults());
    return;
  }
  auto loop = cast<LoopLikeOpInterface>(op);
  // Other operands are bounds or steps.
  unsigned inits = loop.getInits().size();
  bool varies = llvm::any_of(op->getOperands().drop_back(inits),
                             [&](Value value) { return !contains(value); });
  if (varies) {
    std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
    for (Value value : *variables)
      mark(value);
    for (Value value : op->getResults())
      mark(value);
  }
  for (auto [init, argument, yielded, result] :
       llvm::zip_equal(loop.getInits(), loop.getRegionIterArgs(),
                       loop.getYieldedValues(), op->getResults()))
    if (varies || !contains(init) || !contains(yielded)) {
      mark(argument);
      mark(result);
    }
}

void UniformValues::visit(Operation *op) {
  // Arguments of other blocks come from branches.
  for (Region &region : op->getRegions())
    for (Block &inner : llvm::drop_begin(region, region.empty() ? 0 : 1))
      for (Value argument : inner.getArguments())
        mark(argument);
  if (isa<gpu::GPUFuncOp>(op))
    return;
  if (isa<scf::ForOp, scf::WhileOp, affine::AffineForOp>(op))
    return visitLoop(op);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [index, result] : llvm::enumerate(branch.getResults()))
      if (!contains(branch.getCondition()) ||
          !contains(branch.thenYield().getOperand(index)) ||
          !contains(branch.elseYield().getOperand(index)))
        mark(result);
    return;
  }
  if (ctas != 1 && isClusterId(op, ctas))
    return;
  // All threads of a block get the same ticket, and the same answer.
  if (ctas == 1 && isa<GridTicketOp, WaitSignalOp>(op))
    return;
  if (auto turns = dyn_cast<SerializeOp>(op); ctas == 1 && turns &&
                                              contains(turns.getTurn()) &&
                                              contains(turns.getCount())) {
    for (auto [result, passed] : llvm::zip_equal(
             turns.getResults(),
             turns.getBody().front().getTerminator()->getOperands()))
      if (!contains(passed))
        mark(result);
    return;
  }
  if (op->getNumRegions() == 0 && isFunctionOfOperands(op) &&
      llvm::all_of(op->getOperands(),
                   [&](Value operand) { return contains(operand); }))
    return;
  for (Value result : op->getResults())
    mark(result);
  for (Region &region : op->getRegions())
    if (!region.empty())
      for (Value argument : region.getArguments())
        mark(argument);
}
