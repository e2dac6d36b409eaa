//===- TileAssignment.cpp - how CTAs get their tiles ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration may go to any CTA if it has nothing from its own: no value that
// depends on the block's number, none that an earlier iteration carried, and no
// contents of shared memory that an earlier iteration left.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Rings/TileAssignment.h"

#include "carousel/Analysis/Decisions/EstimateWork.h"
#include "carousel/Analysis/Rings/RingPlan.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace carousel;

static Obstacle makeObstacle(const Twine &text) {
  return Obstacle(Miss::TilesByStride, text.str());
}

//===----------------------------------------------------------------------===//
// Whether iterations can be drawn
//===----------------------------------------------------------------------===//

namespace {

class AssignmentPlanner {
public:
  AssignmentPlanner(gpu::GPUFuncOp kernel, scf::ForOp loop)
      : kernel(kernel), loop(loop) {}

  /// Sets the step, or the obstacle.
  void run(TileAssignmentPlan &plan);

private:
  Obstacle explainRequest(const TileAssignmentPlan &plan);
  Obstacle explainKernel();
  Obstacle explainBounds(int64_t &step);
  Obstacle explainValues();
  Obstacle explainBuffer(Value buffer);
  Obstacle explainBuffers();
  Obstacle explainStores();
  void followBlockIds();
  void follow(Operation *user, SmallVectorImpl<Value> &work);
  void followOp(Operation *user, SmallVectorImpl<Value> &work);
  bool dependsOnBlock(Operation *op) const {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return ofBlock.contains(value); });
  }

  gpu::GPUFuncOp kernel;
  scf::ForOp loop;
  /// Values outside of the loop, and memrefs that hold such values.
  llvm::DenseSet<Value> ofBlock;
};

} // namespace

/// Whether the op gives a number of its CTA, or might.
static bool mayReadBlockId(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return isa<gpu::BlockIdOp, gpu::GlobalIdOp, gpu::ClusterIdOp,
             gpu::ClusterBlockIdOp>(op) ||
         name.contains("ctaid") || name.contains("clusterid") ||
         name.contains("inline_");
}

