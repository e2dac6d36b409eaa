//===- Includes.h - headers that NVRTC gets ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVRTC opens no files. This code reads the headers of the toolkit and of the
// directories that options name, and passes them to NVRTC as texts under their
// paths. So a cache key covers all of them, and a text in memory can't name
// another file. Of a list of NVRTC's options it needs the directories that it
// searches, the headers that come before the text, and whether any option may
// read or write other files.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_INCLUDES_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_INCLUDES_H

#include "Compile/CompileLog.h"

#include "carousel/Runtime/CompileCUDA.h"

#include <string>
#include <vector>

namespace carousel::runtime {

struct IncludeOptions {
  std::vector<std::string> directories;
  std::vector<std::string> preIncludes;
  /// All the others.
  std::vector<std::string> rest;
  /// Whether it is known of all of `rest` that they read and write no file.
  bool areKnown = true;
  /// Whether the code has the working directory in it, as line information has.
  bool hasPaths = false;
};

IncludeOptions readIncludeOptions(const std::vector<std::string> &options);

/// The input of NVRTC. Lines are those of the caller's texts.
struct CompilerInput {
  CUDASource source;
  /// The caller's, then those of directories.
  std::vector<CUDASource> headers;
  std::vector<std::string> options;
  /// The working directory, where the code has it in it.
  std::string directory;
  /// Whether nothing else decides what comes out: a header that a macro names,
  /// or an option of which nothing is known, does.
  bool isCacheable = true;
};

/// CompileError where `source` or one of `headers` names a file by an absolute
/// path, by one with "..", or by a macro, whether it would be included or not;
/// `messages`, if it is there, gets it, too. `toolkit` is searched after the
/// directories of `options`; it may be empty.
Result<CompilerInput> gatherInput(const CUDASource &source,
                                  const std::vector<CUDASource> &headers,
                                  const std::vector<std::string> &options,
                                  const std::string &toolkit,
                                  CompileMessages *messages);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_INCLUDES_H
