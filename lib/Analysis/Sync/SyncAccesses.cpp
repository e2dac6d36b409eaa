//===- SyncAccesses.cpp - accesses of each op -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of ops, then their boxes (of plain loads and stores, and of
// transfers), then rings: the phases of their barriers, and the accesses of
// loads that a thread has waited for. Ops that aren't known to be harmless may
// access everything.
//
//===----------------------------------------------------------------------===//

#include "SyncAccesses.h"

#include "carousel/Analysis/Values/CallAccesses.h"
#include "carousel/Analysis/Values/OperandWalk.h"
#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselViewOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

void RingSlot::normalize() {
  if (stages == 0 || !use.rest.isExact())
    return;
  int64_t slot = use.rest.lo % stages;
  use.rest = IndexInterval::exactly(slot < 0 ? slot + stages : slot);
}

bool RingSlot::mayBe(const RingSlot &other) const {
  if (stages == 0 || other.stages != stages || use.terms != other.use.terms ||
      !use.rest.isExact() || !other.use.rest.isExact())
    return true;
  return use.rest == other.use.rest;
}

bool RingSlot::mustBe(const RingSlot &other) const {
  return stages != 0 && use == other.use && use.rest.isExact();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

bool carousel::isCarriedByEngine(TransferOpInterface op) {
  EngineAttr engine = op.getEngineAttr();
  return !engine || engine.getKind() == EngineKind::Tensor ||
         engine.getKind() == EngineKind::Bulk;
}

TransferScope carousel::getRingScope(Value ring) {
  auto create = ring.getDefiningOp<RingCreateOp>();
  return create ? create.getScope() : TransferScope::CTA;
}

unsigned SyncAccesses::getNumber(Value root, unsigned tile) {
  auto [entry, isNew] =
      numbers.try_emplace(std::make_pair(root, tile), buffers.size());
  if (isNew)
    buffers.emplace_back(root, tile);
  return entry->second;
}

std::string SyncAccesses::describe(const Buffer &buffer) {
  if (buffer.number == 0)
    return buffer.isShared ? "shared memory" : "global memory";
  if (!names)
    // Already verified when the phase started, and verification takes much of a
    // plan's time.
    names = std::make_unique<AsmState>(
        kernel, OpPrintingFlags().useLocalScope().assumeVerified());
  auto [root, tile] = buffers[buffer.number];
  std::string text;
  llvm::raw_string_ostream os(text);
  if (tile == kPhase)
    os << "the phase of ";
  else if (isa<RingType>(root.getType()))
    os << "tile " << tile << " of ";
  root.printAsOperand(os, *names);
  return text;
}

RingSlot SyncAccesses::getSlot(Value ring, Value use) {
  RingSlot slot;
  slot.use = positions.get(use);
  slot.stages = cast<RingType>(ring.getType()).getStages();
  slot.normalize();
  return slot;
}

/// The values that `memref`, which isn't a view, may be, or nullopt if they
/// aren't known.
static std::optional<SmallVector<Value>> getSources(Value memref) {
  if (auto select = memref.getDefiningOp<arith::SelectOp>())
    return SmallVector<Value>{select.getTrueValue(), select.getFalseValue()};
  auto fromLoop = [](LoopLikeOpInterface loop,
                     unsigned index) -> std::optional<SmallVector<Value>> {
    if (!isa<scf::ForOp>(loop))
      return std::nullopt;
    return SmallVector<Value>{loop.getInits()[index],
                              loop.getYieldedValues()[index]};
  };
  if (auto result = dyn_cast<OpResult>(memref)) {
    if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      unsigned index = result.getResultNumber();
      return SmallVector<Value>{branch.thenYield().getOperand(index),
                                branch.elseYield().getOperand(index)};
    }
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      return fromLoop(loop, result.getResultNumber());
    return std::nullopt;
  }
  auto argument = cast<BlockArgument>(memref);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument.getArgNumber() < loop.getNumInductionVars())
    return std::nullopt;
  return fromLoop(loop, argument.getArgNumber() - loop.getNumInductionVars());
}

