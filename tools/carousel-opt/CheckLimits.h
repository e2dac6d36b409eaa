//===- CheckLimits.h - a check before all passes ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_OPT_CHECKLIMITS_H
#define CAROUSEL_TOOLS_OPT_CHECKLIMITS_H

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace carousel {

/// The same run of mlir-opt, which begins with verifyLimits
/// (carousel/Dialect/Transforms/VerifyLimits.h). `config` must outlive it.
mlir::MlirOptMainConfig checkLimitsFirst(const mlir::MlirOptMainConfig &config);

} // namespace carousel

#endif // CAROUSEL_TOOLS_OPT_CHECKLIMITS_H
