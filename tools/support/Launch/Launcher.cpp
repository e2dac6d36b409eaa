//===- Launcher.cpp - one kernel and its tensors on a device --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors are copied in pieces, so that large ones show progress.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include "../Process/Messages.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace carousel;
using namespace carousel::tools;

//===----------------------------------------------------------------------===//
// Before a launch
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// One kernel and its tensors on a device
//===----------------------------------------------------------------------===//

using runtime::fail;

static constexpr uint64_t kPiece = 64 << 20;

Result<Launcher> Launcher::create(const runtime::Context &context,
                                  const runtime::SignatureInfo &kernel,
                                  std::vector<ArgumentValue> values,
                                  uint64_t misalignment,
                                  ProgressMode progressMode) {
  Launcher launcher(context, kernel, std::move(values), misalignment,
                    progressMode);
  launcher.buffers.resize(kernel.arguments.size());
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (!launcher.isTensor(i) || launcher.values[i].sameAs)
      continue;
    const runtime::ArgumentInfo &argument = kernel.arguments[i];
    uint64_t bytes =
        launcher.getLayout(i).storage * runtime::getBytes(argument.element);
    // A tensor without elements has an address too.
    CAROUSEL_TRY_ASSIGN(
        launcher.buffers[i],
        prefixError(runtime::Buffer::allocate(
                        context, std::max<uint64_t>(bytes, 1) + misalignment),
                    "{}", argument.name));
  }
  return launcher;
}

std::vector<runtime::Argument> Launcher::getArguments() const {
  std::vector<uint64_t> addresses(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i)
    if (isTensor(i))
      addresses[i] = getBuffer(i).getAddress() + misalignment;
  return makeArguments(*kernel, values, addresses);
}

Status Launcher::upload() {
  for (size_t i = 0; i < kernel->arguments.size(); ++i) {
    if (!isTensor(i) || values[i].sameAs)
      continue;
    const runtime::ArgumentInfo &argument = kernel->arguments[i];
    const TensorValue &value = values[i].tensor;
    runtime::Buffer &buffer = *buffers[i];
    using Kind = TensorValue::Kind;
    if (value.kind == Kind::Empty || value.kind == Kind::Zeros) {
      uint8_t byte = value.kind == Kind::Empty ? kUnwritten : 0;
      CAROUSEL_TRY(buffer.fill(byte));
      continue;
    }
    uint64_t bytes = value.layout.storage * runtime::getBytes(argument.element);
    const char *verb = value.kind == Kind::File ? "loading" : "generating";
    std::optional<HostBuffer> contents;
    {
      Progress progress(progressMode, fmt::format("{} {}", verb, argument.name),
                        bytes, ProgressUnit::Bytes);
      CAROUSEL_TRY_ASSIGN(
          contents, prefixError(makeContents(value, argument.element, progress),
                                "{}", argument.name));
    }
    Progress progress(progressMode, fmt::format("uploading {}", argument.name),
                      bytes, ProgressUnit::Bytes);
    for (uint64_t at = 0; at < bytes; at += kPiece) {
      uint64_t count = std::min(kPiece, bytes - at);
      CAROUSEL_TRY(
          buffer.upload(contents->getData() + at, count, misalignment + at));
      progress.advance(count);
    }
    // The host memory goes away now.
    CAROUSEL_TRY(context.synchronize());
  }
  return context.synchronize();
}

Result<HostBuffer> Launcher::download(size_t argument) const {
  const runtime::ArgumentInfo &info = kernel->arguments[argument];
  uint64_t bytes =
      getLayout(argument).storage * runtime::getBytes(info.element);
  CAROUSEL_TRY_ASSIGN(auto contents, HostBuffer::allocate(bytes));
  Progress progress(progressMode, fmt::format("downloading {}", info.name),
                    bytes, ProgressUnit::Bytes);
  for (uint64_t at = 0; at < bytes; at += kPiece) {
    uint64_t count = std::min(kPiece, bytes - at);
    CAROUSEL_TRY(getBuffer(argument).download(contents.getData() + at, count,
                                              misalignment + at));
    CAROUSEL_TRY(context.synchronize());
    progress.advance(count);
  }
  return contents;
}
