//===- SignalVerifiers.cpp - rules of signals between GPUs ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints C29, C230 to C232 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "OpRules.h"

#include "../Kernels/KernelRules.h"

#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/CarouselSignalOps.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyCounter(Op op) {
  return verifyIndices(op, op.getCounters().getType(), op.getIndices(),
                       "counters");
}

template <typename Op> static LogicalResult verifyWait(Op op) {
  if (failed(verifyCounter(op)))
    return failure();
  // C232
  if (bool(op.getTimeout()) != bool(op.getReached()))
    return op.emitOpError("expected a result if and only if there is a "
                          "timeout, got ")
           << (op.getTimeout() ? "a timeout" : "a result") << " only";
  return success();
}

LogicalResult SignalOp::verify() { return verifyCounter(*this); }
LogicalResult SignalReleaseOp::verify() { return verifyCounter(*this); }
LogicalResult WaitSignalOp::verify() { return verifyWait(*this); }
LogicalResult SignalWaitOp::verify() { return verifyWait(*this); }

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

bool carousel::isSharedWithPeers(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return false;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || argument.getArgNumber() >= function.getNumArguments())
    return false;
  return llvm::any_of(
      ArrayRef<StringRef>{kSymmetric, kPeer, kMulticast}, [&](StringRef name) {
        return bool(function.getArgAttr(argument.getArgNumber(), name));
      });
}

LogicalResult carousel::verifyPeerMemory(gpu::GPUFuncOp kernel,
                                         unsigned position,
                                         NamedAttribute attr) {
  // C230
  InFlightDiagnostic error =
      kernel.emitError("expected ")
      << attr.getName().getValue()
      << " without a value, on a memref in global memory that callers pass "
         "and without another such attribute, got ";
  Type type = kernel.getFunctionType().getInput(position);
  auto memref = dyn_cast<MemRefType>(type);
  if (!isa<UnitAttr>(attr.getValue()))
    return error << attr.getValue() << " on kernel argument " << position;
  if (!memref || (memref.getMemorySpace() && !isGlobalMemRef(memref)))
    return error << "kernel argument " << position << " of type " << type;
  if (kernel.getArgAttr(position, CarouselDialect::kWorkspace))
    return error << "kernel argument " << position << ", a workspace";
  for (StringRef other : {kSymmetric, kPeer, kMulticast})
    if (attr.getName() != other && kernel.getArgAttr(position, other))
      return error << other << " on kernel argument " << position;
  error.abandon();
  return attr.getName() == kMulticast ? verifyMulticastUses(kernel, position)
                                      : success();
}
