//===- ContextImpl.h - the state of a context -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The retained primary context, the driver's functions, the cache, and the
// names of recently launched kernels, which reports of failures on the device
// use.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_CONTEXTIMPL_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_CONTEXTIMPL_H

#include "Cache/DiskCache.h"
#include "LaunchLog.h"
#include "Libraries.h"
#include "StreamIds.h"

#include "carousel/Runtime/Context.h"

namespace carousel::runtime {

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

  /// Which waits of loaded modules took too long; empty if none did.
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
