//===- KernelImpl.h - the state of a kernel and of a launch -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Kernel.h. A launch that isn't prepared uses scratch memory of its thread,
// which is as large as any kernel has needed so far.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_KERNELIMPL_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_KERNELIMPL_H

#include "Bind/Bind.h"
#include "TunedTable.h"
#include "Variants.h"
#include "Workspaces.h"

#include "carousel/Runtime/Kernel.h"
#include "carousel/Runtime/Module.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace carousel::runtime {

struct Kernel::Impl : std::enable_shared_from_this<Kernel::Impl> {
  Impl(const Context &context, const Package &package, const KernelInfo &info)
      : context(context), package(package), info(&info),
        checksMemory(info.hasShared() &&
                     !context.getImpl().options.trustSymmetric),
        hasCosts(std::any_of(info.variants.begin(), info.variants.end(),
                             [](const VariantInfo &variant) {
                               return variant.cost.has_value();
                             })),
        tuned(info, context.getDevice().name), workspaces(info) {}

  Context context;
  Package package; ///< keeps `info` alive
  const KernelInfo *info;
  const bool checksMemory; ///< some arguments must be in symmetric buffers
  const bool hasCosts;     ///< some variants do
  const TunedTable tuned;  ///< for this device
  std::vector<std::unique_ptr<DeviceVariant>> variants;
  mutable WorkspaceTable workspaces;

  /// Offsets in the memory of a frame, and its size.
  struct FrameLayout {
    size_t sources = 0, maps = 0, storage = 0, pointers = 0, bytes = 0;
  } layout;
  void computeFrameLayout();
  /// The calling thread's frame, for one launch.
  LaunchFrame getFrame() const;

  /// Checks the caller's arguments and computes the workspaces' extents.
  Status bind(const Argument *arguments, size_t count,
              const LaunchFrame &frame) const;

  /// Whether the variant takes the bound arguments. Loads it if its grid needs
  /// that, though not for a stream that records a graph. `stream`: the one of a
  /// launch, if it is one.
  Result<bool> accepts(const DeviceVariant &variant, const LaunchFrame &frame,
                       Grid &grid, std::optional<Stream> stream = {},
                       std::vector<std::string> *reasons = nullptr) const;
  /// The variant that a launch with the bound arguments runs, or null if none
  /// takes them. See Kernel::launch for the rule.
  Result<const DeviceVariant *> choose(const LaunchFrame &frame, Grid &grid,
                                       std::optional<Stream> stream = {}) const;
  /// The same without measured times.
  Result<const DeviceVariant *>
  chooseByCost(const LaunchFrame &frame, Grid &grid,
               std::optional<Stream> stream) const;
  /// An error where the variant would have to be loaded for a stream that
  /// records a graph: it may take seconds, and memory that the graph doesn't
  /// own.
  Status refuseLoadInCapture(const DeviceVariant &variant, Stream stream) const;
  Error explainNoVariant(const LaunchFrame &frame) const;
  /// Checks that arguments that peers access are in symmetric buffers.
  Status checkMemory(const LaunchFrame &frame) const {
    return checksMemory ? checkSymmetric(*info, frame.bound, context.getImpl())
                        : Status();
  }
  /// Launches the variant that the bound arguments of `frame` select.
  Status launchBound(const LaunchFrame &frame, Stream stream) const;
  Result<Launch> prepare(const DeviceVariant &variant, const LaunchFrame &frame,
                         const Grid &grid) const;
  /// Launches a variant that took the bound arguments, on a grid with blocks.
  /// Unless `complete`, workspaces are yet to be found, and have kNoWorkspace
  /// as their address. The context must be current.
  Status start(const DeviceVariant &variant, const LaunchFrame &frame,
               const Grid &grid, bool complete, uint64_t streamId,
               Stream stream) const;
};

/// Everything that cuLaunchKernelEx takes but the stream. Immutable.
struct Launch::Impl {
  std::shared_ptr<const Kernel::Impl> kernel; ///< keeps the module loaded
  const DeviceVariant *variant = nullptr;
  CUfunction function = nullptr;
  Grid grid;
  std::vector<TensorMap> maps;
  std::vector<uint64_t> storage;
  std::vector<void *> pointers;
  /// Its own; where there are any, it runs in the stream that it runs in first.
  std::vector<Buffer> workspaces;
  FirstStream stream;
};

/// Where a launch's attributes lie.
using LaunchAttributes = std::array<CUlaunchAttribute, 2>;
/// What cuLaunchKernelEx takes; points into `attributes`.
CUlaunchConfig makeLaunchConfig(const LaunchShape &shape, bool cooperative,
                                LaunchAttributes &attributes);

/// Starts a function; the context must be current.
Status startKernel(Context::Impl &context, const DeviceVariant &variant,
                   CUfunction function, const Grid &grid, void **pointers,
                   Stream stream);
/// The same for any function. `name` must live as long as the context.
Status startFunction(Context::Impl &context, const char *name,
                     CUfunction function, const LaunchShape &shape,
                     void **pointers, Stream stream, bool cooperative = false);

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_KERNELIMPL_H
