//===- GPUSupport.h - shared parts of tests on a device ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory with random contents and a canary after its end, compared on
// the device; the context and the package given to the programs. nvcc compiles
// the kernels that fill and compare, so no code under test checks itself.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_DEVICE_GPUSUPPORT_H
#define CAROUSEL_TEST_DEVICE_GPUSUPPORT_H

#include "carousel/Runtime/Kernel.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace carousel::gpu_test {

inline void require(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

/// The value, or the end of the program with the error's text.
template <typename T> T require(runtime::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  return std::move(*result);
}

inline constexpr uint8_t kCanary = 0xa5;

/// `bytes` of device memory between canaries; `shift` bytes beyond an address
/// that is a multiple of 256.
class Memory {
public:
  Memory(size_t bytes, size_t shift = 0);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(data()); }
  uint8_t *data() const { return base + kMargin + shift; }
  size_t size() const { return bytes; }

  void fillRandom(uint64_t seed);
  void fillCanary();
  void fillZero();
  /// Bytes that differ from those that `other` was filled with by fillRandom,
  /// whatever it holds now, row by row (a flat buffer is one row), plus bytes
  /// outside of the rows that are no canaries any more.
  unsigned long long countWrong(const Memory &other, size_t rows,
                                size_t rowBytes, size_t pitch) const;
  unsigned long long countWrong(const Memory &other) const {
    return countWrong(other, 1, bytes, bytes);
  }

private:
  static constexpr size_t kMargin = 4096;
  uint8_t *base = nullptr;
  size_t bytes, shift;
  uint64_t seed = 0;
};

/// The context and package of the program; made at the first use.
const runtime::Context &context();
/// A package by its name in the directory that the command line gave.
runtime::Package openPackage(const std::string &name);
/// Takes the directory of packages from the command line.
void setPackages(int argc, char **argv);

} // namespace carousel::gpu_test

#endif // CAROUSEL_TEST_DEVICE_GPUSUPPORT_H
