//===- BufferizeLaunches.h - launches for one-shot bufferize ----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes upstream's one-shot bufferization lower carousel.launch_kernel: outs
// are written in place, and read only if the kernel reads them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_TRANSFORMS_BUFFERIZELAUNCHES_H
#define CAROUSEL_DIALECT_TRANSFORMS_BUFFERIZELAUNCHES_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace carousel {

void registerLaunchBufferization(mlir::DialectRegistry &registry);

} // namespace carousel

#endif // CAROUSEL_DIALECT_TRANSFORMS_BUFFERIZELAUNCHES_H
