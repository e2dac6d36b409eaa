//===- Expansions.h - passes that both targets share ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes from the machine phase to ops that both NVVM and C++ have. What a
// kernel computes is decided here, once: both targets give the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PIPELINES_EXPANSIONS_H
#define CAROUSEL_PASSES_PIPELINES_EXPANSIONS_H

#include "carousel/Passes/Passes.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace carousel {

struct ExpansionOptions {
  AttachTargetOptions target;
  /// Number the waits, which a bounded wait reports.
  bool assignWaitIds = false;
  /// Verify the machine phase. Kernels of carousel-lower are verified already.
  bool verify = true;
  /// Make LLVM's intrinsics of math that is one PTX instruction.
  bool lowerMath = false;
  /// Make i8 of 8-bit floats. LLVM has no such type; the device headers have.
  bool float8AsBytes = false;
};

/// Adds the expansions to a pass manager of gpu.modules.
void addExpansions(mlir::OpPassManager &gpu, const ExpansionOptions &options);

} // namespace carousel

#endif // CAROUSEL_PASSES_PIPELINES_EXPANSIONS_H
