//===- Passes.h - the passes of Carousel ------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creation and registration of the passes that Passes.td declares.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_PASSES_H
#define CAROUSEL_PASSES_PASSES_H

#include "carousel/Dialect/IR/CarouselDialect.h"
#include "carousel/Passes/ContractionOptions.h"
#include "carousel/Passes/OptionalOption.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func
namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace carousel {

/// How `prefer-engine` is written.
template <> struct OptionSyntax<EngineKind> {
  static constexpr llvm::StringLiteral kExpected =
      "tensor, bulk, cp_async or vector";
  static std::optional<EngineKind> parse(llvm::StringRef text) {
    return symbolizeEngineKind(text);
  }
};

#define GEN_PASS_DECL
#include "carousel/Passes/Passes.h.inc"

/// carousel-run-where-present, with the passes that `populate` adds.
std::unique_ptr<mlir::Pass>
createRunWherePresent(llvm::ArrayRef<llvm::StringRef> ops,
                      llvm::function_ref<void(mlir::OpPassManager &)> populate);

#define GEN_PASS_REGISTRATION
#include "carousel/Passes/Passes.h.inc"

} // namespace carousel

#endif // CAROUSEL_PASSES_PASSES_H
