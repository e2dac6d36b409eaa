//===- User.cpp - whether the kernel tells this user from others ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See User.h. A namespace's map can only name users that its parent maps, so
// one that has all of them is that of a namespace without unmapped users.
//
//===----------------------------------------------------------------------===//

#include "User.h"

#include "carousel/Runtime/Fail.h"

#include <fstream>
#include <optional>
#include <sstream>

#include <unistd.h>

namespace carousel::runtime {

/// All but -1, which is no user.
static constexpr uint64_t kUsers = UINT32_MAX;

bool mapsAllUsers(std::string_view map) {
  std::istringstream lines{std::string(map)};
  uint64_t first = 0, outer = 0, count = 0, all = 0;
  while (lines >> first >> outer >> count)
    all += count;
  return all >= kUsers;
}

static std::optional<std::string> readText(const char *path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    return std::nullopt;
  return text.str();
}

Status checkOwnUser() {
  constexpr const char *kOverflow = "/proc/sys/kernel/overflowuid";
  std::optional<std::string> overflow = readText(kOverflow);
  if (overflow) {
    std::istringstream number(*overflow);
    uint64_t user = 0;
    if (number >> user && user != ::geteuid())
      return {};
  }
  std::optional<std::string> map = readText("/proc/self/uid_map");
  if (map && mapsAllUsers(*map))
    return {};
  if (!overflow)
    return fail(ErrorCode::IOError,
                "expected to read '{}', which tells the user that stands for "
                "users that the namespace doesn't map",
                kOverflow);
  return fail(ErrorCode::InvalidArgument,
              "expected a user that the kernel tells from others, got user {}, "
              "which in this user namespace stands for each user that it "
              "doesn't map",
              ::geteuid());
}

} // namespace carousel::runtime
