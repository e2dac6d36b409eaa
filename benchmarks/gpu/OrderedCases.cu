//===- OrderedCases.cu - kernels whose CTAs take turns --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderedCases.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

using namespace carousel;
using namespace carousel::gpu_test;
using runtime::Argument;
using runtime::ElementType;

namespace {

__device__ uint32_t mix(uint64_t number) {
  number = (number ^ (number >> 33)) * 0xff51afd7ed558ccdull;
  number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return static_cast<uint32_t>(number ^ (number >> 33));
}

template <typename T> __device__ T convert(uint32_t bits) {
  return T(static_cast<float>(static_cast<int32_t>(bits)) / 2147483648.0f);
}
template <> __device__ uint32_t convert<uint32_t>(uint32_t bits) {
  return bits;
}

template <typename T>
__global__ void fill(T *data, size_t count, uint64_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    data[i] = convert<T>(mix(i + (seed << 40)));
}

template <typename T> void fillAs(Memory &memory, uint64_t seed) {
  fill<<<1024, 256>>>(reinterpret_cast<T *>(memory.data()),
                      memory.size() / sizeof(T), seed);
  require(cudaGetLastError(), "fill");
}

__global__ void compare(const uint8_t *lhs, const uint8_t *rhs, size_t bytes,
                        unsigned long long *count) {
  unsigned long long mine = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < bytes;
       i += size_t(gridDim.x) * blockDim.x)
    mine += lhs[i] != rhs[i];
  if (mine != 0)
    atomicAdd(count, mine);
}

/// Long enough for the host to queue a launch and its events.
__global__ void wait() {
  for (int i = 0; i < 20; ++i)
    __nanosleep(1000);
}

} // namespace

void gpu_test::fillNumbers(Memory &memory, ElementType element, uint64_t seed) {
  if (element == ElementType::F32)
    fillAs<float>(memory, seed);
  else if (element == ElementType::F16)
    fillAs<__half>(memory, seed);
  else if (element == ElementType::BF16)
    fillAs<__nv_bfloat16>(memory, seed);
  else
    fillAs<uint32_t>(memory, seed);
}

OrderedCase::OrderedCase(const std::string &package, const std::string &kernel,
                         const runtime::LoadOptions &options)
    : name(kernel), kernel(require(runtime::Kernel::get(
                        context(), openPackage(package), kernel, options))) {}

Memory &OrderedCase::tensor(const std::string &name, ElementType element,
                            std::vector<int64_t> extents, uint64_t seed) {
  size_t bytes = runtime::getBytes(element);
  for (int64_t extent : extents)
    bytes *= extent;
  Tensor &tensor = tensors[name];
  tensor.element = element;
  tensor.extents = std::move(extents);
  tensor.memory = std::make_unique<Memory>(bytes);
  arguments.clear();
  if (seed == 0)
    tensor.memory->fillZero();
  else
    fillNumbers(*tensor.memory, element, seed);
  return *tensor.memory;
}

void OrderedCase::scalar(const std::string &name, int64_t value) {
  scalars[name] = value;
  arguments.clear();
}

void OrderedCase::launch() {
  if (arguments.empty())
    for (const runtime::ArgumentInfo &info : kernel.getInfo().arguments) {
      if (info.kind == runtime::ArgumentInfo::Kind::Workspace)
        continue;
      auto scalar = scalars.find(info.name);
      if (scalar != scalars.end()) {
        arguments.push_back(Argument::index(scalar->second));
        continue;
      }
      auto tensor = tensors.find(info.name);
      if (tensor == tensors.end()) {
        std::fprintf(stderr, "%s: no memory for argument '%s'\n", name.c_str(),
                     info.name.c_str());
        std::exit(1);
      }
      const Tensor &found = tensor->second;
      arguments.push_back(
          Argument::tensor(found.element, found.memory->address(),
                           found.extents.size(), found.extents.data()));
    }
  runtime::Status status = kernel.launch(arguments.data(), arguments.size());
  if (!status) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(),
                 status.error().message.c_str());
    std::exit(1);
  }
}

void gpu_test::countDifferences(const Memory &lhs, const Memory &rhs,
                                unsigned long long *count) {
  int blocks = static_cast<int>(std::min<size_t>(264, lhs.size() / 256 + 1));
  compare<<<blocks, 256>>>(lhs.data(), rhs.data(), lhs.size(), count);
  require(cudaGetLastError(), "compare");
}

float gpu_test::median(std::vector<float> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  return 1e3f * milliseconds[milliseconds.size() / 2];
}

void gpu_test::keepBusy() {
  wait<<<1, 1>>>();
  require(cudaGetLastError(), "wait");
}
