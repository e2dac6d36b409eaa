//===- Register.h - registers all that tools need ---------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers Carousel's dialect, passes and pipelines, and upstream's dialects,
// extensions and passes, for tools.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_REGISTER_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_REGISTER_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Dialect/Transforms/BufferizeProgramOps.h"
#include "carousel/Target/EmitPTX.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

namespace carousel {

inline void registerToolDialects(mlir::DialectRegistry &registry) {
  registry.insert<CarouselDialect>();
  registerProgramBufferization(registry);
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerPTXTranslations(registry);
}

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_REGISTER_H
