//===- Compile.h - from the images of a package to a cubin ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the image of a module that a device runs best, and compiles what is
// no cubin yet: PTX by the driver's linker or nvJitLink, CUDA C++ by NVRTC, and
// with them the device sources that the module needs. What was compiled goes
// into the disk cache.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_H

#include "ContextImpl.h"
#include "Images.h"

namespace carousel::runtime {

/// The cubin of a module for the context's device. Falls back from one image to
/// the next where one can't be compiled; the error names them all. Holds no
/// lock while it compiles.
Result<std::string> getCubin(Context::Impl &context, const Package &package,
                             uint32_t module, const LoadOptions &options = {});

/// The module loaded into the context, which need not be current. As getCubin,
/// but a cubin counts only once the driver has taken it: a cached one that it
/// refuses is removed and compiled anew, and where a new one or the package's
/// own is refused, the next image is tried. An error that isn't about the image
/// (out of memory, an earlier launch that failed) is returned at once. The
/// caller unloads the module. `messages`, if it is there, becomes what NVRTC
/// said of what was loaded.
Result<CUmodule> loadModule(Context::Impl &context, const Package &package,
                            uint32_t module, const LoadOptions &options = {},
                            std::vector<CompileMessage> *messages = nullptr);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_H
