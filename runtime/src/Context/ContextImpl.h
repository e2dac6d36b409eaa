//===- ContextImpl.h - the context of a device ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The retained primary context, the driver's functions, the cache, and the
// names of recently launched kernels, which reports of failures on the device
// use: the driver reports those in a later call, without the kernel. The log is
// a ring of the latest launches with their streams. Launches that a caller has
// waited for are removed. Every launch writes to it, so it is lock-free and
// allocates no memory. A concurrent report may miss a launch of another thread.
//
// The driver numbers streams, and gives no number twice. It doesn't tell the
// number of a stream that records a graph, and invalidates the graph if asked.
// Then the number counts that was told last for the stream's handle.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_CONTEXTIMPL_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_CONTEXTIMPL_H

#include "Cache/DiskCache.h"
#include "Libraries.h"

#include "carousel/Runtime/Context.h"
#include "carousel/Runtime/Types.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cuda.h>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace carousel::runtime {

class LaunchLog {
public:
  static constexpr size_t kSize = 16;

  /// Notes a launch. Called after the driver took it: a launch noted earlier
  /// could be struck out by a wait that didn't cover it.
  void note(const char *name, CUstream stream) {
    uint64_t number = latest.fetch_add(1, std::memory_order_relaxed) + 1;
    Entry &entry = entries[number % kSize];
    if (entry.isPending() && !overflowed.load(std::memory_order_relaxed))
      overflowed.store(true, std::memory_order_relaxed);
    entry.name.store(name, std::memory_order_relaxed);
    entry.stream.store(getKey(stream), std::memory_order_relaxed);
    entry.number.store(number, std::memory_order_release);
  }

  /// The number of the latest launch; to be asked before waiting.
  uint64_t getLatest() const { return latest.load(std::memory_order_relaxed); }
  /// Strikes out launches on `stream` up to a number.
  void forget(CUstream stream, uint64_t upTo);

  /// The kernels that may have failed, as the subject of a sentence: "copy_1d",
  /// "one of copy_1d, scale"; the latest first, each name once.
  std::string getSuspects() const;

private:
  /// An entry is pending where its number isn't the one that was waited for,
  /// so that striking out never touches a newer launch in the same place.
  struct Entry {
    std::atomic<uint64_t> number = 0, waited = 0;
    std::atomic<const char *> name = nullptr;
    std::atomic<uintptr_t> stream = 0;

    bool isPending() const {
      return number.load(std::memory_order_acquire) !=
             waited.load(std::memory_order_relaxed);
    }
  };

  /// Returns a key that tells streams apart. CU_STREAM_PER_THREAD names another
  /// stream in each thread; null and CU_STREAM_LEGACY name the same one.
  static uintptr_t getKey(CUstream stream) {
    static thread_local char thread;
    if (stream == CU_STREAM_PER_THREAD)
      return reinterpret_cast<uintptr_t>(&thread);
    if (stream == CU_STREAM_LEGACY)
      return 0;
    return reinterpret_cast<uintptr_t>(stream);
  }

  alignas(64) std::atomic<uint64_t> latest = 0;
  /// A pending launch was overwritten.
  std::atomic<bool> overflowed = false;
  std::array<Entry, kSize> entries;
};

class StreamIds {
public:
  /// Notes what the driver said. Takes no lock where the thread noted the same
  /// before.
  void note(Stream stream, uint64_t id);
  std::optional<uint64_t> find(Stream stream) const;

private:
  static uint64_t getKey(Stream stream);

  mutable std::mutex mutex;
  std::map<uint64_t, uint64_t> ids; ///< by handle
};

class WaitRecord;

/// The library with a handle, which all threads may use.
struct CublasLt {
  const CublasLtTable *table = nullptr;
  lt::Handle handle = nullptr;

  /// Success, or an error such as "cublasLtMatmul failed:
  /// CUBLAS_STATUS_NOT_SUPPORTED".
  Status check(lt::Status status, const char *call) const;
};

struct Context::Impl {
  explicit Impl(const ContextOptions &options);
  ~Impl();
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  ContextOptions options;
  std::shared_ptr<Libraries> libraries;
  const DriverTable *driver = nullptr;
  CUdevice device = 0;
  CUcontext context = nullptr;
  DeviceInfo info;
  DiskCache cache;
  LaunchLog launches;
  StreamIds streamIds;

  /// Success, or the error of a driver call: "cuMemAlloc failed: out of memory
  /// (CUDA_ERROR_OUT_OF_MEMORY)". An error that a kernel caused on the device
  /// is LaunchFailed and names the kernels launched and not waited for, the
  /// latest first.
  Status check(CUresult result, const char *call) {
    if (result == CUDA_SUCCESS)
      return {};
    return tl::make_unexpected(describe(result, call));
  }
  Error describe(CUresult result, const char *call) const;

  /// Whether a stream records a graph, or is the default stream while another
  /// one does. The context must be current.
  Result<bool> isCapturing(CUstream stream);

  /// Loads it first. The context must be current.
  Result<const CublasLt *> getCublasLt();

  /// Waits for a stream, then forgets the launches on it. The context must be
  /// current.
  Status synchronize(CUstream stream);

  /// Notes a launch that the driver has taken. `name` must live as long as the
  /// context (see keepName). Lock-free.
  void noteLaunch(const char *name, CUstream stream) {
    launches.note(name, stream);
  }
  /// A copy of `name` that lives as long as the context.
  const char *keepName(std::string_view name);

  /// Describes waits of loaded modules that took too long; empty if none did.
  std::string describeExpiredWaits() const;
  void addWaitRecord(const std::shared_ptr<WaitRecord> &record);

  /// Asks the driver all that create() promises.
  Status open();

private:
  struct Names;
  std::unique_ptr<Names> names;
  struct WaitRecords;
  std::unique_ptr<WaitRecords> waitRecords;
  std::mutex cublasLtMutex;
  CublasLt cublasLt; ///< no handle: not used yet
};

/// Lets this thread load and unload modules and allocate and free memory
/// although some thread captures a graph: in the default mode that would fail
/// and spoil the capture. Nothing that these calls do belongs to a capture.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const DriverTable &driver)
      : driver(driver), changed(exchange()) {}
  ~RelaxedCapture() {
    if (changed)
      (void)exchange();
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  bool exchange() {
    return driver.cuThreadExchangeStreamCaptureMode &&
           driver.cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS;
  }
  const DriverTable &driver;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  bool changed;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CONTEXT_CONTEXTIMPL_H
