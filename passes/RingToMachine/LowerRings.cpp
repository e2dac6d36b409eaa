//===- LowerRings.cpp - ring phase to machine phase -----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the plan of a kernel's rings. Slots become buffers, and uses become
// slot numbers and parities. Produce, wait and release become arrivals and
// waits at mbarriers. Ring barriers become barriers of the scope's threads, and
// roles become branches. Checks constraints C160 and C162 to C165 of
// docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "FoldPrologues.h"
#include "IssueTransfers.h"
#include "MergeGuardedRegions.h"
#include "Products/ValueOrder.h"
#include "RingSlots.h"
#include "ThreadValues.h"
#include "Transfers/LowerTransfers.h"

#include "carousel/Analysis/Values/Alignment.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/AsyncCopies.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace carousel {
#define GEN_PASS_DEF_LOWERRINGS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Uses of slots become waits and arrivals
//
// Lowers the ops that use slots without moving bytes: ring.tile, ring.wait,
// ring.release, ring.sync and ring.wait_stores. Tiles become views of the
// ring's bytes; waits and releases use mbarriers, cp.async groups or barriers
// of threads, by the plan.
//===----------------------------------------------------------------------===//

namespace {

class SlotLowering {
public:
  SlotLowering(RingKernel &kernel, ThreadValues &threads, RingSlots &slots)
      : kernel(kernel), threads(threads), slots(slots) {}

  void lower(RingTileOp tile);
  void lower(RingWaitOp wait);
  void lower(RingReleaseOp release);
  void lower(RingSyncOp sync);
  void lower(RingWaitStoresOp storeWait);
  /// Commits empty cp.async groups for waits in a loop that count on groups
  /// before the loop has committed any.
  void padGroups();

private:
  Value findLastRead(RingReleaseOp release);

  RingKernel &kernel;
  ThreadValues &threads;
  RingSlots &slots;
};

} // namespace

void SlotLowering::lower(RingTileOp tile) {
  const PlannedRing &planned = kernel.plan.lookup(tile.getRing());
  RingSlot slot =
      slots.getSlot(tile.getRing().getType().getStages(), tile.getUse());
  ImplicitLocOpBuilder b(tile.getLoc(), tile);
  Value shift = createFolded<arith::MulIOp>(
      b, slot.number, planned.tiles[tile.getIndex()].stride);
  tile.getTile().replaceAllUsesWith(
      memref::ViewOp::create(b, tile.getTile().getType(), slots.getTile(tile),
                             shift, /*sizes=*/ValueRange()));
  tile.erase();
}

void SlotLowering::lower(RingWaitOp wait) {
  const PlannedRing &planned = kernel.plan.lookup(wait.getRing());
  if (planned.syncsWarpWhenFilled) // in the produce
    return wait.erase();
  if (planned.groups) {
    ImplicitLocOpBuilder b(wait.getLoc(), wait);
    CpAsyncWaitGroupOp::create(b, planned.groups->pending.lookup(wait));
    RingCreateOp ring = planned.ring;
    threads.createBarrier(b, planned.consumers, ring.getScope());
    return wait.erase();
  }
  RingSlot slot =
      slots.getSlot(wait.getRing().getType().getStages(), wait.getUse());
  ImplicitLocOpBuilder b(wait.getLoc(), wait);
  slots.waitForFull(b, planned, slot);
  wait.erase();
}

/// The last value that the threads have read of the ring's tiles in the block
/// of `release`, or null.
Value SlotLowering::findLastRead(RingReleaseOp release) {
  ArrayRef<Value> tiles = slots.getTiles(release.getRing());
  for (Operation *op = release->getPrevNode(); op; op = op->getPrevNode())
    if (isa<memref::LoadOp, vector::LoadOp, nvgpu::LdMatrixOp>(op))
      for (Value operand : op->getOperands())
        if (isa<MemRefType>(operand.getType()) &&
            llvm::is_contained(tiles, getRootBuffer(operand)))
          return op->getResult(0);
  return {};
}

