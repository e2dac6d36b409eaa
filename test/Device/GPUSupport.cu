//===- GPUSupport.cu - what the tests on a device share -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUSupport.h"

using namespace carousel;
using namespace carousel::gpu_test;

namespace {

constexpr unsigned kBlocks = 1024, kThreads = 256;

__device__ uint64_t mix(uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdull;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ull;
  return value ^ value >> 33;
}

__device__ uint8_t makeByte(size_t index, uint64_t seed) {
  return static_cast<uint8_t>(mix(index + seed));
}

__global__ void fillRandomBytes(uint8_t *data, size_t bytes, uint64_t seed) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < bytes; i += step)
    data[i] = makeByte(i, seed);
}

/// From `first` to `last`, the rows beginning at 0. What is wanted is made again, not read: a kernel
/// may have overwritten its source.
__global__ void countWrongBytes(uint64_t seed, const uint8_t *got, long long first, long long last,
                                size_t rows, size_t rowBytes, size_t pitch,
                                unsigned long long *wrong) {
  long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (long long i = first + blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
       i < last; i += step) {
    bool inside = i >= 0 && pitch != 0 && i / pitch < rows && i % pitch < rowBytes;
    mine += got[i] != (inside ? makeByte(i, seed) : kCanary);
  }
  if (mine != 0)
    atomicAdd(wrong, mine);
}

std::string packages = ".";

} // namespace

Memory::Memory(size_t bytes, size_t shift) : bytes(bytes), shift(shift) {
  require(cudaMalloc(&base, bytes + shift + 2 * kMargin), "cudaMalloc");
  fillCanary();
}

Memory::~Memory() { cudaFree(base); }

void Memory::fillRandom(uint64_t newSeed) {
  seed = newSeed;
  fillRandomBytes<<<kBlocks, kThreads>>>(data(), bytes, seed);
  require(cudaGetLastError(), "fill");
}

void Memory::fillCanary() {
  require(cudaMemset(base, kCanary, bytes + shift + 2 * kMargin), "cudaMemset");
}

void Memory::fillZero() { require(cudaMemset(data(), 0, bytes), "cudaMemset"); }

unsigned long long Memory::countWrong(const Memory &other, size_t rows, size_t rowBytes,
                                      size_t pitch) const {
  unsigned long long *wrong, result;
  require(cudaMalloc(&wrong, sizeof(*wrong)), "cudaMalloc");
  require(cudaMemset(wrong, 0, sizeof(*wrong)), "cudaMemset");
  countWrongBytes<<<kBlocks, kThreads>>>(other.seed, data(), -static_cast<long long>(kMargin),
                                         static_cast<long long>(bytes + kMargin), rows, rowBytes,
                                         pitch, wrong);
  require(cudaGetLastError(), "compare");
  require(cudaMemcpy(&result, wrong, sizeof(result), cudaMemcpyDeviceToHost), "compare");
  cudaFree(wrong);
  return result;
}

const runtime::Context &gpu_test::context() {
  static runtime::Context value = require(runtime::Context::create());
  return value;
}

runtime::Package gpu_test::openPackage(const std::string &name) {
  return require(runtime::Package::open(packages + "/" + name));
}

void gpu_test::setPackages(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s PACKAGES (the directory that benchmarks/gpu/pack made)\n",
                 argv[0]);
    std::exit(2);
  }
  packages = argv[1];
}
