//===- FakeDevice.cpp - devices, contexts, streams, events ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All work on a stream is complete when the call returns; the clock of events
// counts launches.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>
#include <utility>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

const Device *carousel::fake::findDevice(State &state, int ordinal) {
  bool found = ordinal >= 0 && size_t(ordinal) < state.devices.size();
  return found ? &state.devices[ordinal] : nullptr;
}

extern "C" {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

CUresult CUDAAPI cuGetErrorName(CUresult error, const char **text) {
  FAKE_ENTER(cuGetErrorName, Needs::Nothing);
  switch (error) {
#define FAKE_ERROR(code, string)                                               \
  case code:                                                                   \
    *text = #code;                                                             \
    return CUDA_SUCCESS;
#include "FakeErrors.def"
  default:
    *text = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text) {
  FAKE_ENTER(cuGetErrorString, Needs::Nothing);
  switch (error) {
#define FAKE_ERROR(code, string)                                               \
  case code:                                                                   \
    *text = string;                                                            \
    return CUDA_SUCCESS;
#include "FakeErrors.def"
  default:
    *text = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
  }
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

CUresult CUDAAPI cuInit(unsigned flags) {
  FAKE_ENTER(cuInit, Needs::Nothing);
  State &state = State::get();
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const char *kernels = std::getenv("CAROUSEL_FAKE_DRIVER_KERNELS");
  if (kernels && std::string_view(kernels) == "1" && !state.anyFunction)
    installKernels();
  Lock lock(state.mutex);
  // For programs under test.
  if (const char *count = std::getenv("CAROUSEL_FAKE_DRIVER_DEVICES");
      count && !state.initialized)
    state.devices.assign(std::strtoul(count, nullptr, 10), Device());
  if (state.devices.empty())
    return CUDA_ERROR_NO_DEVICE;
  state.initialized = true;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int *version) {
  FAKE_ENTER(cuDriverGetVersion, Needs::Nothing);
  *version = State::get().driverVersion;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int *count) {
  FAKE_ENTER(cuDeviceGetCount, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  *count = static_cast<int>(state.devices.size());
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal) {
  FAKE_ENTER(cuDeviceGet, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!findDevice(state, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetName(char *name, int length, CUdevice ordinal) {
  FAKE_ENTER(cuDeviceGetName, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  const Device *device = findDevice(state, ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::strncpy(name, device->name.c_str(), length);
  name[length - 1] = '\0';
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                      CUdevice ordinal) {
  FAKE_ENTER(cuDeviceGetAttribute, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  const Device *device = findDevice(state, ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  auto found = device->attributes.find(attribute);
  if (found != device->attributes.end()) {
    *value = found->second;
    return CUDA_SUCCESS;
  }
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = device->major;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = device->minor;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = device->multiprocessors;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    *value = device->sharedPerBlock;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = device->sharedPerBlockOptin;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    *value = device->l2Bytes;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = 1024;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    *value = 32;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
    *value = device->major >= 9;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  FAKE_ENTER(cuDevicePrimaryCtxRetain, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!findDevice(state, device))
    return CUDA_ERROR_INVALID_DEVICE;
  *context = &state.contexts[device];
  ++(*context)->retains;
  (*context)->active = true;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
  FAKE_ENTER(cuDevicePrimaryCtxRelease, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!findDevice(state, device))
    return CUDA_ERROR_INVALID_DEVICE;
  CUctx_st &context = state.contexts[device];
  if (context.retains == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--context.retains > 0)
    return CUDA_SUCCESS;
  // As the driver does: what is in the context goes with it, but a kernel's
  // error stays in the process.
  context.active = false;
  releaseMemory(state, &context);
  for (CUmod_st &module : state.modules)
    if (module.context == &context)
      module.loaded = false;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context) {
  FAKE_ENTER(cuCtxGetCurrent, Needs::Driver);
  *context = currentContext();
  return CUDA_SUCCESS;
}

/// Replaces the top of the stack, or takes it off.
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  FAKE_ENTER(cuCtxSetCurrent, Needs::Driver);
  if (context && !context->active)
    return CUDA_ERROR_INVALID_CONTEXT;
  popContext();
  if (!context)
    return CUDA_SUCCESS;
  return pushContext(context) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
  FAKE_ENTER(cuCtxPushCurrent, Needs::Driver);
  if (!context || !context->active)
    return CUDA_ERROR_INVALID_CONTEXT;
  return pushContext(context) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult CUDAAPI cuCtxPopCurrent(CUcontext *context) {
  FAKE_ENTER(cuCtxPopCurrent, Needs::Driver);
  CUcontext popped = popContext();
  if (!popped)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = popped;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

/// Waiting while the stream captures.
static CUresult checkWait(CUstream stream) {
  State &state = State::get();
  if (!state.anyCapture)
    return CUDA_SUCCESS;
  Lock lock(state.mutex);
  if (!stream)
    return state.capturing.empty() ? CUDA_SUCCESS
                                   : CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  auto found = state.capturing.find(stream);
  if (found == state.capturing.end())
    return CUDA_SUCCESS;
  found->second = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  FAKE_ENTER(cuStreamSynchronize, Needs::Context);
  waitForContext();
  return checkWait(stream);
}

CUresult CUDAAPI cuStreamIsCapturing(CUstream stream,
                                     CUstreamCaptureStatus *status) {
  FAKE_ENTER(cuStreamIsCapturing, Needs::Context);
  State &state = State::get();
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (!state.anyCapture)
    return CUDA_SUCCESS;
  Lock lock(state.mutex);
  if (!stream)
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  auto found = state.capturing.find(stream);
  if (found != state.capturing.end())
    *status = found->second;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamGetId(CUstream stream, unsigned long long *id) {
  FAKE_ENTER(cuStreamGetId, Needs::Context);
  // As the driver does, which doesn't say so.
  if (CUresult result = checkWait(stream); result != CUDA_SUCCESS)
    return result;
  // The default streams have no handles of their own; one for each thread.
  static std::atomic<unsigned long long> threads = 1ull << 32;
  static thread_local unsigned long long thread = threads++;
  if (!stream || stream == CU_STREAM_LEGACY)
    *id = 1;
  else if (stream == CU_STREAM_PER_THREAD)
    *id = thread;
  else
    *id = stream->id;
  return CUDA_SUCCESS;
}

#ifndef CAROUSEL_FAKE_OLD_DRIVER
CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  FAKE_ENTER(cuThreadExchangeStreamCaptureMode, Needs::Driver);
  std::swap(*mode, getCaptureMode());
  return CUDA_SUCCESS;
}
#endif

/// Null where the handle isn't an event's. The lock must be held.
static CUevent findEvent(State &state, CUevent event) {
  return state.events.count(event) ? event : nullptr;
}

CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned flags) {
  FAKE_ENTER(cuEventCreate, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  *event = new CUevent_st();
  state.events.insert(*event);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventDestroy(CUevent event) {
  FAKE_ENTER(cuEventDestroy, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (state.events.erase(event) == 0)
    return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  FAKE_ENTER(cuEventRecord, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!findEvent(state, event))
    return CUDA_ERROR_INVALID_HANDLE;
  event->recorded = true;
  event->milliseconds = state.clock;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventSynchronize(CUevent event) {
  FAKE_ENTER(cuEventSynchronize, Needs::Context);
  State &state = State::get();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  Lock lock(state.mutex);
  return findEvent(state, event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

#ifdef CAROUSEL_FAKE_OLD_DRIVER
#undef cuEventElapsedTime // only since CUDA 12.8 of a second version
#endif
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start,
                                    CUevent end) {
  FAKE_ENTER(cuEventElapsedTime, Needs::Context);
  State &state = State::get();
  Lock lock(state.mutex);
  if (!findEvent(state, start) || !findEvent(state, end) || !start->recorded ||
      !end->recorded)
    return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
  return CUDA_SUCCESS;
}

} // extern "C"
