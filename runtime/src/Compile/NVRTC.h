//===- NVRTC.h - one run of NVRTC -------------------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles CUDA C++ to a cubin, PTX or LTO-IR, with the device headers and
// without a cache. All compilation of CUDA C++ goes through it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_NVRTC_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_NVRTC_H

#include "CompileLog.h"
#include "Context/Libraries.h"
#include "Includes/Includes.h"

namespace carousel::runtime {

/// Its version and that of the device headers: whatever tells the results of
/// two compilations of the same input apart. NoLibrary where it isn't there.
Result<std::string> getNVRTCVersion(Libraries &libraries);

/// Everything that a compilation for a chip ("sm_90a") reads, with the
/// toolkit's headers. CompileError where `source`, or a header of `options`,
/// names a file that wasn't given.
Result<CompilerInput> prepareNVRTC(Libraries &libraries,
                                   const CUDASource &source,
                                   const std::string &chip, CodeKind kind,
                                   const CUDAOptions &options,
                                   CompileMessages *messages);

/// The result of a compilation or a link.
struct Compiled {
  std::string code;
  std::string log;
};

/// `messages` gets what the log says, whether the call fails or not.
Result<Compiled> runNVRTC(Libraries &libraries, const CompilerInput &input,
                          CodeKind kind, CompileMessages *messages);

/// The messages of a log of that source.
CompileMessages readNVRTCLog(std::string_view log, const CUDASource &source,
                             const std::vector<CUDASource> &headers);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_NVRTC_H
