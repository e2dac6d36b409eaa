//===- Setup.cpp - what comes before a launch -----------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Setup.h.
//
//===----------------------------------------------------------------------===//

#include "Setup.h"

#include "../Process/Messages.h"

#include "carousel/Runtime/Fail.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace carousel;
using namespace carousel::tools;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Result;
using runtime::SignatureInfo;
using runtime::Status;

Exit tools::report(const runtime::Error &error) {
  printError(error.message);
  return error.code == ErrorCode::InvalidArgument ||
                 error.code == ErrorCode::NotFound
             ? Exit::Usage
             : Exit::Failure;
}

Status tools::checkSharing(const SignatureInfo &signature,
                           const LaunchOptions &options) {
  using Sharing = runtime::ArgumentInfo::Sharing;
  for (const runtime::ArgumentInfo &argument : signature.arguments)
    if (argument.sharing == Sharing::Multicast)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected a multicast address, got memory of one GPU, "
                  "where its instructions have no meaning; programs with peers "
                  "use SymmetricBuffer",
                  argument.name);
  if (options.plainSymmetric)
    return {};
  for (const runtime::ArgumentInfo &argument : signature.arguments)
    if (argument.sharing != Sharing::None)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected {} part of a symmetric buffer, got memory of "
                  "one GPU; --plain-symmetric passes that, and programs with "
                  "peers use SymmetricBuffer",
                  argument.name,
                  argument.sharing == Sharing::Peer ? "a peer's"
                                                    : "this rank's");
  return {};
}

Result<runtime::Context> tools::createContext(const LaunchOptions &options,
                                              ProgressMode progressMode) {
  Progress progress(progressMode, "starting the driver");
  runtime::ContextOptions contextOptions;
  contextOptions.device = options.device;
  contextOptions.cacheDirectory = options.cacheDirectory;
  contextOptions.trustSymmetric = options.plainSymmetric;
  return runtime::Context::create(contextOptions);
}

static Result<std::string> readText(const std::string &file) {
  std::string text;
  std::FILE *stream = std::fopen(file.c_str(), "rb");
  bool good = stream != nullptr;
  if (stream) {
    char buffer[4096];
    while (size_t count = std::fread(buffer, 1, sizeof(buffer), stream))
      text.append(buffer, count);
    good = std::ferror(stream) == 0; // a folder can be opened
    int error = errno;
    std::fclose(stream);
    errno = error;
  }
  if (good)
    return text;
  return fail(ErrorCode::NotFound, "expected a file for --link, got '{}': {}",
              file, std::strerror(errno));
}

Result<runtime::LoadOptions>
tools::makeLoadOptions(const LaunchOptions &options) {
  runtime::LoadOptions load;
  load.via = options.via;
  load.cuda.fastMath = options.fastMath;
  load.cuda.lineInfo = options.lineInfo;
  for (const std::string &file : options.sources) {
    CAROUSEL_TRY_ASSIGN(auto text, readText(file));
    load.deviceSources.push_back({file, std::move(text)});
  }
  return load;
}
