//===- Compilers.h - what makes a cubin of PTX or CUDA C++ ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One form for the driver's linker, nvJitLink and NVRTC. Each is loaded when it
// is asked for its version.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILERS_H
#define CAROUSEL_RUNTIME_SRC_COMPILERS_H

#include "ContextImpl.h"

#include "carousel/Runtime/Manifest.h"

#include <string>
#include <string_view>
#include <vector>

namespace carousel::runtime {

struct Compiler {
  /// As messages call it: "the driver's compiler".
  const char *title;
  /// What tells its builds apart. NoLibrary where it isn't there.
  Result<std::string> (*getVersion)(Context::Impl &context);
  /// The options for an architecture ("sm_90a"), in their order.
  std::vector<std::string> (*getOptions)(const std::string &arch);
  /// A cubin of `source`, which messages call `file`. Errors, by their code:
  /// CompileError: the source is wrong; UnsupportedVersion: it is too new, a
  /// newer compiler could take it; NoLibrary: the compiler isn't there;
  /// LaunchFailed: nothing works any more in this context.
  Result<std::string> (*compile)(Context::Impl &context,
                                 const std::string &source,
                                 const std::string &file,
                                 const std::vector<std::string> &options);
};

extern const Compiler kDriverLinker; ///< PTX
extern const Compiler kNvJitLink;    ///< PTX
extern const Compiler kNVRTC;        ///< CUDA C++

/// Everything that a compiled cubin depends on, for the disk cache.
std::string makeCacheKey(const DeviceInfo &device, const Image &image,
                         const Compiler &compiler, const std::string &version,
                         const std::string &arch,
                         const std::vector<std::string> &options);

/// The first lines of a compiler's log as one line, at most 4 KiB, with " | "
/// between what were lines.
std::string condenseLog(std::string_view log);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILERS_H
