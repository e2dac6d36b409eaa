//===- Context.h - a device, its driver and the cache -----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process has one Context for each device that it launches on. The Context
// retains the device's primary context, which the CUDA runtime, PyTorch and JAX
// use, too.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_CONTEXT_H
#define CAROUSEL_RUNTIME_CONTEXT_H

#include "carousel/Runtime/Error.h"
#include "carousel/Runtime/Types.h"

#include <memory>
#include <optional>
#include <string>

namespace carousel::runtime {

/// Names or paths of the libraries for dlopen. Empty: the default names
/// ("libcuda.so.1"; "libnvrtc.so.13", "libnvJitLink.so.13", "libcublasLt.so.13"
/// and older ones; "libnccl.so.2").
struct LibraryPaths {
  std::string driver, nvrtc, nvJitLink, cublasLt, nccl;
};

struct ContextOptions {
  int device = 0;
  LibraryPaths libraries;
  /// Directory of the compilation cache. Empty: $CAROUSEL_CACHE_DIR,
  /// $XDG_CACHE_HOME/carousel or ~/.cache/carousel. It isn't used if other
  /// users can write to it.
  std::string cacheDirectory;
  /// The largest number of bytes that the cache keeps; 0: no cache on disk.
  /// Unset: $CAROUSEL_CACHE_DISABLE and $CAROUSEL_CACHE_MAX_BYTES decide; their
  /// default is 1 GiB.
  std::optional<uint64_t> cacheBytes;
  /// Wait for the kernel after every launch, so that the launch that caused an
  /// error reports it.
  bool blocking = false;
  /// Don't check that arguments with a Sharing are in symmetric buffers: for
  /// programs that map the memory of peers and adopt none of it.
  bool trustSymmetric = false;
};

struct DeviceInfo {
  std::string name;
  int ordinal = 0;
  int computeCapability = 0; ///< 10 * major + minor
  int multiprocessors = 0;
  int driverVersion = 0;          ///< of its CUDA API: 13000
  uint32_t maxSharedPerBlock = 0; ///< bytes, with the opt-in limit
  uint64_t l2Bytes = 0;
};

/// Copies share ownership of one context. Any thread may call all members.
class Context {
public:
  /// Loads the driver on first use, and retains the primary context.
  static Result<Context> create(const ContextOptions &options = {}) noexcept;

  const DeviceInfo &getDevice() const noexcept;
  /// Waits for a stream. Reports earlier launches that failed, with their
  /// kernels' names.
  Status synchronize(Stream stream = nullptr) const noexcept;
  /// Describes the waits that exceeded their bound, in kernels compiled with
  /// bounded waits (`debug-waits`): the thread, the wait's location and what it
  /// waited for. Empty if there were none. May be called at any time, also
  /// after the failure that follows; this library's errors quote it.
  std::string describeExpiredWaits() const noexcept;

  struct Impl;
  Impl &getImpl() const { return *impl; }
  const std::shared_ptr<Impl> &share() const { return impl; }

private:
  explicit Context(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl;
};

/// Makes a context current for the calling thread until the end of the scope.
/// Costs one driver call if it is current already.
class CurrentContext {
public:
  explicit CurrentContext(Context::Impl &context);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  const Status &getStatus() const { return status; }

private:
  Context::Impl &context;
  bool pushed = false;
  Status status;
};

/// Device memory. Movable, freed by its destructor.
class Buffer {
public:
  static Result<Buffer> allocate(const Context &context,
                                 uint64_t bytes) noexcept;
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  uint64_t getAddress() const { return address; }
  uint64_t getBytes() const { return bytes; }
  /// Copies on a stream; `host` must stay valid until the copy is complete.
  /// Fails if `offset` + `count` is beyond the end.
  Status upload(const void *host, uint64_t count, uint64_t offset = 0,
                Stream stream = nullptr) noexcept;
  Status download(void *host, uint64_t count, uint64_t offset = 0,
                  Stream stream = nullptr) const noexcept;
  /// Sets every byte.
  Status fill(uint8_t value, Stream stream = nullptr) noexcept;

private:
  Buffer(Context context, uint64_t address, uint64_t bytes);
  Context context;
  uint64_t address = 0, bytes = 0;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_CONTEXT_H