void SyncAccesses::addBuffers(Value memref, SmallVectorImpl<Buffer> &buffers,
                              SmallVectorImpl<Value> &others) {
  Buffer buffer;
  buffer.isShared = isSharedMemRef(memref.getType());
  if (isLocalMemRef(memref.getType()) ||
      memref.getDefiningOp<memref::AllocaOp>())
    return;
  if (auto tile = memref.getDefiningOp<RingTileOp>()) {
    buffer.ring = tile.getRing();
    buffer.tile = tile.getIndex();
    buffer.number = getNumber(buffer.ring, buffer.tile);
    buffer.slot = getSlot(tile.getRing(), tile.getUse());
    buffers.push_back(buffer);
    return;
  }
  auto argument = dyn_cast<BlockArgument>(memref);
  if (argument && argument.getOwner() == &kernel.getBody().front()) {
    if (llvm::is_contained(kernel.getPrivateAttributions(), memref))
      return;
    buffer.number = getNumber(getAliasedRoot(memref), 0);
    // Other arguments don't overlap if one is written (docs/Phases.md).
    buffers.push_back(buffer);
    return;
  }
  if (memref.getDefiningOp<memref::AllocOp>() && buffer.isShared) {
    buffer.number = getNumber(memref, 0);
    buffers.push_back(buffer);
    return;
  }
  // All ops view the same dynamic shared memory.
  if (auto dynamic = memref.getDefiningOp<gpu::DynamicSharedMemoryOp>()) {
    kernel.walk([&](gpu::DynamicSharedMemoryOp first) {
      buffer.number = getNumber(first, 0);
      return WalkResult::interrupt();
    });
    buffers.push_back(buffer);
    return;
  }
  if (std::optional<SmallVector<Value>> sources = getSources(memref)) {
    llvm::append_range(others, llvm::map_range(*sources, getRootBuffer));
    return;
  }
  if (buffer.isShared || !isGlobalMemRef(memref.getType())) {
    buffer.isShared = true;
    buffers.push_back(buffer);
  }
  if (!isSharedMemRef(memref.getType())) {
    buffer.isShared = false;
    buffers.push_back(buffer);
  }
}

SmallVector<Buffer, 1> SyncAccesses::getBuffers(Value memref) {
  SmallVector<Buffer, 1> buffers;
  walkSources(
      getRootBuffer(memref),
      [&](Value root, SmallVectorImpl<Value> &others) {
        addBuffers(root, buffers, others);
      },
      [](Value) { return WalkResult::advance(); });
  return buffers;
}

//===----------------------------------------------------------------------===//
// Accesses of ordinary ops
//===----------------------------------------------------------------------===//

void SyncAccesses::addGeneric(Operation *op, Value memref, AccessKind kind,
                              std::vector<Access> &accesses) {
  if (!isa<BaseMemRefType>(memref.getType())) {
    addAnything(/*isShared=*/true, kind, accesses);
    addAnything(/*isShared=*/false, kind, accesses);
    return;
  }
  for (const Buffer &buffer : getBuffers(memref)) {
    Access access;
    access.kind = kind;
    access.buffer = buffer;
    if (!buffer.isShared)
      access.box = getBox(op, memref);
    accesses.push_back(access);
  }
}

void SyncAccesses::addAnything(bool isShared, AccessKind kind,
                               std::vector<Access> &accesses) {
  Access access;
  access.kind = kind;
  access.buffer.isShared = isShared;
  accesses.push_back(access);
}

bool carousel::isExchange(Operation *op) {
  // A value that arrives from another CTA orders no memory.
  return isa<ClusterGatherOp>(op) ||
         (isa_and_nonnull<gpu::GPUDialect>(op->getDialect()) &&
          llvm::none_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>));
}

/// Whether the kernel calls functions that access memory.
static bool callsFunctions(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](CallOpInterface call) {
        return getCallAccesses(call).empty() ? WalkResult::advance()
                                             : WalkResult::interrupt();
      })
      .wasInterrupted();
}

void SyncAccesses::addCall(CallOpInterface call,
                           std::vector<Access> &accesses) {
  for (const CallAccess &access : getCallAccesses(call)) {
    AccessKind kind =
        access.isWrite ? AccessKind::GenericWrite : AccessKind::GenericRead;
    if (access.memref) {
      addGeneric(call, access.memref, kind, accesses);
    } else {
      addAnything(/*isShared=*/true, kind, accesses);
      addAnything(/*isShared=*/false, kind, accesses);
    }
  }
}

