//===- CacheOptions.cpp - place and size limit of the disk cache ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that runs with another user's rights than its caller ignores the
// environment.
//
//===----------------------------------------------------------------------===//

#include "CacheOptions.h"

#include "carousel/Runtime/Fail.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace carousel::runtime {
namespace {

constexpr uint64_t kDefaultBytes = uint64_t(1) << 30;

/// Empty where it isn't set, too.
std::string_view getVariable(const char *name) {
  const char *value = ::secure_getenv(name);
  return value ? value : "";
}

std::string getDefaultDirectory() {
  // The XDG specification has a relative path ignored.
  std::string_view cache = getVariable("XDG_CACHE_HOME");
  if (cache.substr(0, 1) == "/")
    return fmt::format("{}/carousel", cache);
  std::string_view home = getVariable("HOME");
  if (home.substr(0, 1) == "/")
    return fmt::format("{}/.cache/carousel", home);
  struct passwd entry, *found = nullptr;
  std::vector<char> buffer(16384);
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) ==
          0 &&
      found && found->pw_dir && found->pw_dir[0] == '/')
    return fmt::format("{}/.cache/carousel", found->pw_dir);
  return {};
}

Result<std::string> readDirectory() {
  constexpr const char *kName = "CAROUSEL_CACHE_DIR";
  std::string_view value = getVariable(kName);
  if (value.empty())
    return getDefaultDirectory();
  if (value.front() != '/')
    return fail(ErrorCode::InvalidArgument,
                "{}: expected an absolute path, got '{}'", kName, value);
  return std::string(value);
}

Result<uint64_t> readMaxBytes() {
  constexpr const char *kDisable = "CAROUSEL_CACHE_DISABLE";
  constexpr const char *kMaxBytes = "CAROUSEL_CACHE_MAX_BYTES";
  std::string_view disable = getVariable(kDisable);
  if (!disable.empty() && disable != "0" && disable != "1")
    return fail(ErrorCode::InvalidArgument, "{}: expected 0 or 1, got '{}'",
                kDisable, disable);
  std::string_view value = getVariable(kMaxBytes);
  uint64_t bytes = kDefaultBytes;
  const char *end = value.data() + value.size();
  auto [at, error] = std::from_chars(value.data(), end, bytes);
  if (!value.empty() && (error != std::errc() || at != end))
    return fail(ErrorCode::InvalidArgument,
                "{}: expected a number of bytes below 2^64, got '{}'",
                kMaxBytes, value);
  return disable == "1" ? 0 : bytes;
}

} // namespace

Result<CacheOptions> readCacheOptions(const ContextOptions &options) {
  CacheOptions read = {options.cacheDirectory, options.cacheBytes.value_or(0)};
  if (!options.cacheBytes) {
    CAROUSEL_TRY_ASSIGN(read.maxBytes, readMaxBytes());
  }
  if (read.directory.empty() && read.maxBytes != 0) {
    CAROUSEL_TRY_ASSIGN(read.directory, readDirectory());
  }
  return read;
}

} // namespace carousel::runtime
