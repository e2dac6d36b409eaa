//===- EnginePlan.cpp - an engine for each transfer -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the cheapest engine for each transfer, and makes the transfers of a
// tile agree on its swizzle. Repeats this with fewer and fewer guards. Each
// result is a variant, unless another variant serves as well.
//
// Engines reduce through the async proxy, and threads through the generic
// proxy. PTX promises atomicity only within a proxy (docs/MemoryModel.md), and
// no fence helps, because CTAs reduce at the same time. So engines make all
// reductions into a memref, or threads make all of them. Memory that can't be
// followed may be any memory.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Engines/EnginePlan.h"

#include "EngineCandidates.h"
#include "TransferFacts.h"

#include "carousel/Analysis/Engines/TileSwizzle.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

#include <string>

using namespace mlir;
using namespace carousel;

namespace {

struct ReductionRule {
  bool byThreads = false;
  /// Another reduction has a given engine, which puts conditions on all
  /// launches. This reduction may do so, too.
  bool besideGiven = false;
  /// The reason for the choice, for a remark.
  std::string why;
};

} // namespace

/// Rules by reduction. Reductions without a rule may use engines or threads. If
/// given engines contradict each other, or the kernel's own atomics, `faults`
/// reports it.
using ReductionRules = llvm::DenseMap<mlir::Operation *, ReductionRule>;

//===----------------------------------------------------------------------===//
// Atomics of the kernel's own
//===----------------------------------------------------------------------===//

namespace {

/// An atomic, or a call that leads to one, and the memref that it changes; null
/// for any.
struct Atomic {
  Operation *op;
  Value memref;
};

} // namespace

/// The memref that `op` changes atomically if it is in global memory.
static Value getAtomicMemRef(Operation *op) {
  Value memref;
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    memref = atomic.getMemref();
  else if (auto generic = dyn_cast<memref::GenericAtomicRMWOp>(op))
    memref = generic.getMemref();
  bool isElsewhere = memref && (isSharedMemRef(memref.getType()) ||
                                isLocalMemRef(memref.getType()));
  return isElsewhere ? Value() : memref;
}

