//===- RingRoles.cpp - roles of a kernel's threads ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides for the whole kernel whether threads have roles. Producers execute
// the ops that compute the operands of loads, the control flow around them, and
// waits for the signals of peers that write what is loaded. They access no
// shared memory, no other threads, and no global memory that the kernel writes,
// which would have to be ordered with the other role.
//
//===----------------------------------------------------------------------===//

#include "RingRoles.h"
#include "Transfers/LoopTransfers.h"

#include "RingDepth.h"

#include "carousel/Analysis/Decisions/Registers.h"
#include "carousel/Analysis/Rings/ProductRotation.h"
#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/UniformValues.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "carousel/Support/HardwareLimits.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace carousel;

/// A ticket and the ops that compute its operands.
static llvm::SetVector<Operation *> getTicketSlice(GridTicketOp ticket) {
  llvm::SetVector<Operation *> slice;
  slice.insert(ticket);
  for (unsigned i = 0; i < slice.size(); ++i)
    for (Value operand : slice[i]->getOperands())
      if (Operation *op = operand.getDefiningOp())
        slice.insert(op);
  return slice;
}

/// Whether what a ticket is drawn with can be computed before roles start.
static bool isComputedBeforeRoles(GridTicketOp ticket) {
  llvm::SetVector<Operation *> slice = getTicketSlice(ticket);
  return llvm::all_of(slice, [&](Operation *op) {
    return op == ticket || isa<gpu::GridDimOp, gpu::BlockIdOp>(op) ||
           (isPure(op) && op->getNumRegions() == 0 &&
            !isa_and_nonnull<gpu::GPUDialect>(op->getDialect()));
  });
}

/// Whether a ticket can be drawn for both roles, before they start. No op that
/// precedes it may have to stay before it.
static bool isDrawnBeforeRoles(GridTicketOp ticket) {
  if (!isa<gpu::GPUFuncOp>(ticket->getParentOp()))
    return false;
  for (Operation &op : *ticket->getBlock()) {
    auto drawn = dyn_cast<GridTicketOp>(op);
    if (drawn ? !isComputedBeforeRoles(drawn)
              : !isMemoryEffectFree(&op) && !isa<memref::AllocOp>(op))
      return false;
    if (drawn == ticket)
      break;
  }
  return true;
}

/// Whether `op` is executed after `loop`, once and for all: when the consumers
/// have waited for all of its loads.
static bool comesAfter(Operation *op, scf::ForOp loop) {
  for (Operation *outer = loop; !isa<gpu::GPUFuncOp>(outer);
       outer = outer->getParentOp()) {
    Operation *other = outer->getBlock()->findAncestorOpInBlock(*op);
    if (other && other != outer)
      return outer->isBeforeInBlock(other);
    if (!other && !isa<scf::IfOp>(outer->getParentOp()))
      return false;
  }
  return false;
}

namespace {

/// Follows the values that producers compute.
class ProducerSlice {
public:
  explicit ProducerSlice(gpu::GPUFuncOp kernel) : kernel(kernel) {
    kernel.walk([&](Operation *op) {
      if (op != kernel)
        forEachWritten(op, [&](Value target) {
          written.emplace_back(target ? getRootBuffer(target) : Value(), op);
        });
    });
  }

  /// The reason why producers can't start `load` of `loop`, or an empty one.
  Obstacle explain(LoadOp load, mlir::scf::ForOp loop,
                   LoopTransfers &transfers) {
    Obstacle source = explainSource(load, loop, transfers);
    if (!source.empty())
      return source;
    llvm::append_range(values, getInputs(load));
    addControl(load);
    return follow();
  }
  /// The reason why producers can't wait as well, or an empty one.
  Obstacle explain(WaitSignalOp wait) {
    if (wait.getReached())
      return {Miss::UnifiedAcquires,
              "roles may see different results of " + quoteName(wait)};
    llvm::append_range(values, wait->getOperands());
    addControl(wait);
    return follow();
  }

  /// The values that they compute for the loads and waits so far.
  llvm::DenseSet<mlir::Value> takeValues() { return std::move(visited); }

private:
  /// Producers don't wait for the consumers' writes of what they load.
  Obstacle explainSource(LoadOp load, scf::ForOp loop,
                         LoopTransfers &transfers) {
    for (auto [target, op] : written) {
      if ((target && !mayOverlap(target, load.getGlobal())) ||
          comesAfter(op, loop))
        continue;
      auto store = dyn_cast<StoreOp>(op);
      if (!store || !transfers.areApartInNest(load, store))
        return {Miss::UnifiedSourceWritten,
                "the kernel has " + quoteName(op) +
                    ", which may write the memref that is loaded from"};
    }
    return {};
  }

