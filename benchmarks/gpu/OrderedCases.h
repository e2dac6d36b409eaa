//===- OrderedCases.h - kernels whose CTAs take turns -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of a package with device memory for each of its arguments, named as
// the package names them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_BENCHMARKS_GPU_ORDEREDCASES_H
#define CAROUSEL_BENCHMARKS_GPU_ORDEREDCASES_H

#include "GPUSupport.h"

#include <map>
#include <memory>
#include <vector>

namespace carousel::gpu_test {

/// Values in [-1, 1) of f32, f16 or bf16, the same for a seed on every machine;
/// of integers all bits.
void fillNumbers(Memory &memory, runtime::ElementType element, uint64_t seed);

class OrderedCase {
public:
  OrderedCase(const std::string &package, const std::string &kernel,
              const runtime::LoadOptions &options = {});

  /// An argument's memory: numbers of a seed, or zeros without one.
  Memory &tensor(const std::string &name, runtime::ElementType element,
                 std::vector<int64_t> extents, uint64_t seed = 0);
  void scalar(const std::string &name, int64_t value);
  Memory &memory(const std::string &name) { return *tensors.at(name).memory; }

  void launch();
  const std::string &getName() const { return name; }

private:
  struct Tensor {
    runtime::ElementType element;
    std::vector<int64_t> extents;
    std::unique_ptr<Memory> memory;
  };
  std::string name;
  runtime::Kernel kernel;
  std::map<std::string, Tensor> tensors;
  std::map<std::string, int64_t> scalars;
  std::vector<runtime::Argument> arguments;
};

/// Bytes in which two buffers of one size differ, without waiting: they are
/// added to `count`.
void countDifferences(const Memory &lhs, const Memory &rhs,
                      unsigned long long *count);

/// The milliseconds of each of `rounds` runs of `work`, each behind `before`,
/// which isn't timed.
template <typename Before, typename Work>
std::vector<float> time(int rounds, Before before, Work work) {
  std::vector<float> milliseconds;
  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin), "event");
  require(cudaEventCreate(&end), "event");
  for (int round = 0; round < rounds; ++round) {
    before();
    require(cudaEventRecord(begin), "event");
    work();
    require(cudaEventRecord(end), "event");
    require(cudaEventSynchronize(end), "timing");
    float taken;
    require(cudaEventElapsedTime(&taken, begin, end), "timing");
    milliseconds.push_back(taken);
  }
  require(cudaEventDestroy(begin), "event");
  require(cudaEventDestroy(end), "event");
  return milliseconds;
}

/// In microseconds.
float median(std::vector<float> milliseconds);

/// Keeps the device busy until the host has queued what is timed.
void keepBusy();

} // namespace carousel::gpu_test

#endif // CAROUSEL_BENCHMARKS_GPU_ORDEREDCASES_H
