//===- ClusterKernels.cpp - kernels whose CTAs form clusters --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ClusterKernels.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/ClusterKernels.h"

#include "carousel/Dialect/IR/CarouselOps.h"

using namespace mlir;
using namespace carousel;

bool carousel::isProgramOfCTA(gpu::GPUFuncOp kernel) {
  auto visit = [](Operation *op) {
    bool namesCTAs = isa<ClusterGatherOp, ClusterArriveOp, ClusterWaitOp,
                         ClusterRankOp, ClusterSizeOp, ClusterMapSharedOp>(op);
    return namesCTAs ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(visit).wasInterrupted();
}

int64_t carousel::countClusterCTAs(gpu::GPUFuncOp kernel) {
  auto launch = kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch);
  return launch ? ShapedType::getNumElements(launch.getCluster()) : 1;
}

int64_t carousel::getMostParts(gpu::GPUFuncOp kernel) {
  auto parts = kernel->getAttrOfType<IntegerAttr>(kPartsAttr);
  return parts ? parts.getInt() : 1;
}