void SlotLowering::lower(RingReleaseOp release) {
  const PlannedRing &planned = kernel.plan.lookup(release.getRing());
  RingCreateOp ring = planned.ring;
  ImplicitLocOpBuilder b(release.getLoc(), release);
  // An arrival or a barrier orders the reads before it among threads, but
  // engines fill the slot: the number must be there, not only be on its way.
  Value read = planned.leaderArrives ? findLastRead(release) : Value();
  if (read)
    orderBehind(b, read);
  if (planned.hasEmpty) {
    slots.arriveAtEmpty(b, planned,
                        slots.getSlot(release.getRing().getType().getStages(),
                                      release.getUse()));
  } else if ((planned.groups ||
              ring.getRelease() != SlotRelease::EmptyBarrier) &&
             !kernel.plan.mergedReleases.contains(release)) {
    threads.createBarrier(b, planned.consumers, ring.getScope());
  }
  release.erase();
}

void SlotLowering::lower(RingSyncOp sync) {
  ImplicitLocOpBuilder b(sync.getLoc(), sync);
  threads.createBarrier(b, kernel.plan.getThreads(sync), sync.getScope());
  sync.erase();
}

void SlotLowering::lower(RingWaitStoresOp storeWait) {
  ThreadRange range = kernel.plan.getThreads(storeWait);
  // Stores that threads make themselves have read their tiles when they are
  // behind the submit, and are ordered like the thread's other stores.
  if (kernel.plan.issuesBulkGroups(range, storeWait.getScope())) {
    ImplicitLocOpBuilder b(storeWait.getLoc(), storeWait);
    createIf(b, threads.getLeader(range, storeWait.getScope()), [&] {
      BulkWaitGroupOp::create(b, storeWait.getKind(), storeWait.getPending());
    });
  }
  storeWait.erase();
}

void SlotLowering::padGroups() {
  for (const PlannedRing &planned : kernel.plan.rings) {
    if (!planned.groups)
      continue;
    for (auto [loop, count] : planned.groups->padding) {
      ImplicitLocOpBuilder b(loop->getLoc(), loop);
      for (int64_t i = 0; i < count; ++i)
        CpAsyncCommitGroupOp::create(b);
    }
  }
}

//===----------------------------------------------------------------------===//
// Roles become branches
//
// Lowers ring.roles to a branch on the thread's number, with changes of
// register counts if the roles have them.
//===----------------------------------------------------------------------===//

namespace {

class RoleLowering {
public:
  RoleLowering(RingKernel &kernel, ThreadValues &threads)
      : kernel(kernel), threads(threads) {}

  void lower(RingRolesOp roles);
  /// Register counts of roles that the target can't set.
  ArrayRef<int64_t> getSkippedRegisters() const { return skippedRegisters; }

private:
  void setRegistersAtEntry(RingRolesOp roles);

  RingKernel &kernel;
  ThreadValues &threads;
  SmallVector<int64_t> skippedRegisters;
};

} // namespace

/// Moves a role's ops into a branch, behind the change of registers.
static void moveRole(Region &role, Block *branch) {
  if (role.empty())
    return;
  branch->getOperations().splice(branch->getTerminator()->getIterator(),
                                 role.front().getOperations());
}

/// Spreads the registers of all roles' threads evenly at the block's start: PTX
/// asks for the number where registers are handed over.
void RoleLowering::setRegistersAtEntry(RingRolesOp roles) {
  int64_t producers = roles.getProducerThreads(),
          consumers = roles.getConsumerThreads();
  int64_t total = producers * *roles.getProducerRegisters() +
                  consumers * *roles.getConsumerRegisters();
  int64_t each = llvm::alignTo(llvm::divideCeil(total, producers + consumers),
                               rules::kRegisterStep);
  kernel.func->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                       IntegerAttr::get(kernel.top.getI32Type(), each));
}

void RoleLowering::lower(RingRolesOp roles) {
  ImplicitLocOpBuilder b(roles.getLoc(), roles);
  Value thread = threads.getBlockThread();
  Value produces = arith::CmpIOp::create(
      b, arith::CmpIPredicate::uge, thread,
      createConstant(b, thread.getType(), roles.getConsumerThreads()));
  auto change = [&](RegisterChange direction,
                    std::optional<uint32_t> registers) {
    if (!registers)
      return;
    auto op = SetMaxRegistersOp::create(b, direction, *registers);
    if (kernel.target.explainMissing(op.getTargetRequirement()).empty())
      return setRegistersAtEntry(roles);
    op.erase();
    skippedRegisters.push_back(*registers);
  };
  auto branch = scf::IfOp::create(b, produces, /*withElseRegion=*/true);
  // Who gives registers up comes first: the other role waits for them.
  b.setInsertionPointToStart(branch.thenBlock());
  change(RegisterChange::Decrease, roles.getProducerRegisters());
  moveRole(roles.getProducer(), branch.thenBlock());
  guardAsOne(*branch.thenBlock());
  b.setInsertionPointToStart(branch.elseBlock());
  change(RegisterChange::Increase, roles.getConsumerRegisters());
  moveRole(roles.getConsumer(), branch.elseBlock());
  roles.erase();
}

