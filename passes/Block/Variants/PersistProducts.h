//===- PersistProducts.h - CTAs that go through tiles -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose programs multiply tiles by warpgroups becomes one whose CTAs
// go through programs in a loop. Producers then load the next program's tiles
// while consumers write the results of this one. The order of the programs lets
// those that run together share rows and columns in the L2. With multicast on
// the products' loop, programs of neighbouring rows are those of a cluster.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_VARIANTS_PERSISTPRODUCTS_H
#define CAROUSEL_PASSES_BLOCK_VARIANTS_PERSISTPRODUCTS_H

#include "carousel/Analysis/Layouts/AnchorLayouts.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace carousel {

/// For a kernel with products by warpgroups of `threads` and with a grid that
/// it can compute. Others stay as they are. Returns whether it has a loop now.
bool persistProducts(mlir::gpu::GPUFuncOp kernel, ThreadBits threads,
                     const ChipModel &chip);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_VARIANTS_PERSISTPRODUCTS_H
