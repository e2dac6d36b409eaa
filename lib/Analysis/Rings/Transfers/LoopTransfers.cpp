//===- LoopTransfers.cpp - transfers that may run ahead -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that can't be followed is an obstacle. The ops of a loop that
// compute the operands and conditions of a load must give the same in
// iterations ahead; those of a while loop are computed in earlier iterations
// from numbers that the loop carries, from memory that the kernel doesn't
// write, and from tickets. A slot has the shape of its tile's buffer, but only
// the elements of its own use are defined, so the ops that access it are looked
// at, in their order. Accesses outside of the loop find what the last iteration
// has left, or belong to other loops that load the tile for themselves.
//
//===----------------------------------------------------------------------===//

#include "LoopTransfers.h"

#include "../../Sync/SyncAccesses.h"
#include "TileLoads.h"

#include "carousel/Analysis/Values/CallAccesses.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/QuoteName.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Order in the loop
//===----------------------------------------------------------------------===//

/// Whether `first`, an op of the loop, ends before `second` starts if both are
/// executed in one iteration.
bool LoopTransfers::precedes(Operation *first, Operation *second) {
  for (Operation *outer = second; outer != loop; outer = outer->getParentOp()) {
    Operation *other = outer->getBlock()->findAncestorOpInBlock(*first);
    if (other && other != outer)
      return other->isBeforeInBlock(outer);
  }
  return false;
}

Obstacle LoopTransfers::explainPlace(Operation *transfer) {
  for (Operation *outer = transfer->getParentOp(); outer != loop;
       outer = outer->getParentOp())
    if (!isa<scf::IfOp>(outer))
      return {Miss::InnerRegion, "it stands in an inner " + quoteName(outer)};
  return {};
}

//===----------------------------------------------------------------------===//
// Sources of loads
//===----------------------------------------------------------------------===//

bool carousel::touchesNoMemory(Operation *op) {
  // Ops in regions declare their own effects.
  return isa<BarrierWarpOp, FenceThreadOp, SerializeOp>(op) || isExchange(op) ||
         isReport(op);
}

bool carousel::takesOverFromCTAs(Operation *op) {
  if (isa<WaitSignalOp>(op))
    return true;
  auto fence = dyn_cast<FenceThreadOp>(op);
  return fence && fence.getScope() != MemScope::CTA &&
         fence.getSemantics() != MemSemantics::Release;
}

void carousel::forEachWritten(Operation *op, function_ref<void(Value)> visit) {
  if (touchesNoMemory(op) || isMemoryEffectFree(op))
    return;
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    for (const CallAccess &access : getCallAccesses(call))
      if (access.isWrite)
        visit(access.memref);
    return;
  }
  // Their effects on all memory stand for the order that they establish.
  if (isa<SignalOp, WaitSignalOp>(op)) {
    visit(op->getOperand(0));
    return;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    // The ops inside declare their own effects.
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      visit(nullptr);
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances)
    if (isa<MemoryEffects::Write>(effect.getEffect()))
      visit(effect.getValue());
}

/// Whether `memref` is visibly in memory that no peer accesses.
static bool isOfThisGPU(Value memref) {
  Value root = getRootBuffer(memref);
  return isa<BlockArgument>(root) && !isSharedWithPeers(root);
}

bool LoopTransfers::isNeverWritten(Value memref) {
  if (!isGlobalMemRef(getRootBuffer(memref).getType()))
    return false;
  bool written = false;
  kernel.walk([&](Operation *op) {
    if (op == kernel)
      return;
    forEachWritten(op, [&](Value target) {
      written |= !target || mayOverlap(target, memref);
    });
  });
  return !written;
}

/// Whether `value` is the same in all iterations: it is defined outside the
/// loop, or computed from such values only.
bool LoopTransfers::isInvariant(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    if (loop.isDefinedOutsideOfLoop(values[i]))
      continue;
    Operation *op = values[i].getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        involvesOtherThreads(op))
      return false;
    values.insert_range(op->getOperands());
  }
  return true;
}