//===----------------------------------------------------------------------===//
// Turns and tickets become machine ops
//
// Lowers serialize and grid.ticket, by which the thread blocks of a grid take
// turns and draw numbers. The issuing thread of a scope waits for the CTA's
// turn, passes it on, and draws tickets. --carousel-insert-async-sync has
// already inserted the barriers for other threads.
//===----------------------------------------------------------------------===//

namespace {

class SerializeLowering {
public:
  SerializeLowering(RingKernel &kernel, ThreadValues &threads)
      : kernel(kernel), threads(threads) {}

  void lower(SerializeOp turns);
  void lower(GridTicketOp ticket);

private:
  Value createNumber(GridTicketOp ticket);
  Value readNumber(ImplicitLocOpBuilder &b, GridTicketOp ticket, Value shared);
  void lowerBranch(scf::IfOp branch, GridTicketOp ticket, Operation *firstUse);

  RingKernel &kernel;
  ThreadValues &threads;
};

} // namespace

/// Labels the wait for debug-waits: the argument's name and "turn".
static WaitLabelAttr getTurnLabel(gpu::GPUFuncOp kernel, Value semaphores) {
  std::string name;
  for (const KernelArgument &argument : getKernelArguments(kernel))
    if (kernel.getArgument(argument.position) == semaphores)
      name = argument.name + " ";
  return WaitLabelAttr::get(kernel.getContext(), name + "turn", WaitRole::All,
                            /*number=*/std::nullopt);
}

void SerializeLowering::lower(SerializeOp turns) {
  ImplicitLocOpBuilder b(turns.getLoc(), turns);
  Value leader =
      threads.getLeader(kernel.plan.getThreads(turns), TransferScope::CTA);
  Value turn = turns.getTurn(), zero = createIndex(b, 0);
  Value next = createFolded<arith::AddIOp>(b, turn, 1);
  Value first =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, turn, zero);
  Value last = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, next,
                                             turns.getCount());
  createIf(b, leader, [&] {
    GridSerialWaitOp::create(b, turns.getSemaphores(), turns.getIndices(),
                             createCast(b, turn, b.getI32Type()),
                             getTurnLabel(kernel.func, turns.getSemaphores()));
  });

  IRRewriter rewriter(kernel.func.getContext());
  Block &body = turns.getBody().front();
  Operation *end = body.getTerminator();
  ImplicitLocOpBuilder atEnd(end->getLoc(), end);
  createIf(atEnd, leader, [&] {
    // The last one leaves what the first one of the next launch waits for.
    Value passed = atEnd.createOrFold<arith::SelectOp>(last, zero, next);
    GridSerialReleaseOp::create(atEnd, turns.getSemaphores(),
                                turns.getIndices(),
                                createCast(atEnd, passed, b.getI32Type()));
  });
  rewriter.inlineBlockBefore(&body, turns, {first, last});
  rewriter.replaceOp(turns, end->getOperands());
  rewriter.eraseOp(end);
}

//===----------------------------------------------------------------------===//
// Tickets
//===----------------------------------------------------------------------===//

/// The issuing thread draws the ticket. Returns the number, in that thread.
static Value draw(ImplicitLocOpBuilder &b, GridTicketOp ticket) {
  return memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addi,
                                     createConstant(b, b.getI32Type(), 1),
                                     ticket.getCounters(), ticket.getIndices());
}

/// The issuing thread tells the others what it has drawn, and leaves the
/// counter at 0 after the last ticket.
static void announce(ImplicitLocOpBuilder &b, GridTicketOp ticket, Value number,
                     Value shared) {
  Value last = createFolded<arith::SubIOp>(
      b, createCast(b, ticket.getTotal(), b.getI32Type()), 1);
  createIf(
      b, b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, number, last),
      [&] {
        memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::assign,
                                    createConstant(b, b.getI32Type(), 0),
                                    ticket.getCounters(), ticket.getIndices());
      });
  memref::StoreOp::create(b, number, shared, createIndex(b, 0));
}

