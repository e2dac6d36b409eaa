//===- Error.cpp - names of error codes ---===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Error.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Error.h"

namespace carousel::runtime {

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
  }
  return "unknown error"; // a number from beyond the C ABI
}

} // namespace carousel::runtime
