//===- OrderVerifiers.cpp - rules and effects of ordered grids ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C90 and C181 of docs/Spec.md for the ops of ordered grids, and
// their effects.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

using namespace mlir;
using namespace carousel;

static InFlightDiagnostic printTypes(InFlightDiagnostic error,
                                     TypeRange types) {
  if (types.empty())
    error << "none";
  else
    error << types;
  return error;
}

LogicalResult SerializeOp::verify() {
  if (failed(verifySemaphore(*this, getSemaphores().getType(), getIndices(),
                             "semaphores")))
    return failure();
  // C181
  if (getBody().getNumArguments() != 2 ||
      !llvm::all_of(getBody().getArgumentTypes(),
                    [](Type type) { return type.isSignlessInteger(1); }))
    return printTypes(
        emitOpError("expected a region of two arguments of type i1, got "),
        getBody().getArgumentTypes());
  Operation *end = getBody().front().getTerminator();
  if (end->getOperandTypes() != getResultTypes())
    return printTypes(end->emitOpError("expected the types of the results of "
                                       "carousel.serialize, got "),
                      end->getOperandTypes());
  return success();
}

void SerializeOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getBody());
  else
    successors.emplace_back(getOperation(), getResults());
}

LogicalResult AccumulateOp::verify() {
  return verifyTileStore(*this, getReduceAttr());
}

void AccumulateOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getTileMutable(),
                       SharedMemoryResource::get());
  if (getLast())
    effects.emplace_back(MemoryEffects::Write::get(), &getTileMutable(),
                         SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getGlobalMutable(),
                       GlobalMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getGlobalMutable(),
                       GlobalMemoryResource::get());
}

LogicalResult GridTicketOp::verify() {
  return verifySemaphore(*this, getCounters().getType(), getIndices(),
                         "counters");
}

/// Counters have 32 bits.
void GridTicketOp::inferResultRanges(ArrayRef<ConstantIntRanges> operands,
                                     SetIntRangeFn setResultRange) {
  constexpr unsigned width = IndexType::kInternalStorageBitWidth;
  setResultRange(getTicket(),
                 ConstantIntRanges::fromUnsigned(
                     APInt::getZero(width),
                     APInt(width, std::numeric_limits<int32_t>::max())));
}