Value SerializeLowering::createNumber(GridTicketOp ticket) {
  kernel.top.setLoc(ticket.getLoc());
  auto type =
      MemRefType::get({1}, kernel.top.getI32Type(), MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(kernel.func.getContext(),
                                                 gpu::AddressSpace::Workgroup));
  Value number = memref::AllocOp::create(kernel.top, type);
  kernel.top.setLoc(kernel.func.getLoc());
  return number;
}

/// Reads `shared` in all threads, after the issuing thread has stored it.
Value SerializeLowering::readNumber(ImplicitLocOpBuilder &b,
                                    GridTicketOp ticket, Value shared) {
  ThreadRange range = kernel.plan.getThreads(ticket);
  threads.createBarrier(b, range, TransferScope::CTA);
  Value number = memref::LoadOp::create(b, shared, createIndex(b, 0));
  // The next ticket overwrites this one.
  if (ticket->getParentOfType<LoopLikeOpInterface>())
    threads.createBarrier(b, range, TransferScope::CTA);
  // Tickets have 31 bits. The mask changes none, and lets range analysis know.
  Value masked = arith::AndIOp::create(
      b, number,
      createConstant(b, b.getI32Type(), std::numeric_limits<int32_t>::max()));
  return createCast(b, masked, b.getIndexType());
}

/// Whether the operands of `op` are values from outside of the branch, or
/// results of ops after the ticket, itself included.
static bool needsOnly(Operation *op, scf::IfOp branch, GridTicketOp ticket) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    return !branch->isAncestor(operand.getParentRegion()->getParentOp()) ||
           (source && source->getBlock() == ticket->getBlock() &&
            !source->isBeforeInBlock(ticket));
  });
}

/// The op before which the other threads need to hear of a ticket that is drawn
/// under a branch: the first use of the branch's results. Null if the branch
/// does anything after the draw, so that the ticket's barrier may order it.
static Operation *findFirstUse(GridTicketOp ticket) {
  auto branch = dyn_cast<scf::IfOp>(ticket->getParentOp());
  if (!branch || ticket->getBlock() != branch.thenBlock() ||
      !branch.elseBlock() || !llvm::hasSingleElement(*branch.elseBlock()))
    return nullptr;
  // Ops before the draw may be computed before the branch.
  for (Operation &op :
       llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
    if (op.getNumRegions() == 0 && isPure(&op) &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          return !branch->isAncestor(operand.getParentRegion()->getParentOp());
        }))
      op.moveBefore(branch);
  for (Operation *op = ticket; op; op = op->getNextNode())
    if (!needsOnly(op, branch, ticket) ||
        (op != ticket && op != branch.thenYield() &&
         (op->getNumRegions() != 0 || !isPure(op))))
      return nullptr;
  Operation *first = nullptr;
  for (Operation *user : branch->getUsers()) {
    Operation *op = branch->getBlock()->findAncestorOpInBlock(*user);
    if (!first || op->isBeforeInBlock(first))
      first = op;
  }
  return first;
}