  /// The values that are still to be visited, and what they depend on.
  Obstacle follow() {
    while (!values.empty()) {
      Value value = values.pop_back_val();
      if (!visited.insert(value).second)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        Operation *owner = argument.getOwner()->getParentOp();
        if (owner == kernel)
          continue;
        addControl(owner);
        auto loop = dyn_cast<scf::ForOp>(owner);
        OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
        if (init) {
          values.push_back(init->get());
          values.push_back(loop.getTiedLoopYieldedValue(argument)->get());
        }
        if (seen.insert(owner).second)
          addRegionOp(owner);
        continue;
      }
      Operation *op = value.getDefiningOp();
      addControl(op);
      if (op->getNumRegions() == 0) {
        std::string reason = explainOp(op);
        if (!reason.empty())
          return {Miss::UnifiedOperands, "its operands depend on " + reason};
        llvm::append_range(values, op->getOperands());
        continue;
      }
      // A result of a structured op: follow the yielded value.
      unsigned index = cast<OpResult>(value).getResultNumber();
      if (seen.insert(op).second)
        addRegionOp(op);
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        values.push_back(loop.getRegionIterArg(index));
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        values.push_back(branch.thenYield().getOperand(index));
        values.push_back(branch.elseYield().getOperand(index));
      } else {
        return {Miss::UnifiedOperands, "its operands depend on " +
                                           quoteName(op) +
                                           ", which isn't followed"};
      }
    }
    return {};
  }

  /// The values on which the control flow around `op` depends.
  void addControl(Operation *op) {
    for (Operation *outer = op->getParentOp(); outer != kernel;
         outer = outer->getParentOp())
      if (seen.insert(outer).second)
        addRegionOp(outer);
  }

  /// All values that determine how often a region is executed.
  void addRegionOp(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      values.append(
          {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      values.push_back(branch.getCondition());
    } else {
      llvm::append_range(values, op->getOperands());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(values, block.getTerminator()->getOperands());
    }
  }

  std::string explainOp(Operation *op) {
    if (involvesOtherThreads(op))
      return quoteName(op) + ", which needs the other threads";
    if (isMemoryEffectFree(op))
      return {};
    if (auto ticket = dyn_cast<GridTicketOp>(op))
      return isDrawnBeforeRoles(ticket)
                 ? std::string()
                 : quoteName(op) + ", which one role can't draw for the other";
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || !effects.onlyHasEffect<MemoryEffects::Read>())
      return quoteName(op) + ", which has effects";
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          (!isGlobalMemRef(operand.getType()) || findWriter(operand)))
        return quoteName(op) + ", which reads memory that the kernel writes";
    return {};
  }

  /// The first op that may write the memref, or null.
  mlir::Operation *findWriter(Value memref) const {
    for (auto [target, op] : written)
      if (!target || mayOverlap(target, memref))
        return op;
    return nullptr;
  }

  mlir::gpu::GPUFuncOp kernel;
  /// Global arguments that the kernel writes, and the ops that do so. Null
  /// stands for any argument.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Operation *>> written;
  llvm::SmallVector<mlir::Value> values; // to be visited
  llvm::DenseSet<mlir::Value> visited;
  llvm::SmallPtrSet<mlir::Operation *, 32> seen;
};

} // namespace

/// The block with `producers` more threads, whose linear numbers follow all
/// others; nullopt if there is no such block.
static std::optional<std::array<int64_t, 3>>
extendBlock(std::array<int64_t, 3> block, int64_t producers) {
  unsigned last = 0; // the outermost dimension that is used
  for (unsigned dim = 1; dim < 3; ++dim)
    if (block[dim] != 1)
      last = dim;
  int64_t plane = 1;
  for (unsigned dim = 0; dim < last; ++dim)
    plane *= block[dim];
  if (producers % plane != 0)
    return std::nullopt;
  block[last] += producers / plane;
  if (block[2] > rules::kMaxBlockZ)
    return std::nullopt;
  return block;
}

