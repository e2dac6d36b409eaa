//===- Module.h - compiled code without a manifest -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles, loads and launches kernels that a caller writes in CUDA C++. The
// library doesn't know the types of their parameters, so it checks none of
// them. Kernel.h is for kernels of packages.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_MODULE_H
#define CAROUSEL_RUNTIME_MODULE_H

#include "carousel/Runtime/CompileCUDA.h"

#include <array>
#include <memory>

namespace carousel::runtime {

/// How to launch a kernel, x first. Clusters are counted in blocks.
struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t dynamicShared = 0; ///< bytes
};

/// Code on a device. Copies share ownership; any thread may call all members.
/// The last copy unloads the code, and must outlive all launches of it.
class Module {
public:
  /// Loads a cubin or PTX.
  static Result<Module> load(const Context &context,
                             const CompiledCode &code) noexcept;
  /// Calls compileCUDA, then load.
  static Result<Module>
  compile(const Context &context, const CUDASource &source,
          const CompileOptions &options = {},
          std::vector<CompileMessage> *messages = nullptr) noexcept;

  /// Launches `kernel`, the name of an extern "C" function. `parameters` holds
  /// a pointer to the value of each parameter, in order.
  Status launch(const std::string &kernel, const LaunchShape &shape,
                void *const *parameters,
                Stream stream = nullptr) const noexcept;

private:
  struct Impl;
  explicit Module(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_MODULE_H