/// The issuing thread keeps the number until the others need it, so that the
/// atomic's latency overlaps with what stands in between.
void SerializeLowering::lowerBranch(scf::IfOp branch, GridTicketOp ticket,
                                    Operation *firstUse) {
  ThreadRange range = kernel.plan.getThreads(ticket);
  Location loc = ticket.getLoc();
  Value leader = threads.getLeader(range, TransferScope::CTA);
  Value shared = createNumber(ticket);
  IRRewriter rewriter(kernel.func.getContext());
  Block *then = branch.thenBlock();

  // Ops after the draw move to where the number is known.
  ImplicitLocOpBuilder b(loc, firstUse);
  auto known = scf::IfOp::create(b, branch.getResultTypes(),
                                 branch.getCondition(), /*withElse=*/true);
  known.thenBlock()->getOperations().splice(
      known.thenBlock()->end(), then->getOperations(),
      std::next(ticket->getIterator()), then->end());
  known.elseBlock()->getOperations().splice(
      known.elseBlock()->end(), branch.elseBlock()->getOperations());
  rewriter.replaceAllUsesWith(branch.getResults(), known.getResults());

  // The branch itself passes the number on.
  b.setInsertionPoint(branch);
  auto drawing =
      scf::IfOp::create(b, TypeRange(b.getI32Type()), branch.getCondition(),
                        /*withElse=*/true);
  drawing.thenBlock()->getOperations().splice(
      drawing.thenBlock()->end(), then->getOperations(), then->begin(),
      ticket->getIterator());
  b.setInsertionPointToEnd(drawing.thenBlock());
  auto first = scf::IfOp::create(b, TypeRange(b.getI32Type()), leader,
                                 /*withElse=*/true);
  scf::YieldOp::create(b, first.getResults());
  b.setInsertionPointToEnd(first.thenBlock());
  Value number = draw(b, ticket);
  scf::YieldOp::create(b, number);
  for (Block *block : {first.elseBlock(), drawing.elseBlock()}) {
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, createConstant(b, b.getI32Type(), 0));
  }

  b.setInsertionPointToStart(known.thenBlock());
  createIf(b, leader,
           [&] { announce(b, ticket, drawing.getResult(0), shared); });
  rewriter.replaceAllUsesWith(ticket.getTicket(),
                              readNumber(b, ticket, shared));
  ticket.erase();
  branch.erase();
}

/// One thread draws, and the others hear of it through shared memory.
void SerializeLowering::lower(GridTicketOp ticket) {
  if (Operation *firstUse = findFirstUse(ticket))
    return lowerBranch(cast<scf::IfOp>(ticket->getParentOp()), ticket,
                       firstUse);
  Value leader =
      threads.getLeader(kernel.plan.getThreads(ticket), TransferScope::CTA);
  Value shared = createNumber(ticket);
  ImplicitLocOpBuilder b(ticket.getLoc(), ticket);
  createIf(b, leader, [&] { announce(b, ticket, draw(b, ticket), shared); });
  ticket.getTicket().replaceAllUsesWith(readNumber(b, ticket, shared));
  ticket.erase();
}

//===----------------------------------------------------------------------===//
// Signals between GPUs
//
// Lowers signal and wait_signal, by which thread blocks of several GPUs order
// their accesses. The issuing thread of the CTA signals, and polls a counter.
// --carousel-insert-async-sync has already inserted the barriers for other
// threads. Where these need to know whether the time was over, the answer
// reaches them through shared memory.
//===----------------------------------------------------------------------===//

namespace {

class SignalLowering {
public:
  SignalLowering(RingKernel &kernel, ThreadValues &threads)
      : kernel(kernel), threads(threads) {}

  void lower(SignalOp signal);
  void lower(WaitSignalOp wait);

private:
  Value tellOthers(WaitSignalOp wait, Value leader);

  RingKernel &kernel;
  ThreadValues &threads;
};

} // namespace

/// Labels the wait for debug-waits: the argument's name and "signal".
static WaitLabelAttr getSignalLabel(gpu::GPUFuncOp kernel, Value counters) {
  std::string name;
  Value root = getRootBuffer(counters);
  for (const KernelArgument &argument : getKernelArguments(kernel))
    if (kernel.getArgument(argument.position) == root)
      name = argument.name + " ";
  return WaitLabelAttr::get(kernel.getContext(), name + "signal", WaitRole::All,
                            /*number=*/std::nullopt);
}

/// Multicast and other addresses of the same memory are virtual aliases, whose
/// accesses only a fence between them orders.
static void fenceAliases(ImplicitLocOpBuilder &b, gpu::GPUFuncOp kernel) {
  if (llvm::any_of(kernel.getArguments(), isMulticast))
    FenceProxyOp::create(b, ProxyKind::Alias);
}

/// Whether a signal, which is lowered, comes right before the op: its fence
/// serves the op as well.
static bool followsSignal(Operation *op) {
  Operation *before = op->getPrevNode();
  if (auto branch = dyn_cast_or_null<scf::IfOp>(before))
    before = branch.thenBlock()->getTerminator()->getPrevNode();
  return isa_and_nonnull<SignalReleaseOp>(before);
}

void SignalLowering::lower(SignalOp signal) {
  bool isFenced = followsSignal(signal);
  ImplicitLocOpBuilder b(signal.getLoc(), signal);
  Value leader =
      threads.getLeader(kernel.plan.getThreads(signal), TransferScope::CTA);
  createIf(b, leader, [&] {
    if (!isFenced)
      fenceAliases(b, kernel.func);
    SignalReleaseOp::create(b, signal.getCounters(), signal.getIndices(),
                            signal.getValue(), signal.getAdd(),
                            MemSemantics::Release);
  });
  signal.erase();
}