/// Whether a function might use the number of its CTA. `seen` are functions
/// that are being looked at.
static bool mayReadBlockId(CallOpInterface call,
                           llvm::DenseSet<Operation *> &seen) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  if (!callee || callee.isExternal())
    return true;
  if (!seen.insert(callee).second)
    return false;
  return callee
      .walk([&](Operation *op) {
        auto inner = dyn_cast<CallOpInterface>(op);
        return mayReadBlockId(op) || (inner && mayReadBlockId(inner, seen))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static std::string getCalleeName(CallOpInterface call) {
  auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  return symbol ? "@" + symbol.getLeafReference().str() : "a function";
}

Obstacle AssignmentPlanner::explainKernel() {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  if (!launch)
    return makeObstacle("its kernel has no carousel.launch");
  if (launch.getGrid().size() != 1)
    return makeObstacle("the grid has " + Twine(launch.getGrid().size()) +
                        " dimensions");
  Operation *other = nullptr;
  kernel.walk([&](Operation *op) {
    if (isa<GridTicketOp, SerializeOp, GridSerialWaitOp, GridSerialReleaseOp,
            SignalOp, WaitSignalOp>(op))
      other = op;
  });
  if (other)
    return makeObstacle("the kernel has " + quoteName(other));
  CallOpInterface reader;
  kernel.walk([&](CallOpInterface call) {
    llvm::DenseSet<Operation *> seen;
    if (mayReadBlockId(call, seen))
      reader = call;
  });
  if (reader)
    return makeObstacle("the kernel calls " + getCalleeName(reader) +
                        ", which may use the block's number");
  if (loop->getBlock() != &kernel.getBody().front())
    return makeObstacle("it stands in " + quoteName(loop->getParentOp()));
  if (loop.getNumResults() != 0)
    return makeObstacle("it carries values");
  return {};
}

/// The factor of `value` = factor * `Id` x, or 0.
template <typename Id> static int64_t getFactor(Value value) {
  auto isId = [](Value value) {
    auto id = value.getDefiningOp<Id>();
    return id && id.getDimension() == gpu::Dimension::x;
  };
  if (isId(value))
    return 1;
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (!product)
    return 0;
  Value lhs = product.getLhs(), rhs = product.getRhs();
  if (!isId(lhs))
    std::swap(lhs, rhs);
  return isId(lhs) ? getConstantIntValue(rhs).value_or(0) : 0;
}

Obstacle AssignmentPlanner::explainBounds(int64_t &step) {
  if (loop.getUnsignedCmp())
    return makeObstacle("it compares unsigned numbers");
  int64_t first = getFactor<gpu::BlockIdOp>(loop.getLowerBound());
  int64_t advance = getFactor<gpu::GridDimOp>(loop.getStep());
  if (first <= 0 || first != advance)
    return makeObstacle("it doesn't begin at block_id x and advance by "
                        "grid_dim x, both times one constant");
  step = first;
  return {};
}

/// Adds what an op computes or writes to what depends on the block's number.
void AssignmentPlanner::follow(Operation *user, SmallVectorImpl<Value> &work) {
  if (user == loop)
    return;
  if (isa<LoopLikeOpInterface, RegionBranchOpInterface>(user))
    // Whether these ops are executed depends on the number, too.
    user->walk([&](Operation *op) { followOp(op, work); });
  else
    followOp(user, work);
}

void AssignmentPlanner::followOp(Operation *user,
                                 SmallVectorImpl<Value> &work) {
  llvm::append_range(work, user->getResults());
  for (Region &region : user->getRegions())
    for (Block &block : region)
      llvm::append_range(work, block.getArguments());
  if (auto load = dyn_cast<LoadOp>(user)) {
    work.push_back(getRootBuffer(load.getTile()));
    return;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  for (Value operand : user->getOperands())
    if (isa<MemRefType>(operand.getType()) &&
        !isa<ViewLikeOpInterface, memref::DimOp>(user) &&
        (!effects || effects.getEffectOnValue<MemoryEffects::Write>(operand)))
      work.push_back(getRootBuffer(operand));
}

/// Follows values outside of the loop that depend on the block's number.
void AssignmentPlanner::followBlockIds() {
  SmallVector<Value> work;
  kernel.walk([&](Operation *op) {
    if (mayReadBlockId(op))
      llvm::append_range(work, op->getResults());
  });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!ofBlock.insert(value).second)
      continue;
    for (Operation *user : value.getUsers())
      if (!loop->isProperAncestor(user))
        follow(user, work);
  }
}

Obstacle AssignmentPlanner::explainValues() {
  if (ofBlock.contains(loop.getUpperBound()))
    return makeObstacle("its end depends on the block's number");
  Obstacle obstacle;
  loop.getBody()->walk([&](Operation *op) {
    if (!mayReadBlockId(op) && !dependsOnBlock(op))
      return WalkResult::advance();
    obstacle = makeObstacle(quoteName(op) + " in it depends on the block's "
                                            "number");
    return WalkResult::interrupt();
  });
  return obstacle;
}

/// Whether the op may write shared memory. Stores of tiles only read it.
static bool mayWriteShared(Operation *op) {
  return !isa<StoreOp, memref::DimOp>(op) && !isa<ViewLikeOpInterface>(op) &&
         !hasSingleEffect<MemoryEffects::Read>(op);
}

Obstacle AssignmentPlanner::explainBuffer(Value buffer) {
  std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer);
  if (!accesses)
    return makeObstacle("a buffer is passed to where it can't be followed");
  SmallVector<Operation *> inside, outside;
  for (Operation *op : *accesses)
    (loop->isProperAncestor(op) ? inside : outside).push_back(op);
  if (llvm::none_of(inside, mayWriteShared))
    return {};
  if (!outside.empty())
    return makeObstacle("a buffer that it writes is accessed outside by " +
                        quoteName(outside.front()));
  auto getPlace = [&](Operation *op) {
    return loop.getBody()->findAncestorOpInBlock(*op);
  };
  llvm::sort(inside, [&](Operation *lhs, Operation *rhs) {
    return getPlace(lhs)->isBeforeInBlock(getPlace(rhs));
  });
  int64_t elements = cast<MemRefType>(buffer.getType()).getNumElements();
  auto load = dyn_cast<LoadOp>(inside.front());
  if (load && load->getBlock() == loop.getBody() && !load.getReduceAttr() &&
      load.getTile().getType().getNumElements() == elements)
    return {};
  // Threads write it; what reads it is the store.
  for (Operation *op : inside)
    if (auto store = dyn_cast<StoreOp>(op)) {
      SmallVector<Operation *> writes;
      for (Operation *other : inside)
        if (getPlace(other)->isBeforeInBlock(getPlace(store)))
          writes.push_back(other);
      bool readsFirst = llvm::any_of(
          writes, [](Operation *other) { return !mayWriteShared(other); });
      if (!readsFirst && coversTile(kernel, *loop.getBody(), store, writes))
        return {};
      break;
    }
  return makeObstacle("it isn't visible that " + quoteName(inside.front()) +
                      " finds nothing of an earlier iteration in its buffer");
}

Obstacle AssignmentPlanner::explainBuffers() {
  llvm::SetVector<Value> buffers;
  loop.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          !isGlobalMemRef(operand.getType()))
        buffers.insert(getRootBuffer(operand));
  });
  for (Value buffer : buffers) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || !isSharedMemRef(type) || !type.hasStaticShape())
      return makeObstacle("it accesses memory other than global memory and "
                          "buffers of the kernel");
    Obstacle obstacle = explainBuffer(buffer);
    if (!obstacle.empty())
      return obstacle;
  }
  return {};
}

