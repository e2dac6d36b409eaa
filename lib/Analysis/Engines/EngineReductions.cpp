//===- EngineReductions.cpp - reductions into one memref ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EngineReductions.h. Memory that can't be followed may be any memory.
//
//===----------------------------------------------------------------------===//

#include "EngineReductions.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace carousel;

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

ReductionRules carousel::planReductions(gpu::GPUFuncOp kernel,
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
