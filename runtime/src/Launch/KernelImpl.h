//===- KernelImpl.h - a kernel and its variants -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variant on a device, and the test of the arguments. One function tests,
// with or without a description, so that explain() reports exactly what a
// launch does. The tuned entries of a kernel for one device are sorted, so that
// a launch finds its own without memory and without looking at most of them. A
// launch that isn't prepared uses scratch memory of its thread, which is as
// large as any kernel has needed so far.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_KERNELIMPL_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_KERNELIMPL_H

#include "Bind/Bind.h"
#include "Bind/Evaluate.h"
#include "Bind/Parameters.h"
#include "Load/LoadedModule.h"
#include "Workspaces.h"

#include "carousel/Runtime/Kernel.h"
#include "carousel/Runtime/Module.h"

#include <atomic>
#include <memory>
#include <optional>

namespace carousel::runtime {

class TunedTable {
public:
  /// The entries for devices of this name. `kernel` outlives the table.
  TunedTable(const KernelInfo &kernel, std::string_view device);

  /// The entry for the values of these arguments, or null.
  const TunedInfo *find(const BoundArgument *bound) const {
    return entries.empty() ? nullptr : search(bound);
  }

private:
  const TunedInfo *search(const BoundArgument *bound) const;

  std::vector<TunedValue> values;
  std::vector<const TunedInfo *> entries; ///< by ascending values
};

/// The number that a tuned value is in these arguments.
inline int64_t getValue(const TunedValue &value, const BoundArgument *bound) {
  const BoundArgument &argument = bound[value.argument];
  return value.dim ? argument.extents[*value.dim] : argument.scalar;
}

/// Memory for the computations of one launch.
struct LaunchFrame {
  BoundArgument *bound = nullptr;
  TensorMapSource *sources = nullptr; ///< of the variant tried last
  TensorMap *maps = nullptr;
  uint64_t *storage = nullptr;
  void **pointers = nullptr;
};

/// The grid that a launch starts. Nothing where a dimension is 0.
struct Grid {
  std::array<uint32_t, 3> blocks = {};
  bool isEmpty() const {
    return blocks[0] == 0 || blocks[1] == 0 || blocks[2] == 0;
  }
};

/// A variant's answer to bound arguments. A variant that needs to be loaded has
/// no grid yet: what the driver says of its function decides.
struct Acceptance {
  enum class Answer { No, Yes, NeedsLoad } answer = Answer::No;
  Grid grid; ///< of Yes
  /// It takes them if strides that no access depends on count as 0.
  bool loosens = false;

  bool isYes() const { return answer == Answer::Yes; }
};

/// A variant of a kernel in a context. Immutable but for the function.
class DeviceVariant {
public:
  DeviceVariant(const Context &context, const Package &package,
                const KernelInfo &kernel, const VariantInfo &variant,
                const LoadedModule::Options &options);

  const VariantInfo &getInfo() const { return *info; }
  /// Lives as long as the context.
  const char *getName() const { return name; }
  const ParameterLayout &getLayout() const { return layout; }
  /// Whether functions are linked to it, of which only the package's user knows
  /// what they write.
  bool callsExterns() const { return !moduleInfo->externs.empty(); }
  /// Whether the device can run it at all.
  bool isSupported() const { return supported; }

  /// Whether it takes the bound arguments of `frame`; then the sources of its
  /// tensor maps are set, if its grid isn't empty. Takes no memory unless
  /// `reasons` is there, which gets all rules that don't hold; those of tensor
  /// maps only where there is a grid to need them.
  Acceptance accepts(LaunchFrame &frame,
                     std::vector<std::string> *reasons = nullptr) const;

  /// The nanoseconds that its cost predicts; nothing where it has none, or one
  /// that has no value or a negative one.
  std::optional<int64_t> predict(const LaunchFrame &frame) const;

  /// The workspaces were bound with `from` as their address, and have their own
  /// now: so do the sources of tensor maps.
  void moveSources(LaunchFrame &frame, uint64_t from) const;

  /// Fills frame.maps from frame.sources. Takes no memory for maps that the
  /// thread encoded before.
  Status encodeMaps(LaunchFrame &frame) const;

