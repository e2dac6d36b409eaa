//===- Error.h - results and errors of the runtime --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every call that can fail returns a Result. CAROUSEL_TRY and
// CAROUSEL_TRY_ASSIGN return its error to the next caller. Nothing throws: the
// library's functions are noexcept, and the process ends if host memory runs
// out. A message is one short line: the argument, the rule, and the value
// found.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_ERROR_H
#define CAROUSEL_RUNTIME_ERROR_H

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace carousel::runtime {

/// The numbers are part of the C ABI.
enum class ErrorCode : int32_t {
  InvalidArgument = 1,    ///< an argument of the call, or of the kernel
  InvalidPackage = 2,     ///< a manifest or a file of a package
  UnsupportedVersion = 3, ///< a package newer than this library
  NotFound = 4,           ///< no such kernel, file or device
  NoVariant = 5,          ///< no variant's guards hold
  NoLibrary = 6,          ///< the driver or another library is missing
  DriverError = 7,        ///< a driver call failed
  CompileError = 8,       ///< PTX or CUDA C++ that didn't compile
  LaunchFailed = 9,       ///< an earlier launch failed on the device
  IOError = 10,           ///< the file system
  OutOfMemory = 11,       ///< a driver or a compiler has no memory left
  /// The context or the device is unusable, and a retry doesn't help: it was
  /// destroyed, it had an uncorrectable error, or the process was forked from
  /// one that had used CUDA.
  ContextLost = 12,
  PeerLost = 13, ///< another rank's process ended or left its group
  Timeout = 14,  ///< another rank didn't do in time what was waited for
};

/// The largest number of bytes of a message.
inline constexpr size_t kMaxMessageBytes = 4096;

struct Error {
  /// Makes the message from `text`, which may quote untrusted input. Control
  /// characters are escaped. A text that is too long is cut, and the number of
  /// bytes left out follows.
  Error(ErrorCode code, std::string_view text) noexcept;

  ErrorCode code;
  std::string message;
};

template <typename T> using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// A short name of a code: "invalid argument".
const char *toString(ErrorCode code) noexcept;

} // namespace carousel::runtime

/// Evaluates an expression of type Result<T> once. If it holds an error, the
/// function returns that error, so the function returns a Result as well. A
/// value is dropped. A lambda needs its return type, `-> Status`.
///
///   CAROUSEL_TRY(comm.checkRank(rank, "rank"));
#define CAROUSEL_TRY(...)                                                      \
  do {                                                                         \
    if (auto &&carouselResult = (__VA_ARGS__); !carouselResult)                \
      return CAROUSEL_TAKE_ERROR(carouselResult);                              \
  } while (false)

/// The same, and gives the value to `target`: a new variable, or anything that
/// stands at the left of an assignment. The value is moved out of a temporary;
/// `auto &&` and `const auto &` refer to it without a move. These are several
/// statements, so an `if`, a loop or a `case` needs braces around them.
///
///   CAROUSEL_TRY_ASSIGN(Package package, Package::open(directory));
///   CAROUSEL_TRY_ASSIGN(options.timeout, convertTimeout(milliseconds));
#define CAROUSEL_TRY_ASSIGN(target, ...)                                       \
  CAROUSEL_TRY_ASSIGN_AT(__LINE__, target, __VA_ARGS__)

// The expansion of the two above. The line makes the variable's name unique; it
// becomes a number on its way through CAROUSEL_TRY_ASSIGN_AT.
#define CAROUSEL_TRY_ASSIGN_AT(line, target, ...)                              \
  CAROUSEL_TRY_ASSIGN_BY(line, target, __VA_ARGS__)
#define CAROUSEL_TRY_ASSIGN_BY(line, target, ...)                              \
  auto &&carouselResult##line = (__VA_ARGS__);                                 \
  if (!carouselResult##line)                                                   \
    return CAROUSEL_TAKE_ERROR(carouselResult##line);                          \
  target = *std::forward<decltype(carouselResult##line)>(carouselResult##line)
#define CAROUSEL_TAKE_ERROR(result)                                            \
  ::tl::make_unexpected(std::forward<decltype(result)>(result).error())

#endif // CAROUSEL_RUNTIME_ERROR_H
