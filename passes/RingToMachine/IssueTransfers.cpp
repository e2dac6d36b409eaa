//===- IssueTransfers.cpp - lower produce and submit ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The section of a produce or submit is executed by the scope's issuing thread,
// by all threads of the scope, or by both. Each executes its own transfers. A
// produce adds the expected bytes to its barrier exactly where it issues them.
// It arrives whether or not it issued any.
//
//===----------------------------------------------------------------------===//

#include "IssueTransfers.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace carousel;

static bool isByLeader(TransferOpInterface op) {
  EngineKind kind = op.getEngineAttr().getKind();
  return kind == EngineKind::Tensor || kind == EngineKind::Bulk;
}

Value TransferLowering::getPolicy(EvictPriority priority) {
  if (priority == EvictPriority::Normal)
    return {};
  for (auto [known, policy] : policies)
    if (known == priority)
      return policy;
  Value policy = CachePolicyFractionalOp::create(
      kernel.top, priority, /*otherwise=*/EvictPriorityAttr(),
      /*fraction=*/FloatAttr());
  policies.emplace_back(priority, policy);
  return policy;
}

/// Copies the section to `b`, with those of its transfers that one thread
/// issues, or those that all threads make.
TransferLowering::Section TransferLowering::cloneSection(
    ImplicitLocOpBuilder &b, Region &body, bool byLeader,
    const ThreadRange &range, TransferScope scope, const BarrierElement &full) {
  Section section;
  if (body.empty())
    return section;
  IRMapping mapping;
  for (Operation &op : body.front())
    b.clone(op, mapping);
  body.walk([&](TransferOpInterface op) {
    Operation *clone = mapping.lookup(op.getOperation());
    if (isByLeader(op) != byLeader) {
      clone->erase();
      return;
    }
    TransferIssue &issue = section.transfers.emplace_back();
    issue.op = cast<TransferOpInterface>(clone);
    issue.shape = &kernel.plan.shapes.at(op);
    issue.full = full;
    issue.ordersEnds = kernel.plan.orderedEnds.contains(op);
    // Ordinary loads and stores have no policy, and what ptxas 13.0 makes of a
    // cp.async with one is an illegal instruction now and then.
    EngineKind kind = op.getEngineAttr().getKind();
    if (kind == EngineKind::Tensor || kind == EngineKind::Bulk)
      issue.policy = getPolicy(op.getCache());
    if (!byLeader)
      issue.thread = threads.getThread(range, scope);
    issue.threads = getScopeThreads(range, scope);
    section.isConditional |= op->getParentRegion() != &body;
  });
  return section;
}

static void createArrive(ImplicitLocOpBuilder &b, const BarrierElement &full) {
  MbarrierArriveOp::create(b, /*state=*/Type(), full.barriers, full.indices,
                           /*count=*/Value(), /*static_count=*/IntegerAttr());
}

/// All loads of a section that are inside, with one arrival.
static void issueAllWhole(ImplicitLocOpBuilder &b,
                          ArrayRef<TransferIssue> transfers,
                          const BarrierElement &full) {
  int64_t bytes = 0;
  bool hasEnds = false;
  for (const TransferIssue &issue : transfers) {
    bytes += getWholeBytes(issue);
    hasEnds |= hasRowEnds(issue);
  }
  // What this thread stores comes before its arrival.
  if (bytes > 0 && !hasEnds)
    MbarrierArriveExpectTxOp::create(b, /*state=*/Type(), full.barriers,
                                     full.indices, /*bytes=*/Value(),
                                     b.getI32IntegerAttr(bytes));
  else if (bytes > 0)
    MbarrierExpectTxOp::create(b, full.barriers, full.indices,
                               /*bytes=*/Value(), b.getI32IntegerAttr(bytes));
  for (const TransferIssue &issue : transfers)
    issueWhole(b, issue);
  orderEnds(b, transfers, /*isClipped=*/false);
  if (bytes == 0 || hasEnds)
    createArrive(b, full);
}

