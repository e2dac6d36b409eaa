//===- BufferizeProgramOps.h - steps for one-shot bufferize -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes upstream's one-shot bufferization lower carousel.launch_kernel and
// carousel.library_matmul: outs are written in place, and read only if the
// kernel reads them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_BUFFERIZEPROGRAMOPS_H
#define CAROUSEL_DIALECT_TRANSFORMS_BUFFERIZEPROGRAMOPS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace carousel {

void registerProgramBufferization(mlir::DialectRegistry &registry);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_BUFFERIZEPROGRAMOPS_H
