//===- FakeVirtualMemory.cpp - physical memory and ranges of addresses ----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Physical memory is an anonymous file, and a descriptor of it is what the
// driver's would be: another process, with a fake driver of its own, maps the
// same bytes. A range without access isn't readable.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <iterator>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace carousel::fake;
using Lock = std::lock_guard<std::mutex>;

static constexpr size_t kGranularity = 65536;

/// Frees memory that nothing keeps. The lock must be held.
static void dropPhysical(State &state, CUmemGenericAllocationHandle handle) {
  auto found = state.physical.find(handle);
  if (found == state.physical.end() || found->second.handles > 0 ||
      found->second.maps > 0)
    return;
  ::close(found->second.file);
  state.physical.erase(found);
}

void carousel::fake::releaseRanges(State &state) {
  for (const auto &[address, range] : state.ranges)
    ::munmap(reinterpret_cast<void *>(address), range.bytes);
  state.ranges.clear();
  for (const auto &[handle, memory] : state.physical)
    ::close(memory.file);
  state.physical.clear();
  state.noAccess.clear();
  state.nvLinks.clear();
  state.multicasts.clear();
  state.capturedOperations.clear();
}

bool carousel::fake::isInside(State &state, CUdeviceptr address, size_t bytes) {
  auto fits = [&](CUdeviceptr start, uint64_t size) {
    uint64_t offset = address - start;
    return offset <= size && bytes <= size - offset;
  };
  auto next = state.memory.upper_bound(address);
  if (next != state.memory.begin()) {
    const auto &[start, allocation] = *std::prev(next);
    if (fits(start, allocation.bytes))
      return true;
  }
  auto after = state.ranges.upper_bound(address);
  if (after == state.ranges.begin())
    return false;
  const auto &[start, range] = *std::prev(after);
  CUcontext context = currentContext();
  return fits(start, range.bytes) && range.handle != 0 && context &&
         range.access.count(context->device) != 0;
}

unsigned carousel::fake::countPhysical() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.physical.size();
}

unsigned carousel::fake::countRanges() {
  State &state = State::get();
  Lock lock(state.mutex);
  return state.ranges.size();
}

extern "C" {

CUresult CUDAAPI cuMemGetAllocationGranularity(
    size_t *granularity, const CUmemAllocationProp *properties,
    CUmemAllocationGranularity_flags option) {
  FAKE_ENTER(cuMemGetAllocationGranularity, Needs::Driver);
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                             const CUmemAllocationProp *properties,
                             unsigned long long flags) {
  FAKE_ENTER(cuMemCreate, Needs::Driver);
  State &state = State::get();
  if (CUresult error = refuseWhileCapturing(state); error != CUDA_SUCCESS)
    return error;
  Lock lock(state.mutex);
  const Device *device = findDevice(state, properties->location.id);
  if (!device || bytes == 0 || bytes % kGranularity != 0 ||
      properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes > device->memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Physical memory;
  memory.file = ::memfd_create("fake-gpu", MFD_CLOEXEC);
  if (memory.file < 0 || ::ftruncate(memory.file, off_t(bytes)) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memory.bytes = bytes;
  memory.device = properties->location.id;
  memory.types = properties->requestedHandleTypes;
  *handle = ++state.lastHandle;
  state.physical[*handle] = memory;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle) {
  FAKE_ENTER(cuMemRelease, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  auto found = state.physical.find(handle);
  if (found == state.physical.end() || found->second.handles == 0)
    return CUDA_ERROR_INVALID_VALUE;
  --found->second.handles;
  dropPhysical(state, handle);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *address, size_t bytes,
                                     size_t alignment, CUdeviceptr wanted,
                                     unsigned long long flags) {
  FAKE_ENTER(cuMemAddressReserve, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  if (bytes == 0 || bytes % kGranularity != 0)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = ::mmap(nullptr, bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  state.ranges[*address].bytes = bytes;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  FAKE_ENTER(cuMemAddressFree, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  auto found = state.ranges.find(address);
  if (found == state.ranges.end() || found->second.bytes != bytes ||
      found->second.handle != 0)
    return CUDA_ERROR_INVALID_VALUE;
  ::munmap(reinterpret_cast<void *>(address), bytes);
  state.ranges.erase(found);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                          CUmemGenericAllocationHandle handle,
                          unsigned long long flags) {
  FAKE_ENTER(cuMemMap, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  auto range = state.ranges.find(address);
  auto memory = state.physical.find(handle);
  if (range == state.ranges.end() || range->second.bytes != bytes ||
      range->second.handle != 0 || memory == state.physical.end() ||
      offset != 0 || bytes > memory->second.bytes)
    return CUDA_ERROR_INVALID_VALUE;
  range->second.handle = handle;
  ++memory->second.maps;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemUnmap(CUdeviceptr address, size_t bytes) {
  FAKE_ENTER(cuMemUnmap, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  auto range = state.ranges.find(address);
  if (range == state.ranges.end() || range->second.bytes != bytes ||
      range->second.handle == 0)
    return CUDA_ERROR_INVALID_VALUE;
  // Who uses it now finds out.
  ::mmap(reinterpret_cast<void *>(address), bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  CUmemGenericAllocationHandle handle = range->second.handle;
  range->second.handle = 0;
  range->second.access.clear();
  --state.physical[handle].maps;
  dropPhysical(state, handle);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemSetAccess(CUdeviceptr address, size_t bytes,
                                const CUmemAccessDesc *list, size_t count) {
  FAKE_ENTER(cuMemSetAccess, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  auto range = state.ranges.find(address);
  if (range == state.ranges.end() || range->second.bytes != bytes ||
      range->second.handle == 0 || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const Physical &memory = state.physical[range->second.handle];
  for (size_t i = 0; i < count; ++i) {
    int device = list[i].location.id;
    if (!findDevice(state, device) ||
        list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE ||
        state.noAccess.count({device, memory.device}) != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    range->second.access.insert(device);
  }
  void *mapped =
      ::mmap(reinterpret_cast<void *>(address), bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, memory.file, 0);
  return mapped == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemExportToShareableHandle(
    void *shared, CUmemGenericAllocationHandle handle,
    CUmemAllocationHandleType type, unsigned long long flags) {
  FAKE_ENTER(cuMemExportToShareableHandle, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  auto found = state.physical.find(handle);
  if (found == state.physical.end() ||
      type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
      (found->second.types & type) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  // Not closed on exec, as the driver's may not be.
  int file = ::dup(found->second.file);
  if (file < 0)
    return CUDA_ERROR_OPERATING_SYSTEM;
  *static_cast<int *>(shared) = file;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI
cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
                               void *shared, CUmemAllocationHandleType type) {
  FAKE_ENTER(cuMemImportFromShareableHandle, Needs::Driver);
  State &state = State::get();
  Lock lock(state.mutex);
  int file = static_cast<int>(reinterpret_cast<intptr_t>(shared));
  struct stat about = {};
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
      ::fstat(file, &about) != 0 || about.st_size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  Physical memory;
  memory.file = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  memory.bytes = static_cast<size_t>(about.st_size);
  memory.types = type;
  *handle = ++state.lastHandle;
  state.physical[*handle] = memory;
  return CUDA_SUCCESS;
}

} // extern "C"
