//===- device.h - all device headers ----------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes all device headers. docs/DeviceHeaders.md lists the compilation time
// of each.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DEVICE_DEVICE_H
#define CAROUSEL_DEVICE_DEVICE_H

#include <carousel/device/async_values.h>
#include <carousel/device/bulk.h>
#include <carousel/device/cache.h>
#include <carousel/device/cluster.h>
#include <carousel/device/cp_async.h>
#include <carousel/device/elect.h>
#include <carousel/device/fence.h>
#include <carousel/device/float16.h>
#include <carousel/device/float8.h>
#include <carousel/device/grid_dependency.h>
#include <carousel/device/grid_serial.h>
#include <carousel/device/group.h>
#include <carousel/device/math.h>
#include <carousel/device/matrix.h>
#include <carousel/device/mbarrier.h>
#include <carousel/device/multimem.h>
#include <carousel/device/signal.h>
#include <carousel/device/tensor.h>
#include <carousel/device/tensor_map.h>
#include <carousel/device/vector.h>
#include <carousel/device/vector_reduce.h>
#include <carousel/device/wgmma.h>

#endif // CAROUSEL_DEVICE_DEVICE_H