void SyncAccesses::addEffects(Operation *op, std::vector<Access> &accesses) {
  // It declares unknown effects besides its read, and has none.
  if (auto load = dyn_cast<nvgpu::LdMatrixOp>(op))
    return addGeneric(op, load.getSrcMemref(), AccessKind::GenericRead,
                      accesses);
  if (auto consumer = dyn_cast<AsyncConsumerOpInterface>(op)) {
    for (OpOperand *tile : consumer.getConsumedTiles())
      addGeneric(op, tile->get(), AccessKind::GenericRead, accesses);
    for (Access &access : accesses)
      access.isByAsyncProxy = true;
    return;
  }
  if (isa<nvgpu::DeviceAsyncCreateGroupOp>(op))
    return;
  // Copies read and write until a thread waits for them.
  if (isa<nvgpu::DeviceAsyncWaitOp>(op) && !callsFunctions(kernel)) {
    kernel.walk([&](nvgpu::DeviceAsyncCopyOp copy) {
      addGeneric(copy, copy.getSrc(), AccessKind::GenericRead, accesses);
      addGeneric(copy, copy.getDst(), AccessKind::GenericWrite, accesses);
    });
    return;
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    return addCall(call, accesses);
  if (isMemoryEffectFree(op) || isExchange(op) || isReport(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    // Other ops with regions only do what their regions do, and branches do
    // nothing.
    if (op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>())
      return;
    for (bool isShared : {true, false}) {
      addAnything(isShared, AccessKind::GenericRead, accesses);
      addAnything(isShared, AccessKind::GenericWrite, accesses);
    }
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()))
      continue;
    AccessKind kind = isa<MemoryEffects::Write>(effect.getEffect())
                          ? AccessKind::GenericWrite
                          : AccessKind::GenericRead;
    if (Value value = effect.getValue()) {
      addGeneric(op, value, kind, accesses);
      continue;
    }
    SideEffects::Resource *resource = effect.getResource();
    bool isAny = resource == SideEffects::DefaultResource::get();
    if (isAny || resource == SharedMemoryResource::get())
      addAnything(/*isShared=*/true, kind, accesses);
    if (isAny || resource == GlobalMemoryResource::get())
      addAnything(/*isShared=*/false, kind, accesses);
  }
}

//===----------------------------------------------------------------------===//
// Accesses of transfers
//===----------------------------------------------------------------------===//

void SyncAccesses::addTransfer(TransferOpInterface op,
                               std::vector<Access> &accesses) {
  bool isEngine = isCarriedByEngine(op);
  Access access;
  access.isTransfer = true;
  access.scope = op.getScope();
  const AccessKind read =
      isEngine ? AccessKind::AsyncRead : AccessKind::GenericRead;
  const AccessKind write =
      isEngine ? AccessKind::AsyncWrite : AccessKind::GenericWrite;

  access.kind = op.isLoad() ? write : read;
  auto produce = op->getParentOfType<RingProduceOp>();
  for (const Buffer &buffer : getBuffers(op.getTile())) {
    access.buffer = buffer;
    access.isRefill =
        produce && buffer.ring == produce.getRing() &&
        buffer.slot.mustBe(getSlot(produce.getRing(), produce.getUse()));
    accesses.push_back(access);
  }

  access.kind = op.isLoad() ? read : write;
  access.isRefill = false;
  access.box = getTransferBox(positions, op);
  auto store = dyn_cast<RingStoreOp>(op.getOperation());
  // An exclusive reduction is ordered with others of its CTA.
  if (store && !store.getExclusive())
    access.reduction = store.getReduceAttr();
  EngineAttr engine = op.getEngineAttr();
  bool hasOrdinaryEnds = store && !op.getInBounds() && engine &&
                         engine.getKind() == EngineKind::Bulk;
  for (const Buffer &buffer : getBuffers(op.getGlobal())) {
    access.buffer = buffer;
    accesses.push_back(access);
    // The issuer itself stores a clipped end that a bulk copy can't copy.
    if (hasOrdinaryEnds) {
      access.kind = AccessKind::GenericWrite;
      access.isByIssuer = true;
      accesses.push_back(access);
      access.isByIssuer = false;
      access.kind = write;
    }
  }
}

