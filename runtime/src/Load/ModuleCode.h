//===- ModuleCode.h - compiles the images of a package ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the image of a module that the device runs best. The driver takes a
// cubin, and compiles PTX, as a whole program. NVRTC compiles CUDA C++.
// nvJitLink compiles PTX that is newer than the driver, and links the device
// sources that a module needs; as parts of programs, for which ptxas ignores
// setmaxnreg, so that kernels whose producer warps give registers away spill.
// Results of NVRTC and nvJitLink go to the disk cache; the driver has its own.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LOAD_MODULECODE_H
#define CAROUSEL_RUNTIME_SRC_LOAD_MODULECODE_H

#include "Context/ContextImpl.h"
#include "Package/Images.h"

namespace carousel::runtime {

/// Loads a cubin, or PTX, which the driver compiles, into the context, which
/// need not be current. Errors as Compiler::compile's.
Result<CUmodule> loadCode(Context::Impl &context, const std::string &code);

/// Code that the driver has.
struct ModuleCode {
  CUmodule loaded = nullptr;
  std::string code;                     ///< the cubin or PTX that it took
  bool isWhole = true;                  ///< it has all functions of the module
  std::vector<CompileMessage> messages; ///< what compilers said of it
};

/// The code of a module, with `function` or, if that is empty, any, loaded into
/// the context, which need not be current. A cached cubin that the driver
/// refuses is removed and compiled anew; where a new one or an image of the
/// package is refused or can't be compiled, the next image is tried. The error
/// names them all. An error that isn't about the image (out of memory, an
/// earlier launch that failed) is returned at once. Holds no lock while it
/// compiles. The caller unloads the module.
Result<ModuleCode> loadModule(Context::Impl &context, const Package &package,
                              uint32_t module, const ModuleImages &images,
                              std::string_view function,
                              const LoadOptions &options);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LOAD_MODULECODE_H