/// The reason why the roles can't have the registers that they request, or an
/// empty one.
static Obstacle explainRegisters(const RolePlan &roles) {
  if (roles.consumers % rules::kWarpgroupSize != 0)
    return {Miss::RegistersWarpgroups,
            "the " + std::to_string(roles.consumers) +
                " consumers are no whole warpgroups"};
  int64_t total = roles.producers * *roles.producerRegisters +
                  roles.consumers * *roles.consumerRegisters;
  // All threads begin with the same number of them.
  int64_t threads = roles.producers + roles.consumers;
  total = threads *
          llvm::alignTo(llvm::divideCeil(total, threads), rules::kRegisterStep);
  if (total > rules::kRegistersPerBlock)
    return {Miss::RegistersTooMany,
            "they are " + std::to_string(total) + " in all, of " +
                std::to_string(rules::kRegistersPerBlock)};
  return {};
}

/// Whether an engine reads tiles of the loop's rings.
static bool feedsConsumers(const LoopPlan &plan) {
  auto isRead = [](Value buffer) {
    std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer);
    return accesses &&
           llvm::any_of(*accesses, llvm::IsaPred<AsyncConsumerOpInterface>);
  };
  return llvm::any_of(plan.rings, [&](const LoadRingPlan &ring) {
    return llvm::any_of(ring.buffers, isRead);
  });
}

/// Whether engines of these kinds fill all tiles of the loop's rings.
static bool isFilledBy(const LoopPlan &plan, ArrayRef<EngineKind> kinds) {
  return llvm::all_of(plan.rings, [&](const LoadRingPlan &ring) {
    return llvm::all_of(ring.loads, [&](LoadOp load) {
      EngineAttr engine = load.getEngineAttr();
      return engine && llvm::is_contained(kinds, engine.getKind());
    });
  });
}

/// Why slots don't fit beside the kernel's other buffers, at least two or as
/// many as asked for; or an empty string. Those of roles live as long as the
/// kernel.
static std::string explainSlots(gpu::GPUFuncOp kernel, const LoopPlan &plan,
                                const ChipModel &target) {
  constexpr int64_t kOfOthers = 1024, kLeastStages = 2;
  int64_t bytes = kOfOthers;
  kernel.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!isSharedMemRef(type) || !type.hasStaticShape())
      return;
    int64_t slots = 1;
    for (const LoadRingPlan &ring : plan.rings)
      if (llvm::is_contained(ring.buffers, alloc.getMemref()))
        slots = ring.request.value_or(kLeastStages);
    bytes +=
        slots * type.getNumElements() * getElementBytes(type.getElementType());
  });
  if (bytes <= target.maxSharedPerBlock)
    return {};
  return "slots and other buffers need " + std::to_string(bytes) +
         " bytes of shared memory, of " +
         std::to_string(target.maxSharedPerBlock);
}

/// For vectors that a loop carries, as sums of products, and for those that
/// products have beside them: of the loop or one inside of it.
static int64_t countRegistersOfSums(scf::ForOp outer) {
  int64_t most = 0;
  outer->walk([&](scf::ForOp loop) {
    int64_t registers = 0;
    for (auto consumer : loop.getOps<AsyncConsumerOpInterface>())
      registers = std::max(registers, consumer.countOwnRegisters());
    for (Type type : loop.getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type))
        registers += countRegisters(vector.getNumElements(),
                                    vector.getElementTypeBitWidth());
    most = std::max(most, registers);
  });
  return most;
}

/// Producers, so that consumers needn't release a slot in the iteration that
/// reads it. What only unified loops have is the author's wish. Where no engine
/// fills the slots, many warps copy, beside consumers with few sums.
std::string carousel::chooseMode(gpu::GPUFuncOp kernel, const ChipModel &target,
                                 LoopPlan &plan) {
  PipelineAttr request = plan.request;
  bool isAsked = request.getPrefetch() || request.getRelease() ||
                 request.getEpilogue() ||
                 request.getScope() != TransferScope::CTA;
  bool byEngines = isFilledBy(plan, {EngineKind::Tensor, EngineKind::Bulk});
  bool byPlainCopies = isFilledBy(plan, {EngineKind::Vector});
  bool withoutRegisters = isFilledBy(
      plan, {EngineKind::Tensor, EngineKind::Bulk, EngineKind::CpAsync});
  plan.feedsConsumers =
      feedsConsumers(plan) && (withoutRegisters || byPlainCopies);
  if (!plan.feedsConsumers || isAsked || plan.mode == PipelineMode::Specialized)
    return {};
  std::string reason = explainSlots(kernel, plan, target);
  if (reason.empty() && byPlainCopies) {
    std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel);
    int64_t sums = countRegistersOfSums(plan.loop);
    if (!block || !leavesRegistersForCopies(sums, (*block)[0] * (*block)[1] *
                                                      (*block)[2]))
      reason = "threads fill the slots, and " + std::to_string(sums) +
               " sums leave no registers for warps that copy";
  }
  if (!reason.empty())
    return reason;
  plan.mode = PipelineMode::Specialized;
  plan.copiesThroughRegisters = byPlainCopies;
  if (!byEngines)
    plan.copyingWarps = byPlainCopies ? kCopyingWarps : kIssuingWarps;
  return {};
}

