//===- MbarrierVerifiers.cpp - rules and targets of mbarrier.* ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C31 to C36 of docs/Spec.md, and the target requirement of each
// form of the ops.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

using namespace mlir;
using namespace carousel;

static LogicalResult verifyBarrier(Operation *op, MemRefType type,
                                   ValueRange indices) {
  return verifyIndices(op, type, indices, "barriers");
}

/// C31, C33
static LogicalResult verifyArrivals(Operation *op,
                                    std::optional<uint32_t> count) {
  if (!count || (*count >= 1 && *count <= rules::kMaxArrivals))
    return success();
  return op->emitOpError() << "expected a count of 1 to " << rules::kMaxArrivals
                           << " arrivals, got " << static_cast<int32_t>(*count);
}

/// C32
static LogicalResult verifyTransactionBytes(Operation *op, Value bytes,
                                            std::optional<uint32_t> literal) {
  if (failed(verifyValueOrLiteral(op, bytes, literal, "bytes")))
    return failure();
  if (!literal || *literal <= rules::kMaxTransactionBytes)
    return success();
  return op->emitOpError() << "expected 0 to " << rules::kMaxTransactionBytes
                           << " transaction bytes, got "
                           << static_cast<int32_t>(*literal);
}

/// C34
static LogicalResult verifyRemoteState(Operation *op, MemRefType barriers,
                                       Value state) {
  if (!state || isSharedMemRef(barriers))
    return success();
  return op->emitOpError() << "expected no state from an arrive in the "
                              "cluster's window, got a result of "
                           << state.getType();
}

//===----------------------------------------------------------------------===//
// Initialisation and transactions
//===----------------------------------------------------------------------===//

LogicalResult MbarrierInitOp::verify() {
  if (failed(verifyBarrier(*this, getBarriers().getType(), getIndices())) ||
      failed(
          verifyValueOrLiteral(*this, getCount(), getStaticCount(), "count")))
    return failure();
  return verifyArrivals(*this, getStaticCount());
}

LogicalResult MbarrierInvalOp::verify() {
  return verifyBarrier(*this, getBarriers().getType(), getIndices());
}

template <typename Op> static LogicalResult verifyTx(Op op) {
  if (failed(verifyBarrier(op, op.getBarriers().getType(), op.getIndices())))
    return failure();
  return verifyTransactionBytes(op, op.getBytes(), op.getStaticBytes());
}

LogicalResult MbarrierExpectTxOp::verify() { return verifyTx(*this); }

LogicalResult MbarrierCompleteTxOp::verify() { return verifyTx(*this); }

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyArrive(Op op) {
  MemRefType barriers = op.getBarriers().getType();
  if (failed(verifyBarrier(op, barriers, op.getIndices())) ||
      failed(verifyValueOrLiteral(op, op.getCount(), op.getStaticCount(),
                                  "count",
                                  /*required=*/false)) ||
      failed(verifyArrivals(op, op.getStaticCount())) ||
      failed(verifyRemoteState(op, barriers, op.getState())))
    return failure();
  if (!op.getNoComplete())
    return success();
  // C35
  if (!op.getCount() && !op.getStaticCount())
    return op->emitOpError("expected a count with no_complete, got none");
  if (op.getSemantics() != MemSemantics::Release ||
      op.getScope() != MemScope::CTA)
    return op->emitOpError(
               "expected release semantics at CTA scope with no_complete, got ")
           << stringifyMemSemantics(op.getSemantics()) << " at "
           << stringifyMemScope(op.getScope()) << " scope";
  if (!isSharedMemRef(barriers))
    return op->emitOpError("expected a barrier in the CTA's own memory with "
                           "no_complete, got ")
           << barriers;
  return success();
}

LogicalResult MbarrierArriveOp::verify() { return verifyArrive(*this); }

LogicalResult MbarrierArriveDropOp::verify() { return verifyArrive(*this); }

/// sm_80 has the plain arrive at CTA scope without a count; scopes and the
/// cluster's window came with sm_90 and PTX 8.0, relaxed arrives with PTX 8.6.
template <typename Op> static TargetRequirement getArriveTarget(Op op) {
  if (op.getNoComplete())
    return {80, 70};
  if (op.getSemantics() == MemSemantics::Relaxed)
    return {90, 86};
  if (op.getScope() != MemScope::CTA ||
      isClusterMemRef(op.getBarriers().getType()))
    return {90, 80};
  if (op.getCount() || op.getStaticCount())
    return {90, 80}; // PTX has it from 7.8 on, LLVM's intrinsic asks for 8.0.
  return {80, 70};
}

TargetRequirement MbarrierArriveOp::getTargetRequirement() {
  return getArriveTarget(*this);
}

TargetRequirement MbarrierArriveDropOp::getTargetRequirement() {
  return getArriveTarget(*this);
}

template <typename Op> static LogicalResult verifyArriveExpectTx(Op op) {
  MemRefType barriers = op.getBarriers().getType();
  if (failed(verifyBarrier(op, barriers, op.getIndices())) ||
      failed(verifyTransactionBytes(op, op.getBytes(), op.getStaticBytes())))
    return failure();
  return verifyRemoteState(op, barriers, op.getState());
}

template <typename Op> static TargetRequirement getArriveExpectTxTarget(Op op) {
  return op.getSemantics() == MemSemantics::Relaxed ? TargetRequirement{90, 86}
                                                    : TargetRequirement{90, 80};
}

LogicalResult MbarrierArriveExpectTxOp::verify() {
  return verifyArriveExpectTx(*this);
}

TargetRequirement MbarrierArriveExpectTxOp::getTargetRequirement() {
  return getArriveExpectTxTarget(*this);
}

LogicalResult MbarrierArriveDropExpectTxOp::verify() {
  return verifyArriveExpectTx(*this);
}

TargetRequirement MbarrierArriveDropExpectTxOp::getTargetRequirement() {
  return getArriveExpectTxTarget(*this);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyWait(Op op) {
  if (failed(verifyBarrier(op, op.getBarriers().getType(), op.getIndices())))
    return failure();
  // C36
  if (op.getState() && op.getParity())
    return op->emitOpError("expected a state or a parity, got both");
  if (!op.getState() && !op.getParity())
    return op->emitOpError("expected a state or a parity, got none");
  return success();
}

LogicalResult MbarrierTestWaitOp::verify() { return verifyWait(*this); }

LogicalResult MbarrierTryWaitOp::verify() { return verifyWait(*this); }

LogicalResult MbarrierWaitOp::verify() { return verifyWait(*this); }

/// `plain` is the requirement of a wait without a scope. Scopes came with sm_90
/// and PTX 8.0, and relaxed waits with PTX 8.6.
template <typename Op>
static TargetRequirement getWaitTarget(Op op, TargetRequirement plain) {
  if (op.getSemantics() == MemSemantics::Relaxed)
    return {90, 86};
  if (op.getScope() != MemScope::CTA)
    return {90, 80};
  return plain;
}

TargetRequirement MbarrierTestWaitOp::getTargetRequirement() {
  return getWaitTarget(*this, {80, getParity() ? 71u : 70u});
}

TargetRequirement MbarrierTryWaitOp::getTargetRequirement() {
  return getWaitTarget(*this, {90, 78});
}

TargetRequirement MbarrierWaitOp::getTargetRequirement() {
  // A time limit has no meaning for a loop around test_wait, so it requires
  // sm_90.
  return getWaitTarget(
      *this, getSuspendNs() ? TargetRequirement{90, 78}
                            : TargetRequirement{80, getParity() ? 71u : 70u});
}
