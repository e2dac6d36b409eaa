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

static MLIRContext *makeContext(MLIRContext::Threading threading) {
  DialectRegistry registry;
  registry.insert<carousel::CarouselDialect>();
  registerAllDialects(registry);
  registerAllExtensions(registry);
  carousel::registerPTXTranslations(registry);
  auto *made = new MLIRContext(registry, threading);
  made->loadAllAvailableDialects();
  return made;
}

MLIRContext &carousel::benchmarks::getContext(Threads threads) {
  if (threads == Threads::One) {
    static MLIRContext *context = makeContext(MLIRContext::Threading::DISABLED);
    return *context;
  }
  static MLIRContext *context = makeContext(MLIRContext::Threading::ENABLED);
  return *context;
}

OwningOpRef<ModuleOp> carousel::benchmarks::parse(const std::string &text,
                                                  Threads threads) {
  return parseSourceString<ModuleOp>(
      text, ParserConfig(&getContext(threads), /*verify=*/false));
}