//===----------------------------------------------------------------------===//
// Accesses of ops
//===----------------------------------------------------------------------===//

/// Whether a fence releases the thread's accesses to other CTAs, or acquires
/// theirs.
static bool reachesOtherCTAs(FenceThreadOp fence) {
  return fence.getScope() != MemScope::CTA;
}

void SyncAccesses::collect(Operation *op, std::vector<Access> &accesses) {
  Access others;
  others.isForeign = true;
  others.buffer.isShared = false;
  auto takeOver = [&] {
    others.kind = AccessKind::GenericWrite;
    accesses.push_back(others);
  };
  auto handOver = [&] {
    others.kind = AccessKind::GenericRead;
    accesses.push_back(others);
    Access permission = others;
    permission.kind = AccessKind::GenericWrite;
    permission.isPermission = true;
    accesses.push_back(permission);
  };
  llvm::TypeSwitch<Operation *>(op)
      // Also released: the next turns may write what this turn has read.
      .Case<SerializeOp, PassTurnOp>([&](auto) {
        others.isByIssuer = others.isTransfer = others.isOfTurns = true;
        takeOver();
      })
      // The issuing thread signals and waits for the whole CTA. What it
      // releases includes the CTA's reads, which peers may overwrite.
      .Case([&](SignalOp) {
        others.isByIssuer = others.isTransfer = true;
        handOver();
        accesses.back().isPermission = false;
      })
      .Case([&](WaitSignalOp) {
        others.isByIssuer = others.isTransfer = true;
        takeOver();
      })
      .Case<RingProduceOp, RingSubmitOp>([&](auto section) {
        if (auto produce = dyn_cast<RingProduceOp>(op))
          if (std::optional<Access> phase =
                  getPhaseAccess(produce.getRing(), produce.getUse(),
                                 AccessKind::GenericWrite))
            accesses.push_back(*phase);
        section.getBody().walk([&](Operation *inner) {
          if (auto transfer = dyn_cast<TransferOpInterface>(inner))
            addTransfer(transfer, accesses);
          else
            addEffects(inner, accesses);
        });
      })
      .Case([&](GridSerialWaitOp) { takeOver(); })
      .Case([&](GridSerialReleaseOp) { handOver(); })
      .Case([&](FenceThreadOp fence) {
        if (!reachesOtherCTAs(fence))
          return;
        if (fence.getSemantics() != MemSemantics::Acquire)
          handOver();
        if (fence.getSemantics() != MemSemantics::Release)
          takeOver();
      })
      // These order accesses and make none.
      .Case<RingCreateOp, RingWaitOp, RingReleaseOp, RingWaitStoresOp,
            RingSyncOp, RingTileOp, RingRolesOp, FenceProxyOp, BarrierWarpOp,
            gpu::BarrierOp, GridDependencyWaitOp, GridLaunchDependentsOp,
            GridTicketOp>([](auto) {})
      .Default([&](Operation *) { addEffects(op, accesses); });
}

SyncAccesses::SyncAccesses(gpu::GPUFuncOp kernel)
    : kernel(kernel), positions(kernel) {
  buffers.emplace_back(); // any
  kernel.walk([&](RingReleaseOp op) { released.insert(op.getRing()); });
  kernel.walk([&](RingProduceOp op) {
    auto roles = op->getParentOfType<RingRolesOp>();
    if (roles && roles.getProducer().isAncestor(op->getParentRegion()))
      producedInRole.insert(op.getRing());
  });
  kernel.walk([&](AsyncConsumerOpInterface) { usesEngines = true; });
  kernel.walk([&](TransferOpInterface op) {
    usesEngines |= isCarriedByEngine(op);
    auto load = dyn_cast<RingLoadOp>(op.getOperation());
    auto produce = op->getParentOfType<RingProduceOp>();
    if (!load || !produce)
      return;
    loads[produce.getRing()].push_back(load);
    if (!isCarriedByEngine(op))
      return;
    for (const Buffer &buffer : getBuffers(op.getTile()))
      if (buffer.ring == produce.getRing())
        engineTiles.insert({buffer.ring, buffer.tile});
  });
}

