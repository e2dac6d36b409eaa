//===- EngineCosts.cpp - costs of transfers on a chip ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/EngineCosts.h"

using namespace carousel;

/// Chosen such that the engine that was faster on an H200 costs less.
static constexpr EngineCosts kH200 = {
    /*tensorUse=*/8,          /*bulkUse=*/13,
    /*cpAsyncUse=*/8,         /*vectorLoadUse=*/64,
    /*vectorStoreUse=*/4,     /*tensorCopy=*/4,
    /*bulkCopy=*/4,           /*bulkDimension=*/2,
    /*bulkFillPieces=*/5,     /*bulkFillMost=*/160,
    /*cpAsyncPieces=*/8,      /*vectorLoadPieces=*/12,
    /*vectorStorePieces=*/10, /*requestBytes=*/128,
    /*requestsPerSlot=*/4,
};

const EngineCosts &carousel::getEngineCosts(const TargetInfo &info) {
  // No other chip has been measured.
  return kH200;
}
