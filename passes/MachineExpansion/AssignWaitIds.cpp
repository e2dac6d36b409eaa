//===- AssignWaitIds.cpp - assign numbers to waits ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts a number into the label of each wait of a module. Copies of a wait that
// later passes make keep its number. So a module that is lowered for several
// chips has one table of waits.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace carousel {
#define GEN_PASS_DEF_ASSIGNWAITIDS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

/// Names what a wait without a label waits for.
static std::string getDefaultName(LabelledWaitOpInterface wait) {
  if (auto name = dyn_cast<NameLoc>(wait.getAwaited().getLoc()))
    if (!name.getName().empty())
      return name.getName().str();
  return wait.getPhase() == WaitPhase::Turn ? "semaphore" : "barrier";
}

/// C180: what has a number already has one of its own, or is a copy of another
/// wait: the table of waits would name one for both.
static LogicalResult verifyNumbers(Operation *module) {
  llvm::DenseMap<uint32_t, LabelledWaitOpInterface> waits;
  auto getPlace = [](LabelledWaitOpInterface wait) {
    return std::make_tuple(
        wait.getLabelAttr(), wait.getPhase(),
        wait->getParentOfType<FunctionOpInterface>().getOperation(),
        wait->getLoc()->findInstanceOf<FileLineColLoc>());
  };
  WalkResult result = module->walk([&](LabelledWaitOpInterface wait) {
    WaitLabelAttr label = wait.getLabelAttr();
    if (!label || !label.getNumber())
      return WalkResult::advance();
    auto [entry, isNew] = waits.try_emplace(*label.getNumber(), wait);
    if (isNew || getPlace(entry->second) == getPlace(wait))
      return WalkResult::advance();
    InFlightDiagnostic error =
        wait->emitOpError("expected waits with different numbers, got ")
        << *label.getNumber() << " twice";
    error.attachNote(entry->second->getLoc()) << "the other wait";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct AssignWaitIds : public carousel::impl::AssignWaitIdsBase<AssignWaitIds> {
  void runOnOperation() override {
    if (failed(verifyNumbers(getOperation())))
      return signalPassFailure();
    uint32_t next = 0;
    getOperation().walk([&](LabelledWaitOpInterface wait) {
      WaitLabelAttr label = wait.getLabelAttr();
      if (label && label.getNumber())
        next = std::max(next, *label.getNumber() + 1);
    });
    getOperation().walk([&](LabelledWaitOpInterface wait) {
      WaitLabelAttr label = wait.getLabelAttr();
      if (label && label.getNumber())
        return;
      std::string name =
          label ? label.getBarrier().str() : getDefaultName(wait);
      WaitRole role = label ? label.getRole() : WaitRole::All;
      wait.setLabelAttr(WaitLabelAttr::get(&getContext(), name, role, next++));
    });
  }
};

} // namespace
