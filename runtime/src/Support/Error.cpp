//===- Error.cpp - messages, and names of error codes ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Error.h. This file makes every message of the library.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Error.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Support/Printable.h"

namespace carousel::runtime {

std::string clip(std::string text, size_t most) {
  if (text.size() <= most)
    return text;
  constexpr size_t kTailBytes = 48;
  size_t shown = getStart(text, most - kTailBytes).size();
  size_t left = text.size() - shown;
  text.resize(shown);
  return text + fmt::format("... ({} bytes left out)", left);
}

std::string makeMessage(std::string_view text) {
  return clip(escapeControls(text), kMaxMessageBytes);
}

Error::Error(ErrorCode code, std::string_view text) noexcept
    : code(code), message(makeMessage(text)) {}

const char *toString(ErrorCode code) noexcept {
  switch (code) {
  case ErrorCode::InvalidArgument:
    return "invalid argument";
  case ErrorCode::InvalidPackage:
    return "invalid package";
  case ErrorCode::UnsupportedVersion:
    return "unsupported version";
  case ErrorCode::NotFound:
    return "not found";
  case ErrorCode::NoVariant:
    return "no variant";
  case ErrorCode::NoLibrary:
    return "no library";
  case ErrorCode::DriverError:
    return "driver error";
  case ErrorCode::CompileError:
    return "compile error";
  case ErrorCode::LaunchFailed:
    return "launch failed";
  case ErrorCode::IOError:
    return "input/output error";
  case ErrorCode::OutOfMemory:
    return "out of memory";
  case ErrorCode::ContextLost:
    return "context lost";
  case ErrorCode::PeerLost:
    return "peer lost";
  case ErrorCode::Timeout:
    return "timeout";
  }
  return "unknown error"; // a number from beyond the C ABI
}

} // namespace carousel::runtime
