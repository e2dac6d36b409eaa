//===- Program.h - compiled code that no package describes ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kernels that a person writes or generates as CUDA C++: compiled, loaded
// and launched with parameters as they are. Nothing is known of these, so
// nothing about them is checked. See Kernel.h for those of packages.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_PROGRAM_H
#define CAROUSEL_RUNTIME_PROGRAM_H

#include "carousel/Runtime/CompileCUDA.h"

#include <array>
#include <memory>

namespace carousel::runtime {

/// How a kernel is launched, x first. Clusters are in blocks.
struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t dynamicShared = 0; ///< bytes
};

/// Code on a device. Shared ownership; all members may be called from any
/// thread. Unloaded with the last copy, which must live as long as what was
/// launched from it runs.
class Program {
public:
  /// Loads a cubin or PTX.
  static Result<Program> load(const Context &context,
                              const CompiledCode &code) noexcept;
  /// compileCUDA and load.
  static Result<Program>
  compile(const Context &context, const CUDASource &source,
          const CompileOptions &options = {},
          std::vector<CompileMessage> *messages = nullptr) noexcept;

  /// Launches `kernel`, the name of an extern "C" function. `parameters` points
  /// at the value of each of its parameters, in their order.
  Status launch(const std::string &kernel, const LaunchShape &shape,
                void *const *parameters,
                Stream stream = nullptr) const noexcept;

private:
  struct Impl;
  explicit Program(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_PROGRAM_H
