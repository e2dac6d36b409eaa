//===- Launch.cpp - prepared launches -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver call, and launches that own its parameters.
//
//===----------------------------------------------------------------------===//

#include "Bind/Bind.h"
#include "KernelImpl.h"
#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace carousel::runtime {

Status startKernel(Context::Impl &context, const DeviceVariant &variant,
                   CUfunction function, const Grid &grid, void **pointers,
                   Stream stream) {
  const VariantInfo &info = variant.getInfo();
  return startFunction(
      context, variant.getName(), function,
      {grid.blocks, info.block, info.cluster, info.dynamicShared}, pointers,
      stream, info.cooperative);
}

CUlaunchConfig makeLaunchConfig(const LaunchShape &shape, bool cooperative,
                                LaunchAttributes &attributes) {
  CUlaunchConfig config = {};
  config.gridDimX = shape.grid[0];
  config.gridDimY = shape.grid[1];
  config.gridDimZ = shape.grid[2];
  config.blockDimX = shape.block[0];
  config.blockDimY = shape.block[1];
  config.blockDimZ = shape.block[2];
  config.sharedMemBytes = shape.dynamicShared;
  if (shape.cluster != std::array<uint32_t, 3>{1, 1, 1}) {
    CUlaunchAttribute &cluster = attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {shape.cluster[0], shape.cluster[1],
                                shape.cluster[2]};
  }
  if (cooperative) {
    CUlaunchAttribute &together = attributes[config.numAttrs++];
    together.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    together.value.cooperative = 1;
  }
  if (config.numAttrs != 0)
    config.attrs = attributes.data();
  return config;
}

Status startFunction(Context::Impl &context, const char *name,
                     CUfunction function, const LaunchShape &shape,
                     void **pointers, Stream stream, bool cooperative) {
  LaunchAttributes attributes;
  CUlaunchConfig config = makeLaunchConfig(shape, cooperative, attributes);
  config.hStream = stream;
  const DriverTable &driver = *context.driver;
  CUresult result =
      driver.cuLaunchKernelEx(&config, function, pointers, nullptr);
  // Fewer blocks fit than were counted: other contexts have a part of the
  // device.
  if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    return fail(ErrorCode::DriverError,
                "{}: expected a grid that is on the device at once, got {} "
                "blocks",
                name, fmt::join(shape.grid, " x "));
  if (result != CUDA_SUCCESS) {
    Status status = context.check(result, "cuLaunchKernelEx");
    // A failure of earlier kernels names those.
    if (!status && status.error().code != ErrorCode::LaunchFailed)
      return fail(status.error().code, "{}: {}", name, status.error().message);
    return status;
  }
  context.noteLaunch(name, stream);
  if (!context.options.blocking)
    return {};
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CAROUSEL_TRY(context.check(driver.cuStreamIsCapturing(stream, &capture),
                             "cuStreamIsCapturing"));
  if (capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return {};
  return context.synchronize(stream);
}

//===----------------------------------------------------------------------===//
// Prepared launches
//===----------------------------------------------------------------------===//

Result<Launch> Kernel::Impl::prepare(const DeviceVariant &variant,
                                     const LaunchFrame &frame,
                                     const Grid &grid) const {
  CAROUSEL_TRY(checkMemory(frame));
  auto launch = std::make_shared<Launch::Impl>();
  launch->kernel = shared_from_this();
  launch->variant = &variant;
  launch->grid = grid;
  CAROUSEL_TRY_ASSIGN(launch->function, variant.load());
  if (!grid.isEmpty()) {
    CAROUSEL_TRY(variant.checkCoresidence(grid));
    if (!workspaces.empty()) {
      CurrentContext current(context.getImpl());
      CAROUSEL_TRY(current.getStatus());
      CAROUSEL_TRY_ASSIGN(launch->workspaces,
                          allocateWorkspaces(context, *info, frame.bound));
      variant.moveSources(frame, kNoWorkspace);
    }
    CAROUSEL_TRY(variant.encodeMaps(frame));
    size_t maps = variant.getInfo().tensorMaps.size();
    launch->maps.assign(frame.maps, frame.maps + maps);
    launch->storage.resize(variant.getLayout().getCount());
    launch->pointers.resize(variant.getLayout().getCount());
    variant.getLayout().write(frame.bound, launch->maps.data(),
                              launch->storage.data(), launch->pointers.data());
  }
  return Launch(std::move(launch));
}

Result<Launch> Kernel::prepare(const Argument *arguments,
                               size_t count) const noexcept {
  CAROUSEL_TRY(checkProcess());
  LaunchFrame frame = impl->getFrame();
  CAROUSEL_TRY(impl->bind(arguments, count, frame));
  Grid grid;
  CAROUSEL_TRY_ASSIGN(const auto *variant, impl->choose(frame, grid));
  if (!variant)
    return tl::make_unexpected(impl->explainNoVariant(frame));
  return impl->prepare(*variant, frame, grid);
}

Result<Launch> Kernel::prepareVariant(std::string_view function,
                                      const Argument *arguments,
                                      size_t count) const noexcept {
  CAROUSEL_TRY(checkProcess());
  auto found = std::find_if(impl->variants.begin(), impl->variants.end(),
                            [&](const std::unique_ptr<DeviceVariant> &variant) {
                              return variant->getInfo().function == function;
                            });
  if (found == impl->variants.end())
    return fail(ErrorCode::NotFound,
                "expected a variant of '{}' ({}), got '{}'", impl->info->name,
                join(impl->info->variants, ", ",
                     [](const VariantInfo &info) { return info.function; }),
                function);
  LaunchFrame frame = impl->getFrame();
  CAROUSEL_TRY(impl->bind(arguments, count, frame));
  Grid grid;
  std::vector<std::string> reasons;
  CAROUSEL_TRY_ASSIGN(bool accepted, impl->accepts(**found, frame, grid,
                                                   std::nullopt, &reasons));
  if (!accepted)
    return fail(ErrorCode::NoVariant,
                "variant '{}' of '{}' doesn't take these arguments: {}",
                function, impl->info->name, fmt::join(reasons, ", "));
  return impl->prepare(**found, frame, grid);
}

/// A workspace is for launches that run one after the other.
Launch::Launch(std::shared_ptr<const Impl> impl) : impl(std::move(impl)) {}

const VariantInfo &Launch::getVariant() const noexcept {
  return impl->variant->getInfo();
}

std::array<uint32_t, 3> Launch::getGrid() const noexcept {
  return impl->grid.blocks;
}

Status Launch::run(Stream stream) const noexcept {
  CAROUSEL_TRY(checkProcess());
  if (impl->grid.isEmpty())
    return {};
  Context::Impl &context = impl->kernel->context.getImpl();
  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  if (!impl->workspaces.empty())
    CAROUSEL_TRY(
        impl->stream.check(context, stream, impl->variant->getInfo().function));
  // The driver copies the parameters and changes nothing in them.
  return startKernel(context, *impl->variant, impl->function, impl->grid,
                     const_cast<void **>(impl->pointers.data()), stream);
}

} // namespace carousel::runtime
