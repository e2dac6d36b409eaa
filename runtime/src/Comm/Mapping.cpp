//===- Mapping.cpp - memory that several processes map --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handle of the memory is released as soon as it is mapped: the mapping
// keeps the memory, and nothing else needs the handle.
//
//===----------------------------------------------------------------------===//

#include "Mapping.h"

#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <fcntl.h>

namespace carousel::runtime {

Mapping::~Mapping() {
  if (address == 0 || isForkedFromUser())
    return;
  CurrentContext current(*context);
  if (!current.getStatus())
    return;
  RelaxedCapture relaxed(*context->driver);
  if (isMapped) {
    // Unmapping doesn't wait for work that uses the memory, as freeing does.
    (void)context->driver->cuCtxSynchronize();
    context->driver->cuMemUnmap(address, bytes);
  }
  context->driver->cuMemAddressFree(address, bytes);
}

Status Mapping::map(CUmemGenericAllocationHandle handle,
                    const std::vector<CUdevice> &devices) {
  const DriverTable &driver = *context->driver;
  CUdeviceptr reserved = 0;
  CAROUSEL_TRY(
      context->check(driver.cuMemAddressReserve(&reserved, bytes, 0, 0, 0),
                     "cuMemAddressReserve"));
  address = reserved;
  CAROUSEL_TRY(context->check(driver.cuMemMap(address, bytes, 0, handle, 0),
                              "cuMemMap"));
  isMapped = true;
  std::vector<CUmemAccessDesc> access;
  for (CUdevice device : devices) {
    CUmemAccessDesc entry = {};
    entry.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    entry.location.id = device;
    entry.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    access.push_back(entry);
  }
  return context->check(
      driver.cuMemSetAccess(address, bytes, access.data(), access.size()),
      "cuMemSetAccess");
}

Result<std::shared_ptr<Mapping>>
Mapping::create(const std::shared_ptr<Context::Impl> &context, uint64_t bytes,
                const std::vector<CUdevice> &devices,
                std::shared_ptr<FileDescriptor> *file) {
  CurrentContext current(*context);
  CAROUSEL_TRY(current.getStatus());
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = context->device;
  if (file)
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t granularity = 0;
  CAROUSEL_TRY(context->check(
      driver.cuMemGetAllocationGranularity(
          &granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
      "cuMemGetAllocationGranularity"));
  std::shared_ptr<Mapping> mapping(new Mapping(context));
  mapping->bytes = (bytes + granularity - 1) / granularity * granularity;
  CUmemGenericAllocationHandle handle = 0;
  CAROUSEL_TRY(context->check(
      driver.cuMemCreate(&handle, mapping->bytes, &properties, 0),
      fmt::format("cuMemCreate of {} bytes", mapping->bytes).c_str()));
  Status status;
  if (file) {
    int exported = -1;
    status = context->check(
        driver.cuMemExportToShareableHandle(
            &exported, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "cuMemExportToShareableHandle");
    if (status) {
      *file = std::make_shared<FileDescriptor>(exported);
      (void)::fcntl(exported, F_SETFD, FD_CLOEXEC);
    }
  }
  if (status)
    status = mapping->map(handle, devices);
  driver.cuMemRelease(handle);
  CAROUSEL_TRY(std::move(status));
  return mapping;
}

Result<std::shared_ptr<Mapping>>
Mapping::import(const std::shared_ptr<Context::Impl> &context, int file,
                uint64_t bytes) {
  CurrentContext current(*context);
  CAROUSEL_TRY(current.getStatus());
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  CUmemGenericAllocationHandle handle = 0;
  CAROUSEL_TRY(context->check(
      driver.cuMemImportFromShareableHandle(
          &handle, reinterpret_cast<void *>(static_cast<intptr_t>(file)),
          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
      "cuMemImportFromShareableHandle"));
  std::shared_ptr<Mapping> mapping(new Mapping(context));
  mapping->bytes = bytes;
  Status status = mapping->map(handle, {context->device});
  driver.cuMemRelease(handle);
  CAROUSEL_TRY(std::move(status));
  return mapping;
}

} // namespace carousel::runtime
