//===- Kernel.h - choosing a variant and launching it ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Kernel of a package in a context. Modules are loaded when a variant of
// theirs is chosen first; from then on a launch takes no lock and no memory.
// They are unloaded with the last Kernel and Launch that uses them, so these
// must live as long as what they launched runs, and as long as a graph that
// captured it.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_KERNEL_H
#define CAROUSEL_RUNTIME_KERNEL_H

#include "carousel/Runtime/CompileCUDA.h"
#include "carousel/Runtime/Package.h"

#include <vector>

namespace carousel::runtime {

/// How the modules of a kernel are compiled.
struct LoadOptions {
  /// Which images of a package are taken. The numbers are part of the C ABI.
  enum class Via : int32_t {
    Any = 0,  ///< the first that works: a cubin, PTX, CUDA C++
    PTX = 1,  ///< PTX, or the cubin that was made of it
    CUDA = 2, ///< CUDA C++, by NVRTC
  };
  Via via = Via::Any;
  /// CUDA C++ with the functions that the package's kernels call and don't
  /// have (ModuleInfo::externs): compiled by NVRTC, linked by nvJitLink.
  std::vector<CUDASource> deviceSources;
  /// For device sources and the package's own CUDA C++.
  CUDAOptions cuda;
};

/// What explain() says of one variant.
struct VariantReport {
  std::string function;
  bool accepted = false;
  /// The guards that don't hold, each with the value found.
  std::vector<std::string> reasons;
};

/// A launch with everything computed: variant, grid, parameters. It may be run
/// any number of times, on any stream and from any thread, while the arguments'
/// memory is there.
class Launch {
public:
  /// Runs it. A grid without blocks does nothing. With workspaces it is the
  /// first run's stream in which all others run, too; an error elsewhere.
  Status run(Stream stream = nullptr) const noexcept;

  const VariantInfo &getVariant() const noexcept;
  std::array<uint32_t, 3> getGrid() const noexcept;

private:
  friend class Kernel;
  struct Impl;
  explicit Launch(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl;
};

/// Shared ownership. All members may be called from any thread.
class Kernel {
public:
  /// The kernel called `name`. Loads nothing onto the device.
  /// Kernels with equal options share their modules. Errors where no module
  /// needs the device sources.
  static Result<Kernel> get(const Context &context, const Package &package,
                            std::string_view name,
                            const LoadOptions &options = {}) noexcept;

  const KernelInfo &getInfo() const noexcept;

  /// Launches the first variant whose guards hold. Errors: arguments that don't
  /// fit the signature; no variant (with the reason why each was refused);
  /// compilation; the driver; a kernel that was launched before and failed; a
  /// stream that is being captured, if the variant isn't loaded yet or memory
  /// for workspaces isn't there; a cooperative grid that doesn't fit.
  /// `arguments` are without workspaces: launches in one stream share these.
  Status launch(const Argument *arguments, size_t count,
                Stream stream = nullptr) const noexcept;

  /// The same, without running it. Loads the variant, and allocates workspaces
  /// for this launch alone.
  Result<Launch> prepare(const Argument *arguments,
                         size_t count) const noexcept;
  /// The same with the variant that is the function of this name, if its
  /// guards hold.
  Result<Launch> prepareVariant(std::string_view function,
                                const Argument *arguments,
                                size_t count) const noexcept;

  /// Which variant these arguments get, and why not the others. Loads nothing.
  Result<std::vector<VariantReport>> explain(const Argument *arguments,
                                             size_t count) const noexcept;

  /// Compiles and loads every variant that the device can run. Errors where it
  /// can run none.
  Status loadAll() const noexcept;

  /// What NVRTC said of the modules that are loaded: warnings.
  std::vector<CompileMessage> getCompileMessages() const noexcept;

private:
  friend class Launch;
  struct Impl;
  explicit Kernel(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_KERNEL_H
