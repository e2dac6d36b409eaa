//===- bulk.h - cp.async.bulk and cp.reduce.async.bulk ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies and reductions of consecutive bytes: bulk_load, bulk_prefetch,
// bulk_store, bulk_copy_cluster; bulk_reduce, bulk_reduce_cluster.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_BULK_H
#define CAROUSEL_DEVICE_BULK_H

#include <carousel/device/parts/bulk_copy.h>
#include <carousel/device/parts/bulk_reduce.h>

#endif // CAROUSEL_DEVICE_BULK_H
