//===- Variants.h - tests whether a variant accepts arguments ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variant on a device, and the test of the arguments. One function tests,
// with or without a description, so that explain() reports exactly what a
// launch does.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_LAUNCH_VARIANTS_H
#define CAROUSEL_RUNTIME_SRC_LAUNCH_VARIANTS_H

#include "Bind/Parameters.h"
#include "Load/LoadedModule.h"

#include <atomic>

namespace carousel::runtime {

/// Memory for the computations of one launch.
struct LaunchFrame {
  BoundArgument *bound = nullptr;
  TensorMapSource *sources = nullptr; ///< of the variant tried last
  TensorMap *maps = nullptr;
  uint64_t *storage = nullptr;
  void **pointers = nullptr;
};

/// What a launch starts. Nothing where a dimension is 0.
struct Grid {
  std::array<uint32_t, 3> blocks = {};
  bool isEmpty() const {
    return blocks[0] == 0 || blocks[1] == 0 || blocks[2] == 0;
  }
};

/// What a variant says of bound arguments.
enum class Acceptance {
  No,
  Yes,
  NeedsLoad, ///< its grid depends on what the driver says of its function
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
  /// Whether the device can run it at all.
  bool isSupported() const { return supported; }

  /// Whether it takes the bound arguments of `frame`; then `grid` is set and,
  /// if the grid isn't empty, the sources of the tensor maps. Takes no memory
  /// unless `reasons` is there, which gets all rules that don't hold; those of
  /// tensor maps only where there is a grid to need them. Where it takes them
  /// but for strides that no access depends on, these become 0 in `frame`.
  /// A variant that answers NeedsLoad has no grid yet: load() it and ask again.
  Acceptance accepts(const LaunchFrame &frame, Grid &grid,
                     std::vector<std::string> *reasons = nullptr) const;

  /// The nanoseconds that its cost predicts; nothing where it has none, or one
  /// that has no value or a negative one.
  std::optional<int64_t> predict(const LaunchFrame &frame) const;

  /// The workspaces were bound with `from` as their address, and have their own
  /// now: so do the sources of tensor maps.
  void moveSources(const LaunchFrame &frame, uint64_t from) const;

  /// Fills frame.maps from frame.sources. Takes no memory for maps that the
  /// thread encoded before.
  Status encodeMaps(const LaunchFrame &frame) const;

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
  Acceptance check(const LaunchFrame &frame, Grid &grid,
                   std::vector<std::string> *reasons) const;
  bool checkGrid(const Environment &environment, Grid &grid,
                 std::vector<std::string> *reasons) const;
  bool checkMaps(const Environment &environment, const LaunchFrame &frame,
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

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_LAUNCH_VARIANTS_H
