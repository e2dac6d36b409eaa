//===- Libraries.h - NVIDIA's libraries -------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of symbols (Symbols.def) for libcuda, NVRTC, nvJitLink, cuBLASLt
// and NCCL. The first use opens a library, which stays open until the process
// ends. A missing library or symbol is an error of the call that needs it.
// Symbols that are optional in Symbols.def may be null in a table.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_LIBRARIES_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_LIBRARIES_H

#include "CublasLt.h"
#include "NCCL.h"

#include "carousel/Runtime/Context.h"

#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include <memory>

namespace carousel::runtime {

#define CAROUSEL_SYMBOL(name) decltype(&::name) name = nullptr;

struct DriverTable {
#define CAROUSEL_DRIVER_SYMBOL CAROUSEL_SYMBOL
#include "Symbols.def"
};

struct NVRTCTable {
#define CAROUSEL_NVRTC_SYMBOL CAROUSEL_SYMBOL
#include "Symbols.def"
};

struct NvJitLinkTable {
#define CAROUSEL_NVJITLINK_SYMBOL CAROUSEL_SYMBOL
#include "Symbols.def"
};

struct CublasLtTable {
#define CAROUSEL_CUBLASLT_SYMBOL(name) lt::name *name = nullptr;
#include "Symbols.def"
};

struct NCCLTable {
#define CAROUSEL_NCCL_SYMBOL(name) nccl::name *name = nullptr;
#include "Symbols.def"
};

#undef CAROUSEL_SYMBOL

/// The oldest driver, as cuDriverGetVersion counts.
inline constexpr int kMinDriverVersion = 12000;

/// The libraries under one set of names. Thread-safe. What couldn't be loaded
/// is tried again by the next call.
class Libraries {
public:
  explicit Libraries(LibraryPaths paths);
  ~Libraries();

  Result<const DriverTable *> getDriver();
  Result<const NVRTCTable *> getNVRTC();
  Result<const NvJitLinkTable *> getNvJitLink();
  Result<const CublasLtTable *> getCublasLt();
  Result<const NCCLTable *> getNCCL();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_CONTEXT_LIBRARIES_H
