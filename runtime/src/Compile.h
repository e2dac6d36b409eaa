//===- Compile.h - from the images of a package to a cubin ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the image of a module that a device runs best, and compiles what is
// no cubin yet: PTX by the driver's linker or nvJitLink, CUDA C++ by NVRTC.
// What was compiled goes into the disk cache.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_H

#include "ContextImpl.h"

#include "carousel/Runtime/Package.h"

namespace carousel::runtime {

/// Whether code of this kind for `chip` ("sm_90a") runs on a device, by the
/// rules of docs/Package.md.
bool runsOn(std::string_view chip, Image::Kind kind, int computeCapability);

/// Images of a module that the device can use, best first: cubins, then PTX,
/// then CUDA C++; the newest chip first within each.
std::vector<size_t> rankImages(const ModuleInfo &module, int computeCapability);

/// The cubin of a module for the context's device. Falls back from one image to
/// the next where one can't be compiled; the error names them all. Holds no
/// lock while it compiles.
Result<std::string> getCubin(Context::Impl &context, const Package &package,
                             uint32_t module);

/// The module loaded into the context, which need not be current. As getCubin,
/// but a cubin counts only once the driver has taken it: a cached one that it
/// refuses is removed and compiled anew, and where a new one or the package's
/// own is refused, the next image is tried. An error that isn't about the image
/// (out of memory, an earlier launch that failed) is returned at once. The
/// caller unloads the module.
Result<CUmodule> loadModule(Context::Impl &context, const Package &package,
                            uint32_t module);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_H
