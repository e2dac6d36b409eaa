//===- Kernel.h - kernels of packages, and launches -------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of a package in a context. The first launch that chooses a variant
// loads its module; later launches take no lock and allocate no memory. The
// last Kernel or Launch that uses a module unloads it. So these must outlive
// the launches that they made, and graphs that captured them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_KERNEL_H
#define CAROUSEL_RUNTIME_KERNEL_H

#include "carousel/Runtime/CompileCUDA.h"
#include "carousel/Runtime/Package.h"

#include <optional>
#include <vector>

namespace carousel::runtime {

/// How to compile the modules of a kernel.
struct LoadOptions {
  /// The images of a package to use. The numbers are part of the C ABI.
  enum class Via : int32_t {
    Any = 0,  ///< the first that works: a cubin, PTX, CUDA C++
    PTX = 1,  ///< PTX, or a cubin compiled from it
    CUDA = 2, ///< CUDA C++, by NVRTC
  };
  Via via = Via::Any;
  /// CUDA C++ that defines the functions that the package only declares
  /// (ModuleInfo::externs). NVRTC compiles it and nvJitLink links it.
  std::vector<CUDASource> deviceSources;
  /// Applies to device sources and to the package's own CUDA C++.
  CUDAOptions cuda;
};

/// The result of explain() for one variant.
struct VariantReport {
  std::string function;
  bool accepted = false;
  /// The guards that don't hold, each with the value found.
  std::vector<std::string> reasons;
  bool chosen = false; ///< a launch runs it
  /// Nanoseconds by its cost.
  std::optional<int64_t> predicted;
  /// Nanoseconds that the package has for this device and these arguments.
  std::optional<int64_t> measured;
};

/// Names the reason of a choice: "order", "prediction", "measurement".
const char *describeChoice(const VariantReport &report) noexcept;
/// "predicted 12.30 us, measured 11.20 us"; empty where neither is known.
std::string describeTimes(const VariantReport &report) noexcept;

/// A prepared launch: its variant, grid and parameters are computed. Any thread
/// may run it any number of times on any stream, while the arguments' memory
/// exists.
class Launch {
public:
  /// Runs the launch. A grid without blocks does nothing. A launch with
  /// workspaces must use the same stream in all runs.
  Status run(Stream stream = nullptr) const noexcept;

  const VariantInfo &getVariant() const noexcept;
  std::array<uint32_t, 3> getGrid() const noexcept;

private:
  friend class Kernel;
  struct Impl;
  explicit Launch(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl;
};

/// Copies share ownership. Any thread may call all members.
class Kernel {
public:
  /// Finds the kernel called `name`. Loads nothing onto the device. Kernels
  /// with equal options share their modules. Fails if device sources are given
  /// and no module needs them.
  static Result<Kernel> get(const Context &context, const Package &package,
                            std::string_view name,
                            const LoadOptions &options = {}) noexcept;

  const KernelInfo &getInfo() const noexcept;

  /// Launches a variant whose guards hold:
  ///  - if the package has measured times for this device and these arguments,
  ///    the first of these;
  ///  - else the first one in the package's order, if it has no cost;
  ///  - else the one of least cost, and of equals the first. Those after one
  ///    without a cost whose guards hold don't count.
  /// `arguments` don't include workspaces, which launches in one stream share.
  /// Fails if
  ///  - arguments don't fit the signature, or no variant accepts them (the
  ///    message has the reason for each);
  ///  - compilation or a driver call fails, or an earlier launch failed;
  ///  - the stream is being captured, and the variant isn't loaded or memory
  ///    for workspaces isn't allocated yet;
  ///  - a cooperative grid doesn't fit on the device.
  Status launch(const Argument *arguments, size_t count,
                Stream stream = nullptr) const noexcept;

  /// Prepares the same launch without running it. Loads the variant and
  /// allocates workspaces for this launch alone.
  Result<Launch> prepare(const Argument *arguments,
                         size_t count) const noexcept;
  /// The same, with the variant of this function's name. Its guards must hold.
  Result<Launch> prepareVariant(std::string_view function,
                                const Argument *arguments,
                                size_t count) const noexcept;

  /// Says which variant these arguments select, and why others are refused.
  /// Loads only variants whose guards hold and whose grid depends on the number
  /// of blocks that the device holds at once.
  Result<std::vector<VariantReport>> explain(const Argument *arguments,
                                             size_t count) const noexcept;

  /// Returns the key of measured times: the values of these arguments that
  /// SignatureInfo::getTunedValues lists.
  Result<std::vector<int64_t>> getTunedValues(const Argument *arguments,
                                              size_t count) const noexcept;

  /// Compiles and loads every variant that the device can run. Fails if it can
  /// run none.
  Status loadAll() const noexcept;

  /// NVRTC's warnings for the loaded modules.
  std::vector<CompileMessage> getCompileMessages() const noexcept;

  struct Impl;
  const std::shared_ptr<Impl> &share() const { return impl; }

private:
  explicit Kernel(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl;
};

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_KERNEL_H
