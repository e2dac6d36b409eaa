//===- HostBuffer.cpp - host memory for tensors ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Anonymous pages: zeroed by the system, and only when they are touched.
//
//===----------------------------------------------------------------------===//

#include "HostBuffer.h"

#include "carousel/Runtime/Fail.h"

#include <sys/mman.h>

using namespace carousel;
using namespace carousel::tools;

runtime::Result<HostBuffer> HostBuffer::allocate(uint64_t bytes) {
  HostBuffer buffer;
  if (bytes == 0)
    return buffer;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return runtime::fail(runtime::ErrorCode::IOError,
                         "cannot get {} bytes of host memory", bytes);
  buffer.data = static_cast<std::byte *>(memory);
  buffer.bytes = bytes;
  return buffer;
}

HostBuffer::~HostBuffer() {
  if (data)
    munmap(data, bytes);
}
