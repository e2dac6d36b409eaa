//===- Libraries.cpp - opens NVIDIA's libraries ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries the names of a library, newest first, and fills its table from the
// first one that exists. If it lacks a symbol, it is too old, and so are the
// later names. Handles are never closed, because the driver has threads and
// exit handlers.
//
//===----------------------------------------------------------------------===//

#include "Libraries.h"

#include "Support/Process.h"
#include "carousel/Runtime/Fail.h"

#include <dlfcn.h>

#include <mutex>
#include <vector>

namespace carousel::runtime {

namespace {

using Names = std::vector<std::string>;

/// How messages speak of a library.
struct Library {
  const char *missing; ///< "no NVIDIA driver"
  const char *tooOld;  ///< "the NVIDIA driver is too old"
  const char *least;   ///< "expected one for CUDA 12.0 or later"
};

constexpr Library kDriver = {"no NVIDIA driver", "the NVIDIA driver is too old",
                             "expected one for CUDA 12.0 or later"};
constexpr Library kNVRTC = {"no NVRTC", "NVRTC is too old",
                            "expected CUDA 12.0 or later"};
constexpr Library kNvJitLink = {"no nvJitLink", "nvJitLink is too old",
                                "expected CUDA 12.3 or later"};
constexpr Library kNCCL = {"no NCCL", "NCCL is too old",
                           "expected NCCL 2.7 or later"};
constexpr Library kCublasLt = {"no cuBLASLt", "cuBLASLt is too old",
                               "expected CUDA 12.0 or later"};

template <typename Function>
bool find(void *handle, const char *symbol, Function &slot) {
  slot = reinterpret_cast<Function>(dlsym(handle, symbol));
  return slot != nullptr;
}

// Each load() returns the name of the first symbol that is missing, or null.
// CAROUSEL_LOAD turns the name that cuda.h made of a symbol into a string.
#define CAROUSEL_LOAD(name)                                                    \
  if (!find(handle, #name, table.name))                                        \
    return #name;
#define CAROUSEL_LOAD_OPTIONAL(name) find(handle, #name, table.name);
#define CAROUSEL_LOAD_RENAMED(name, older)                                     \
  if (!find(handle, #name, table.name) && !find(handle, older, table.name))    \
    return #name;

const char *load(void *handle, DriverTable &table) {
#define CAROUSEL_DRIVER_SYMBOL(name) CAROUSEL_LOAD(name)
#define CAROUSEL_DRIVER_OPTIONAL(name) CAROUSEL_LOAD_OPTIONAL(name)
#define CAROUSEL_DRIVER_RENAMED(name, older) CAROUSEL_LOAD_RENAMED(name, older)
#include "Symbols.def"
  return nullptr;
}

const char *load(void *handle, NVRTCTable &table) {
#define CAROUSEL_NVRTC_SYMBOL(name) CAROUSEL_LOAD(name)
#include "Symbols.def"
  return nullptr;
}

const char *load(void *handle, NvJitLinkTable &table) {
#define CAROUSEL_NVJITLINK_SYMBOL(name) CAROUSEL_LOAD(name)
#include "Symbols.def"
  return nullptr;
}

const char *load(void *handle, CublasLtTable &table) {
#define CAROUSEL_CUBLASLT_SYMBOL(name) CAROUSEL_LOAD(name)
#include "Symbols.def"
  return nullptr;
}

const char *load(void *handle, NCCLTable &table) {
#define CAROUSEL_NCCL_SYMBOL(name) CAROUSEL_LOAD(name)
#include "Symbols.def"
  return nullptr;
}

#undef CAROUSEL_LOAD_RENAMED
#undef CAROUSEL_LOAD_OPTIONAL
#undef CAROUSEL_LOAD

/// Why dlopen failed, without the file's name in front.
std::string getReason(const std::string &name) {
  const char *text = dlerror();
  std::string_view reason = text ? text : "unknown reason";
  if (reason.size() > name.size() + 2 &&
      reason.substr(0, name.size()) == name &&
      reason.substr(name.size(), 2) == ": ")
    reason.remove_prefix(name.size() + 2);
  return std::string(reason);
}

/// One library, opened once.
template <typename Table> class Loaded {
public:
  Loaded(const Library &library, Names names)
      : library(library), names(std::move(names)) {}

  Result<const Table *> get() {
    CAROUSEL_TRY(beginUse());
    std::lock_guard<std::mutex> lock(mutex);
    if (ready)
      return &table;
    std::string failures, reason;
    for (const std::string &name : names) {
      void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle) {
        // A reason that several names share is said once, after the last.
        std::string next = getReason(name);
        if (!failures.empty())
          failures += next == reason ? ", " : fmt::format(" ({}), ", reason);
        failures += name;
        reason = std::move(next);
        continue;
      }
      Table found;
      if (const char *symbol = load(handle, found))
        return fail(ErrorCode::NoLibrary, "{}: {} has no {}, {}",
                    library.tooOld, name, symbol, library.least);
      table = found;
      ready = true;
      return &table;
    }
    return fail(ErrorCode::NoLibrary, "{}: can't load {} ({})", library.missing,
                failures, reason);
  }

private:
  const Library &library;
  const Names names;
  std::mutex mutex;
  bool ready = false;
  Table table;
};

Names getNames(const std::string &given, Names usual) {
  return given.empty() ? std::move(usual) : Names{given};
}

} // namespace

struct Libraries::Impl {
  explicit Impl(const LibraryPaths &paths)
      : driver(kDriver, getNames(paths.driver, {"libcuda.so.1"})),
        nvrtc(kNVRTC, getNames(paths.nvrtc, {"libnvrtc.so.13", "libnvrtc.so.12",
                                             "libnvrtc.so"})),
        nvJitLink(kNvJitLink, getNames(paths.nvJitLink, {"libnvJitLink.so.13",
                                                         "libnvJitLink.so.12",
                                                         "libnvJitLink.so"})),
        cublasLt(kCublasLt, getNames(paths.cublasLt,
                                     {"libcublasLt.so.13", "libcublasLt.so.12",
                                      "libcublasLt.so"})),
        nccl(kNCCL, getNames(paths.nccl, {"libnccl.so.2", "libnccl.so"})) {}

  Loaded<DriverTable> driver;
  Loaded<NVRTCTable> nvrtc;
  Loaded<NvJitLinkTable> nvJitLink;
  Loaded<CublasLtTable> cublasLt;
  Loaded<NCCLTable> nccl;
};

Libraries::Libraries(LibraryPaths paths)
    : impl(std::make_unique<Impl>(paths)) {}

Libraries::~Libraries() = default;

Result<const DriverTable *> Libraries::getDriver() {
  return impl->driver.get();
}

Result<const NVRTCTable *> Libraries::getNVRTC() { return impl->nvrtc.get(); }

Result<const NvJitLinkTable *> Libraries::getNvJitLink() {
  return impl->nvJitLink.get();
}

Result<const CublasLtTable *> Libraries::getCublasLt() {
  return impl->cublasLt.get();
}

Result<const NCCLTable *> Libraries::getNCCL() { return impl->nccl.get(); }

} // namespace carousel::runtime
