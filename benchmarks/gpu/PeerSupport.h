//===- PeerSupport.h - two GPUs that reach each other -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that peer-stores and peer-launches share: errors end the program.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_BENCHMARKS_GPU_PEERSUPPORT_H
#define CAROUSEL_BENCHMARKS_GPU_PEERSUPPORT_H

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace carousel::peer_bench {

inline void require(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

inline void require(CUresult status, const char *what) {
  if (status == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "%s: driver error %d\n", what, status);
  std::exit(1);
}

/// Has GPUs 0 and 1 access each other's memory. One GPU stands for both where
/// there is no other: this tries the program out.
inline int openGPUs() {
  int count = 0;
  require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  count = std::min(count, 2);
  for (int gpu = 0; gpu < count; ++gpu) {
    require(cudaSetDevice(gpu), "cudaSetDevice");
    require(cudaFree(nullptr), "cudaFree");
    if (count == 2)
      require(cudaDeviceEnablePeerAccess(1 - gpu, 0),
              "cudaDeviceEnablePeerAccess");
  }
  return count;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

} // namespace carousel::peer_bench

#endif // CAROUSEL_BENCHMARKS_GPU_PEERSUPPORT_H