void TransferLowering::issueLoads(ImplicitLocOpBuilder &b, Section &section,
                                  const BarrierElement &full) {
  if (section.isConditional) {
    // Each by itself, where it stands.
    for (TransferIssue &issue : section.transfers) {
      ImplicitLocOpBuilder at(issue.op.getLoc(), issue.op);
      issueClipped(at, issue);
      orderEnds(at, issue, /*isClipped=*/true);
      issue.op.erase();
    }
    return createArrive(b, full);
  }
  Value isInside;
  for (TransferIssue &issue : section.transfers)
    isInside = createAnd(b, isInside, createIsInside(b, issue));
  createIf(
      b, isInside, [&] { issueAllWhole(b, section.transfers, full); },
      [&] {
        for (TransferIssue &issue : section.transfers)
          issueClipped(b, issue);
        orderEnds(b, section.transfers, /*isClipped=*/true);
        createArrive(b, full);
      });
  for (TransferIssue &issue : section.transfers)
    issue.op.erase();
}

static bool hasConditionalLoads(RingProduceOp produce) {
  return produce
      .walk([&](RingLoadOp load) {
        return isByLeader(load) && load->getParentRegion() != &produce.getBody()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool carousel::isFilledByWarp(RingProduceOp produce,
                              const RingBarrierPlan &plan) {
  const ThreadRange &range = plan.lookup(produce.getRing()).producers;
  if (!arrivesByWarp(range) || range.first % rules::kWarpSize != 0)
    return false;
  bool fills = false;
  produce.walk(
      [&](RingLoadOp load) { fills |= mayFill(load, plan.shapes.at(load)); });
  return fills;
}

/// The leader issues, and its warp fills what is outside. Boxes that are inside
/// cost what they cost the leader alone: one arrival, and no barrier.
void TransferLowering::issueLoadsByWarp(ImplicitLocOpBuilder &b,
                                        RingProduceOp produce,
                                        const PlannedRing &planned,
                                        const RingSlot &slot,
                                        const BarrierElement &full) {
  const ThreadRange &range = planned.producers;
  RingCreateOp ring = planned.ring;
  TransferScope scope = ring.getScope();
  Value leader = threads.getLeader(range, scope),
        lane = threads.getThread({0, kernel.plan.threads}, TransferScope::Warp);
  auto syncWarp = [&] { BarrierWarpOp::create(b, /*mask=*/Value()); };
  auto clone = [&] {
    Section section = cloneSection(b, produce.getBody(), /*byLeader=*/true,
                                   range, scope, full);
    for (TransferIssue &issue : section.transfers) {
      issue.thread = lane;
      issue.threads = rules::kWarpSize;
      issue.leader = leader;
    }
    return section;
  };
  // The slot is free as far as the leader knows: its warp meets before it
  // fills, and behind that for the leader to arrive.
  auto finish = [&] {
    syncWarp();
    createIf(b, leader, [&] { createArrive(b, full); });
  };
  if (hasConditionalLoads(produce)) {
    createIf(b, leader, [&] { slots.waitForEmpty(b, planned, slot); });
    syncWarp();
    Section section = clone();
    // Each by itself, where it stands.
    for (TransferIssue &issue : section.transfers) {
      ImplicitLocOpBuilder at(issue.op.getLoc(), issue.op);
      issueClipped(at, issue);
      orderEnds(at, issue, /*isClipped=*/true);
      issue.op.erase();
    }
    return finish();
  }
  Section section = clone();
  Value isInside;
  for (TransferIssue &issue : section.transfers)
    isInside = createAnd(b, isInside, createIsInside(b, issue));
  createIf(b, leader, [&] {
    slots.waitForEmpty(b, planned, slot);
    createIf(b, isInside, [&] { issueAllWhole(b, section.transfers, full); });
  });
  Value isOutside = createFolded<arith::XOrIOp>(
      b, isInside, createConstant(b, b.getI1Type(), 1));
  createIf(b, isOutside, [&] {
    syncWarp();
    for (TransferIssue &issue : section.transfers)
      issueClipped(b, issue);
    orderEnds(b, section.transfers, /*isClipped=*/true);
    finish();
  });
  for (TransferIssue &issue : section.transfers)
    issue.op.erase();
}

void TransferLowering::issueStores(ImplicitLocOpBuilder &b, Section &section) {
  for (TransferIssue &issue : section.transfers) {
    ImplicitLocOpBuilder at(issue.op.getLoc(), issue.op);
    auto order = [&](bool isClipped) { orderEnds(at, issue, isClipped); };
    createIf(
        at, createIsInside(at, issue),
        [&] {
          issueWhole(at, issue);
          order(/*isClipped=*/false);
        },
        [&] {
          issueClipped(at, issue);
          order(/*isClipped=*/true);
        });
    issue.op.erase();
  }
  BulkCommitGroupOp::create(b);
}

void TransferLowering::copyPieces(Section &section) {
  for (TransferIssue &issue : section.transfers) {
    ImplicitLocOpBuilder at(issue.op.getLoc(), issue.op);
    copyByThreads(at, issue);
    issue.op.erase();
  }
}

void TransferLowering::lower(RingProduceOp produce) {
  const PlannedRing &planned = kernel.plan.lookup(produce.getRing());
  RingCreateOp ring = planned.ring;
  const ThreadRange &range = planned.producers;
  TransferScope scope = ring.getScope();
  RingSlot slot =
      slots.getSlot(produce.getRing().getType().getStages(), produce.getUse());
  ImplicitLocOpBuilder b(produce.getLoc(), produce);
  BarrierElement full;
  if (planned.hasFull)
    full = slots.getFull(planned, range, slot);
  if (planned.leaderArrives && isFilledByWarp(produce, kernel.plan))
    createIf(b, threads.getIssuingWarp(range, scope),
             [&] { issueLoadsByWarp(b, produce, planned, slot, full); });
  else if (planned.leaderArrives)
    createIf(b, threads.getLeader(range, scope), [&] {
      slots.waitForEmpty(b, planned, slot);
      Section section = cloneSection(b, produce.getBody(), /*byLeader=*/true,
                                     range, scope, full);
      issueLoads(b, section, full);
    });
  if (planned.cpAsyncArrives || planned.storesArrive ||
      planned.syncsWarpWhenFilled || planned.groups) {
    slots.waitForEmpty(b, planned, slot);
    Section section = cloneSection(b, produce.getBody(), /*byLeader=*/false,
                                   range, scope, full);
    copyPieces(section);
    // Counted at the initialisation, like every arrival.
    if (planned.cpAsyncArrives)
      CpAsyncMbarrierArriveOp::create(b, full.barriers, full.indices,
                                      /*noinc=*/true);
    bool isSynchronized = kernel.plan.synchronizedProduces.contains(produce);
    if (planned.storesArrive)
      slots.arrive(b, range, scope, full, isSynchronized);
    if (planned.syncsWarpWhenFilled && !isSynchronized)
      threads.createBarrier(b, range, scope);
    if (planned.groups) {
      Operation *end = planned.groups->ends.lookup(produce);
      OpBuilder::InsertionGuard guard(b);
      if (end != produce)
        b.setInsertionPointAfter(end);
      CpAsyncCommitGroupOp::create(b);
    }
  }
  produce.erase();
}

void TransferLowering::lower(RingSubmitOp submit) {
  ThreadRange range = kernel.plan.getThreads(submit);
  TransferScope scope = submit.getScope();
  ImplicitLocOpBuilder b(submit.getLoc(), submit);
  // A group without transfers counts as well: wait_stores counts submits.
  if (kernel.plan.issuesBulkGroups(range, scope))
    createIf(b, threads.getLeader(range, scope), [&] {
      Section section = cloneSection(b, submit.getBody(), /*byLeader=*/true,
                                     range, scope, BarrierElement());
      issueStores(b, section);
    });
  Section section = cloneSection(b, submit.getBody(), /*byLeader=*/false, range,
                                 scope, BarrierElement());
  copyPieces(section);
  submit.erase();
}
