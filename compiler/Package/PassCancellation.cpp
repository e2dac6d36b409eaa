//===- PassCancellation.cpp - an early end of passes ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PassCancellation.h. Only passes are left out: patterns of a pass whose
// other patterns ran may leave what it doesn't expect.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/PassCancellation.h"

#include "mlir/IR/Action.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace carousel;

PassCancellation::PassCancellation(MLIRContext *context,
                                   std::function<bool()> isCancelled)
    : context(isCancelled ? context : nullptr) {
  if (this->context)
    context->registerActionHandler(
        [isCancelled = std::move(isCancelled)](llvm::function_ref<void()> run,
                                               const tracing::Action &action) {
          if (!isa<PassExecutionAction>(action) || !isCancelled())
            run();
        });
}

PassCancellation::~PassCancellation() {
  if (context)
    context->registerActionHandler(nullptr);
}
