//===- AssignRoles.cpp - producers and consumers --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The producers' part of a kernel consists of the loads of specialised loops,
// the control flow around them, and the values that these need. The consumers'
// part is everything but those loads.
//
//===----------------------------------------------------------------------===//

#include "RingRewriter.h"

#include "carousel/Analysis/Values/UniformValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace carousel;

namespace carousel {

/// Copies what producers execute.
class ProducerCloner {
public:
  explicit ProducerCloner(RingRewriter &owner)
      : owner(owner), rewriter(owner.rewriter), roles(*owner.plan.roles) {}

  void run(Block &target);

private:
  bool isNeeded(Value value) const {
    return roles.producerValues.contains(value);
  }
  bool isNeeded(Operation *op) const;
  void clone(Block &block, IRMapping &mapping);
  void cloneLoop(scf::ForOp loop, IRMapping &mapping);
  void cloneBranch(scf::IfOp branch, IRMapping &mapping);
  void cloneWhole(Operation *op, IRMapping &mapping);

  RingRewriter &owner;
  IRRewriter &rewriter;
  const RolePlan &roles;
  /// The variables of each specialised loop's rings.
  llvm::DenseMap<Operation *, SmallVector<Value, 1>> variables;
};

} // namespace carousel

/// The value in a role of an id or extent that roles change; null for other
/// ops. Producers are the threads after the block for which the kernel is
/// written.
static Value createRoleValue(OpBuilder &builder, Operation *op,
                             const RolePlan &roles, bool isProducer) {
  Location loc = op->getLoc();
  auto create = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto getExtent = [&](gpu::Dimension dimension) {
    return create(roles.consumerBlock[static_cast<unsigned>(dimension)]);
  };
  if (auto extent = dyn_cast<gpu::BlockDimOp>(op))
    return getExtent(extent.getDimension());
  if (isa<gpu::NumSubgroupsOp>(op))
    return create(llvm::divideCeil(roles.consumers, 32));
  // The grid's threads are numbered by the extents of the block.
  if (auto id = dyn_cast<gpu::GlobalIdOp>(op)) {
    gpu::Dimension dimension = id.getDimension();
    Value first = arith::MulIOp::create(
        builder, loc, gpu::BlockIdOp::create(builder, loc, dimension),
        getExtent(dimension));
    if (isProducer)
      return first;
    return arith::AddIOp::create(
        builder, loc, first, gpu::ThreadIdOp::create(builder, loc, dimension));
  }
  // Producers compute the same in all threads: any of them will do.
  if (isProducer && isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp>(op))
    return create(0);
  return {};
}

bool ProducerCloner::isNeeded(Operation *op) const {
  if (llvm::any_of(op->getResults(),
                   [&](Value value) { return isNeeded(value); }))
    return true;
  if (op->getNumRegions() == 0)
    return roles.producerWaits.contains(op);
  if (variables.contains(op))
    return true;
  WalkResult result = op->walk([&](Operation *inner) {
    return inner != op &&
                   (variables.contains(inner) ||
                    roles.producerWaits.contains(inner) ||
                    llvm::any_of(inner->getResults(),
                                 [&](Value value) { return isNeeded(value); }))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

void ProducerCloner::cloneLoop(scf::ForOp loop, IRMapping &mapping) {
  SmallVector<unsigned> kept;
  SmallVector<Value> inits;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (isNeeded(argument) || isNeeded(loop.getResult(index))) {
      kept.push_back(index);
      inits.push_back(mapping.lookupOrDefault(loop.getInitArgs()[index]));
    }
  auto copy = scf::ForOp::create(
      rewriter, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), inits,
      /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [number, index] : llvm::enumerate(kept)) {
    mapping.map(loop.getRegionIterArg(index), copy.getRegionIterArg(number));
    mapping.map(loop.getResult(index), copy.getResult(number));
  }
  OpBuilder::InsertionGuard guard(rewriter);
  Block *body = copy.getBody();
  if (body->mightHaveTerminator())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToEnd(body);
  if (variables.contains(loop)) {
    Location loc = loop.getLoc();
    for (auto [ring, variable] : llvm::zip_equal(owner.plan.lookup(loop)->rings,
                                                 variables.lookup(loop))) {
      Value use = RunningIndices::read(rewriter, loc, variable);
      owner.emitProduce(ring, loop, owner.rings.lookup(&ring), use, mapping);
      Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
      RunningIndices::write(rewriter, loc, variable,
                            arith::AddIOp::create(rewriter, loc, use, one));
    }
  }
  clone(*loop.getBody(), mapping);
  SmallVector<Value> yields;
  for (unsigned index : kept)
    yields.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[index]));
  scf::YieldOp::create(rewriter, loop.getLoc(), yields);
}

