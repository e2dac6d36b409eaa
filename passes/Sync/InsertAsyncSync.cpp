//===- InsertAsyncSync.cpp - insert fences, waits and barriers ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the plan of carousel/Analysis/Sync/SyncPlan.h to each kernel of the
// ring phase: inserts missing synchronisation, and removes ops that order
// nothing. Checks constraints C170 to C173 of docs/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Sync/SyncPlan.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "carousel-insert-async-sync"

namespace carousel {
#define GEN_PASS_DEF_INSERTASYNCSYNC
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

static void emitFault(const SyncFault &fault) {
  InFlightDiagnostic error = fault.at->emitOpError();
  switch (fault.kind) {
  // C170
  case SyncFaultKind::Parted:
    error << "expected all threads of the "
          << stringifyTransferScope(fault.scope)
          << " to pass after the other access to " << fault.buffer
          << ", got both under '" << fault.under->getName() << "'";
    break;
  // C171
  case SyncFaultKind::Roles:
    error << "expected a ring between the roles' accesses to " << fault.buffer
          << ", got none";
    break;
  // C172
  case SyncFaultKind::Scope:
    error << "expected scope " << stringifyTransferScope(fault.scope)
          << " as in what starts the transfer, got "
          << stringifyTransferScope(
                 cast<TransferOpInterface>(fault.at).getScope());
    break;
  // C173
  case SyncFaultKind::Unstructured: {
    Region *region = fault.at->getParentRegion();
    while (region->hasOneBlock())
      region = region->getParentRegion();
    error << "expected structured control flow around ops of the ring phase, "
             "got a region of "
          << region->getBlocks().size() << " blocks";
    break;
  }
  // C184
  case SyncFaultKind::Issuer:
    error << "expected scope cta in carousel.serialize, whose turn the CTA's "
             "issuing thread passes on, got "
          << stringifyTransferScope(
                 cast<TransferOpInterface>(fault.at).getScope());
    error.attachNote(fault.under->getLoc()) << "the turn";
    break;
  }
  if (fault.from)
    error.attachNote(fault.from->getLoc()) << "the other access";
}

static void insert(const SyncStep &step) {
  OpBuilder builder = step.before ? OpBuilder(step.before)
                                  : OpBuilder::atBlockEnd(step.atEndOf);
  Location loc = step.to ? step.to->getLoc() : step.from->getLoc();
  switch (step.kind) {
  case SyncStepKind::WaitStores:
    RingWaitStoresOp::create(builder, loc, step.wait, step.pending, step.scope);
    break;
  case SyncStepKind::FenceShared:
    FenceProxyOp::create(builder, loc, ProxyKind::AsyncSharedCTA);
    break;
  case SyncStepKind::FenceGlobal:
    FenceProxyOp::create(builder, loc, ProxyKind::AsyncGlobal);
    break;
  case SyncStepKind::Sync:
    RingSyncOp::create(builder, loc, step.scope);
    break;
  }
}

static std::string describePlace(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return " at line " + std::to_string(file.getLine());
}

static void emitRemarks(gpu::GPUFuncOp kernel, const SyncPlan &plan) {
  remark::RemarkOpts options = remark::RemarkOpts::name("AsyncSync")
                                   .category("carousel-insert-async-sync")
                                   .function(kernel.getName());
  for (const SyncStep &step : plan.steps) {
    LDBG() << step.from->getLoc() << ": inserted " << describe(step) << " for "
           << step.buffer << ", before "
           << (step.to ? step.to->getLoc() : kernel.getLoc());
    std::string to =
        step.to ? ("'" + step.to->getName().getStringRef() + "'").str() +
                      describePlace(step.to->getLoc())
                : "the end of the kernel";
    remark::passed(step.from->getLoc(), options) << remark::add(
        "{0} inserted: {1} is accessed by '{2}'{3}, then by {4}",
        describe(step), step.buffer, step.from->getName().getStringRef(),
        describePlace(step.from->getLoc()), to);
  }
  for (Operation *op : plan.redundant) {
    LDBG() << op->getLoc() << ": removed " << op->getName();
    remark::passed(op->getLoc(), options)
        << remark::add("'{0}' removed: it orders nothing that isn't ordered",
                       op->getName().getStringRef());
  }
}

namespace {

struct InsertAsyncSync
    : public carousel::impl::InsertAsyncSyncBase<InsertAsyncSync> {
  using InsertAsyncSyncBase::InsertAsyncSyncBase;

  void runOnOperation() override {
    bool refused = false, changed = false;
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (func.isKernel())
        complete(func, refused, changed);
    if (refused)
      return signalPassFailure();
    if (!changed)
      markAllAnalysesPreserved();
  }

  void complete(gpu::GPUFuncOp kernel, bool &refused, bool &changed) {
    SyncPlan plan = planSync(kernel);
    if (plan.fault) {
      emitFault(*plan.fault);
      refused = true;
      return;
    }
    emitRemarks(kernel, plan);
    for (const SyncStep &step : plan.steps) {
      insert(step);
      storeWaits += step.kind == SyncStepKind::WaitStores;
      syncs += step.kind == SyncStepKind::Sync;
      fences += step.kind == SyncStepKind::FenceShared ||
                step.kind == SyncStepKind::FenceGlobal;
    }
    for (Operation *op : plan.redundant)
      op->erase();
    this->removed += plan.redundant.size();
    changed |= !plan.isEmpty();
  }
};

} // namespace
