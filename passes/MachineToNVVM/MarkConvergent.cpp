//===- MarkConvergent.cpp - mark functions as convergent ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without the mark, LLVM may duplicate a call into divergent branches, and with
// it the function's barriers and elections. LLVM removes the mark from
// functions that don't need it.
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