/// Whether the loop has a barrier across warps or warpgroups, so that one may
/// load in an iteration what another stored in the previous one.
bool LoopTransfers::ordersUnits() {
  return loop
      .walk([&](Operation *op) {
        auto transfer = dyn_cast<TransferOpInterface>(op);
        bool wide = transfer && transfer.getScope() == TransferScope::CTA;
        return wide || isa<gpu::BarrierOp, FenceThreadOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

RingBoxes &LoopTransfers::getBoxes() {
  if (!boxes)
    boxes = std::make_unique<RingBoxes>(kernel);
  return *boxes;
}

/// Whether no load that runs ahead reads what the store of an iteration before
/// it stores. The same iteration may load a box and store it afterwards.
bool LoopTransfers::areApart(LoadOp load, StoreOp store, Guards *missing) {
  // Facts about one warp's boxes say nothing about those of another warp.
  if (load.getScope() != TransferScope::CTA && ordersUnits())
    return false;
  return haveSameElements(load.getGlobal(), store.getGlobal()) &&
         isInvariant(load.getGlobal()) && isInvariant(store.getGlobal()) &&
         load.getScope() == store.getScope() &&
         getBoxes().areApart(load, store, loop, !precedes(load, store),
                             missing);
}

bool LoopTransfers::areApartInNest(LoadOp load, StoreOp store,
                                   Guards *missing) {
  SmallVector<scf::ForOp> nest = {loop};
  for (Operation *outer = loop->getParentOp(); outer != kernel;
       outer = outer->getParentOp()) {
    if (isa<scf::IfOp>(outer))
      continue;
    auto around = dyn_cast<scf::ForOp>(outer);
    if (!around)
      return false;
    nest.insert(nest.begin(), around);
  }
  return loop->isProperAncestor(store) && explainPlace(store).empty() &&
         haveSameElements(load.getGlobal(), store.getGlobal()) &&
         nest.front().isDefinedOutsideOfLoop(load.getGlobal()) &&
         nest.front().isDefinedOutsideOfLoop(store.getGlobal()) &&
         load.getScope() == TransferScope::CTA &&
         store.getScope() == TransferScope::CTA &&
         getBoxes().areApart(load, store, nest, !precedes(load, store),
                             missing);
}

bool LoopTransfers::findMissingGuards(LoadOp load, bool inNest,
                                      Guards &missing) {
  bool areApartThen = true;
  loop.walk([&](StoreOp store) {
    if (areApartThen && mayOverlap(store.getGlobal(), load.getGlobal()))
      areApartThen = inNest ? areApartInNest(load, store, &missing)
                            : areApart(load, store, &missing);
  });
  return areApartThen;
}

bool LoopTransfers::storesToSourceOf(LoadOp load) {
  bool found = false;
  loop.walk([&](StoreOp store) {
    found |= mayOverlap(store.getGlobal(), load.getGlobal());
  });
  return found;
}

bool LoopTransfers::isConstant(LoadOp load) {
  // Peers only write what is shared with them.
  return isOfThisGPU(load.getGlobal()) && isNeverWritten(load.getGlobal());
}

/// Explains which op in the loop may write the source of a load that runs
/// ahead.
Obstacle LoopTransfers::explainSource(LoadOp load) {
  Obstacle reason;
  loop.walk([&](Operation *op) {
    if (isa<SerializeOp, GridSerialWaitOp, GridSerialReleaseOp,
            GridDependencyWaitOp, GridLaunchDependentsOp>(op)) {
      reason = {Miss::OrdersCTAs, "the loop has " + quoteName(op) +
                                      ", which orders CTAs or grids"};
      return WalkResult::interrupt();
    }
    if (isa<WaitSignalOp>(op) && isConstant(load))
      return WalkResult::advance();
    if (takesOverFromCTAs(op)) {
      reason = {Miss::Acquires,
                "the loop has " + quoteName(op) +
                    ", after which it may read what other CTAs have written"};
      return WalkResult::interrupt();
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      if (mayOverlap(store.getGlobal(), load.getGlobal()) &&
          !areApart(load, store))
        reason = {
            Miss::SourceStored,
            "the loop stores to the same memref, and it isn't visible that "
            "each box is stored after it is loaded, and apart from those of "
            "other iterations"};
    } else {
      forEachWritten(op, [&](Value target) {
        if (!target)
          reason = {Miss::UnknownEffects,
                    "the loop has " + quoteName(op) +
                        ", which may write the memref that is loaded from"};
        else if (mayOverlap(target, load.getGlobal()))
          reason = {Miss::SourceWritten,
                    "the loop writes the memref that is loaded from by " +
                        quoteName(op)};
      });
    }
    return reason.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reason;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

Obstacle LoopTransfers::explainLoad(LoadOp load, ArrayRef<LoadOp> parts,
                                    LoadSlice &slice) {
  Obstacle reason = explainPlace(load);
  if (reason.empty())
    reason = explainBuffer(load);
  if (reason.empty() && load.getReduceAttr())
    reason = {Miss::Reduces, "it reduces into its tile"};
  if (!reason.empty())
    return reason;
  // A slot has the data of its own use only; the buffer has those of all uses.
  for (Operation *view : getViews(load.getTile()))
    for (Value parameter : getViewParameters(view))
      if (!isInvariant(parameter))
        return {Miss::PartVaries,
                "it isn't visible that its tile is the same part of its buffer "
                "in all iterations"};
  reason = explainAccesses(load, parts);
  if (reason.empty())
    reason = explainSource(load);
  return reason.empty() ? explainSlice(load, slice) : reason;
}

bool carousel::involvesOtherThreads(Operation *op) {
  return isa<gpu::ShuffleOp, gpu::AllReduceOp, gpu::SubgroupReduceOp,
             gpu::RotateOp, gpu::SubgroupBroadcastOp, nvgpu::LdMatrixOp,
             nvgpu::MmaSyncOp, nvgpu::MmaSparseSyncOp,
             AsyncConsumerOpInterface>(op);
}

bool carousel::canExecuteAhead(
    Operation *op,
    function_ref<bool(Operation *read, Value memref)> isReadable) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (involvesOtherThreads(inner))
      return WalkResult::interrupt();
    if (inner->getNumRegions() != 0 || isMemoryEffectFree(inner))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    bool isAhead = effects && effects.onlyHasEffect<MemoryEffects::Read>() &&
                   llvm::all_of(inner->getOperands(), [&](Value operand) {
                     return !isa<MemRefType>(operand.getType()) ||
                            isReadable(inner, operand);
                   });
    return isAhead ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

SmallVector<Value> carousel::getInputs(LoadOp load) {
  SmallVector<Value> inputs(load.getOffsets());
  inputs.push_back(load.getGlobal());
  if (load.getMap())
    inputs.push_back(load.getMap());
  for (Operation *view : getViews(load.getTile()))
    llvm::append_range(inputs, getViewParameters(view));
  return inputs;
}

/// Whether `read` finds in iterations ahead what it would find in its own: no
/// op writes the memref, or only loads of tiles do. A load has written the tile
/// for all threads of its scope where it ends. The threads' own writes would
/// have to be ordered by barriers, which the read would pass.
bool LoopTransfers::isReadableAhead(Operation *read, Value memref, LoadOp load,
                                    LoadSlice &slice) {
  if (isNeverWritten(memref))
    return true;
  Value buffer = getRootBuffer(memref);
  if (!isSharedMemRef(buffer.getType()) || !isBufferOfKernel(buffer))
    return false;
  std::optional<SmallVector<Operation *>> accesses = getAccesses(buffer);
  if (!accesses)
    return false;
  bool isLoadedInLoop = false;
  for (Operation *op : *accesses) {
    bool isWrite = false;
    forEachWritten(op, [&](Value target) {
      isWrite |= !target || mayOverlap(target, buffer);
    });
    if (!isWrite)
      continue;
    auto source = dyn_cast<LoadOp>(op);
    if (!source || source.getReduceAttr())
      return false;
    // A tile loaded for a warp is known to that warp alone, in its own part.
    if (source.getScope() != TransferScope::CTA &&
        (source.getScope() != load.getScope() ||
         !llvm::is_contained(*getAccesses(source.getTile()), read)))
      return false;
    isLoadedInLoop |= loop->isProperAncestor(source);
  }
  if (isLoadedInLoop)
    slice.operandTiles.insert(buffer);
  return true;
}

Obstacle LoopTransfers::explainSlice(LoadOp load, LoadSlice &slice) {
  SmallVector<Value> values = getInputs(load);
  for (Operation *outer = load->getParentOp(); outer != loop;
       outer = outer->getParentOp())
    values.push_back(cast<scf::IfOp>(outer).getCondition());
  SmallVector<Operation *> found;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(value))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody())
        return {Miss::OperandsInside,
                "its operands are computed in an inner region"};
      if (argument != loop.getInductionVar())
        slice.carried.insert(argument.getArgNumber() - 1);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (slice.ops.contains(op) || llvm::is_contained(found, op))
      continue;
    if (!canExecuteAhead(op, [&](Operation *read, Value memref) {
          return isReadableAhead(read, memref, load, slice);
        }))
      return {Miss::OperandsNotAhead, "its operands depend on " +
                                          quoteName(op) +
                                          ", which can't be executed ahead"};
    found.push_back(op);
    llvm::append_range(values, op->getOperands());
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          values.push_back(operand);
    });
  }
  slice.ops.insert(found.begin(), found.end());
  return {};
}

static Obstacle refuse(const Twine &text) {
  return {Miss::PrefetchWhile, text.str()};
}

bool carousel::isRotatedWhile(scf::ForOp loop) {
  auto trips = loop.getUpperBound().getDefiningOp<UnrealizedConversionCastOp>();
  return trips && trips.getInputs().size() == 1 &&
         !loop.getInitArgs().empty() &&
         trips.getInputs().front() == loop.getInitArgs().front();
}

Obstacle carousel::explainRotation(scf::WhileOp loop) {
  for (Operation &op : loop.getBeforeBody()->without_terminator()) {
    if (isa<GridTicketOp>(op))
      continue;
    if (!canExecuteAhead(&op, [](Operation *, Value) { return true; }))
      return {Miss::WhileCondition,
              "the loop's condition has " + quoteName(&op) +
                  ", which isn't a computation, a read or a ticket"};
  }
  return {};
}

/// Adds the ops on which `value` depends to `advance`, and the values that the
/// loop carries to them to `state`. The reason why one can't be computed ahead,
/// or an empty one.
Obstacle LoopTransfers::addToState(Value value, IterationState &state,
                                   llvm::SetVector<Operation *> &advance) {
  SmallVector<Value> values = {value};
  while (!values.empty()) {
    Value next = values.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(next))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      state.carried.insert(argument.getArgNumber() - 1);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (advance.contains(op))
      continue;
    if (!isa<GridTicketOp>(op) &&
        !canExecuteAhead(op, [&](Operation *, Value memref) {
          return isNeverWritten(memref);
        }))
      return refuse("the next iteration depends on " + quoteName(op) +
                    ", which can't be executed ahead");
    advance.insert(op);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          values.push_back(operand);
    });
  }
  return {};
}

