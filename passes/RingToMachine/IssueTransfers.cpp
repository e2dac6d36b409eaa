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

#include "carousel/Analysis/Engines/ThreadWork.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

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

static bool hasMulticast(RingProduceOp produce) {
  return produce
      .walk([](RingLoadOp load) {
        return load.getMulticast() ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Copies the section to `b`, with those of its transfers that one thread
/// issues, or those that all threads make.
TransferLowering::Section TransferLowering::cloneSection(
    ImplicitLocOpBuilder &b, Region &body, bool byLeader,
    const ThreadRange &range, TransferScope scope, const BarrierElement &full) {
  Section section;
  if (body.empty())
    return section;
  int64_t ctas = 1;
  Value turn;
  if (auto produce = dyn_cast<RingProduceOp>(body.getParentOp());
      produce && byLeader && hasMulticast(produce)) {
    const PlannedRing &planned = kernel.plan.lookup(produce.getRing());
    ctas = planned.ctas;
    turn = slots.getTurn(b, planned, produce.getUse());
  }
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
    if (auto load = dyn_cast<RingLoadOp>(clone); load && load.getMulticast()) {
      issue.ctas = ctas;
      issue.turn = turn;
    }
    issue.ordersEnds = kernel.plan.orderedEnds.contains(op);
    issue.hasAsyncEnds = kernel.plan.asyncEnds.contains(op);
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
  for (const TransferIssue &issue : transfers)
    bytes += getWholeBytes(issue);
  MbarrierArriveExpectTxOp::create(b, /*state=*/Type(), full.barriers,
                                   full.indices, /*bytes=*/Value(),
                                   b.getI32IntegerAttr(bytes));
  for (const TransferIssue &issue : transfers)
    issueWhole(b, issue);
}

/// Loads that are issued one by one, each where it stands.
static void issueEach(MutableArrayRef<TransferIssue> transfers) {
  for (TransferIssue &issue : transfers) {
    ImplicitLocOpBuilder at(issue.op.getLoc(), issue.op);
    issueClipped(at, issue);
    orderEnds(at, issue, /*isClipped=*/true);
    issue.op.erase();
  }
}

void TransferLowering::issueLoads(ImplicitLocOpBuilder &b, Section &section,
                                  const BarrierElement &full) {
  if (section.isConditional || section.transfers.empty() ||
      llvm::any_of(section.transfers, hasRowEnds)) {
    issueEach(section.transfers);
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

/// Whether the leader's loads can't be issued together: one is under a
/// condition, or has ends of rows that threads always copy.
static bool hasSeparateLoads(RingProduceOp produce,
                             const RingBarrierPlan &plan) {
  return produce
      .walk([&](RingLoadOp load) {
        bool isSeparate = load->getParentRegion() != &produce.getBody() ||
                          (load.getEngineAttr().getKind() == EngineKind::Bulk &&
                           plan.shapes.at(load).hasRowEnds());
        return isByLeader(load) && isSeparate ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the scope's issuing thread has a warp to help it, and a transfer of
/// `section` may need one.
static bool needsWarp(Operation *section, const ThreadRange &range,
                      const RingBarrierPlan &plan) {
  if (!arrivesByWarp(range) || range.first % rules::kWarpSize != 0)
    return false;
  bool needs = false;
  section->walk([&](TransferOpInterface op) {
    needs |= needsThreads(op, plan.shapes.at(op));
  });
  return needs;
}

bool carousel::isFilledByWarp(RingProduceOp produce,
                              const RingBarrierPlan &plan) {
  return needsWarp(produce, plan.lookup(produce.getRing()).producers, plan);
}

/// Gives the lanes of the issuing warp their parts of the transfers.
void TransferLowering::shareByWarp(Section &section, Value leader) {
  Value lane = threads.getThread({0, kernel.plan.threads}, TransferScope::Warp);
  for (TransferIssue &issue : section.transfers) {
    issue.thread = lane;
    issue.threads = rules::kWarpSize;
    issue.leader = leader;
  }
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
  Value leader = threads.getLeader(range, scope);
  auto syncWarp = [&] { BarrierWarpOp::create(b, /*mask=*/Value()); };
  auto clone = [&] {
    Section section = cloneSection(b, produce.getBody(), /*byLeader=*/true,
                                   range, scope, full);
    shareByWarp(section, leader);
    return section;
  };
  // The slot is free as far as the leader knows: its warp meets before it
  // fills, and behind that for the leader to arrive.
  auto finish = [&] {
    syncWarp();
    createIf(b, leader, [&] { createArrive(b, full); });
  };
  if (hasSeparateLoads(produce, kernel.plan)) {
    createIf(b, leader, [&] { slots.waitForEmpty(b, planned, slot); });
    syncWarp();
    Section section = clone();
    issueEach(section.transfers);
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

/// The copies of a store by the issuing thread.
static void issueStore(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                       Value isInside) {
  createIf(
      b, isInside, [&] { issueWhole(b, issue); },
      [&] { issueClippedRows(b, issue); });
}

/// The ends of a store's rows, which no engine copies.
static void storeEnds(ImplicitLocOpBuilder &b, const TransferIssue &issue,
                      Value isInside, function_ref<void()> then = nullptr) {
  if (issue.op.getEngineAttr().getKind() != EngineKind::Bulk ||
      !mayEndInGranule(issue.op, *issue.shape))
    return;
  Value hasEnds = createHasRowEnds(b, issue);
  if (isInside && !hasRowEnds(issue))
    hasEnds = createAnd(b,
                        createFolded<arith::XOrIOp>(
                            b, isInside, createConstant(b, b.getI1Type(), 1)),
                        hasEnds);
  createIf(b, hasEnds, [&] {
    copyRowEnds(b, issue);
    orderEnds(b, issue, /*isClipped=*/true);
    if (then)
      then();
  });
}

void TransferLowering::issueStores(ImplicitLocOpBuilder &b, Section &section) {
  for (TransferIssue &issue : section.transfers) {
    ImplicitLocOpBuilder at(issue.op.getLoc(), issue.op);
    Value isInside = createIsInside(at, issue);
    issueStore(at, issue, isInside);
    storeEnds(at, issue, isInside);
    issue.op.erase();
  }
  BulkCommitGroupOp::create(b);
}

/// The leader issues, and its warp stores the ends of rows. Afterwards the
/// leader's later operations come after those of its warp.
void TransferLowering::issueStoresByWarp(ImplicitLocOpBuilder &b,
                                         Section &section, Value leader) {
  shareByWarp(section, leader);
  auto endStore = [](ImplicitLocOpBuilder &at, TransferIssue &issue,
                     Value isInside) {
    storeEnds(at, issue, isInside,
              [&] { BarrierWarpOp::create(at, /*mask=*/Value()); });
    issue.op.erase();
  };
  if (section.isConditional) {
    for (TransferIssue &issue : section.transfers) {
      ImplicitLocOpBuilder at(issue.op.getLoc(), issue.op);
      Value isInside = createIsInside(at, issue);
      createIf(at, leader, [&] { issueStore(at, issue, isInside); });
      endStore(at, issue, isInside);
    }
    return createIf(b, leader, [&] { BulkCommitGroupOp::create(b); });
  }
  SmallVector<Value> areInside;
  for (TransferIssue &issue : section.transfers)
    areInside.push_back(createIsInside(b, issue));
  createIf(b, leader, [&] {
    for (auto [issue, isInside] : llvm::zip_equal(section.transfers, areInside))
      issueStore(b, issue, isInside);
    BulkCommitGroupOp::create(b);
  });
  for (auto [issue, isInside] : llvm::zip_equal(section.transfers, areInside))
    endStore(b, issue, isInside);
}

void TransferLowering::copyPieces(Section &section) {
  if (!section.isConditional && section.transfers.size() > 1 &&
      llvm::all_of(section.transfers, [](const TransferIssue &issue) {
        return issue.op.isLoad() && copiesGranules(issue.op, *issue.shape);
      })) {
    TransferOpInterface last = section.transfers.back().op;
    ImplicitLocOpBuilder at(last.getLoc(), last);
    loadGranules(at, section.transfers);
    for (TransferIssue &issue : section.transfers)
      issue.op.erase();
    return;
  }
  for (TransferIssue &issue : section.transfers) {
    ImplicitLocOpBuilder at(issue.op.getLoc(), issue.op);
    copyByThreads(at, issue);
    issue.op.erase();
  }
}

void TransferLowering::reportWork(Operation *section, Operation *before,
                                  const ThreadRange &range,
                                  TransferScope scope) {
  if (!section->getContext()->getRemarkEngine())
    return;
  IndexRanges ranges;
  Block *block = section->getBlock();
  ThreadWork work = estimateThreadWork(before ? std::next(before->getIterator())
                                              : block->begin(),
                                       section->getIterator(), ranges);
  ThreadWork bound;
  int64_t bytes = 0;
  section->walk([&](TransferOpInterface op) {
    bound += getWorkBound(op, kernel.plan.shapes.at(op),
                          getScopeThreads(range, scope), arrivesByWarp(range));
    bytes += op.getTileBytes();
  });
  if (bytes == 0)
    return;
  remark::RemarkOpts options = remark::RemarkOpts::name("Work")
                                   .category("carousel-lower-rings")
                                   .function(kernel.func.getName());
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "the most loaded thread: ";
  work.print(os);
  os << ", for " << bytes << " bytes; the bound is " << bound.instructions
     << " and " << bound.waits;
  if (work.isWithin(bound))
    remark::analysis(section->getLoc(), options) << text;
  else
    remark::missed(section->getLoc(), options) << text;
}

void TransferLowering::lower(RingProduceOp produce) {
  const PlannedRing &planned = kernel.plan.lookup(produce.getRing());
  RingCreateOp ring = planned.ring;
  const ThreadRange &range = planned.producers;
  TransferScope scope = ring.getScope();
  RingSlot slot =
      slots.getSlot(produce.getRing().getType().getStages(), produce.getUse());
  Operation *before = produce->getPrevNode();
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
  reportWork(produce, before, range, scope);
  produce.erase();
}

void TransferLowering::lower(RingSubmitOp submit) {
  ThreadRange range = kernel.plan.getThreads(submit);
  TransferScope scope = submit.getScope();
  Operation *before = submit->getPrevNode();
  ImplicitLocOpBuilder b(submit.getLoc(), submit);
  // A group without transfers counts as well: wait_stores counts submits.
  if (kernel.plan.issuesBulkGroups(range, scope)) {
    Value leader = threads.getLeader(range, scope);
    bool isByWarp = needsWarp(submit, range, kernel.plan);
    createIf(b, isByWarp ? threads.getIssuingWarp(range, scope) : leader, [&] {
      Section section = cloneSection(b, submit.getBody(), /*byLeader=*/true,
                                     range, scope, BarrierElement());
      if (isByWarp)
        return issueStoresByWarp(b, section, leader);
      issueStores(b, section);
    });
  }
  Section section = cloneSection(b, submit.getBody(), /*byLeader=*/false, range,
                                 scope, BarrierElement());
  copyPieces(section);
  reportWork(submit, before, range, scope);
  submit.erase();
}
