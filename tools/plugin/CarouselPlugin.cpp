//===- CarouselPlugin.cpp - Carousel as a plugin of mlir-opt --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entry points for `mlir-opt --load-dialect-plugin` and `--load-pass-plugin`.
// MLIR comes from the host's shared library, so the process has one copy of it.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/Passes.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/EmitPTX.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static constexpr const char *kName = "Carousel";

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, CAROUSEL_VERSION,
          [](mlir::DialectRegistry *registry) {
            registry->insert<carousel::CarouselDialect>();
            carousel::registerPTXTranslations(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, CAROUSEL_VERSION, [] {
            carousel::registerCarouselPasses();
            carousel::registerPipelines();
          }};
}