/// Tells all threads what the issuing thread has waited for.
Value SignalLowering::tellOthers(WaitSignalOp wait, Value leader) {
  ThreadRange range = kernel.plan.getThreads(wait);
  kernel.top.setLoc(wait.getLoc());
  auto type =
      MemRefType::get({1}, kernel.top.getI32Type(), MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(kernel.func.getContext(),
                                                 gpu::AddressSpace::Workgroup));
  Value shared = memref::AllocOp::create(kernel.top, type);
  kernel.top.setLoc(kernel.func.getLoc());

  ImplicitLocOpBuilder b(wait.getLoc(), wait);
  createIf(b, leader, [&] {
    auto polled = SignalWaitOp::create(
        b, b.getI1Type(), wait.getCounters(), wait.getIndices(),
        wait.getValue(), wait.getTimeout(), MemSemantics::Acquire,
        getSignalLabel(kernel.func, wait.getCounters()));
    fenceAliases(b, kernel.func);
    Value answer =
        arith::ExtUIOp::create(b, b.getI32Type(), polled.getReached());
    memref::StoreOp::create(b, answer, shared, createIndex(b, 0));
  });
  threads.createBarrier(b, range, TransferScope::CTA);
  Value answer = memref::LoadOp::create(b, shared, createIndex(b, 0));
  // The next wait overwrites this answer.
  if (wait->getParentOfType<LoopLikeOpInterface>())
    threads.createBarrier(b, range, TransferScope::CTA);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, answer,
                               createConstant(b, b.getI32Type(), 0));
}

void SignalLowering::lower(WaitSignalOp wait) {
  Value leader =
      threads.getLeader(kernel.plan.getThreads(wait), TransferScope::CTA);
  if (wait.getReached()) {
    Value reached = tellOthers(wait, leader);
    wait.getReached().replaceAllUsesWith(reached);
    wait.erase();
    return;
  }
  ImplicitLocOpBuilder b(wait.getLoc(), wait);
  createIf(b, leader, [&] {
    SignalWaitOp::create(b, Type(), wait.getCounters(), wait.getIndices(),
                         wait.getValue(), /*timeout=*/Value(),
                         MemSemantics::Acquire,
                         getSignalLabel(kernel.func, wait.getCounters()));
    fenceAliases(b, kernel.func);
  });
  wait.erase();
}

//===----------------------------------------------------------------------===//
// One kernel's rings become machine ops
//
// The rewrite of --carousel-lower-rings for one kernel. RingLowering owns one
// part for each kind of op and calls the parts in order.
//===----------------------------------------------------------------------===//

namespace {

class RingLowering {
public:
  RingLowering(gpu::GPUFuncOp func, const TargetSpec &target,
               RingBarrierPlan plan);
  /// See FoldPrologues.h. Call it before `run`.
  unsigned foldPrologues(int64_t least);
  void run();

  const RingBarrierPlan &getPlan() const { return kernel.plan; }
  /// Register counts of roles that the target can't set.
  ArrayRef<int64_t> getSkippedRegisters() const {
    return roles.getSkippedRegisters();
  }

private:
  RingKernel kernel;
  ThreadValues threads;
  RingSlots slots;
  SlotLowering uses;
  TransferLowering transfers;
  SerializeLowering serialize;
  SignalLowering signals;
  RoleLowering roles;
};

} // namespace

/// Whether `op` is an op of the ring phase or has operands of its types.
static bool isRingOp(Operation *op) {
  auto isRing = [](Type type) { return isa<RingType>(type); };
  return isa<RingCreateOp, RingProduceOp, RingWaitOp, RingReleaseOp, RingTileOp,
             RingLoadOp, RingStoreOp, RingSubmitOp, RingWaitStoresOp,
             RingSyncOp, RingRolesOp, SerializeOp, GridTicketOp, SignalOp,
             WaitSignalOp>(op) ||
         llvm::any_of(op->getOperandTypes(), isRing) ||
         llvm::any_of(op->getResultTypes(), isRing);
}