/// A ticket of the next iteration isn't drawn in this one any more, so nothing
/// here may depend on it. Values that carry it belong to the state.
Obstacle
LoopTransfers::addTicketUsers(GridTicketOp ticket, IterationState &state,
                              const llvm::SetVector<Operation *> &advance) {
  Operation *yield = loop.getBody()->getTerminator();
  llvm::SetVector<Operation *> users;
  users.insert(ticket);
  for (unsigned i = 0; i < users.size(); ++i)
    for (OpOperand &use : users[i]->getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      if (user == yield)
        state.carried.insert(use.getOperandNumber());
      else if (advance.contains(user) ||
               canExecuteAhead(user, [](Operation *, Value) { return false; }))
        users.insert(user);
      else
        return refuse("the ticket of the next iteration is used by " +
                      quoteName(user) + " in the iteration that draws it");
    }
  return {};
}

/// A ticket that is drawn ahead is drawn before other ops of its iteration. So
/// these may not access its counter, or order it with accesses of other CTAs.
Obstacle
LoopTransfers::explainTicket(GridTicketOp ticket,
                             const llvm::SetVector<Operation *> &advance) {
  Obstacle reason;
  loop.walk([&](Operation *op) {
    if (advance.contains(op))
      return WalkResult::advance();
    if (isa<FenceThreadOp, SignalOp, WaitSignalOp>(op))
      reason = refuse("the loop has " + quoteName(op) +
                      ", which may order the ticket with other accesses");
    forEachWritten(op, [&](Value target) {
      if (!target)
        reason = refuse("the loop has " + quoteName(op) +
                        ", which may access the ticket's counter");
    });
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          mayOverlap(operand, ticket.getCounters()))
        reason = refuse("the loop accesses the ticket's counter by " +
                        quoteName(op));
    return reason.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reason;
}

Obstacle LoopTransfers::explainState(IterationState &state) {
  llvm::SetVector<Operation *> advance;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  auto getTickets = [&] {
    return llvm::map_to_vector(
        llvm::make_filter_range(advance, llvm::IsaPred<GridTicketOp>),
        llvm::CastTo<GridTicketOp>);
  };
  // Grows while it is visited.
  for (unsigned i = 0; i < state.carried.size(); ++i) {
    Value next = yield.getOperand(state.carried[i]);
    if (!next.getType().isIntOrIndexOrFloat())
      return refuse("the next iteration depends on a value that is no number");
    Obstacle reason = addToState(next, state, advance);
    for (GridTicketOp ticket : getTickets())
      if (reason.empty())
        reason = addTicketUsers(ticket, state, advance);
    if (!reason.empty())
      return reason;
  }
  for (GridTicketOp ticket : getTickets()) {
    Obstacle reason = explainTicket(ticket, advance);
    if (!reason.empty())
      return reason;
  }
  state.advance = advance.takeVector();
  llvm::sort(state.advance, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  return {};
}

bool LoopTransfers::isAccessedOutside(Value buffer) {
  return llvm::any_of(*getAccesses(buffer), [&](Operation *op) {
    return !loop->isProperAncestor(op);
  });
}

bool LoopTransfers::isBufferOfKernel(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  bool isAttribution =
      argument && argument.getOwner() == &kernel.getBody().front();
  return buffer.getDefiningOp<memref::AllocOp>() || isAttribution;
}

/// The tile must be a buffer of the kernel, and all accesses to it must be
/// redirectable to a slot.
Obstacle LoopTransfers::explainBuffer(TransferOpInterface transfer) {
  Value buffer = getRootBuffer(transfer.getTile());
  auto type = cast<MemRefType>(buffer.getType());
  if (!isBufferOfKernel(buffer))
    return {Miss::NotABuffer, "its tile isn't a buffer of the kernel"};
  if (!type.getLayout().isIdentity())
    return {Miss::TileLayout, "its tile is not contiguous"};
  if (!getAccesses(buffer))
    return {Miss::TileEscapes,
            "its tile is passed to where it can't be followed"};
  return {};
}

//===----------------------------------------------------------------------===//
// Parts of a buffer
//===----------------------------------------------------------------------===//

TileElements &LoopTransfers::getElements() {
  if (!elements)
    elements.emplace(kernel);
  return *elements;
}

/// The memrefs of `buffer` that `op` accesses.
static SmallVector<Value> getAccessed(Operation *op, Value buffer) {
  SmallVector<Value> accessed;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()) && getRootBuffer(operand) == buffer)
      accessed.push_back(operand);
  return accessed;
}

