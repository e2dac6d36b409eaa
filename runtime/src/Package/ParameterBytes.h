//===- ParameterBytes.h - sizes of kernel parameters ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter's size, as docs/KernelABI.md defines it. Readers of manifests and
// loaders of modules check it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_PACKAGE_PARAMETERBYTES_H
#define CAROUSEL_RUNTIME_SRC_PACKAGE_PARAMETERBYTES_H

#include "carousel/Runtime/Manifest.h"

namespace carousel::runtime {

/// Bytes of a parameter as the kernel declares it.
size_t getParameterBytes(const KernelInfo &kernel, const VariantInfo &variant,
                         const Parameter &parameter);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_PACKAGE_PARAMETERBYTES_H
