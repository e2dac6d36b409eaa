//===- Capability.h - compute capabilities in messages ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts 90, as the runtime and packages write it, to "9.0".
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_SUPPORT_CAPABILITY_H
#define CAROUSEL_RUNTIME_SRC_SUPPORT_CAPABILITY_H

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace carousel::runtime {

/// "9.0" of 90.
inline std::string describeCapability(int64_t capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_SUPPORT_CAPABILITY_H