bool SyncAccesses::isWrittenInTurns(const Buffer &buffer) {
  if (!written) {
    written.emplace();
    kernel.walk([&](Operation *op) {
      if (isa<SerializeOp, PassTurnOp>(op) ||
          !op->getParentOfType<SerializeOp>())
        return;
      for (const Access &access : get(op))
        if (isWrite(access.kind) && !access.buffer.isShared)
          written->push_back(access.buffer);
    });
  }
  return llvm::any_of(*written,
                      [&](const Buffer &other) { return other.mayBe(buffer); });
}

bool SyncAccesses::isOnlyRefilled(const Buffer &buffer) {
  if (!changed) {
    changed.emplace();
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (const Access &access : get(op))
        if (isWrite(access.kind) && access.buffer.isShared && !access.isRefill)
          changed->push_back(access.buffer);
      // These have the accesses of the ops that they start.
      return isa<RingProduceOp, RingSubmitOp>(op) ? WalkResult::skip()
                                                  : WalkResult::advance();
    });
  }
  return buffer.ring && buffer.number != 0 &&
         llvm::none_of(*changed, [&](const Buffer &other) {
           return other.number == 0 || other.number == buffer.number;
         });
}

ArrayRef<Access> SyncAccesses::get(Operation *op) {
  auto found = cache.find(op);
  if (found != cache.end())
    return found->second;
  std::vector<Access> accesses;
  collect(op, accesses);
  return cache.try_emplace(op, std::move(accesses)).first->second;
}

//===----------------------------------------------------------------------===//
// Plain loads and stores
//===----------------------------------------------------------------------===//

/// The box of a plain load or store, as far as it is the same in all threads.
AccessBox SyncAccesses::getBox(Operation *op, Value memref) {
  AccessBox box;
  box.memref = getAliasedRoot(memref);
  ValueRange indices;
  VectorType vector;
  llvm::TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp, memref::StoreOp>(
          [&](auto access) { indices = access.getIndices(); })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto access) {
        indices = access.getIndices();
        vector = access.getVectorType();
      });
  unsigned rank = indices.size();
  if (vector && (vector.isScalable() || vector.getRank() > rank))
    return box;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    box.first.push_back(positions.getUniform(index));
    unsigned inner = rank - dim;
    bool isVector = vector && inner <= vector.getRank();
    box.extents.push_back(isVector ? vector.getDimSize(vector.getRank() - inner)
                                   : 1);
  }
  return box;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Whether `value` is the same at each use in a kernel.
static bool isFixed(Value value) {
  return getConstantIntValue(value) ||
         isa<gpu::GPUFuncOp>(value.getParentRegion()->getParentOp());
}

/// The number of which `quotient`, and its remainder in `values`, are parts.
static Value findDividend(Value quotient, const llvm::DenseSet<Value> &values) {
  Operation *division = quotient.getDefiningOp();
  if (!isa_and_nonnull<arith::DivUIOp, arith::DivSIOp>(division) ||
      !isFixed(division->getOperand(1)))
    return {};
  for (Value value : values) {
    Operation *remainder = value.getDefiningOp();
    bool matches = isa<arith::DivUIOp>(division)
                       ? isa_and_nonnull<arith::RemUIOp>(remainder)
                       : isa_and_nonnull<arith::RemSIOp>(remainder);
    if (matches && remainder->getOperands() == division->getOperands())
      return division->getOperand(0);
  }
  return {};
}

/// The number of which `part`, and the other parts in `values`, are parts.
static Value findLinearIndex(Value part, const llvm::DenseSet<Value> &values) {
  auto split = part.getDefiningOp<affine::AffineDelinearizeIndexOp>();
  if (!split || !llvm::all_of(split.getDynamicBasis(), isFixed) ||
      !llvm::all_of(split.getResults(),
                    [&](Value value) { return values.contains(value); }))
    return {};
  return split.getLinearIndex();
}

