//===- Kernel.cpp - launches of a kernel ----------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch binds the arguments, chooses a variant (Variants.cpp), writes the
// parameters and calls the driver. It takes no lock and allocates no memory
// once the variant is loaded and its maps are encoded. Prepared launches own
// their parameters.
//
//===----------------------------------------------------------------------===//

#include "KernelImpl.h"

#include "Bind/Bind.h"
#include "Support/Capability.h"
#include "Support/Process.h"
#include "Support/ThreadLocal.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Kernel.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <new>
#include <set>

namespace carousel::runtime {

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

namespace {
/// Memory that grows to what was asked for and goes with its thread.
class FrameMemory {
public:
  FrameMemory() = default;
  ~FrameMemory() { release(); }
  FrameMemory(const FrameMemory &) = delete;
  FrameMemory &operator=(const FrameMemory &) = delete;

  std::byte *get(size_t wanted) {
    if (wanted > bytes) {
      release();
      data = static_cast<std::byte *>(::operator new(wanted, kAlignment));
      bytes = wanted;
    }
    return data;
  }

private:
  static constexpr std::align_val_t kAlignment{alignof(TensorMap)};
  void release() {
    if (data)
      ::operator delete(data, kAlignment);
  }
  std::byte *data = nullptr;
  size_t bytes = 0;
};

} // namespace

void Kernel::Impl::computeFrameLayout() {
  size_t maps = 0, parameters = 0;
  for (const VariantInfo &variant : info->variants) {
    maps = std::max(maps, variant.tensorMaps.size());
    parameters = std::max(parameters, variant.parameters.size());
  }
  size_t end = info->arguments.size() * sizeof(BoundArgument);
  auto place = [&](size_t count, size_t size, size_t alignment) {
    size_t start = (end + alignment - 1) / alignment * alignment;
    end = start + count * size;
    return start;
  };
  layout.maps = place(maps, sizeof(TensorMap), alignof(TensorMap));
  layout.sources =
      place(maps, sizeof(TensorMapSource), alignof(TensorMapSource));
  layout.storage = place(parameters, sizeof(uint64_t), alignof(uint64_t));
  layout.pointers = place(parameters, sizeof(void *), alignof(void *));
  layout.bytes = end;
}

LaunchFrame Kernel::Impl::getFrame() const {
  static_assert(std::is_trivially_copyable_v<BoundArgument> &&
                std::is_trivially_copyable_v<TensorMapSource> &&
                std::is_trivially_copyable_v<TensorMap>);
  std::byte *data = getOfThread<FrameMemory>().get(layout.bytes);
  LaunchFrame frame;
  frame.bound = reinterpret_cast<BoundArgument *>(data);
  frame.sources = reinterpret_cast<TensorMapSource *>(data + layout.sources);
  frame.maps = reinterpret_cast<TensorMap *>(data + layout.maps);
  frame.storage = reinterpret_cast<uint64_t *>(data + layout.storage);
  frame.pointers = reinterpret_cast<void **>(data + layout.pointers);
  return frame;
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

Kernel::Kernel(std::shared_ptr<Impl> impl) : impl(std::move(impl)) {}

/// Sources that nothing would be linked with are a mistake.
static Status checkSources(const Manifest &manifest, const KernelInfo &kernel,
                           const LoadOptions &options) {
  if (options.deviceSources.empty())
    return {};
  for (const VariantInfo &variant : kernel.variants)
    if (!manifest.modules[variant.module].externs.empty())
      return {};
  return fail(ErrorCode::InvalidArgument,
              "expected no device source for '{}', which has all functions "
              "that it calls, got {}",
              kernel.name, options.deviceSources.front().name);
}

Result<Kernel> Kernel::get(const Context &context, const Package &package,
                           std::string_view name,
                           const LoadOptions &options) noexcept {
  CAROUSEL_TRY(checkProcess());
  const Manifest &manifest = package.getManifest();
  const KernelInfo *info = package.findKernel(name);
  if (!info)
    return fail(ErrorCode::NotFound, "expected a kernel of {} ({}), got '{}'",
                package.getDirectory(),
                join(manifest.kernels, ", ",
                     [](const KernelInfo &kernel) { return kernel.name; }),
                name);
  CAROUSEL_TRY(checkSources(manifest, *info, options));
  auto impl = std::make_shared<Impl>(context, package, *info);
  auto shared = std::make_shared<const KeyedOptions>(options);
  for (const VariantInfo &variant : info->variants)
    impl->variants.push_back(std::make_unique<DeviceVariant>(
        context, package, *info, variant, shared));
  impl->computeFrameLayout();
  return Kernel(std::move(impl));
}

const KernelInfo &Kernel::getInfo() const noexcept { return *impl->info; }

Status Kernel::loadAll() const noexcept {
  CAROUSEL_TRY(checkProcess());
  bool any = false;
  for (const std::unique_ptr<DeviceVariant> &variant : impl->variants) {
    if (!variant->isSupported())
      continue;
    any = true;
    CAROUSEL_TRY(variant->load());
  }
  if (any)
    return {};
  return fail(ErrorCode::NoVariant,
              "no variant of '{}' runs on compute capability {}",
              impl->info->name,
              describeCapability(impl->context.getDevice().computeCapability));
}

std::vector<CompileMessage> Kernel::getCompileMessages() const noexcept {
  if (isForkedFromUser())
    return {};
  std::vector<CompileMessage> messages;
  std::set<const LoadedModule *> seen; // several variants share one
  for (const std::unique_ptr<DeviceVariant> &variant : impl->variants) {
    LoadedModule &module = variant->getModule();
    if (!seen.insert(&module).second)
      continue;
    for (CompileMessage &message : module.getMessages())
      messages.push_back(std::move(message));
  }
  return messages;
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

Status Kernel::Impl::bind(const Argument *arguments, size_t count,
                          LaunchFrame &frame) const {
  CAROUSEL_TRY(bindArguments(*info, arguments, count, frame.bound));
  return bindWorkspaces(*info, context.getDevice().multiprocessors,
                        frame.bound);
}

Status Kernel::Impl::refuseLoadInCapture(const DeviceVariant &variant,
                                         Stream stream) const {
  CurrentContext current(context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY_ASSIGN(bool capturing, context.getImpl().isCapturing(stream));
  if (capturing)
    return fail(ErrorCode::InvalidArgument,
                "expected '{}' to be loaded before its stream is captured; "
                "prepare() and loadAll() load it",
                variant.getInfo().function);
  return {};
}

Status Kernel::Impl::start(const DeviceVariant &variant, LaunchFrame &frame,
                           const Grid &grid, bool complete, uint64_t streamId,
                           Stream stream) const {
  CAROUSEL_TRY(checkMemory(frame));
  CUfunction function = variant.getLoaded();
  if (!function) {
    CAROUSEL_TRY(refuseLoadInCapture(variant, stream));
    CAROUSEL_TRY_ASSIGN(function, variant.load());
  }
  CAROUSEL_TRY(variant.checkCoresidence(grid));
  if (!complete) {
    CAROUSEL_TRY(workspaces.provide(context, stream, streamId, frame.bound));
    variant.moveSources(frame, kNoWorkspace);
  }
  CAROUSEL_TRY(variant.encodeMaps(frame));
  variant.getLayout().write(frame.bound, frame.maps, frame.storage,
                            frame.pointers);
  return startKernel(context.getImpl(), variant, function, grid, frame.pointers,
                     stream);
}

Status Kernel::launch(const Argument *arguments, size_t count,
                      Stream stream) const noexcept {
  CAROUSEL_TRY(checkProcess());
  LaunchFrame frame = impl->getFrame();
  CAROUSEL_TRY(impl->bind(arguments, count, frame));
  return impl->launchBound(frame, stream);
}

Status Kernel::Impl::launchBound(LaunchFrame &frame, Stream stream) const {
  Context::Impl &context = this->context.getImpl();
  uint64_t streamId = 0;
  bool complete = true;
  if (!workspaces.empty()) {
    CurrentContext current(context);
    CAROUSEL_TRY(current.getStatus());
    CAROUSEL_TRY_ASSIGN(streamId, getStreamId(context, stream));
    complete = workspaces.lookup(streamId, frame.bound);
    // All or none, so that tensor maps have one way to get their addresses.
    if (!complete)
      for (size_t i = info->countPassed(); i < info->arguments.size(); ++i)
        frame.bound[i].data = kNoWorkspace;
  }
  CAROUSEL_TRY_ASSIGN(VariantChoice choice, choose(frame, stream));
  if (!choice.variant)
    return tl::make_unexpected(explainNoVariant(frame));
  const Grid &grid = choice.answer.grid;
  if (grid.isEmpty())
    return {};

  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  return start(*choice.variant, frame, grid, complete, streamId, stream);
}

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
                                     LaunchFrame &frame,
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
  CAROUSEL_TRY_ASSIGN(VariantChoice choice, impl->choose(frame));
  if (!choice.variant)
    return tl::make_unexpected(impl->explainNoVariant(frame));
  return impl->prepare(*choice.variant, frame, choice.answer.grid);
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
  std::vector<std::string> reasons;
  CAROUSEL_TRY_ASSIGN(Acceptance answer,
                      impl->accepts(**found, frame, std::nullopt, &reasons));
  if (!answer.isYes())
    return fail(ErrorCode::NoVariant,
                "variant '{}' of '{}' doesn't take these arguments: {}",
                function, impl->info->name, fmt::join(reasons, ", "));
  if (answer.loosens)
    useLooseStrides(*impl->info, frame.bound);
  return impl->prepare(**found, frame, answer.grid);
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
