//===- CarouselOps.td - all ops of the dialect -------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELOPS_TD

include "carousel/Dialect/IR/Attrs/CarouselLaunchAttrs.td"
include "carousel/Dialect/IR/Attrs/CarouselBlockAttrs.td"
include "carousel/Dialect/IR/Attrs/CarouselGroupAttrs.td"
include "carousel/Dialect/IR/Attrs/CarouselPipelineAttrs.td"
include "carousel/Dialect/IR/Attrs/CarouselWaitAttrs.td"
include "carousel/Dialect/IR/Ops/CarouselTileOps.td"
include "carousel/Dialect/IR/Ops/CarouselOrderOps.td"
include "carousel/Dialect/IR/Ops/CarouselRingOps.td"
include "carousel/Dialect/IR/Ops/CarouselMbarrierOps.td"
include "carousel/Dialect/IR/Ops/CarouselBulkOps.td"
include "carousel/Dialect/IR/Ops/CarouselTensorOps.td"
include "carousel/Dialect/IR/Ops/CarouselCpAsyncOps.td"
include "carousel/Dialect/IR/Ops/CarouselFenceOps.td"
include "carousel/Dialect/IR/Ops/CarouselSyncOps.td"
include "carousel/Dialect/IR/Ops/CarouselProgramOps.td"

#endif // CAROUSEL_DIALECT_IR_CAROUSELOPS_TD
