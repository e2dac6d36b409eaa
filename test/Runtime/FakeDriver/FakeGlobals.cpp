//===- FakeGlobals.cpp - variables of modules, host memory, streams -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module has the variables that the test gives to all modules. Host memory
// has the same address on the device.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

void carousel::fake::setGlobal(std::string_view name, size_t bytes) {
  State &state = State::get();
  Lock lock(state.mutex);
  state.globalBytes[std::string(name)] = bytes;
}

uint64_t carousel::fake::getGlobal(std::string_view name) {
  State &state = State::get();
  Lock lock(state.mutex);
  uint64_t value = 0;
  for (const auto &[key, address] : state.globals)
    if (key.second == name && key.first->loaded)
      std::memcpy(&value, reinterpret_cast<const void *>(address),
                  sizeof(value));
  return value;
}

unsigned carousel::fake::countHostAllocations() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.hostMemory.size();
}

extern "C" {

CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes,
                                   CUmodule module, const char *name) {
  FAKE_ENTER(cuModuleGetGlobal, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!module || !module->loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  auto found = state.globalBytes.find(std::string_view(name));
  if (found == state.globalBytes.end())
    return CUDA_ERROR_NOT_FOUND;
  CUdeviceptr &global = state.globals[{module, name}];
  if (!global) {
    void *memory = std::calloc(1, found->second);
    global = reinterpret_cast<CUdeviceptr>(memory);
    // It goes with the context.
    state.memory[global] = {found->second, module->context};
    state.allocated += found->second;
  }
  *address = global;
  *bytes = found->second;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  FAKE_ENTER(cuMemHostAlloc, Needs::Context);
  State &state = State::get();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  Lock lock(state.mutex);
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *memory = std::malloc(bytes);
  std::memset(*memory, 0xa5, bytes);
  state.hostMemory[*memory] = flags;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *address, void *memory,
                                           unsigned flags) {
  FAKE_ENTER(cuMemHostGetDevicePointer, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  auto found = state.hostMemory.find(memory);
  if (flags != 0 || found == state.hostMemory.end() ||
      !(found->second & CU_MEMHOSTALLOC_DEVICEMAP))
    return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostRegister(void *memory, size_t bytes, unsigned flags) {
  FAKE_ENTER(cuMemHostRegister, Needs::Context);
  State &state = State::get();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  Lock lock(state.mutex);
  if (bytes == 0 || !(flags & CU_MEMHOSTREGISTER_DEVICEMAP) ||
      state.registered.count(memory) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  state.registered[memory] = bytes;
  state.hostMemory[memory] = CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostUnregister(void *memory) {
  FAKE_ENTER(cuMemHostUnregister, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (state.registered.erase(memory) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  state.hostMemory.erase(memory);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFreeHost(void *memory) {
  FAKE_ENTER(cuMemFreeHost, Needs::Context);
  State &state = State::get();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  Lock lock(state.mutex);
  if (state.registered.count(memory) != 0 ||
      state.hostMemory.erase(memory) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::free(memory);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned flags) {
  FAKE_ENTER(cuStreamCreate, Needs::Context);
  if (flags & ~unsigned(CU_STREAM_NON_BLOCKING))
    return CUDA_ERROR_INVALID_VALUE;
  *stream = makeStream();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  FAKE_ENTER(cuStreamDestroy, Needs::Context);
  return stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

} // extern "C"
