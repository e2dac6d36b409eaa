//===- ModuleCode.h - compiles the images of a package ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the image of a module that the device runs best, and compiles it
// unless it is a cubin. The driver's linker or nvJitLink compiles PTX, and
// NVRTC compiles CUDA C++, together with the device sources that the module
// needs. Results go to the disk cache.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LOAD_MODULECODE_H
#define CAROUSEL_RUNTIME_SRC_LOAD_MODULECODE_H

#include "Context/ContextImpl.h"
#include "Package/Images.h"

namespace carousel::runtime {

/// The cubin of a module, with `function` or, if that is empty, any, for the
/// context's device. Falls back from one image to the next where one can't be
/// compiled; the error names them all. Holds no lock while it compiles.
Result<std::string> getCubin(Context::Impl &context, const Package &package,
                             uint32_t module, std::string_view function = {},
                             const LoadOptions &options = {});

/// Code that the driver has.
struct ModuleCode {
  CUmodule loaded = nullptr;
  bool isWhole = true;                  ///< it has all functions of the module
  std::vector<CompileMessage> messages; ///< what NVRTC said of it
};

/// The code loaded into the context, which need not be current. As getCubin,
/// but a cubin counts only once the driver has taken it: a cached one that it
/// refuses is removed and compiled anew, and where a new one or the package's
/// own is refused, the next image is tried. An error that isn't about the image
/// (out of memory, an earlier launch that failed) is returned at once. The
/// caller unloads the module.
Result<ModuleCode> loadModule(Context::Impl &context, const Package &package,
                              uint32_t module, const ModuleImages &images,
                              std::string_view function,
                              const LoadOptions &options);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LOAD_MODULECODE_H
