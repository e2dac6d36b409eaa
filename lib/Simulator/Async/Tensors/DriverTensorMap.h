//===- DriverTensorMap.h - the driver's tensor maps -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes the bytes of a CUtensorMap. CUDA doesn't document them: the table of
// fields is what scripts/device/device-tensor-maps derives from 3,465 maps that
// driver 13.0 encoded for an H200.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_DRIVERTENSORMAP_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_DRIVERTENSORMAP_H

#include "SimTensorMap.h"

#include "llvm/ADT/ArrayRef.h"

namespace carousel::sim {

/// Sets `map` to what the bytes say. Returns which bits it can't decode (those
/// of no field, a value that no driver encodes, a field that contradicts those
/// it follows from), or an empty string.
std::string decodeDriverMap(llvm::ArrayRef<uint8_t> bytes, TensorMap &map);

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_TENSORS_DRIVERTENSORMAP_H