RingKernel::RingKernel(gpu::GPUFuncOp kernel, const TargetSpec &target,
                       RingBarrierPlan plan)
    : func(kernel), target(target), plan(std::move(plan)),
      top(kernel.getLoc(), kernel.getContext()) {
  // Ops at the top come before this one, in the order of their making.
  top.setInsertionPointToStart(&kernel.getBody().front());
  top.setInsertionPoint(createIndex(top, 0).getDefiningOp());
}

RingLowering::RingLowering(gpu::GPUFuncOp func, const TargetSpec &target,
                           RingBarrierPlan plan)
    : kernel(func, target, std::move(plan)), threads(kernel),
      slots(kernel, threads), uses(kernel, threads, slots),
      transfers(kernel, threads, slots), serialize(kernel, threads),
      signals(kernel, threads), roles(kernel, threads) {}

unsigned RingLowering::foldPrologues(int64_t least) {
  return carousel::foldPrologues(kernel, threads, least);
}

void RingLowering::run() {
  SmallVector<Operation *> ops;
  kernel.func.walk([&](Operation *op) {
    if (isRingOp(op))
      ops.push_back(op);
  });

  slots.create();
  auto lowerAll = [&](auto lower) {
    using Op =
        typename llvm::function_traits<decltype(lower)>::template arg_t<0>;
    for (Operation *&op : ops)
      if (auto match = dyn_cast_or_null<Op>(op)) {
        lower(match);
        op = nullptr;
      }
  };
  uses.padGroups();
  findFirstRounds(kernel, slots);
  // Tiles first: the sections of produce and submit are cloned with them.
  lowerAll([&](RingTileOp op) { uses.lower(op); });
  // Transfers go with the op that they stand in.
  for (Operation *&op : ops)
    if (isa_and_nonnull<RingLoadOp, RingStoreOp>(op))
      op = nullptr;
  lowerAll([&](RingProduceOp op) { transfers.lower(op); });
  lowerAll([&](RingSubmitOp op) { transfers.lower(op); });
  lowerAll([&](RingWaitOp op) { uses.lower(op); });
  lowerAll([&](RingReleaseOp op) { uses.lower(op); });
  lowerAll([&](RingWaitStoresOp op) { uses.lower(op); });
  lowerAll([&](RingSyncOp op) { uses.lower(op); });
  lowerAll([&](GridTicketOp op) { serialize.lower(op); });
  lowerAll([&](SerializeOp op) { serialize.lower(op); });
  lowerAll([&](SignalOp op) { signals.lower(op); });
  lowerAll([&](WaitSignalOp op) { signals.lower(op); });
  // Last: they say who the threads of an op are.
  lowerAll([&](RingRolesOp op) { roles.lower(op); });
  lowerAll([&](RingCreateOp op) { op.erase(); });

  mergeGuardedRegions(kernel.func);
  // Erase clones of transfers that another section has, users first.
  kernel.func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

//===----------------------------------------------------------------------===//
// Tiles with wider elements
//===----------------------------------------------------------------------===//

/// Makes a tile that is a buffer of its own a view of bytes, as a ring's tile
/// is, where its map sees it as wider elements.
static void viewAsBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  OpBuilder b(alloc);
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  auto bytesType =
      MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  Location loc = alloc.getLoc();
  Value buffer =
      memref::AllocOp::create(b, loc, bytesType, alloc.getAlignmentAttr());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value view = memref::ViewOp::create(b, loc, type, buffer, zero,
                                      /*sizes=*/ValueRange());
  for (OpOperand &use : llvm::make_early_inc_range(alloc->getUses()))
    use.set(isa<memref::DeallocOp>(use.getOwner()) ? buffer : view);
  alloc.erase();
}

