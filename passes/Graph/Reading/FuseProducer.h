//===- FuseProducer.h - an op with what computes its operand ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's fusion of elementwise ops, for one operand that may have other
// users.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_READING_FUSEPRODUCER_H
#define CAROUSEL_PASSES_GRAPH_READING_FUSEPRODUCER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace carousel {

/// An op behind \p op that computes its input itself. Users still have the
/// results of \p op. Failure if upstream doesn't fuse the two.
mlir::FailureOr<mlir::linalg::GenericOp>
fuseProducer(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
             mlir::OpOperand &input);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_READING_FUSEPRODUCER_H