/// Producers of loops with products need few registers, and the sums of the
/// consumers many. Where all threads can have as many as these need, none are
/// moved, and CTAs with few of them share an SM.
static void chooseRegisters(RolePlan &roles, int64_t sums, bool startsCpAsync) {
  // Threads that start cp.async have addresses of their own.
  const int64_t ofProducers = startsCpAsync ? 56 : kProducerRegisters;
  if (roles.consumers == 0 || roles.consumers % rules::kWarpgroupSize != 0)
    return;
  int64_t producers = llvm::alignTo(roles.producers, rules::kWarpgroupSize);
  // All threads begin with the same number of them.
  int64_t threads = producers + roles.consumers;
  if (estimateRegisters(sums, kFactorRegisters) <= getRegistersInBlock(threads))
    return;
  int64_t most = getConsumerRegisters(roles.consumers, producers, ofProducers);
  if (most < ofProducers)
    return;
  roles.producerRegisters = ofProducers;
  roles.consumerRegisters = most;
}

/// Lets two CTAs of one warpgroup share an SM. Alone, a CTA leaves the tensor
/// cores idle while its threads compute what lies between two products, as a
/// softmax. Measured on an H200, causal attention with tiles of 64 x 64 and
/// heads of 128 takes 540 us so, and 890 with one CTA of deeper rings.
static void shareSM(gpu::GPUFuncOp kernel, const ChipModel &target,
                    RingPlan &plan, RolePlan &roles, int64_t sums) {
  constexpr int64_t kCTAs = 2, kBesideSums = 64;
  LoopPlan *alternating = nullptr;
  for (LoopPlan &loop : plan.loops) {
    if (loop.mode != PipelineMode::Specialized)
      continue;
    if (!isFilledBy(loop, {EngineKind::Tensor, EngineKind::Bulk}))
      return;
    if (loop.loop.getOps<MultiplyOp>().empty())
      continue;
    // Products that follow each other wait for their tiles alone.
    if (findSecondProducts(loop.loop).empty())
      return;
    alternating = &loop;
  }
  int64_t registers = getConsumerRegisters(
      rules::kWarpgroupSize, rules::kWarpgroupSize, kProducerRegisters, kCTAs);
  if (!alternating || roles.consumers != rules::kWarpgroupSize ||
      roles.producers > rules::kWarpgroupSize || sums + kBesideSums > registers)
    return;
  if (int64_t bytes = countExcess(kernel, target, plan, kCTAs)) {
    if (llvm::none_of(alternating->rings, [](const LoadRingPlan &ring) {
          return ring.request.has_value();
        }))
      plan.misses.push_back({alternating->loop, Miss::StagesOneCTA,
                             "one CTA on each SM: slots of two need " +
                                 std::to_string(bytes) +
                                 " bytes less in each"});
    return;
  }
  roles.ctas = kCTAs;
  roles.producerRegisters = kProducerRegisters;
  roles.consumerRegisters = registers;
}

