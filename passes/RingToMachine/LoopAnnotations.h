//===- LoopAnnotations.h - unrolling of loops -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forbids the unrolling of a loop with MLIR's `llvm.loop_annotation`. The EmitC
// stage turns it into a pragma, because NVRTC unrolls loops that LLVM doesn't.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_LOOPANNOTATIONS_H
#define CAROUSEL_PASSES_RINGTOMACHINE_LOOPANNOTATIONS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace carousel {

inline constexpr llvm::StringLiteral kLoopAnnotation{"llvm.loop_annotation"};

inline void forbidUnrolling(mlir::Operation *loop) {
  mlir::MLIRContext *context = loop->getContext();
  auto unroll = mlir::LLVM::LoopUnrollAttr::get(
      context, /*disable=*/mlir::BoolAttr::get(context, true), {}, {}, {}, {},
      {}, {});
  loop->setDiscardableAttr(
      kLoopAnnotation,
      mlir::LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {},
                                          {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

inline bool forbidsUnrolling(mlir::Operation *loop) {
  auto annotation =
      loop->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>(kLoopAnnotation);
  mlir::LLVM::LoopUnrollAttr unroll =
      annotation ? annotation.getUnroll() : nullptr;
  return unroll && unroll.getDisable() && unroll.getDisable().getValue();
}

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_LOOPANNOTATIONS_H
