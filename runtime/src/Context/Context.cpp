//===- Context.cpp - the context of a device ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a device, and converts the driver's error codes to messages.
// Destructors ignore errors: if the driver has shut down, memory and contexts
// are already freed.
//
//===----------------------------------------------------------------------===//

#include "Context/ContextImpl.h"

#include "Cache/CacheDirectory.h"
#include "ContextImpl.h"
#include "Support/Process.h"
#include "WaitRecord.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace carousel::runtime {

void LaunchLog::forget(CUstream stream, uint64_t upTo) {
  bool pending = false;
  for (Entry &entry : entries) {
    uint64_t number = entry.number.load(std::memory_order_acquire);
    if (number <= upTo &&
        entry.stream.load(std::memory_order_relaxed) == getKey(stream))
      entry.waited.store(number, std::memory_order_relaxed);
    pending |= entry.isPending();
  }
  // An overwritten entry may have been on any stream, so it counts until
  // nothing is left.
  if (!pending)
    overflowed.store(false, std::memory_order_relaxed);
}

std::string LaunchLog::getSuspects() const {
  struct Suspect {
    uint64_t number;
    const char *name;
  };
  std::array<Suspect, kSize> suspects;
  size_t count = 0;
  for (const Entry &entry : entries)
    if (entry.isPending())
      suspects[count++] = {entry.number.load(std::memory_order_acquire),
                           entry.name.load(std::memory_order_relaxed)};
  std::sort(
      suspects.begin(), suspects.begin() + count,
      [](const Suspect &a, const Suspect &b) { return a.number > b.number; });

  std::string list;
  size_t distinct = 0;
  for (size_t i = 0; i < count; ++i) {
    auto same = [&](const Suspect &other) {
      return std::strcmp(other.name, suspects[i].name) == 0;
    };
    if (std::any_of(suspects.begin(), suspects.begin() + i, same))
      continue;
    if (distinct++ > 0)
      list += ", ";
    list += suspects[i].name;
  }
  if (distinct == 0)
    return "a kernel launched elsewhere or by a graph";
  bool more = overflowed.load(std::memory_order_relaxed);
  if (distinct == 1 && !more)
    return list;
  return "one of " + list + (more ? " or of earlier ones" : "") +
         " (launched and not waited for, the latest first)";
}

/// CU_STREAM_PER_THREAD is the handle of a stream of each thread.
uint64_t StreamIds::getKey(Stream stream) {
  if (stream != CU_STREAM_PER_THREAD)
    return reinterpret_cast<uint64_t>(stream);
  static std::atomic<uint64_t> threads = 0;
  static thread_local uint64_t thread = threads++;
  return ~thread;
}

void StreamIds::note(Stream stream, uint64_t id) {
  struct Noted {
    const StreamIds *ids;
    uint64_t key, id;
  };
  static thread_local Noted last = {nullptr, 0, 0};
  uint64_t key = getKey(stream);
  if (last.ids == this && last.key == key && last.id == id)
    return;
  last = {this, key, id};
  std::lock_guard<std::mutex> lock(mutex);
  ids[key] = id;
}

std::optional<uint64_t> StreamIds::find(Stream stream) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = ids.find(getKey(stream));
  if (found == ids.end())
    return std::nullopt;
  return found->second;
}

struct Context::Impl::Names {
  std::mutex mutex;
  std::set<std::string, std::less<>> texts;
};

struct Context::Impl::WaitRecords {
  std::mutex mutex;
  std::vector<std::weak_ptr<WaitRecord>> list;
  size_t kept = 0; ///< when expired entries were dropped

  std::vector<std::shared_ptr<WaitRecord>> getLive() {
    std::vector<std::shared_ptr<WaitRecord>> live;
    std::lock_guard<std::mutex> lock(mutex);
    for (const std::weak_ptr<WaitRecord> &entry : list)
      if (std::shared_ptr<WaitRecord> record = entry.lock())
        live.push_back(std::move(record));
    return live;
  }
};

/// Errors that a kernel causes while it runs. The context is lost then, and
/// every later call in it returns the same code.
static bool isCausedByKernel(CUresult result) {
  switch (result) {
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    return true;
  default:
    return false;
  }
}

/// Classifies a result: it tells callers whether to try again.
static ErrorCode classify(CUresult result) {
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return ErrorCode::OutOfMemory;
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_INVALID_CONTEXT:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
    return ErrorCode::ContextLost;
  default:
    return isCausedByKernel(result) ? ErrorCode::LaunchFailed
                                    : ErrorCode::DriverError;
  }
}

/// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
static std::string getText(const DriverTable &driver, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return fmt::format("error {}, which the driver has no name for",
                       static_cast<int>(result));
  if (driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || !text)
    return name;
  std::string_view sentence = text;
  while (!sentence.empty() && sentence.back() == '.')
    sentence.remove_suffix(1);
  return fmt::format("{} ({})", sentence, name);
}

//===----------------------------------------------------------------------===//
// Context::Impl
//===----------------------------------------------------------------------===//

Context::Impl::Impl(const ContextOptions &options)
    : options(options),
      libraries(std::make_shared<Libraries>(options.libraries)), cache({}, 0),
      names(std::make_unique<Names>()),
      waitRecords(std::make_unique<WaitRecords>()) {}

Context::Impl::~Impl() {
  if (!context || isForkedFromUser())
    return;
  if (cublasLt.handle) {
    CurrentContext current(*this);
    (void)cublasLt.table->cublasLtDestroy(cublasLt.handle);
  }
  driver->cuDevicePrimaryCtxRelease(device);
}

Error Context::Impl::describe(CUresult result, const char *call) const {
  std::string text = getText(*driver, result);
  ErrorCode code = classify(result);
  if (code == ErrorCode::LaunchFailed) {
    std::string cause = describeExpiredWaits();
    if (cause.empty() && result == CUDA_ERROR_ASSERT)
      cause = "an assertion of a kernel doesn't hold; the device has printed "
              "its message, and the values that it compares";
    return {code, fmt::format("{} failed on the device: {}{}{}",
                              launches.getSuspects(), text,
                              cause.empty() ? "" : "; ", cause)};
  }
  return {code, fmt::format("{} failed: {}", call, text)};
}

Status Context::Impl::open() {
  CAROUSEL_TRY_ASSIGN(CacheOptions cacheOptions, readCacheOptions(options));
  cache = DiskCache(cacheOptions.directory, cacheOptions.maxBytes);
  CAROUSEL_TRY_ASSIGN(driver, libraries->getDriver());

  // Needs no cuInit, which an old driver might fail for another reason.
  CUresult result = driver->cuDriverGetVersion(&info.driverVersion);
  if (result == CUDA_ERROR_STUB_LIBRARY) // it has no texts either
    return fail(ErrorCode::NoLibrary,
                "no NVIDIA driver: {} is a CUDA toolkit's stub for linking",
                options.libraries.driver.empty() ? "libcuda.so.1"
                                                 : options.libraries.driver);
  CAROUSEL_TRY(check(result, "cuDriverGetVersion"));
  if (info.driverVersion < kMinDriverVersion)
    return fail(ErrorCode::NoLibrary,
                "the NVIDIA driver is too old: expected one for CUDA {}.{} or "
                "later, got {}.{}",
                kMinDriverVersion / 1000, kMinDriverVersion % 1000 / 10,
                info.driverVersion / 1000, info.driverVersion % 1000 / 10);

  result = driver->cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE)
    return fail(ErrorCode::NotFound, "no NVIDIA GPU: {}",
                getText(*driver, result));
  CAROUSEL_TRY(check(result, "cuInit"));

  int count = 0;
  CAROUSEL_TRY(check(driver->cuDeviceGetCount(&count), "cuDeviceGetCount"));
  if (count <= 0)
    return fail(ErrorCode::NotFound, "no NVIDIA GPU: the driver counts none");
  if (options.device < 0 || options.device >= count) {
    if (count == 1)
      return fail(ErrorCode::NotFound,
                  "expected device 0, the only one, got {}", options.device);
    return fail(ErrorCode::NotFound, "expected a device of 0 to {}, got {}",
                count - 1, options.device);
  }
  CAROUSEL_TRY(
      check(driver->cuDeviceGet(&device, options.device), "cuDeviceGet"));

  info.ordinal = options.device;
  char name[256] = "";
  CAROUSEL_TRY(check(driver->cuDeviceGetName(name, sizeof(name), device),
                     "cuDeviceGetName"));
  info.name = name;
  int major = 0, minor = 0, shared = 0, l2 = 0;
  const std::pair<CUdevice_attribute, int *> attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &info.multiprocessors},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2},
  };
  for (auto [attribute, value] : attributes)
    CAROUSEL_TRY(check(driver->cuDeviceGetAttribute(value, attribute, device),
                       "cuDeviceGetAttribute"));
  info.computeCapability = 10 * major + minor;
  info.maxSharedPerBlock = static_cast<uint32_t>(shared);
  info.l2Bytes = static_cast<uint64_t>(l2);

  CUcontext retained = nullptr;
  CAROUSEL_TRY(check(driver->cuDevicePrimaryCtxRetain(&retained, device),
                     "cuDevicePrimaryCtxRetain"));
  context = retained;
  return {};
}

