//===- PackageLimits.h - limits of packages ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits at which the compiler refuses an op, since the runtime would
// refuse the package (docs/Package.md, Limits of a launch).
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SUPPORT_PACKAGELIMITS_H
#define CAROUSEL_SUPPORT_PACKAGELIMITS_H

#include <cstddef>

namespace carousel {

/// The largest number of arguments that may alias the same one. All of them are
/// compared with each other at each launch.
inline constexpr size_t kMaxAliases = 16;

} // namespace carousel

#endif // CAROUSEL_SUPPORT_PACKAGELIMITS_H
