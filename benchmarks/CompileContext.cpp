//===- CompileContext.cpp - what compile benchmarks share -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileContext.h"

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Target/EmitPTX.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

MLIRContext &carousel::benchmarks::getContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registry.insert<carousel::CarouselDialect>();
    registerAllDialects(registry);
    registerAllExtensions(registry);
    carousel::registerPTXTranslations(registry);
    auto *made = new MLIRContext(registry);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *context;
}

OwningOpRef<ModuleOp> carousel::benchmarks::parse(const std::string &text) {
  return parseSourceString<ModuleOp>(
      text, ParserConfig(&getContext(), /*verify=*/false));
}
