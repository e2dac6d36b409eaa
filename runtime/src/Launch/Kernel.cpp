//===- Kernel.cpp - looks kernels up and launches them --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch binds the arguments, chooses a variant (ChooseVariant.cpp), writes
// the parameters and calls the driver. It takes no lock and allocates no memory
// once the variant is loaded and its maps are encoded.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Kernel.h"

#include "Bind/Bind.h"
#include "KernelImpl.h"
#include "Support/Capability.h"
#include "Support/Process.h"
#include "Support/ThreadLocal.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
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
                          const LaunchFrame &frame) const {
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

Status Kernel::Impl::start(const DeviceVariant &variant,
                           const LaunchFrame &frame, const Grid &grid,
                           bool complete, uint64_t streamId,
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

Status Kernel::Impl::launchBound(const LaunchFrame &frame,
                                 Stream stream) const {
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
  Grid grid;
  CAROUSEL_TRY_ASSIGN(const auto *variant, choose(frame, grid, stream));
  if (!variant)
    return tl::make_unexpected(explainNoVariant(frame));
  if (grid.isEmpty())
    return {};

  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  return start(*variant, frame, grid, complete, streamId, stream);
}

} // namespace carousel::runtime
