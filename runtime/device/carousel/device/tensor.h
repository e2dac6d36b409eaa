//===- tensor.h - cp.async.bulk.tensor --------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of boxes of a tensor that a tensor map describes: tensor_load,
// tensor_prefetch, tensor_store, tensor_reduce.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_TENSOR_H
#define CAROUSEL_DEVICE_TENSOR_H

#include <carousel/device/parts/tensor_load.h>
#include <carousel/device/parts/tensor_prefetch.h>
#include <carousel/device/parts/tensor_reduce.h>
#include <carousel/device/parts/tensor_store.h>

#endif // CAROUSEL_DEVICE_TENSOR_H