/// Adds the tile's number, from which rows and columns are computed by
/// division. Different numbers have different boxes. Rows and columns no longer
/// show this in terms of an earlier iteration.
static void addSources(SyncPositions &positions, AccessBox &box) {
  SmallVector<Value> found;
  llvm::DenseSet<Value> values;
  auto add = [&](Value value) {
    if (values.insert(value).second)
      found.push_back(value);
  };
  for (auto [position, extent] : llvm::zip_equal(box.first, box.extents)) {
    if (position.terms.size() != 1 || !position.rest.isExact())
      continue;
    auto [number, factor] = position.terms.front();
    if (factor >= extent || -factor >= extent)
      add(positions.getValue(number));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Value value : SmallVector<Value>(found)) {
      Value source = findDividend(value, values);
      if (!source)
        source = findLinearIndex(value, values);
      if (!source || values.contains(source))
        continue;
      add(source);
      box.first.push_back(positions.get(source));
      box.extents.push_back(1);
      changed = true;
      // The values from which that number is computed.
      IndexPosition position = positions.get(source);
      if (position.terms.size() == 1 && position.rest.isExact())
        add(positions.getValue(position.terms.front().first));
    }
  }
}

AccessBox carousel::getTransferBox(SyncPositions &positions,
                                   TransferOpInterface op) {
  AccessBox box;
  // The table may name any row.
  if (getRows(op))
    return box;
  box.memref = getAliasedRoot(op.getGlobal());
  box.transfer = op;
  ArrayRef<int64_t> tile = op.getTile().getType().getShape();
  unsigned leading = op.getNumLeadingDims();
  for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
    box.first.push_back(positions.get(offset));
    box.extents.push_back(dim < leading ? 1 : tile[dim - leading]);
  }
  addSources(positions, box);
  return box;
}

std::optional<Access> SyncAccesses::getPhaseAccess(Value ring, Value use,
                                                   AccessKind kind) {
  if (isReleased(ring))
    return std::nullopt;
  Access access;
  access.kind = kind;
  access.buffer.isShared = true;
  access.buffer.number = getNumber(ring, kPhase);
  access.buffer.ring = ring;
  access.buffer.tile = kPhase;
  access.buffer.slot = getSlot(ring, use);
  access.isTransfer = true;
  access.scope = getRingScope(ring);
  return access;
}

const Access *SyncAccesses::getPhaseRead(RingWaitOp wait) {
  auto [entry, isNew] = phaseReads.try_emplace(wait);
  if (isNew)
    if (std::optional<Access> read = getPhaseAccess(
            wait.getRing(), wait.getUse(), AccessKind::GenericRead))
      entry->second.push_back(std::move(*read));
  return entry->second.empty() ? nullptr : &entry->second.front();
}

ArrayRef<Access> SyncAccesses::getLanded(RingWaitOp wait) {
  auto [entry, isNew] = landings.try_emplace(wait);
  if (isNew)
    entry->second = collectLanded(wait);
  return entry->second;
}

std::vector<Access> SyncAccesses::collectLanded(RingWaitOp wait) {
  std::vector<Access> landed;
  bool isKnownToAll = getRingScope(wait.getRing()) == TransferScope::CTA;
  for (RingLoadOp load : loads.lookup(wait.getRing())) {
    bool isEngine = isCarriedByEngine(load);
    if (isEngine && isKnownToAll)
      continue;
    Access access;
    access.kind = isEngine ? AccessKind::AsyncWrite : AccessKind::GenericWrite;
    access.isTransfer = true;
    access.isAcquired = !isEngine && isKnownToAll;
    access.scope = load.getScope();
    for (const Buffer &buffer : getBuffers(load.getTile())) {
      access.buffer = buffer;
      // The use is one of the uses of the load.
      if (buffer.ring == wait.getRing())
        access.buffer.slot = getSlot(wait.getRing(), wait.getUse());
      landed.push_back(access);
    }
    if (isKnownToAll)
      continue;
    access.kind = isEngine ? AccessKind::AsyncRead : AccessKind::GenericRead;
    // The box is known where the load for this wait was started.
    auto produce = load->getParentOfType<RingProduceOp>();
    if (produce->getBlock() == wait->getBlock() &&
        produce.getUse() == wait.getUse())
      access.box = getTransferBox(positions, load);
    for (const Buffer &buffer : getBuffers(load.getGlobal())) {
      access.buffer = buffer;
      landed.push_back(access);
    }
  }
  return landed;
}
