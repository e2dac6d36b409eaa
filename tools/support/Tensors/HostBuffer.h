//===- HostBuffer.h - host memory for tensors -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of the size of a tensor. If there is too little, that is an error;
// with a std::vector the program would end.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_TENSORS_HOSTBUFFER_H
#define CAROUSEL_TOOLS_SUPPORT_TENSORS_HOSTBUFFER_H

#include "carousel/Runtime/Error.h"

#include <cstddef>
#include <utility>

namespace carousel::tools {

class HostBuffer {
public:
  HostBuffer() = default;
  /// Zeroed memory.
  static runtime::Result<HostBuffer> allocate(uint64_t bytes);
  HostBuffer(HostBuffer &&other) noexcept
      : data(std::exchange(other.data, nullptr)),
        bytes(std::exchange(other.bytes, 0)) {}
  HostBuffer &operator=(HostBuffer &&other) noexcept {
    std::swap(data, other.data);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~HostBuffer();

  std::byte *getData() { return data; }
  const std::byte *getData() const { return data; }
  uint64_t getBytes() const { return bytes; }

private:
  std::byte *data = nullptr;
  uint64_t bytes = 0;
};

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_TENSORS_HOSTBUFFER_H
