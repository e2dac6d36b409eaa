//===- WaitRecord.cpp - the record of a wait past its bound ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaitRecord.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cstring>

namespace carousel::runtime {

//===----------------------------------------------------------------------===//
// The record of docs/KernelABI.md
//===----------------------------------------------------------------------===//

static constexpr const char *kSymbol = "carousel_wait_record";
static constexpr size_t kRecordBytes = 64;
static constexpr uint32_t kRecordVersion = 1;
enum RecordWord {
  kVersionWord,
  kNumberWord,
  kSlotWord,
  kPhaseWord,
  kCTAWord,
  kThreadWord = kCTAWord + 3,
  kElapsedWord = kThreadWord + 3,
};

Status WaitRecord::allocate(CUdeviceptr &address) {
  std::shared_ptr<Context::Impl> impl = context.lock();
  const DriverTable &driver = *impl->driver;
  void *host = nullptr;
  CAROUSEL_TRY(impl->check(driver.cuMemHostAlloc(&host, kRecordBytes,
                                                 CU_MEMHOSTALLOC_PORTABLE |
                                                     CU_MEMHOSTALLOC_DEVICEMAP),
                           "cuMemHostAlloc"));
  std::memset(host, 0, kRecordBytes);
  words = static_cast<const uint32_t *>(host);
  return impl->check(driver.cuMemHostGetDevicePointer(&address, host, 0),
                     "cuMemHostGetDevicePointer");
}

/// On a stream of its own: the default one may not be used while another
/// thread captures.
Status WaitRecord::publish(CUdeviceptr symbol, CUdeviceptr address) {
  std::shared_ptr<Context::Impl> impl = context.lock();
  const DriverTable &driver = *impl->driver;
  CUstream stream = nullptr;
  CAROUSEL_TRY(
      impl->check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                  "cuStreamCreate"));
  Status status = impl->check(
      driver.cuMemcpyHtoDAsync(symbol, &address, sizeof(address), stream),
      "cuMemcpyHtoDAsync");
  if (status)
    status =
        impl->check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize");
  (void)driver.cuStreamDestroy(stream);
  return status;
}

Result<std::shared_ptr<WaitRecord>> WaitRecord::attach(const Context &context,
                                                       const Package &package,
                                                       uint32_t index,
                                                       CUmodule loaded) {
  const ModuleInfo &module = package.getManifest().modules[index];
  if (module.waits.empty())
    return nullptr;
  Context::Impl &impl = context.getImpl();
  CUdeviceptr symbol = 0;
  size_t bytes = 0;
  CUresult result =
      impl.driver->cuModuleGetGlobal(&symbol, &bytes, loaded, kSymbol);
  // None of the kernels that are for this chip waits.
  if (result == CUDA_ERROR_NOT_FOUND)
    return nullptr;
  CAROUSEL_TRY(impl.check(result, "cuModuleGetGlobal"));
  CUdeviceptr address = 0;
  if (bytes < sizeof(address))
    return fail(ErrorCode::InvalidPackage,
                "expected at least {} bytes in '{}' of the module '{}', got {}",
                sizeof(address), kSymbol, module.name, bytes);
  std::shared_ptr<WaitRecord> record(new WaitRecord(context, package, index));
  CAROUSEL_TRY(record->allocate(address));
  CAROUSEL_TRY(record->publish(symbol, address));
  impl.addWaitRecord(record);
  return record;
}

WaitRecord::~WaitRecord() {
  std::shared_ptr<Context::Impl> impl = context.lock();
  if (!words || !impl)
    return;
  // A failure can't be reported: the context is broken.
  CurrentContext current(*impl);
  if (!current.getStatus())
    return;
  RelaxedCapture relaxed(*impl->driver);
  (void)impl->driver->cuMemFreeHost(const_cast<uint32_t *>(words));
}

//===----------------------------------------------------------------------===//
// The sentence
//===----------------------------------------------------------------------===//

/// "kernel 'copy': " or, for what kernels call, "function 'helper': ".
static std::string getSubject(const Manifest &manifest, uint32_t module,
                              const WaitInfo *wait) {
  if (!wait)
    return fmt::format("a kernel of module '{}'",
                       manifest.modules[module].name);
  bool isKernel = false;
  for (const KernelInfo &kernel : manifest.kernels)
    for (const VariantInfo &variant : kernel.variants)
      isKernel |=
          variant.module == module && variant.function == wait->function;
  return fmt::format("{} '{}'", isKernel ? "kernel" : "function",
                     wait->function);
}

std::string WaitRecord::describe() const {
  // The words after the version were written before it.
  uint32_t version = __atomic_load_n(&words[kVersionWord], __ATOMIC_ACQUIRE);
  if (version == 0)
    return "";
  const Manifest &manifest = package.getManifest();
  if (version != kRecordVersion)
    return fmt::format("a wait of module '{}' took too long, in a record of "
                       "version {} that this runtime doesn't know",
                       manifest.modules[index].name, version);
  const std::vector<WaitInfo> &waits = manifest.modules[index].waits;
  auto found =
      std::find_if(waits.begin(), waits.end(), [&](const WaitInfo &wait) {
        return wait.number == words[kNumberWord];
      });
  const WaitInfo *wait = found == waits.end() ? nullptr : &*found;

  auto getTriple = [&](RecordWord first) {
    return fmt::format("({}, {}, {})", words[first], words[first + 1],
                       words[first + 2]);
  };
  std::string text =
      fmt::format("{}: CTA {}, thread {}", getSubject(manifest, index, wait),
                  getTriple(kCTAWord), getTriple(kThreadWord));
  if (wait && wait->role != WaitInfo::Role::All)
    text +=
        wait->role == WaitInfo::Role::Producer ? ", producer" : ", consumer";
  constexpr uint64_t kNanoseconds = 1'000'000; // of a millisecond
  uint64_t elapsed =
      uint64_t(words[kElapsedWord + 1]) << 32 | words[kElapsedWord];
  text += fmt::format(": waited over {} ms for ", elapsed / kNanoseconds);
  if (!wait)
    return text + fmt::format("wait {}, slot {}", words[kNumberWord],
                              words[kSlotWord]);
  text += fmt::format("'{}' slot {}", wait->barrier, words[kSlotWord]);
  if (wait->phase == WaitInfo::Phase::Parity)
    text += fmt::format(", phase of parity {}", words[kPhaseWord]);
  else if (wait->phase == WaitInfo::Phase::Turn)
    text += fmt::format(", turn {}", static_cast<int32_t>(words[kPhaseWord]));
  if (!wait->location.empty())
    text += fmt::format(" ({})", wait->location);
  return text;
}

} // namespace carousel::runtime
