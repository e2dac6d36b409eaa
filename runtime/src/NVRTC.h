//===- NVRTC.h - one run of NVRTC ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ to a cubin, PTX or LTO-IR, with the device headers, without a cache.
// Everything that compiles CUDA C++ does it here.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_NVRTC_H
#define CAROUSEL_RUNTIME_SRC_NVRTC_H

#include "CompileLog.h"
#include "Libraries.h"

namespace carousel::runtime {

/// Its version, that of the device headers, and where the toolkit's headers
/// are: whatever tells the results of two compilations with the same options
/// apart. NoLibrary where it isn't there.
Result<std::string> getNVRTCVersion(Libraries &libraries);

/// The options for a chip ("sm_90a"), in their order.
std::vector<std::string> getNVRTCOptions(const std::string &chip, CodeKind kind,
                                         const CUDAOptions &options);

/// What a compilation, or a link, leaves behind.
struct Compiled {
  std::string code;
  std::string log;
};

/// Compiles `source` with the options of getNVRTCOptions. `headers` are those
/// of the caller. `messages` gets what the log says, whether the call fails or
/// not.
Result<Compiled> runNVRTC(Libraries &libraries, const CUDASource &source,
                          CodeKind kind,
                          const std::vector<std::string> &options,
                          const std::vector<CUDASource> &headers,
                          CompileMessages *messages);

/// The messages of a log of that source.
CompileMessages readNVRTCLog(std::string_view log, const CUDASource &source,
                             const std::vector<CUDASource> &headers);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_NVRTC_H
