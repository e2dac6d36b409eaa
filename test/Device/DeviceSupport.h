//===- DeviceSupport.h - errors and entry points of the driver --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the programs in this folder: a failed call ends the program with
// one line.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_DEVICE_DEVICESUPPORT_H
#define CAROUSEL_TEST_DEVICE_DEVICESUPPORT_H

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

inline void check(CUresult status, const char *what) {
  if (status == CUDA_SUCCESS)
    return;
  const char *text = "unknown error";
  cuGetErrorString(status, &text);
  std::fprintf(stderr, "%s: %s\n", what, text);
  std::exit(1);
}

template <typename Function> Function getDriverFunction(const char *name) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000,
                                         cudaEnableDefault, &found),
        name);
  return reinterpret_cast<Function>(function);
}

#endif // CAROUSEL_TEST_DEVICE_DEVICESUPPORT_H
