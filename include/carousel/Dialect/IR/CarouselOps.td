//===- CarouselOps.td - all ops of the dialect -------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELOPS_TD

include "carousel/Dialect/IR/CarouselLaunchAttrs.td"
include "carousel/Dialect/IR/CarouselBlockAttrs.td"
include "carousel/Dialect/IR/CarouselPipelineAttrs.td"
include "carousel/Dialect/IR/CarouselWaitAttrs.td"
include "carousel/Dialect/IR/CarouselTileOps.td"
include "carousel/Dialect/IR/CarouselOrderOps.td"
include "carousel/Dialect/IR/CarouselRingOps.td"
include "carousel/Dialect/IR/CarouselMbarrierOps.td"
include "carousel/Dialect/IR/CarouselBulkOps.td"
include "carousel/Dialect/IR/CarouselTensorOps.td"
include "carousel/Dialect/IR/CarouselCpAsyncOps.td"
include "carousel/Dialect/IR/CarouselFenceOps.td"
include "carousel/Dialect/IR/CarouselSyncOps.td"
include "carousel/Dialect/IR/CarouselProgramOps.td"

#endif // CAROUSEL_DIALECT_IR_CAROUSELOPS_TD
