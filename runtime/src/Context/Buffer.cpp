//===- Buffer.cpp - device memory -----------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An empty buffer has the address 0 and needs no driver call. An empty transfer
// needs none either.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"
#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <utility>

namespace carousel::runtime {

static Status checkRange(uint64_t bytes, uint64_t offset, uint64_t count,
                         const void *host) {
  if (offset > bytes)
    return fail(ErrorCode::InvalidArgument,
                "expected an offset of at most {} bytes, got {}", bytes,
                offset);
  if (count > bytes - offset)
    return fail(ErrorCode::InvalidArgument,
                "expected at most {} bytes at offset {} of a buffer of {} "
                "bytes, got {}",
                bytes - offset, offset, bytes, count);
  if (count > 0 && !host)
    return fail(ErrorCode::InvalidArgument,
                "expected host memory of {} bytes, got a null pointer", count);
  return {};
}

Buffer::Buffer(Context context, uint64_t address, uint64_t bytes)
    : context(std::move(context)), address(address), bytes(bytes) {}

Buffer::Buffer(Buffer &&other) noexcept
    : context(std::move(other.context)),
      address(std::exchange(other.address, 0)),
      bytes(std::exchange(other.bytes, 0)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  Buffer taken(std::move(other));
  std::swap(context, taken.context);
  std::swap(address, taken.address);
  std::swap(bytes, taken.bytes);
  return *this;
}

Buffer::~Buffer() {
  if (address == 0)
    return;
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  if (!current.getStatus())
    return;
  RelaxedCapture relaxed(*impl.driver);
  impl.driver->cuMemFree(address);
}

Result<Buffer> Buffer::allocate(const Context &context,
                                uint64_t bytes) noexcept {
  CAROUSEL_TRY(checkProcess());
  if (bytes == 0)
    return Buffer(context, 0, 0);
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  RelaxedCapture relaxed(*impl.driver);
  CUdeviceptr address = 0;
  CUresult result = impl.driver->cuMemAlloc(&address, bytes);
  if (result != CUDA_SUCCESS)
    return tl::make_unexpected(impl.describe(
        result, fmt::format("cuMemAlloc of {} bytes", bytes).c_str()));
  return Buffer(context, address, bytes);
}

Status Buffer::upload(const void *host, uint64_t count, uint64_t offset,
                      Stream stream) noexcept {
  CAROUSEL_TRY(checkRange(bytes, offset, count, host));
  if (count == 0)
    return {};
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  return impl.check(
      impl.driver->cuMemcpyHtoDAsync(address + offset, host, count, stream),
      "cuMemcpyHtoDAsync");
}

Status Buffer::download(void *host, uint64_t count, uint64_t offset,
                        Stream stream) const noexcept {
  CAROUSEL_TRY(checkRange(bytes, offset, count, host));
  if (count == 0)
    return {};
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  return impl.check(
      impl.driver->cuMemcpyDtoHAsync(host, address + offset, count, stream),
      "cuMemcpyDtoHAsync");
}

Status Buffer::fill(uint8_t value, Stream stream) noexcept {
  if (bytes == 0)
    return {};
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  return impl.check(impl.driver->cuMemsetD8Async(address, value, bytes, stream),
                    "cuMemsetD8Async");
}

} // namespace carousel::runtime