static void viewWideTilesAsBytes(gpu::GPUFuncOp kernel) {
  llvm::SetVector<Operation *> allocs;
  kernel.walk([&](TransferOpInterface op) {
    MemRefType tile = op.getTile().getType();
    auto alloc = op.getTile().getDefiningOp<memref::AllocOp>();
    if (alloc && op.getMap() && tile.getLayout().isIdentity() &&
        op.getMap().getType().getElementBits() !=
            8 * getElementBytes(tile.getElementType()))
      allocs.insert(alloc);
  });
  for (Operation *alloc : allocs)
    viewAsBytes(cast<memref::AllocOp>(alloc));
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static remark::RemarkOpts getRemarkOptions(gpu::GPUFuncOp kernel) {
  return remark::RemarkOpts::name("Ring")
      .category("carousel-lower-rings")
      .function(kernel.getName());
}

static void emitRemarks(gpu::GPUFuncOp kernel, const RingBarrierPlan &plan) {
  if (!kernel.getContext()->getRemarkEngine())
    return;
  remark::RemarkOpts options = getRemarkOptions(kernel);
  for (const PlannedRing &planned : plan.rings) {
    RingCreateOp ring = planned.ring;
    int64_t bytes = 0, stages = ring.getRing().getType().getStages();
    for (const PlannedTile &tile : planned.tiles)
      bytes += tile.stride * stages;
    remark::passed(ring.getLoc(), options) << remark::add(
        "{0} slots in {1} bytes, {2} arrivals fill one, {3}", stages, bytes,
        planned.hasFull ? planned.fullArrivals : 0,
        planned.groups     ? std::string("each thread's commit groups")
        : !planned.hasFull ? std::string("no consumer waits on it")
        : planned.hasEmpty
            ? std::to_string(planned.emptyArrivals) + " hand it back"
            : std::string("a barrier releases the slot"));
  }
}

namespace {

struct LowerRings : public carousel::impl::LowerRingsBase<LowerRings> {
  using LowerRingsBase::LowerRingsBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetSpec> target = getTargetSpec(module);
    if (failed(target))
      return signalPassFailure();
    bool refused = false;
    for (Operation &op : module.getOps()) {
      auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
      if (kernel && kernel.isKernel())
        refused |= failed(lower(kernel, *target));
      else
        refused |= failed(verifyNoRings(&op));
    }
    // C197: what no pass has raised is the machine's from here on, and counts
    // as that where bytes of shared memory change hands.
    if (refused || failed(lowerAsyncCopies(getOperation())))
      signalPassFailure();
  }

  /// C165
  LogicalResult verifyNoRings(Operation *func) {
    WalkResult result = func->walk([](Operation *op) {
      if (!isRingOp(op))
        return WalkResult::advance();
      op->emitOpError("expected a kernel around ops of the ring phase, got a "
                      "device function");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult lower(gpu::GPUFuncOp kernel, const TargetSpec &target) {
    bool hasRings = false;
    kernel.walk([&](Operation *op) { hasRings |= isRingOp(op); });
    if (!hasRings)
      return success();
    viewWideTilesAsBytes(kernel);
    FailureOr<RingBarrierPlan> plan = planRingBarriers(kernel, commitGroups);
    if (failed(plan))
      return failure();
    emitRemarks(kernel, *plan);
    RingLowering lowering(kernel, target, std::move(*plan));
    if (unsigned folded =
            foldPrologues ? lowering.foldPrologues(prologueFoldThreshold) : 0) {
      prologuesFolded += folded;
      remark::passed(kernel.getLoc(), getRemarkOptions(kernel)) << remark::add(
          "{0} prologues folded: their loops make the first fills, too",
          folded);
    }
    count(kernel, lowering.getPlan());
    lowering.run();
    for (int64_t registers : lowering.getSkippedRegisters())
      remark::missed(kernel.getLoc(), getRemarkOptions(kernel)) << remark::add(
          "{0} registers a thread not set: {1} has no setmaxnreg", registers,
          target.info->chip);
    return success();
  }

  void count(gpu::GPUFuncOp kernel, const RingBarrierPlan &plan) {
    ringsLowered += plan.rings.size();
    for (const PlannedRing &planned : plan.rings) {
      RingCreateOp ring = planned.ring;
      barriers += ring.getRing().getType().getStages() * planned.instances *
                  (planned.hasFull + planned.hasEmpty);
    }
    barriersMerged += plan.mergedReleases.size();
    kernel.walk([&](TransferOpInterface op) {
      EngineAttr engine = op.getEngineAttr();
      if (!engine)
        return;
      EngineKind kind = engine.getKind();
      bool isByLeader = kind == EngineKind::Tensor || kind == EngineKind::Bulk;
      ++(isByLeader ? byOneThread : byAllThreads);
      auto shape = plan.shapes.find(op);
      if (shape != plan.shapes.end() && !shape->second.isInside() &&
          kind != EngineKind::Tensor)
        ++clipped;
    });
  }
};

} // namespace