void carousel::planRoles(gpu::GPUFuncOp kernel, const ChipModel &target,
                         RingPlan &plan) {
  Obstacle reason;
  SmallVector<LoopPlan *> loops;
  RolePlan roles;
  for (LoopPlan &loop : plan.loops) {
    if (loop.mode != PipelineMode::Specialized)
      continue;
    loops.push_back(&loop);
    PipelineAttr request = loop.request;
    roles.producers =
        std::max({roles.producers, request.getProducers() * rules::kWarpSize,
                  loop.copyingWarps * rules::kWarpSize});
    if (request.getProducerRegisters()) {
      roles.producerRegisters = request.getProducerRegisters();
      roles.consumerRegisters = request.getConsumerRegisters();
    }
  }
  if (loops.empty())
    return;
  std::optional<std::array<int64_t, 3>> block = getKnownBlock(kernel);
  roles.consumers = block ? (*block)[0] * (*block)[1] * (*block)[2] : 0;
  int64_t sums = 0;
  bool feedsConsumers = false, startsCpAsync = false;
  for (LoopPlan *loop : loops) {
    // Threads that copy need as many registers as those that multiply.
    feedsConsumers |= loop->feedsConsumers && !loop->copiesThroughRegisters;
    startsCpAsync |= loop->copyingWarps > 0;
    sums = std::max(sums, countRegistersOfSums(loop->loop));
  }
  if (!roles.producerRegisters && feedsConsumers && !startsCpAsync)
    shareSM(kernel, target, plan, roles, sums);
  if (!roles.producerRegisters && feedsConsumers)
    chooseRegisters(roles, sums, startsCpAsync);
  if (roles.producerRegisters) {
    roles.producers = llvm::alignTo(roles.producers, rules::kWarpgroupSize);
    Obstacle why = explainRegisters(roles);
    if (!why.empty()) {
      for (LoopPlan *loop : loops)
        plan.misses.push_back(
            {loop->loop, why.miss, "registers left as they are: " + why.text});
      roles.producerRegisters = roles.consumerRegisters = std::nullopt;
      roles.ctas = 1;
    }
  }
  std::optional<std::array<int64_t, 3>> extended =
      block ? extendBlock(*block, roles.producers) : std::nullopt;
  if (roles.consumers % rules::kWarpSize != 0)
    reason = {Miss::UnifiedBlockWarps, "the block's " +
                                           std::to_string(roles.consumers) +
                                           " threads are no whole warps"};
  else if (!extended)
    reason = {Miss::UnifiedBlockShape,
              "a block of " + std::to_string((*block)[0]) + " x " +
                  std::to_string((*block)[1]) + " x " +
                  std::to_string((*block)[2]) + " can't be extended by " +
                  std::to_string(roles.producers) + " threads"};
  else if (roles.consumers + roles.producers > rules::kMaxThreadsPerBlock)
    reason = {Miss::UnifiedThreads,
              "consumers and producers are " +
                  std::to_string(roles.consumers + roles.producers) +
                  " threads"};
  SmallVector<WaitSignalOp> waits;
  kernel.walk([&](Operation *op) {
    // Its expansion has barriers of the whole CTA.
    if (isa<gpu::AllReduceOp>(op))
      reason = {Miss::UnifiedAllReduce, "the kernel has " + quoteName(op)};
    // Consumers execute it, and producers don't wait for them.
    if (auto wait = dyn_cast<WaitSignalOp>(op))
      waits.push_back(wait);
    else if (takesOverFromCTAs(op))
      reason = {Miss::UnifiedAcquires,
                "the kernel has " + quoteName(op) +
                    ", after which it may read what other CTAs have written"};
  });
  // Both roles would have to count the iterations, and share its tickets.
  for (const LoopPlan &loop : plan.loops)
    if (isRotatedWhile(loop.loop))
      reason = {Miss::UnifiedWhile, "the kernel has a pipelined 'scf.while'"};
  ProducerSlice slice(kernel);
  for (LoopPlan *loop : loops) {
    LoopTransfers transfers(kernel, loop->loop);
    for (const LoadRingPlan &ring : loop->rings) {
      if (reason.empty() && !ring.usedOutside.empty())
        reason = {Miss::UnifiedUsedOutside,
                  "a tile is accessed outside of the loop"};
      for (LoadOp load : ring.loads) {
        if (reason.empty())
          reason = slice.explain(load, loop->loop, transfers);
        if (!transfers.isConstant(load))
          roles.producerWaits.insert_range(waits);
      }
    }
  }
  for (WaitSignalOp wait : waits)
    if (reason.empty() && roles.producerWaits.contains(wait))
      reason = slice.explain(wait);
  if (reason.empty()) {
    roles.consumerBlock = *block;
    roles.block = *extended;
    roles.producerValues = slice.takeValues();
    // Tickets that producers need, and those that are drawn before them.
    SmallVector<GridTicketOp> tickets, needed;
    for (auto ticket : kernel.getBody().front().getOps<GridTicketOp>()) {
      tickets.push_back(ticket);
      if (roles.producerValues.contains(ticket.getTicket()))
        needed = tickets;
    }
    for (GridTicketOp ticket : needed)
      roles.beforeRoles.insert_range(getTicketSlice(ticket));
    for (LoopPlan *loop : loops)
      if (!loop->rings.empty())
        plan.roles = roles;
    return;
  }
  for (LoopPlan *loop : loops) {
    loop->mode = PipelineMode::Unified;
    bool isAsked = loop->request.getMode() == PipelineMode::Specialized;
    plan.misses.push_back({loop->loop,
                           isAsked ? reason.miss : Miss::UnifiedProducts,
                           "unified instead of specialized: " + reason.text});
  }
}