/// Whether a function, or one that it calls, may change memory atomically. A
/// function without a body may.
static bool mayBeAtomic(Operation *function,
                        llvm::SmallPtrSetImpl<Operation *> &visited) {
  auto callable = dyn_cast_or_null<CallableOpInterface>(function);
  if (!callable || !callable.getCallableRegion())
    return true;
  if (!visited.insert(function).second)
    return false;
  return callable.getCallableRegion()
      ->walk([&](Operation *op) {
        auto call = dyn_cast<CallOpInterface>(op);
        bool found = getAtomicMemRef(op) ||
                     (call && mayBeAtomic(call.resolveCallable(), visited));
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static SmallVector<Atomic> findAtomics(gpu::GPUFuncOp kernel) {
  SmallVector<Atomic> atomics;
  kernel.walk([&](Operation *op) {
    if (Value memref = getAtomicMemRef(op))
      atomics.push_back({op, memref});
    auto call = dyn_cast<CallOpInterface>(op);
    if (!call)
      return;
    Operation *callee = call.resolveCallable();
    auto callable = dyn_cast_or_null<CallableOpInterface>(callee);
    bool isKnown = callable && callable.getCallableRegion();
    llvm::SmallPtrSet<Operation *, 4> visited;
    if (!mayBeAtomic(callee, visited))
      return;
    bool takesMemRefs = false;
    for (Value operand : call.getArgOperands())
      if (isa<MemRefType>(operand.getType())) {
        atomics.push_back({op, operand});
        takesMemRefs = true;
      }
    // The atomic's memory is known. An external function may access its
    // arguments.
    if (!takesMemRefs && isKnown)
      atomics.push_back({op, Value()});
  });
  return atomics;
}

//===----------------------------------------------------------------------===//
// Engines or threads
//===----------------------------------------------------------------------===//

namespace {

/// Reductions that may change one memref.
struct ReductionGroup {
  SmallVector<const TransferFacts *> reductions;
  /// A description of the first op that only threads can execute.
  std::string threadsWhy;
  Operation *threadsOp = nullptr;
  /// The reduction whose engine is given.
  const TransferFacts *engineGiven = nullptr;
  int64_t engineCost = 0, threadsCost = 0;

  void require(Operation *op, const Twine &why) {
    if (threadsOp)
      return;
    threadsOp = op;
    threadsWhy = why.str();
  }
};

} // namespace

static bool isByEngine(EngineKind kind) {
  return kind == EngineKind::Tensor || kind == EngineKind::Bulk;
}

/// Adds the reasons for engines, and those against them.
static void weigh(ReductionGroup &group, const TransferFacts &reduction,
                  GuardUse use) {
  TransferOpInterface op = reduction.op;
  if (EngineAttr given = op.getEngineAttr()) {
    if (!isByEngine(given.getKind()))
      group.require(op, "a transfer with engine " +
                            stringifyEngineKind(given.getKind()));
    return;
  }
  if (op.getByThreads())
    return group.require(op, "a transfer by_threads");
  EngineAttempt tensor = tryTensor(reduction, use, Swizzle::None),
                bulk = tryBulk(reduction, use);
  // Only a reduction into multicast memory may have none.
  if (EngineAttempt vector = tryVector(reduction, use); vector.choice)
    group.threadsCost += vector.choice->cost;
  if (!tensor.choice && !bulk.choice)
    return group.require(op, "a transfer that no engine can carry out (" +
                                 tensor.reason + ")");
  bool isTensor = tensor.choice &&
                  (!bulk.choice || tensor.choice->cost <= bulk.choice->cost);
  group.engineCost += isTensor ? tensor.choice->cost : bulk.choice->cost;
}

static void decide(ReductionGroup &group, std::optional<EngineKind> preferred,
                   ReductionRules &rules, std::vector<EngineFault> &faults) {
  bool isAlone = group.reductions.size() == 1;
  if (isAlone &&
      (!group.threadsOp || group.threadsOp == group.reductions.front()->op))
    return;
  if (group.engineGiven && group.threadsOp) {
    // C190
    TransferOpInterface given = group.engineGiven->op;
    StringRef engine = stringifyEngineKind(given.getEngineAttr().getKind());
    faults.push_back(
        {given,
         (Twine("expected reductions into ") + group.engineGiven->name +
          " all by engines or all by threads, got engine " + engine +
          " beside " + group.threadsWhy)
             .str(),
         group.threadsOp});
    return;
  }
  ReductionRule rule;
  rule.byThreads = group.threadsOp != nullptr;
  if (rule.byThreads) {
    rule.why = "beside " + group.threadsWhy;
  } else if (group.engineGiven) {
    rule.besideGiven = true;
    rule.why = "beside a transfer with a given engine";
  } else {
    rule.byThreads = preferred ? *preferred == EngineKind::Vector
                               : group.threadsCost < group.engineCost;
    rule.why = "for a cost of " + std::to_string(group.engineCost) +
               " by engines against " + std::to_string(group.threadsCost) +
               " by threads";
  }
  for (const TransferFacts *reduction : group.reductions)
    if (reduction->op != group.threadsOp)
      rules[reduction->op] = rule;
}

static ReductionRules planReductions(gpu::GPUFuncOp kernel,
                                     ArrayRef<TransferFacts> transfers,
                                     GuardUse use,
                                     std::optional<EngineKind> preferred,
                                     std::vector<EngineFault> &faults) {
  SmallVector<const TransferFacts *> reductions;
  for (const TransferFacts &transfer : transfers)
    // No other thread accesses the box of an exclusive reduction.
    if (transfer.reduce && !transfer.isLoad && !transfer.isExclusive)
      reductions.push_back(&transfer);
  ReductionRules rules;
  if (reductions.empty())
    return rules;

  llvm::EquivalenceClasses<const TransferFacts *> classes;
  auto getGlobal = [](const TransferFacts *reduction) -> Value {
    TransferOpInterface op = reduction->op;
    return op.getGlobal();
  };
  for (const TransferFacts *reduction : reductions) {
    classes.insert(reduction);
    for (const TransferFacts *other : reductions)
      if (mayOverlap(getGlobal(reduction), getGlobal(other)))
        classes.unionSets(reduction, other);
  }
  SmallVector<Atomic> atomics = findAtomics(kernel);
  llvm::SmallPtrSet<const TransferFacts *, 4> done;
  for (const TransferFacts *reduction : reductions) {
    const TransferFacts *leader = classes.getLeaderValue(reduction);
    if (!done.insert(leader).second)
      continue;
    ReductionGroup group;
    for (const TransferFacts *other : reductions)
      if (classes.getLeaderValue(other) == leader)
        group.reductions.push_back(other);
    for (const Atomic &atomic : atomics)
      if (llvm::any_of(group.reductions, [&](const TransferFacts *other) {
            return !atomic.memref ||
                   mayOverlap(atomic.memref, getGlobal(other));
          }))
        group.require(atomic.op,
                      "'" + atomic.op->getName().getStringRef() + "'");
    for (const TransferFacts *other : group.reductions) {
      TransferOpInterface op = other->op;
      if (op.getEngineAttr() && isByEngine(op.getEngineAttr().getKind()))
        group.engineGiven = other;
    }
    for (const TransferFacts *other : group.reductions)
      weigh(group, *other, group.engineGiven ? GuardUse::All : use);
    decide(group, preferred, rules, faults);
  }
  return rules;
}

namespace {

/// The transfers of a tile's buffer, and the layouts that they request.
struct TileRequest {
  Swizzle swizzle = Swizzle::None;
  /// A transfer with a given map, which determines the tile's layout.
  TransferOpInterface given;
};

class EnginePlanner {
public:
  EnginePlanner(gpu::GPUFuncOp kernel, const TargetSpec &target,
                const ChipModel &chip, std::optional<EngineKind> preferred)
      : facts(kernel, target, chip), preferred(preferred) {
    kernel.walk([&](TransferOpInterface op) {
      if (isa<LoadOp, StoreOp>(*op))
        transfers.emplace_back(facts, op);
    });
  }

  EngineVariant plan(GuardUse use, std::vector<EngineFault> &faults);

private:
  EngineAssignment planTransfer(const TransferFacts &transfer, GuardUse use,
                                Swizzle swizzle, const ReductionRules &rules,
                                std::vector<EngineFault> &faults);

  KernelFacts facts;
  std::optional<EngineKind> preferred;
  std::vector<TransferFacts> transfers;
};

} // namespace

//===----------------------------------------------------------------------===//
// One transfer
//===----------------------------------------------------------------------===//

/// The layout of the tile, where a swizzle is `requested` of all transfers.
/// Threads can put each piece anywhere.
static Swizzle findSwizzle(const EngineAssignment &plan, Swizzle requested) {
  TransferOpInterface op = plan.op;
  switch (plan.choice.engine.getKind()) {
  case EngineKind::Tensor:
    return plan.choice.map ? plan.choice.map.getSwizzle()
                           : op.getMap().getType().getSwizzle();
  case EngineKind::Bulk:
    return Swizzle::None;
  case EngineKind::CpAsync:
  case EngineKind::Vector:
    return requested;
  }
  llvm_unreachable("an engine");
}

/// Whether the transfer's engine is given and determines the tile's layout.
static bool hasGivenLayout(TransferOpInterface op) {
  EngineAttr engine = op.getEngineAttr();
  return engine && (engine.getKind() == EngineKind::Tensor ||
                    engine.getKind() == EngineKind::Bulk);
}

/// Whether an engine reads the tile: in the layout that the swizzle says.
static bool feedsConsumer(TransferOpInterface op) {
  Value buffer = getLayoutBuffer(op.getTile());
  auto isConsumer = llvm::IsaPred<AsyncConsumerOpInterface>;
  if (std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer))
    return llvm::any_of(*accesses, isConsumer);
  return llvm::any_of(buffer.getUsers(), isConsumer);
}

EngineAssignment EnginePlanner::planTransfer(const TransferFacts &transfer,
                                             GuardUse use, Swizzle swizzle,
                                             const ReductionRules &rules,
                                             std::vector<EngineFault> &faults) {
  EngineAssignment plan;
  TransferOpInterface op = plan.op = transfer.op;
  plan.memref = transfer.name;
  if (EngineAttr engine = op.getEngineAttr()) {
    plan.isGiven = true;
    EngineAttempt attempt = tryGiven(transfer);
    if (attempt.choice) {
      plan.choice = std::move(*attempt.choice);
      plan.swizzle = findSwizzle(plan, swizzle);
    } else {
      faults.push_back({op, "expected a transfer that engine " +
                                describeEngine(engine) +
                                " can carry out, got " + attempt.reason});
    }
    return plan;
  }

  EngineAttempt vector = tryVector(transfer, use);
  if (transfer.isMulticast && !vector.choice) {
    // C238
    faults.push_back({op, "expected a store to multicast memory by whole units "
                          "of 4 bytes, got " +
                              vector.reason});
    return plan;
  }
  if (op.getByThreads()) {
    plan.choice = *vector.choice;
    plan.swizzle = swizzle;
    return plan;
  }

  auto rule = rules.find(op);
  if (rule != rules.end() && rule->second.besideGiven)
    use = GuardUse::All;
  EngineAttempt tensor;
  if (swizzle != Swizzle::None) {
    tensor = tryTensor(transfer, use, swizzle);
    plan.swizzleRejection = {Miss::SwizzleTensor, tensor.reason};
  }
  if (!tensor.choice)
    tensor = tryTensor(transfer, use, Swizzle::None);
  else
    plan.swizzleRejection = {};
  SmallVector<std::pair<EngineKind, EngineAttempt>> attempts;
  attempts.emplace_back(EngineKind::Tensor, std::move(tensor));
  // Warpgroups write fragments of products to the tile, with eight lanes in a
  // bank unless it is swizzled. Threads then copy whole rows of it.
  bool hasFragments =
      !transfer.isLoad && op.getScope() == TransferScope::Warpgroup;
  bool needsSwizzle =
      swizzle != Swizzle::None && (hasFragments || feedsConsumer(op));
  attempts.emplace_back(
      EngineKind::Bulk,
      needsSwizzle ? EngineAttempt::refused(
                         (hasFragments ? "warpgroups write the tile with "
                                       : "an engine reads the tile with ") +
                         stringifySwizzle(swizzle).str())
                   : tryBulk(transfer, use));
  if (transfer.isLoad)
    attempts.emplace_back(EngineKind::CpAsync, tryCpAsync(transfer, use));
  attempts.emplace_back(EngineKind::Vector, std::move(vector));
  if (rule != rules.end()) {
    bool byThreads = rule->second.byThreads;
    plan.agreement = rule->second.why;
    for (auto &[kind, attempt] : attempts)
      if ((kind == EngineKind::Vector) != byThreads)
        attempt = EngineAttempt::refused(
            "reductions into " + transfer.name + " all by " +
            (byThreads ? "threads, " : "engines, ") + plan.agreement);
    if (byThreads && swizzle != Swizzle::None)
      plan.swizzleRejection = {Miss::SwizzleByThreads,
                               attempts.front().second.reason};
  }

  const EngineAttempt *best = nullptr;
  // The gain of a requested swizzle is larger than the cost of a copy.
  if (swizzle != Swizzle::None && plan.swizzleRejection.empty())
    best = &attempts.front().second;
  else
    for (auto &[kind, attempt] : attempts) {
      if (!attempt.choice)
        continue;
      if (!best || kind == preferred ||
          attempt.choice->cost < best->choice->cost)
        best = &attempt;
      if (kind == preferred)
        break;
    }
  // Pieces of one element are always possible.
  assert(best && "expected an engine");
  plan.choice = *best->choice;
  plan.swizzle = findSwizzle(plan, swizzle);
  if (plan.swizzle == swizzle)
    plan.swizzleRejection = {};
  for (auto &[kind, attempt] : attempts) {
    if (&attempt == best)
      break;
    std::string reason = attempt.reason;
    if (attempt.choice)
      reason = "a cost of " + std::to_string(attempt.choice->cost) + " for " +
               std::to_string(attempt.choice->instructions) +
               " instructions, against " + std::to_string(plan.choice.cost) +
               " of " + describeEngine(plan.choice.engine);
    plan.rejections.push_back({kind, std::move(reason)});
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// One variant
//===----------------------------------------------------------------------===//

EngineVariant EnginePlanner::plan(GuardUse use,
                                  std::vector<EngineFault> &faults) {
  llvm::MapVector<Value, TileRequest> requests;
  for (const TransferFacts &transfer : transfers) {
    TransferOpInterface op = transfer.op;
    TileRequest &request = requests[getLayoutBuffer(op.getTile())];
    if (hasGivenLayout(op)) {
      Swizzle swizzle =
          op.getMap() ? op.getMap().getType().getSwizzle() : Swizzle::None;
      if (!request.given) {
        request.given = op;
        request.swizzle = swizzle;
      }
    } else if (!request.given && request.swizzle == Swizzle::None) {
      request.swizzle = op.getSwizzle();
    }
  }

  ReductionRules rules =
      planReductions(facts.kernel, transfers, use, preferred, faults);
  EngineVariant variant;
  if (!faults.empty())
    return variant;
  // A buffer is there at most twice: with its swizzle and without.
  llvm::DenseMap<Value, std::pair<Operation *, Obstacle>> plain;
  for (auto &[buffer, request] : requests) {
    if (request.given || request.swizzle == Swizzle::None)
      continue;
    // All readers and writers of the tile must use the swizzle, too.
    for (const TransferFacts &transfer : transfers) {
      TransferOpInterface op = transfer.op;
      if (getLayoutBuffer(op.getTile()) != buffer || plain.contains(buffer))
        continue;
      Obstacle why;
      if (op.getTile() != buffer)
        why = {Miss::SwizzlePart, "the tile is a part of a buffer"};
      else
        why = {Miss::SwizzleAccesses, explainSwizzle(buffer, request.swizzle)};
      if (!why.empty())
        plain[buffer] = {op, why};
    }
  }
  bool isDone = false;
  while (!isDone) {
    isDone = true;
    variant.transfers.clear();
    for (const TransferFacts &transfer : transfers) {
      TransferOpInterface op = transfer.op;
      Value buffer = getLayoutBuffer(op.getTile());
      auto unswizzled = plain.find(buffer);
      Swizzle swizzle =
          unswizzled == plain.end() ? requests[buffer].swizzle : Swizzle::None;
      EngineAssignment plan =
          planTransfer(transfer, use, swizzle, rules, faults);
      if (unswizzled != plain.end() && op.getSwizzle() != Swizzle::None) {
        auto &[culprit, why] = unswizzled->second;
        plan.swizzleRejection = why;
        if (culprit != op)
          plan.swizzleRejection = {Miss::SwizzleOtherTransfer,
                                   "another transfer of the tile that can't be "
                                   "swizzled: " +
                                       why.text};
      }
      variant.transfers.push_back(std::move(plan));
    }
    if (!faults.empty())
      return variant;
    for (const EngineAssignment &plan : variant.transfers) {
      TransferOpInterface op = plan.op;
      Value buffer = getLayoutBuffer(op.getTile());
      const TileRequest &request = requests[buffer];
      if (plain.contains(buffer) || plan.swizzle == request.swizzle)
        continue;
      Obstacle why = plan.swizzleRejection;
      if (why.empty())
        why = {Miss::SwizzleTensor,
               "engine " + describeEngine(plan.choice.engine)};
      if (request.given) {
        // C158
        faults.push_back(
            {op,
             "expected a transfer with swizzle " +
                 stringifySwizzle(request.swizzle).str() +
                 ", as the map of the tile's other transfer has, got " +
                 why.text,
             request.given});
        return variant;
      }
      plain[buffer] = {op, why};
      isDone = false;
    }
  }
  for (EngineAssignment &plan : variant.transfers) {
    TransferOpInterface op = plan.op;
    if (op.getSwizzle() != Swizzle::None && plan.swizzleRejection.empty() &&
        !plan.isGiven && plan.swizzle == Swizzle::None)
      plan.swizzleRejection = {
          Miss::SwizzleOtherTransfer,
          "another transfer of the tile that isn't swizzled"};
  }
  bool usesAsyncEngine = false;
  for (const EngineAssignment &plan : variant.transfers) {
    EngineKind kind = plan.choice.engine.getKind();
    usesAsyncEngine |= kind == EngineKind::Tensor || kind == EngineKind::Bulk;
    for (GuardAttr guard : plan.choice.guards)
      mergeGuard(variant.guards, guard);
  }
  // By kind, and in their order.
  SmallVector<GuardAttr> sorted;
  for (GuardKind kind :
       {GuardKind::Aligned, GuardKind::Divisible, GuardKind::Range})
    llvm::copy_if(variant.guards, std::back_inserter(sorted),
                  [&](GuardAttr guard) { return guard.getKind() == kind; });
  variant.guards = std::move(sorted);
  if (variant.guards.empty())
    return variant;
  // Guard the variant: the module is also compiled for older chips.
  if (usesAsyncEngine) {
    GuardAttr capability =
        makeCapability(facts.kernel.getContext(), rules::kBulkSM);
    if (!isImplied(facts.known, capability))
      variant.guards.insert(variant.guards.begin(), capability);
  }
  variant.suffix = usesAsyncEngine ? "_tma" : "_wide";
  if (use == GuardUse::ShortRows)
    variant.suffix += "_short";
  if (use == GuardUse::OddRows)
    variant.suffix += "_odd";
  if (use == GuardUse::NoRaggedness)
    variant.suffix += "_ragged";
  return variant;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

static bool haveSameEngines(const EngineVariant &lhs,
                            const EngineVariant &rhs) {
  return llvm::equal(lhs.transfers, rhs.transfers,
                     [](const EngineAssignment &a, const EngineAssignment &b) {
                       return a.choice.engine == b.choice.engine &&
                              a.choice.map == b.choice.map &&
                              a.choice.encode == b.choice.encode;
                     });
}

/// Whether some loads have an engine that needs long rows, and others don't, so
/// that the launch may have rows for some engines only.
static bool mixesLoads(const EngineVariant &variant) {
  bool hasLong = false, hasShort = false;
  for (const EngineAssignment &plan : variant.transfers) {
    TransferOpInterface op = plan.op;
    EngineKind kind = plan.choice.engine.getKind();
    if (op.isLoad())
      (kind == EngineKind::Tensor || kind == EngineKind::Bulk ? hasLong
                                                              : hasShort) =
          true;
  }
  return hasLong && hasShort;
}

/// Whether `guards` hold whenever those of the other variant do.
static bool areImplied(ArrayRef<GuardAttr> guards, ArrayRef<GuardAttr> other) {
  return llvm::all_of(guards,
                      [&](GuardAttr guard) { return isImplied(other, guard); });
}

/// C114: the name that a variant may have.
static bool canBeNamed(StringRef kernel) {
  return !kernel.empty() && llvm::all_of(kernel, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
}

EnginePlan carousel::planEngines(gpu::GPUFuncOp kernel,
                                 const TargetSpec &target,
                                 const ChipModel &chip,
                                 const EngineOptions &options) {
  EnginePlan plan;
  EnginePlanner planner(kernel, target, chip, options.preferred);
  if (options.variants && canBeNamed(getKernelName(kernel)))
    for (GuardUse use : {GuardUse::All, GuardUse::NoRaggedness,
                         GuardUse::ShortRows, GuardUse::OddRows}) {
      EngineVariant variant = planner.plan(use, plan.faults);
      if (!plan.faults.empty())
        return plan;
      bool isOfRows = use == GuardUse::ShortRows || use == GuardUse::OddRows;
      if (isOfRows && !mixesLoads(variant))
        continue;
      // It would never be launched if an earlier one has no more guards.
      if (llvm::none_of(plan.variants, [&](const EngineVariant &earlier) {
            return areImplied(earlier.guards, variant.guards);
          }))
        plan.variants.push_back(std::move(variant));
    }
  EngineVariant last = planner.plan(GuardUse::None, plan.faults);
  if (!plan.faults.empty())
    return plan;
  // A variant with no more guards than the previous one replaces it. A variant
  // without a gain over the next one isn't worth its guards.
  while (!plan.variants.empty()) {
    EngineVariant &before = plan.variants.back();
    bool asksNoMore = areImplied(before.guards, last.guards);
    if (!asksNoMore && !haveSameEngines(before, last))
      break;
    if (asksNoMore)
      last = std::move(before);
    plan.variants.pop_back();
  }
  last.suffix.clear();
  plan.variants.push_back(std::move(last));
  return plan;
}
