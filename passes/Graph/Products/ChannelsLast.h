//===- ChannelsLast.h - images with their channels last ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the tensors of a graph that are images of convolutions.
// docs/GraphPhase.md, Convolutions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_PRODUCTS_CHANNELSLAST_H
#define CAROUSEL_PASSES_GRAPH_PRODUCTS_CHANNELSLAST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace carousel {

/// Where convolutions have channels before pixels: all tensors that ops compute
/// of their results, pixel by pixel, get their channels last. Arguments and
/// results of the function stay.
void putChannelsLast(mlir::func::FuncOp func);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_PRODUCTS_CHANNELSLAST_H
