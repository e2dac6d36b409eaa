//===- ConvolutionForms.h - convolutions as kernels have them ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form of convolutions. docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_CONVOLUTIONFORMS_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_CONVOLUTIONFORMS_H

#include "../Reading/ReadConvolution.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Whether a convolution reads one element of each channel for a pixel, and
/// every pixel once: a product.
bool isPlainConvolution(mlir::linalg::LinalgOp op);

/// Lets convolutions have their channels last, and images whose extents are
/// multiples of strides. With `widens` they add in f32 at least; returns how
/// many of them didn't before.
unsigned orderConvolutions(mlir::func::FuncOp func, bool widens);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_CONVOLUTIONFORMS_H