/// Whether a number grows with the loop's, at each iteration.
static bool advances(Value value, scf::ForOp loop) {
  while (value != loop.getInductionVar()) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op))
      return false;
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (isa<arith::AddIOp>(op) && loop.isDefinedOutsideOfLoop(lhs))
      std::swap(lhs, rhs);
    if (isa<arith::AddIOp>(op) ? !loop.isDefinedOutsideOfLoop(rhs)
                               : getConstantIntValue(rhs).value_or(0) <= 0)
      return false;
    value = lhs;
  }
  return true;
}

/// Where the boxes of a CTA's stores aren't visibly apart, each would wait
/// until the one before it is complete.
Obstacle AssignmentPlanner::explainStores() {
  Obstacle obstacle;
  loop.walk([&](StoreOp store) {
    if (llvm::any_of(store.getOffsets(),
                     [&](Value offset) { return advances(offset, loop); }))
      return WalkResult::advance();
    obstacle = makeObstacle("no offset of a store is the loop's number, times "
                            "or plus another, so each store would wait for "
                            "the one before it");
    return WalkResult::interrupt();
  });
  return obstacle;
}

/// A choice doesn't take away what is asked for and needs an scf.for.
Obstacle AssignmentPlanner::explainRequest(const TileAssignmentPlan &plan) {
  if (plan.request != TileAssignment::Auto)
    return {};
  auto request = loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
  if (request.getMode() == PipelineMode::Specialized)
    return makeObstacle("mode = specialized is asked for");
  if (request.getEpilogue() == PipelineEpilogue::Peeled)
    return makeObstacle("epilogue = peeled is asked for");
  return {};
}

void AssignmentPlanner::run(TileAssignmentPlan &plan) {
  followBlockIds();
  plan.obstacle = explainRequest(plan);
  if (plan.obstacle.empty())
    plan.obstacle = explainKernel();
  if (plan.obstacle.empty())
    plan.obstacle = explainBounds(plan.step);
  if (plan.obstacle.empty())
    plan.obstacle = explainValues();
  if (plan.obstacle.empty())
    plan.obstacle = explainBuffers();
  if (plan.obstacle.empty() && plan.request == TileAssignment::Auto)
    plan.obstacle = explainStores();
  if (!plan.obstacle.empty())
    plan.step = 0;
}

//===----------------------------------------------------------------------===//
// The faster assignment
//===----------------------------------------------------------------------===//

/// Tickets must be predicted faster by this factor.
static constexpr double kWorthwhile = 0.97;

static void predict(TileAssignmentPlan &plan, gpu::GPUFuncOp kernel,
                    const ChipModel &target) {
  LoopWork work = estimateWork(kernel, plan.loop, target);
  // The rings aren't planned yet: as deep as is usual.
  LoopChoice choice;
  choice.stages = 4;
  choice.prefetch = 3;
  choice.sharedBytes = choice.stages * work.loadBytes +
                       (work.storeBytes == 0 ? 0 : 2) * work.storeBytes;
  LoopPrediction drawn = [&] {
    LoopWork withTickets = work;
    withTickets.chainCycles += target.ticket * target.clockGHz;
    return predictLoop(target, withTickets, choice);
  }();
  if (drawn.ctasPerSM == 0)
    return;
  plan.ticketsNs = predictLaunch(target, work, drawn, kNominalBytes);
  ChipModel slower = target;
  slower.bytesPerNs /= target.ticketGain;
  plan.staticNs = predictLaunch(slower, work, predictLoop(slower, work, choice),
                                kNominalBytes);
}

std::vector<TileAssignmentPlan>
carousel::planTileAssignments(gpu::GPUFuncOp kernel, const ChipModel &target) {
  std::vector<TileAssignmentPlan> plans;
  kernel.walk([&](scf::ForOp loop) {
    auto request =
        loop->getAttrOfType<PipelineAttr>(CarouselDialect::kPipeline);
    if (!request || request.getTiles() == TileAssignment::Static)
      return;
    TileAssignmentPlan &plan = plans.emplace_back();
    plan.loop = loop;
    plan.request = request.getTiles();
  });
  for (TileAssignmentPlan &plan : plans) {
    if (plans.size() > 1)
      plan.obstacle = makeObstacle("the kernel has " + Twine(plans.size()) +
                                   " loops with such a request");
    else
      AssignmentPlanner(kernel, plan.loop).run(plan);
    if (!plan.obstacle.empty())
      continue;
    predict(plan, kernel, target);
    plan.usesTickets = plan.request == TileAssignment::Tickets ||
                       plan.ticketsNs < kWorthwhile * plan.staticNs;
  }
  return plans;
}

void TileAssignmentPlan::print(llvm::raw_ostream &os) const {
  os << "tiles by " << (usesTickets ? "tickets" : "stride");
  if (request == TileAssignment::Tickets)
    os << ", as asked for";
  if (!obstacle.empty())
    os << ": " << obstacle.text;
  if (staticNs != 0)
    os << ": stride " << llvm::format("%.0f", staticNs) << " ns, tickets "
       << llvm::format("%.0f", ticketsNs) << " ns";
}