Result<bool> Context::Impl::isCapturing(CUstream stream) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = driver->cuStreamIsCapturing(stream, &capture);
  // The default stream, while another one captures.
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    return true;
  CAROUSEL_TRY(check(result, "cuStreamIsCapturing"));
  return capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

Status CublasLt::check(lt::Status status, const char *call) const {
  if (status == lt::kSuccess)
    return {};
  const char *name = table->cublasLtGetStatusName(status);
  return fail(status == lt::kAllocFailed ? ErrorCode::OutOfMemory
                                         : ErrorCode::DriverError,
              "{} failed: {}", call, name ? name : "unknown status");
}

Result<const CublasLt *> Context::Impl::getCublasLt() {
  std::lock_guard<std::mutex> lock(cublasLtMutex);
  if (cublasLt.handle)
    return &cublasLt;
  CAROUSEL_TRY_ASSIGN(cublasLt.table, libraries->getCublasLt());
  RelaxedCapture relaxed(*driver);
  Status status = cublasLt.check(
      cublasLt.table->cublasLtCreate(&cublasLt.handle), "cublasLtCreate");
  if (!status)
    cublasLt.handle = nullptr;
  CAROUSEL_TRY(std::move(status));
  return &cublasLt;
}

Status Context::Impl::synchronize(CUstream stream) {
  // A launch that another thread makes while this one waits isn't covered.
  uint64_t covered = launches.getLatest();
  Status status =
      check(driver->cuStreamSynchronize(stream), "cuStreamSynchronize");
  if (status)
    launches.forget(stream, covered);
  return status;
}

std::string Context::Impl::describeExpiredWaits() const {
  std::string text;
  for (const std::shared_ptr<WaitRecord> &record : waitRecords->getLive())
    if (std::string sentence = record->describe(); !sentence.empty())
      text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

void Context::Impl::addWaitRecord(const std::shared_ptr<WaitRecord> &record) {
  std::lock_guard<std::mutex> lock(waitRecords->mutex);
  auto &list = waitRecords->list;
  // Now and then, so that a record costs the same however many there are.
  if (list.size() >= 2 * waitRecords->kept + 16) {
    list.erase(std::remove_if(list.begin(), list.end(),
                              [](const std::weak_ptr<WaitRecord> &entry) {
                                return entry.expired();
                              }),
               list.end());
    waitRecords->kept = list.size();
  }
  list.push_back(record);
}

const char *Context::Impl::keepName(std::string_view name) {
  std::lock_guard<std::mutex> lock(names->mutex);
  auto found = names->texts.find(name);
  if (found == names->texts.end())
    found = names->texts.emplace(name).first;
  return found->c_str();
}

//===----------------------------------------------------------------------===//
// CurrentContext
//===----------------------------------------------------------------------===//

CurrentContext::CurrentContext(Context::Impl &context) : context(context) {
  status = checkProcess();
  if (!status)
    return;
  CUcontext current = nullptr;
  status = context.check(context.driver->cuCtxGetCurrent(&current),
                         "cuCtxGetCurrent");
  if (!status || current == context.context)
    return;
  status = context.check(context.driver->cuCtxPushCurrent(context.context),
                         "cuCtxPushCurrent");
  pushed = status.has_value();
}

CurrentContext::~CurrentContext() {
  CUcontext popped = nullptr;
  if (pushed)
    context.driver->cuCtxPopCurrent(&popped);
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

Context::Context(std::shared_ptr<Impl> impl) : impl(std::move(impl)) {}

Result<Context> Context::create(const ContextOptions &options) noexcept {
  CAROUSEL_TRY(checkProcess());
  auto impl = std::make_shared<Impl>(options);
  CAROUSEL_TRY(impl->open());
  return Context(std::move(impl));
}

const DeviceInfo &Context::getDevice() const noexcept { return impl->info; }

std::string Context::describeExpiredWaits() const noexcept {
  return isForkedFromUser() ? "" : impl->describeExpiredWaits();
}

Status Context::synchronize(Stream stream) const noexcept {
  CurrentContext current(*impl);
  CAROUSEL_TRY(current.getStatus());
  return impl->synchronize(stream);
}

} // namespace carousel::runtime
