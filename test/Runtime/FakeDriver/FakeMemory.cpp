//===- FakeMemory.cpp - device memory, copies and fills -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory at a 256-byte boundary.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstdlib>
#include <cstring>
#include <utility>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

extern "C" {

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  FAKE_ENTER(cuMemAlloc, Needs::Context);
  State &state = State::get();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  CUcontext context = currentContext();
  Lock lock(state.mutex);
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const Device *device = findDevice(state, context->device);
  if (!device || bytes > device->memory ||
      state.allocated > device->memory - bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  state.memory[*address] = {bytes, context};
  state.allocated += bytes;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  FAKE_ENTER(cuMemFree, Needs::Context);
  waitForStreams();
  State &state = State::get();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  Lock lock(state.mutex);
  if (address == 0)
    return CUDA_SUCCESS;
  auto found = state.memory.find(address);
  if (found == state.memory.end())
    return CUDA_ERROR_INVALID_VALUE;
  state.allocated -= found->second.bytes;
  state.memory.erase(found);
  std::free(reinterpret_cast<void *>(address));
  return CUDA_SUCCESS;
}

/// Returns the status of a transfer of `bytes` at `address` on `stream`.
static CUresult checkTransfer(CUdeviceptr address, size_t bytes,
                              CUstream stream) {
  State &state = State::get();
  Lock lock(state.mutex);
  if (!stream && !state.capturing.empty())
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (bytes == 0)
    return CUDA_SUCCESS;
  return isInside(state, address, bytes) ? CUDA_SUCCESS
                                         : CUDA_ERROR_INVALID_VALUE;
}

/// A copy or fill in device memory is done, or is a node.
static CUresult endTransfer(CUstream stream) {
  State &state = State::get();
  Lock lock(state.mutex);
  noteNode(state, stream);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void *from,
                                   size_t bytes, CUstream stream) {
  FAKE_ENTER(cuMemcpyHtoDAsync, Needs::Context);
  CUresult result = checkTransfer(to, bytes, stream);
  if (result == CUDA_SUCCESS && bytes > 0)
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return result;
}

CUresult CUDAAPI cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                                   CUstream stream) {
  FAKE_ENTER(cuMemcpyDtoHAsync, Needs::Context);
  waitForContext();
  CUresult result = checkTransfer(from, bytes, stream);
  if (result == CUDA_SUCCESS && bytes > 0)
    std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return result;
}

CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                                 size_t bytes, CUstream stream) {
  FAKE_ENTER(cuMemsetD8Async, Needs::Context);
  CUresult result = checkTransfer(to, bytes, stream);
  if (result == CUDA_SUCCESS && bytes > 0)
    std::memset(reinterpret_cast<void *>(to), value, bytes);
  return result == CUDA_SUCCESS ? endTransfer(stream) : result;
}

CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from,
                                   size_t bytes, CUstream stream) {
  FAKE_ENTER(cuMemcpyDtoDAsync, Needs::Context);
  CUresult result = checkTransfer(to, bytes, stream);
  if (result == CUDA_SUCCESS)
    result = checkTransfer(from, bytes, stream);
  if (result == CUDA_SUCCESS && bytes > 0)
    std::memcpy(reinterpret_cast<void *>(to),
                reinterpret_cast<const void *>(from), bytes);
  return result == CUDA_SUCCESS ? endTransfer(stream) : result;
}

/// Between device memory, with the driver's rules for pitches.
CUresult CUDAAPI cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
  FAKE_ENTER(cuMemcpy3DAsync, Needs::Context);
  bool isGood = copy->srcMemoryType == CU_MEMORYTYPE_DEVICE &&
                copy->dstMemoryType == CU_MEMORYTYPE_DEVICE &&
                copy->srcPitch >= copy->WidthInBytes &&
                copy->dstPitch >= copy->WidthInBytes &&
                (copy->Depth <= 1 || (copy->srcHeight >= copy->Height &&
                                      copy->dstHeight >= copy->Height));
  if (!isGood)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t plane = 0; plane < copy->Depth; ++plane)
    for (size_t row = 0; row < copy->Height; ++row) {
      CUdeviceptr to =
          copy->dstDevice + (plane * copy->dstHeight + row) * copy->dstPitch;
      CUdeviceptr from =
          copy->srcDevice + (plane * copy->srcHeight + row) * copy->srcPitch;
      for (CUdeviceptr address : {to, from})
        if (CUresult result =
                checkTransfer(address, copy->WidthInBytes, stream);
            result != CUDA_SUCCESS)
          return result;
      std::memcpy(reinterpret_cast<void *>(to),
                  reinterpret_cast<const void *>(from), copy->WidthInBytes);
    }
  return endTransfer(stream);
}

/// Rows of words of `size` bytes.
static CUresult fillRows(CUdeviceptr to, size_t pitch, uint32_t value,
                         size_t size, size_t width, size_t height,
                         CUstream stream) {
  if (to % size != 0 || (height > 1 && pitch < width * size))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t row = 0; row < height; ++row) {
    CUdeviceptr first = to + row * pitch;
    if (CUresult result = checkTransfer(first, width * size, stream);
        result != CUDA_SUCCESS)
      return result;
    for (size_t i = 0; i < width; ++i)
      std::memcpy(reinterpret_cast<void *>(first + i * size), &value, size);
  }
  return endTransfer(stream);
}

CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr to, size_t pitch,
                                   unsigned char value, size_t width,
                                   size_t height, CUstream stream) {
  FAKE_ENTER(cuMemsetD2D8Async, Needs::Context);
  return fillRows(to, pitch, value, 1, width, height, stream);
}

CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr to, size_t pitch,
                                    unsigned short value, size_t width,
                                    size_t height, CUstream stream) {
  FAKE_ENTER(cuMemsetD2D16Async, Needs::Context);
  return fillRows(to, pitch, value, 2, width, height, stream);
}

CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr to, size_t pitch,
                                    unsigned int value, size_t width,
                                    size_t height, CUstream stream) {
  FAKE_ENTER(cuMemsetD2D32Async, Needs::Context);
  return fillRows(to, pitch, value, 4, width, height, stream);
}

} // extern "C"
