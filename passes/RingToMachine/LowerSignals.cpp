//===- LowerSignals.cpp - lower signals and their waits -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The issuing thread of the CTA signals, and polls a counter.
// --carousel-insert-async-sync has already inserted the barriers for other
// threads. Where these need to know whether the time was over, the answer
// reaches them through shared memory.
//
//===----------------------------------------------------------------------===//

#include "LowerSignals.h"

#include "Transfers/LowerTransfers.h"

#include "carousel/Analysis/Values/Views.h"
#include "carousel/Dialect/IR/CarouselMultimemOps.h"
#include "carousel/Dialect/IR/KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace carousel;

/// What debug-waits says is waited for: the argument's name and "signal".
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

/// What all threads read after the issuing thread has waited.
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
