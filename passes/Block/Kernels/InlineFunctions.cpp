//===- InlineFunctions.cpp - functions of vectors into kernels ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inlines the calls of block programs, so that the passes after it see kernels
// without calls.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/Transforms/InlineBodies.h"

#include "carousel/Passes/Passes.h"

namespace carousel {
#define GEN_PASS_DEF_INLINEFUNCTIONS
#include "carousel/Passes/Passes.h.inc"
} // namespace carousel

using namespace mlir;
using namespace carousel;

namespace {

struct InlineFunctions
    : public carousel::impl::InlineFunctionsBase<InlineFunctions> {
  void runOnOperation() override {
    FailureOr<unsigned> count = inlineFunctions(getOperation());
    if (failed(count))
      return signalPassFailure();
    inlined += *count;
    if (*count == 0)
      markAllAnalysesPreserved();
  }
};

} // namespace
