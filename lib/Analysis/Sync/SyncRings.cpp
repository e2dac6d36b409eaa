//===- SyncRings.cpp - happens-before edges of ring waits -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of SyncAccesses.h that knows rings: the phases of their barriers,
// and the accesses of loads that a thread has waited for.
//
//===----------------------------------------------------------------------===//

#include "SyncAccesses.h"

using namespace mlir;
using namespace carousel;

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
