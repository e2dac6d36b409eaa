//===- PoisonSources.h - names of functions that return poison --*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_COMPILE_POISONSOURCES_H
#define CAROUSEL_LIB_SIMULATOR_COMPILE_POISONSOURCES_H

#include "llvm/ADT/StringRef.h"

namespace carousel::sim {

/// The number of the source follows. hidePoison calls these functions, and
/// trackPoison removes the calls.
inline constexpr llvm::StringLiteral kPoisonPrefix = "carousel.poison.";

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_COMPILE_POISONSOURCES_H