  /// Null before it was loaded.
  CUfunction getLoaded() const {
    return function.load(std::memory_order_acquire);
  }
  /// Loads it if need be.
  Result<CUfunction> load() const;
  LoadedModule &getModule() const { return *module; }

  /// An error if the variant is cooperative and loaded, and the device can't
  /// hold all blocks of the grid at once.
  Status checkCoresidence(const Grid &grid) const;

private:
  /// Whether the device can run it; if not, `reasons` gets why, if it is there.
  bool checkDevice(std::vector<std::string> *reasons) const;
  Status findCapacity(CUfunction loaded) const;
  Acceptance check(LaunchFrame &frame, bool loosens,
                   std::vector<std::string> *reasons) const;
  bool checkGrid(const Environment &environment, Grid &grid,
                 std::vector<std::string> *reasons) const;
  bool checkMaps(const Environment &environment, LaunchFrame &frame,
                 std::vector<std::string> *reasons) const;
  bool findSource(const TensorMapInfo &map, const Environment &environment,
                  TensorMapSource &source,
                  std::vector<std::string> *reasons) const;

  Context context;
  const KernelInfo *kernel;
  const VariantInfo *info;
  const char *name;
  const ModuleInfo *moduleInfo;
  LoadOptions::Via via;
  std::shared_ptr<LoadedModule> module;
  ParameterLayout layout;
  std::vector<uint64_t> formatIds; ///< of the tensor maps, for the cache
  bool supported;
  bool usesResident; ///< the grid does
  mutable std::atomic<CUfunction> function = nullptr;
  /// The blocks of a variant that the device holds at once, if it is
  /// cooperative or uses `resident`. Set before the function.
  mutable std::atomic<uint64_t> capacity = 0;
};

/// The variant that a launch runs, and its answer; none takes the arguments
/// where it is null.
struct VariantChoice {
  const DeviceVariant *variant = nullptr;
  Acceptance answer;
};

struct Kernel::Impl : std::enable_shared_from_this<Kernel::Impl> {
  Impl(const Context &context, const Package &package, const KernelInfo &info)
      : context(context), package(package), info(&info),
        checksMemory(info.hasShared() &&
                     !context.getImpl().options.trustSymmetric),
        tuned(info, context.getDevice().name), workspaces(info) {}

  Context context;
  Package package; ///< keeps `info` alive
  const KernelInfo *info;
  const bool checksMemory; ///< some arguments must be in symmetric buffers
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
              LaunchFrame &frame) const;

  /// Whether the variant takes the bound arguments. Loads it if its grid needs
  /// that, though not for a stream that records a graph. `stream`: the one of a
  /// launch, if it is one.
  Result<Acceptance> accepts(const DeviceVariant &variant, LaunchFrame &frame,
                             std::optional<Stream> stream = {},
                             std::vector<std::string> *reasons = nullptr) const;
  /// The variant that a launch with the bound arguments runs; the frame gets
  /// the strides and the sources of tensor maps with which it takes them. See
  /// Kernel::launch for the rule.
  Result<VariantChoice> choose(LaunchFrame &frame,
                               std::optional<Stream> stream = {}) const;
  /// An error where the variant would have to be loaded for a stream that
  /// records a graph: it may take seconds, and memory that the graph doesn't
  /// own.
  Status refuseLoadInCapture(const DeviceVariant &variant, Stream stream) const;
  Error explainNoVariant(LaunchFrame &frame) const;
  /// Checks that arguments that peers access are in symmetric buffers.
  Status checkMemory(const LaunchFrame &frame) const {
    return checksMemory ? checkSymmetric(*info, frame.bound, context.getImpl())
                        : Status();
  }
  /// Launches the variant that the bound arguments of `frame` select.
  Status launchBound(LaunchFrame &frame, Stream stream) const;
  Result<Launch> prepare(const DeviceVariant &variant, LaunchFrame &frame,
                         const Grid &grid) const;
  /// Launches a variant that took the bound arguments, on a grid with blocks.
  /// Unless `complete`, workspaces are yet to be found, and have kNoWorkspace
  /// as their address. The context must be current.
  Status start(const DeviceVariant &variant, LaunchFrame &frame,
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
/// Makes the argument of cuLaunchKernelEx; points into `attributes`.
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