/// Whether `view` is `tile` or made from it.
static bool isPartOf(Value view, Value tile) {
  while (view != tile) {
    if (!view.getDefiningOp<ViewLikeOpInterface>())
      return false;
    view = getEnclosingView(view);
  }
  return true;
}

static SmallVector<Value> getTiles(ArrayRef<LoadOp> loads) {
  return llvm::map_to_vector(
      loads, [](LoadOp load) -> Value { return load.getTile(); });
}

bool LoopTransfers::isLoaded(Operation *op, ArrayRef<LoadOp> parts) {
  SmallVector<Value> tiles = getTiles(parts);
  return llvm::all_of(
      getAccessed(op, getRootBuffer(tiles.front())),
      [&](Value view) { return getElements().isCovered(view, tiles); });
}

/// Whether `op` may access elements of the load's tile. A part of another
/// load's tile has none of them.
bool LoopTransfers::mayAccess(Operation *op, LoadOp load,
                              ArrayRef<LoadOp> parts) {
  Value tile = load.getTile();
  return llvm::any_of(getAccessed(op, getRootBuffer(tile)), [&](Value view) {
    if (isPartOf(view, tile))
      return true;
    bool isOfOther = llvm::any_of(
        parts, [&](LoadOp part) { return isPartOf(view, part.getTile()); });
    return !isOfOther && !getElements().areApart(view, tile);
  });
}

