//===- MarkConvergent.cpp - functions that barriers may be in -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks every function as convergent. Without it LLVM may duplicate a call into
// divergent branches, and with it the barriers and elections of the function.
// LLVM takes the mark off where nothing in the function needs it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Passes/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace carousel {
#define GEN_PASS_DEF_MARKCONVERGENT
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct MarkConvergent
    : public carousel::impl::MarkConvergentBase<MarkConvergent> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>())
      func.setConvergent(true);
  }
};

} // namespace
