//===- Compilers.h - a common interface of the compilers --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One interface for nvJitLink, NVRTC, and NVRTC with nvJitLink for device
// sources. Each is loaded when its version is first needed.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_COMPILERS_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_COMPILERS_H

#include "Context/ContextImpl.h"
#include "NVRTC.h"

#include "carousel/Runtime/Kernel.h"

#include <string>
#include <string_view>
#include <vector>

namespace carousel::runtime {

/// The text to compile, its target and options.
struct CompileInput {
  std::string_view text;
  const ModuleInfo &module;
  const Image &image; ///< of the module
  std::string arch;   ///< "sm_90a"
  const LoadOptions &options;
};

/// The work of a compiler, found before the cache is asked.
struct Job {
  /// Everything but the text of the image that the result depends on, in a
  /// fixed order.
  std::vector<std::string> parts;
  bool isCacheable = true;
  /// The inputs of NVRTC: the device sources, and the image last.
  std::vector<CompilerInput> inputs;
};

struct Compiler {
  /// Its name in messages: "NVRTC".
  const char *title;
  /// Tells its builds apart. NoLibrary where it isn't there.
  Result<std::string> (*getVersion)(Context::Impl &context);
  /// Errors as those of compile.
  Result<Job> (*prepare)(Context::Impl &context, const CompileInput &input,
                         CompileMessages &messages);
  /// A cubin. Messages call the text by the image's file name. Errors, by
  /// their code:
  /// CompileError: the text is wrong; InvalidArgument: a device source is, so
  /// that no other image does; UnsupportedVersion: the text is too new, a newer
  /// compiler could take it; NoLibrary: the compiler isn't there. All others,
  /// as OutOfMemory and ContextLost, aren't about the text, so that no other
  /// image and no other compiler does better.
  Result<Compiled> (*compile)(Context::Impl &context, const CompileInput &input,
                              const Job &job, CompileMessages &messages);
};

extern const Compiler kNvJitLink;    ///< PTX
extern const Compiler kNVRTC;        ///< CUDA C++
extern const Compiler kSourceLinker; ///< PTX and CUDA C++, with device sources

/// Something for nvJitLink.
struct LinkInput {
  enum class Kind { PTX, LTOIR };
  Kind kind;
  std::string_view bytes;
  std::string name;
};

/// nvJitLink: "13.0". NoLibrary where it isn't there.
Result<std::string> getNvJitLinkVersion(Libraries &libraries);
/// A cubin of all inputs, of which only the first may be PTX.
Result<Compiled> runNvJitLink(Libraries &libraries,
                              const std::vector<LinkInput> &inputs,
                              const std::vector<std::string> &options);

/// Everything that a compiled cubin depends on, for the disk cache.
std::string makeCacheKey(const DeviceInfo &device, const Image &image,
                         const Compiler &compiler, const std::string &version,
                         const std::string &arch,
                         const std::vector<std::string> &parts);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_COMPILERS_H
