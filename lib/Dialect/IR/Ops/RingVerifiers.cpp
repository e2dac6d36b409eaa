//===- RingVerifiers.cpp - the ring type and rules of ring ops ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly and verification of !carousel.ring, and verification of the ops of
// the ring phase. C151 to C156 and C192 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

Type RingType::parse(AsmParser &parser) {
  SMLoc where = parser.getCurrentLocation();
  int64_t stages;
  SmallVector<MemRefType> tiles;
  if (parser.parseLess() || parser.parseInteger(stages))
    return {};
  if (succeeded(parser.parseOptionalKeyword("x")) &&
      parser.parseCommaSeparatedList(
          [&] { return parser.parseType(tiles.emplace_back()); }))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RingType>(where, parser.getContext(), stages,
                                     ArrayRef<MemRefType>(tiles));
}

void RingType::print(AsmPrinter &printer) const {
  printer << '<' << getStages();
  if (!getTiles().empty()) {
    printer << " x ";
    llvm::interleaveComma(getTiles(), printer);
  }
  printer << '>';
}

// C151
LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, ArrayRef<MemRefType> tiles) {
  if (stages < 1)
    return emitError() << "expected 1 or more slots, got " << stages;
  for (MemRefType tile : tiles)
    if (!isSharedMemRef(tile) || !tile.hasStaticShape() ||
        !tile.getLayout().isIdentity() ||
        isa<MbarrierType>(tile.getElementType()))
      return emitError() << "expected contiguous tiles of static extents in "
                            "shared memory, got "
                         << tile;
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

// C152
LogicalResult RingCreateOp::verify() {
  SlotRelease release = getRelease();
  // C336
  int64_t ctas = getMulticast();
  if (ctas < 1 || ctas > rules::kMaxClusterSize)
    return emitOpError("expected multicast to 1 to ")
           << rules::kMaxClusterSize << " CTAs, got " << ctas;
  if (ctas != 1 && (getScope() != TransferScope::CTA ||
                    release != SlotRelease::EmptyBarrier))
    return emitOpError("expected scope cta and release empty_barrier with "
                       "multicast, got scope ")
           << stringifyTransferScope(getScope()) << " and release "
           << stringifySlotRelease(release);
  if (release == SlotRelease::EmptyBarrier)
    return success();
  TransferScope needed = release == SlotRelease::CTABarrier
                             ? TransferScope::CTA
                             : TransferScope::Warp;
  if (getScope() == needed)
    return success();
  return emitOpError("expected scope ")
         << stringifyTransferScope(needed) << " with release "
         << stringifySlotRelease(release) << ", got "
         << stringifyTransferScope(getScope());
}

// C154
LogicalResult RingTileOp::verify() {
  ArrayRef<MemRefType> tiles = getRing().getType().getTiles();
  if (getIndex() >= tiles.size())
    return emitOpError("expected one of the ring's ")
           << tiles.size() << " tiles, got number " << getIndex();
  if (getTile().getType() != tiles[getIndex()])
    return emitOpError("expected a tile of ")
           << tiles[getIndex()] << ", got " << getTile().getType();
  return success();
}

/// Whether a loop computes an operand, and starts no transfer.
template <typename Transfer> static bool isLoopOfOperand(Operation *op) {
  return isa<scf::ForOp>(op) && !op->walk([](Transfer) {
                                     return WalkResult::interrupt();
                                   }).wasInterrupted();
}

/// C153: `body` starts transfers of type `Transfer` and has no other visible
/// effects.
template <typename Transfer>
static LogicalResult verifySection(Operation *section, Region &body) {
  WalkResult result = body.walk([&](Operation *op) {
    if (isa<Transfer, scf::IfOp, scf::YieldOp>(op) ||
        isLoopOfOperand<Transfer>(op) || isMemoryEffectFree(op))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (effects && effects.onlyHasEffect<MemoryEffects::Read>())
      return WalkResult::advance();
    InFlightDiagnostic error =
        section->emitOpError("expected only ")
        << Transfer::getOperationName()
        << ", scf.if and ops that don't write memory, got " << op->getName();
    error.attachNote(op->getLoc()) << "it stands here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult RingProduceOp::verify() {
  // C192
  int64_t stages = getRing().getType().getStages();
  if (getAhead().value_or(0) >= static_cast<uint64_t>(stages))
    return emitOpError("expected loads to be started fewer iterations ahead "
                       "than the ring's ")
           << stages << " slots, got " << *getAhead();
  return verifySection<RingLoadOp>(*this, getBody());
}

LogicalResult RingSubmitOp::verify() {
  return verifySection<RingStoreOp>(*this, getBody());
}

/// C155
template <typename Section>
static LogicalResult verifyStarted(TransferOpInterface op) {
  if (!op->getParentOfType<Section>())
    return op->emitOpError("expected to stand in a ")
           << Section::getOperationName() << ", got '"
           << op->getParentOp()->getName() << "'";
  EngineAttr engine = op.getEngineAttr();
  if (!engine)
    return op->emitOpError("expected an engine, got none");
  if (!op.isLoad() && engine.getKind() == EngineKind::CpAsync)
    return op->emitOpError("expected an engine that stores, got ")
           << stringifyEngineKind(engine.getKind());
  return success();
}

LogicalResult RingLoadOp::verify() {
  if (failed(verifyTileLoad(*this, getFill(), getFillValueAttr(),
                            getReduceAttr(), getRoundTf32())) ||
      failed(verifyStarted<RingProduceOp>(*this)))
    return failure();
  if (!getMulticast())
    return success();
  // C337
  if (EngineKind kind = getEngineAttr().getKind(); kind != EngineKind::Tensor)
    return emitOpError("expected engine tensor with multicast, got ")
           << stringifyEngineKind(kind);
  auto ring = (*this)
                  ->getParentOfType<RingProduceOp>()
                  .getRing()
                  .getDefiningOp<RingCreateOp>();
  if (ring && ring.getMulticast() == 1)
    return emitOpError("expected a ring of several CTAs with multicast, got "
                       "one of 1 CTA");
  return success();
}

LogicalResult RingStoreOp::verify() {
  if (failed(verifyTileStore(*this, getReduceAttr())))
    return failure();
  return verifyStarted<RingSubmitOp>(*this);
}

// C156
LogicalResult RingRolesOp::verify() {
  int64_t producers = getProducerThreads(), consumers = getConsumerThreads();
  if (producers < rules::kWarpSize || consumers < rules::kWarpSize ||
      producers % rules::kWarpSize != 0 || consumers % rules::kWarpSize != 0 ||
      producers + consumers > rules::kMaxThreadsPerBlock)
    return emitOpError("expected roles of whole warps, at most ")
           << rules::kMaxThreadsPerBlock << " threads in all, got " << producers
           << " and " << consumers << " threads";
  std::optional<uint32_t> counts[] = {getProducerRegisters(),
                                      getConsumerRegisters()};
  if (!counts[0] && !counts[1])
    return success();
  if (!counts[0] || !counts[1])
    return emitOpError("expected register counts of both roles, got one");
  for (std::optional<uint32_t> count : counts)
    if (*count < rules::kMinRegisters || *count > rules::kMaxRegisters ||
        *count % rules::kRegisterStep != 0)
      return emitOpError("expected ")
             << rules::kMinRegisters << " to " << rules::kMaxRegisters
             << " registers in steps of " << rules::kRegisterStep << ", got "
             << *count;
  if (producers % rules::kWarpgroupSize != 0 ||
      consumers % rules::kWarpgroupSize != 0)
    return emitOpError("expected roles of whole warpgroups with register "
                       "counts, got ")
           << producers << " and " << consumers << " threads";
  return success();
}