SmallVector<Operation *> carousel::getSameTile(LoadOp load,
                                               ArrayRef<LoadOp> parts) {
  SmallVector<Operation *> loads;
  for (LoadOp part : parts)
    if (part.getTile() == load.getTile())
      loads.push_back(part);
  return loads;
}

/// The reason why another load of the buffer is an obstacle.
Obstacle LoopTransfers::explainOtherLoad(LoadOp load, LoadOp other,
                                         ArrayRef<LoadOp> parts) {
  bool isSameTile = other.getTile() == load.getTile();
  if (llvm::is_contained(parts, other) && other.getScope() == load.getScope() &&
      (isSameTile || getElements().areApart(other.getTile(), load.getTile())))
    return {};
  return {Miss::OtherLoad, "its tile has another load in the loop, for other "
                           "threads or through another view"};
}

Obstacle LoopTransfers::explainAccesses(LoadOp load, ArrayRef<LoadOp> parts) {
  SmallVector<Operation *> accesses =
      *getAccesses(getRootBuffer(load.getTile()));
  llvm::erase_if(accesses,
                 [&](Operation *op) { return !loop->isProperAncestor(op); });
  for (Operation *op : accesses)
    if (auto other = dyn_cast<LoadOp>(op); other && other != load) {
      Obstacle reason = explainOtherLoad(load, other, parts);
      if (!reason.empty())
        return reason;
    }
  TileLoads loads(loop, getSameTile(load, parts));
  if (!loads.areExclusive())
    return {Miss::LoadedTwice, "its tile is loaded twice in the loop"};
  for (Operation *op : accesses) {
    if (isa<LoadOp>(op))
      continue;
    if (!isLoaded(op, parts))
      return {Miss::OtherParts,
              "other parts of its buffer are accessed in the loop by " +
                  quoteName(op)};
    if (loads.isLoadedBefore(op) || !mayAccess(op, load, parts))
      continue;
    Operation *after = load->getBlock()->findAncestorOpInBlock(*op);
    bool isBefore = after && !load->isBeforeInBlock(after);
    return {isBefore ? Miss::AccessedBeforeLoad : Miss::AccessedWithoutLoad,
            "its tile is accessed by " + quoteName(op) +
                (isBefore ? " before it is loaded"
                          : " where it may not be loaded")};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The other stores to the ring, if `store` is one of several.
static Obstacle explainParts(StoreOp store, ArrayRef<StoreOp> parts,
                             TileElements &elements) {
  for (StoreOp other : parts) {
    if (other->getBlock() != store->getBlock())
      return {Miss::StoredApart,
              "another part of its tile is stored under another condition"};
    if (other != store && !elements.areApart(other.getTile(), store.getTile()))
      return {Miss::OtherTransfer, "its tile has another transfer"};
  }
  return {};
}

Obstacle LoopTransfers::explainStore(StoreOp store, ArrayRef<StoreOp> parts) {
  Obstacle reason = explainPlace(store);
  if (reason.empty())
    reason = explainBuffer(store);
  if (reason.empty() && parts.size() > 1)
    reason = explainParts(store, parts, getElements());
  if (!reason.empty())
    return reason;
  Value tile = store.getTile(), buffer = getRootBuffer(tile);
  if (isAccessedOutside(buffer))
    return {Miss::AccessedOutside, "its tile is accessed outside of the loop"};
  SmallVector<Operation *> writes, reads;
  SmallVector<Operation *> accesses = *getAccesses(buffer);
  for (Operation *op : accesses) {
    if (auto other = dyn_cast<StoreOp>(op);
        other && llvm::is_contained(parts, other))
      continue;
    if (isa<TransferOpInterface>(op))
      return {Miss::OtherTransfer, "its tile has another transfer"};
    bool isWrite = false;
    forEachWritten(op, [&](Value) { isWrite = true; });
    bool isBefore = precedes(op, store);
    if (isWrite && !isBefore &&
        !llvm::all_of(getAccessed(op, buffer), [&](Value view) {
          return getElements().areApart(view, tile);
        }))
      return {Miss::WrittenAfterStore, "its tile is written by " +
                                           quoteName(op) +
                                           " after it is stored"};
    if (!isWrite)
      reads.push_back(op);
    else if (isBefore)
      writes.push_back(op);
  }
  SmallVector<Value> views;
  for (Operation *read : reads) {
    // After the condition of the store there may be no new tile to read.
    if (!store->getParentRegion()->isAncestor(read->getParentRegion()))
      return {Miss::ReadWithoutWrite, "its tile is read by " + quoteName(read) +
                                          " where it may not be written"};
    for (Operation *write : writes)
      if (!precedes(write, read))
        return {Miss::ReadBeforeWrite, "its tile is read by " +
                                           quoteName(read) +
                                           " before it is written"};
    for (Value view : getAccessed(read, buffer))
      if (llvm::none_of(parts, [&](StoreOp part) {
            return isPartOf(view, part.getTile());
          }))
        views.push_back(view);
  }
  if (!coversTile(kernel, *loop.getBody(), store, writes, views))
    return {Miss::NotCovered,
            std::string("it isn't visible that each iteration writes the whole "
                        "tile") +
                (views.empty() ? "" : ", and all that is read of its buffer")};
  return {};
}

Obstacle LoopTransfers::explainInPlaceStore(StoreOp store,
                                            ArrayRef<LoadOp> parts) {
  Obstacle reason = explainPlace(store);
  if (!reason.empty())
    return reason;
  if (store.getScope() != LoadOp(parts.front()).getScope())
    return {Miss::InPlaceScope, "its scope isn't that of the load"};
  if (!isLoaded(store, parts))
    return {Miss::InPlacePart, "it stores more than what is loaded"};
  return {};
}

/// Whether all accesses to the buffer in `loop` come after `load` in each
/// iteration, or after other loads of the loop that load what they access.
static bool isSelfContained(gpu::GPUFuncOp kernel, scf::ForOp loop, LoadOp load,
                            ArrayRef<Operation *> accesses) {
  SmallVector<LoadOp> parts;
  for (Operation *op : accesses)
    if (auto part = dyn_cast<LoadOp>(op); part && loop->isProperAncestor(op))
      parts.push_back(part);
  return LoopTransfers(kernel, loop).explainAccesses(load, parts).empty();
}

/// The reason why the rest of the tiles' buffer is an obstacle, or an empty
/// one. Accesses outside the loop are redirected to the slot of the last
/// use, which has the tiles only.
Obstacle LoopTransfers::explainOtherParts(ArrayRef<LoadOp> parts,
                                          ArrayRef<Operation *> accesses) {
  for (Operation *op : accesses)
    if (!loop->isProperAncestor(op) && !isLoaded(op, parts))
      return {Miss::OtherPartsOutside,
              ("other parts of its buffer are accessed outside of the loop by "
               "'" +
               op->getName().getStringRef() + "'")
                  .str()};
  return {};
}

Obstacle LoopTransfers::explainOutside(LoadOp load, ArrayRef<LoadOp> parts,
                                       bool &isUsedOutside) {
  SmallVector<Operation *> accesses =
      *getAccesses(getRootBuffer(load.getTile()));
  SmallVector<std::pair<scf::ForOp, LoadOp>> others;
  isUsedOutside = false;
  for (Operation *op : accesses) {
    if (loop->isProperAncestor(op))
      continue;
    isUsedOutside = true;
    auto other = dyn_cast<LoadOp>(op);
    if (!other)
      continue;
    auto around = other->getParentOfType<scf::ForOp>();
    if (!around || around->isProperAncestor(loop) ||
        !isSelfContained(kernel, around, other, accesses))
      return {Miss::LoadedOutside,
              "its tile is loaded outside of the loop, too"};
    others.emplace_back(around, other);
  }
  if (others.empty()) {
    // Outside the loop, accesses use the slot of the last use, which must be
    // the last iteration's.
    if (isUsedOutside &&
        !TileLoads(loop, getSameTile(load, parts)).isLoadedAlways())
      return {
          Miss::ConditionalAndOutside,
          "it is loaded under a condition, and its tile is accessed outside "
          "of the loop"};
    return explainOtherParts(parts, accesses);
  }
  isUsedOutside = false;
  // Each loop has the buffer to itself if no other op accesses it.
  for (Operation *op : accesses)
    if (!loop->isProperAncestor(op) && llvm::none_of(others, [&](auto &other) {
          return other.first->isAncestor(op);
        }))
      return {
          Miss::LoadedInSeveralLoops,
          "its tile is loaded in several loops and accessed outside of them"};
  return {};
}
