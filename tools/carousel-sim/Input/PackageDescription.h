//===- PackageDescription.h - a manifest as MLIR ----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a manifest says of kernels, as gpu.func ops without code: arguments,
// launches, guards and tensor maps, as the compiler was given them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_PACKAGEDESCRIPTION_H
#define CAROUSEL_TOOLS_SIM_PACKAGEDESCRIPTION_H

#include "carousel/Runtime/Manifest.h"

namespace carousel::simtool {

/// A module of MLIR, as text, with one gpu.func for each variant that is
/// compiled for the chip, and one func.func for each program whose kernels are.
std::string describePackage(const runtime::Manifest &manifest,
                            std::string_view chip, uint32_t multiprocessors);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_PACKAGEDESCRIPTION_H