void ProducerCloner::cloneBranch(scf::IfOp branch, IRMapping &mapping) {
  SmallVector<unsigned> kept;
  SmallVector<Type> types;
  for (OpResult result : branch.getResults())
    if (isNeeded(result)) {
      kept.push_back(result.getResultNumber());
      types.push_back(result.getType());
    }
  bool hasElse = branch.elseBlock() != nullptr;
  auto copy = scf::IfOp::create(rewriter, branch.getLoc(), types,
                                mapping.lookupOrDefault(branch.getCondition()),
                                hasElse);
  auto cloneBlock = [&](Block &from, Block &to, scf::YieldOp yield) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (!to.empty())
      rewriter.eraseOp(&to.back());
    rewriter.setInsertionPointToEnd(&to);
    clone(from, mapping);
    SmallVector<Value> yields;
    for (unsigned index : kept)
      yields.push_back(mapping.lookupOrDefault(yield.getOperand(index)));
    scf::YieldOp::create(rewriter, branch.getLoc(), yields);
  };
  cloneBlock(*branch.thenBlock(), *copy.thenBlock(), branch.thenYield());
  if (hasElse)
    cloneBlock(*branch.elseBlock(), *copy.elseBlock(), branch.elseYield());
  for (auto [number, index] : llvm::enumerate(kept))
    mapping.map(branch.getResult(index), copy.getResult(number));
}

/// Structured ops that aren't taken apart: all of their values are needed.
void ProducerCloner::cloneWhole(Operation *op, IRMapping &mapping) {
  Operation *copy = rewriter.cloneWithoutRegions(*op, mapping);
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), copy->getRegions()))
    for (Block &block : from) {
      Block *inner = rewriter.createBlock(&to, to.end());
      for (BlockArgument argument : block.getArguments())
        mapping.map(argument,
                    inner->addArgument(argument.getType(), argument.getLoc()));
      clone(block, mapping);
      rewriter.clone(*block.getTerminator(), mapping);
    }
}

void ProducerCloner::clone(Block &block, IRMapping &mapping) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>() || isa<RingRolesOp>(op) ||
        !isNeeded(&op))
      continue;
    // Drawn before the threads take roles, for both.
    if (isa<GridTicketOp>(op))
      continue;
    if (Value value =
            createRoleValue(rewriter, &op, roles, /*isProducer=*/true))
      mapping.map(op.getResult(0), value);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      cloneLoop(loop, mapping);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      cloneBranch(branch, mapping);
    else if (op.getNumRegions() != 0)
      cloneWhole(&op, mapping);
    else
      rewriter.clone(op, mapping);
  }
}

void ProducerCloner::run(Block &target) {
  for (const LoopPlan &loop : owner.plan.loops)
    if (loop.mode == PipelineMode::Specialized)
      for (size_t ring = 0; ring < loop.rings.size(); ++ring)
        variables[loop.loop].push_back(
            owner.indices.create(target, loop.loop->getLoc()));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(&target);
  IRMapping mapping;
  // Up to the roles, which stand last.
  clone(owner.getEntry(), mapping);
}

RingRolesOp RingRewriter::buildProducers() {
  const RolePlan &roles = *plan.roles;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(getEntry().getTerminator());
  auto toAttr = [&](std::optional<int64_t> count) {
    return count ? rewriter.getI32IntegerAttr(*count) : IntegerAttr();
  };
  auto op = RingRolesOp::create(
      rewriter, kernel.getLoc(), rewriter.getI32IntegerAttr(roles.producers),
      rewriter.getI32IntegerAttr(roles.consumers),
      toAttr(roles.producerRegisters), toAttr(roles.consumerRegisters));
  rewriter.createBlock(&op.getConsumer());
  Block *producers = rewriter.createBlock(&op.getProducer());
  ProducerCloner(*this).run(*producers);
  return op;
}

/// The launch and the kernel itself say the block with the producers in it.
static void extendBlock(gpu::GPUFuncOp kernel,
                        const std::array<int64_t, 3> &block) {
  if (kernel.getKnownBlockSizeAttr())
    kernel.setKnownBlockSize(SmallVector<int32_t>(block.begin(), block.end()));
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return;
  SmallVector<int64_t> extents(launch.getBlock());
  while (extents.size() < 3 && block[extents.size()] != 1)
    extents.push_back(1);
  for (auto [extent, value] : llvm::zip(extents, block))
    extent = value;
  kernel->setAttr(CarouselDialect::kLaunch,
                  LaunchAttr::get(kernel.getContext(), launch.getGrid(),
                                  extents, launch.getCluster(),
                                  launch.getShared()));
}

void RingRewriter::assignRoles(RingRolesOp op) {
  const RolePlan &roles = *plan.roles;
  Block &entry = getEntry();
  Block *consumers = &op.getConsumer().front();
  for (Operation &inner : llvm::make_early_inc_range(entry)) {
    if (&inner == op || inner.hasTrait<OpTrait::IsTerminator>() ||
        isa<RingCreateOp, memref::AllocOp>(inner) ||
        roles.beforeRoles.contains(&inner))
      continue;
    rewriter.moveOpBefore(&inner, consumers, consumers->end());
  }
  // A barrier of the CTA would wait for the other role for ever.
  op.getConsumer().walk([&](Operation *inner) {
    rewriter.setInsertionPoint(inner);
    if (isa<gpu::BarrierOp>(inner)) {
      rewriter.replaceOpWithNewOp<RingSyncOp>(inner, TransferScope::CTA);
    } else if (Value value = createRoleValue(rewriter, inner, roles,
                                             /*isProducer=*/false)) {
      rewriter.replaceOp(inner, value);
    }
  });
  extendBlock(kernel, roles.block);
}
