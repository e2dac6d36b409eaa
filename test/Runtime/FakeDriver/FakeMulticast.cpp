//===- FakeMulticast.cpp - multicast objects ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object is physical memory of its own: nothing is sent anywhere. The calls
// are recorded, and those out of order are refused.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

extern "C" {

CUresult CUDAAPI cuMulticastGetGranularity(
    size_t *granularity, const CUmulticastObjectProp *properties,
    CUmulticastGranularity_flags option) {
  FAKE_ENTER(cuMulticastGetGranularity, Needs::Driver);
  *granularity = 65536;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMulticastCreate(CUmemGenericAllocationHandle *handle,
                                   const CUmulticastObjectProp *properties) {
  FAKE_ENTER(cuMulticastCreate, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (properties->size == 0 || properties->size % 65536 != 0 ||
      properties->numDevices < 1)
    return CUDA_ERROR_INVALID_VALUE;
  Physical memory;
  memory.file = ::memfd_create("fake-multicast", MFD_CLOEXEC);
  if (memory.file < 0 || ::ftruncate(memory.file, off_t(properties->size)) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memory.bytes = properties->size;
  memory.types =
      static_cast<CUmemAllocationHandleType>(properties->handleTypes);
  memory.isMulticast = true;
  memory.devicesLeft = static_cast<int>(properties->numDevices);
  *handle = ++state.lastHandle;
  state.physical[*handle] = memory;
  state.multicasts.push_back("create " +
                             std::to_string(properties->numDevices));
  return CUDA_SUCCESS;
}

/// Null where the handle isn't that of an object. The lock must be held.
static Physical *find(State &state, CUmemGenericAllocationHandle handle) {
  auto found = state.physical.find(handle);
  bool isObject = found != state.physical.end() && found->second.isMulticast;
  return isObject ? &found->second : nullptr;
}

CUresult CUDAAPI cuMulticastAddDevice(CUmemGenericAllocationHandle handle,
                                      CUdevice device) {
  FAKE_ENTER(cuMulticastAddDevice, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  Physical *object = find(state, handle);
  if (!object || object->devicesLeft == 0)
    return CUDA_ERROR_INVALID_VALUE;
  --object->devicesLeft;
  state.multicasts.push_back("add " + std::to_string(device));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMulticastBindAddr(CUmemGenericAllocationHandle handle,
                                     size_t offset, CUdeviceptr address,
                                     size_t bytes, unsigned long long flags) {
  FAKE_ENTER(cuMulticastBindAddr, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  Physical *object = find(state, handle);
  // All devices must be there first.
  if (!object || object->devicesLeft != 0 || !isInside(state, address, bytes) ||
      offset + bytes > object->bytes)
    return CUDA_ERROR_INVALID_VALUE;
  state.multicasts.push_back("bind " +
                             std::to_string(currentContext()->device));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMulticastUnbind(CUmemGenericAllocationHandle handle,
                                   CUdevice device, size_t offset,
                                   size_t bytes) {
  FAKE_ENTER(cuMulticastUnbind, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!find(state, handle))
    return CUDA_ERROR_INVALID_VALUE;
  state.multicasts.push_back("unbind " + std::to_string(device));
  return CUDA_SUCCESS;
}

} // extern "C"
