//===- Variants.cpp - tests and choice of variants ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions on the device are tested once. Each launch tests the rest: guards,
// 32-bit indices, the grid, then the tensor maps. Launches, prepared launches
// and the steps of programs choose by Kernel::Impl::choose: by measured times,
// by predicted ones, or else by the variants' order. The frame and the grid are
// those of the chosen one then.
//
//===----------------------------------------------------------------------===//

#include "KernelImpl.h"

#include "Bind/TensorMapRules.h"
#include "Load/LoadedModule.h"
#include "Support/Capability.h"
#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <fmt/ranges.h>

namespace carousel::runtime {

TunedTable::TunedTable(const KernelInfo &kernel, std::string_view device) {
  for (const TunedInfo &tuned : kernel.tuned)
    if (tuned.device == device)
      entries.push_back(&tuned);
  if (entries.empty())
    return;
  values = kernel.getTunedValues();
  std::sort(entries.begin(), entries.end(),
            [](const TunedInfo *left, const TunedInfo *right) {
              return left->values < right->values;
            });
}

const TunedInfo *TunedTable::search(const BoundArgument *bound) const {
  // Negative, 0 or positive, as an entry is before the arguments, their own, or
  // after them.
  auto compare = [&](const TunedInfo &entry) {
    for (size_t i = 0; i < values.size(); ++i)
      if (int64_t value = getValue(values[i], bound); entry.values[i] != value)
        return entry.values[i] < value ? -1 : 1;
    return 0;
  };
  auto found = std::partition_point(
      entries.begin(), entries.end(),
      [&](const TunedInfo *entry) { return compare(*entry) < 0; });
  bool isOwn = found != entries.end() && compare(**found) == 0;
  return isOwn ? *found : nullptr;
}

namespace {
// CUDA programming guide, Technical specifications per compute capability.
constexpr int64_t kMaxGrid[3] = {INT32_MAX, 65535, 65535};
constexpr int kClusterCapability = 90;

constexpr char kDimensionNames[] = {'x', 'y', 'z'};
} // namespace

//===----------------------------------------------------------------------===//
// Rules that depend on the device only
//===----------------------------------------------------------------------===//

DeviceVariant::DeviceVariant(const Context &context, const Package &package,
                             const KernelInfo &kernel,
                             const VariantInfo &variant,
                             const LoadedModule::Options &options)
    : context(context), kernel(&kernel), info(&variant),
      name(context.getImpl().keepName(variant.function)),
      moduleInfo(&package.getManifest().modules[variant.module]),
      via(options->options.via),
      module(LoadedModule::get(context, package, variant.module, options)),
      layout(variant) {
  for (size_t i = 0; i < variant.tensorMaps.size(); ++i)
    formatIds.push_back(TensorMapCache::makeFormatId());
  usesResident = std::any_of(variant.grid.begin(), variant.grid.end(),
                             [](const Expression &extent) {
                               return extent.uses(Expression::Op::Resident);
                             });
  supported = checkDevice(nullptr);
}

bool DeviceVariant::checkDevice(std::vector<std::string> *reasons) const {
  bool good = true;
  // Calls `explain` only if the caller wants the reasons.
  auto refuse = [&](auto explain) {
    good = false;
    if (reasons)
      reasons->push_back(explain());
  };
  const DeviceInfo &device = context.getImpl().info;
  auto describeDevice = [&] {
    return describeCapability(device.computeCapability);
  };

  // The module is loaded from the best image of all; a variant that isn't in
  // the code for that chip can't be had from it.
  const ModuleImages &images = module->getImages();
  std::vector<size_t> ranked = images.rank(info->function);
  const auto &chips = info->chips;
  auto same = [](const std::string &chip) { return chip; };
  if (images.empty()) {
    refuse([&] {
      return fmt::format("expected {} of module '{}', which has {}",
                         toString(via), moduleInfo->name,
                         images.getDescription());
    });
  } else if (ranked.empty()) {
    refuse([&] {
      return fmt::format("expected a device that runs code for {}, got compute "
                         "capability {}",
                         join(chips, " or ", same), describeDevice());
    });
  } else if (const std::string &best = moduleInfo->images[ranked.front()].chip;
             std::find(chips.begin(), chips.end(), best) == chips.end()) {
    refuse([&] {
      return fmt::format("expected a variant for {}, which the device runs "
                         "best, got one for {}",
                         best, join(chips, " and ", same));
    });
  }

  uint64_t cluster =
      uint64_t(info->cluster[0]) * info->cluster[1] * info->cluster[2];
  if (cluster > 1 && device.computeCapability < kClusterCapability)
    refuse([&] {
      return fmt::format("expected compute capability {} or later for "
                         "clusters, got {}",
                         describeCapability(kClusterCapability),
                         describeDevice());
    });
  if (info->dynamicShared > device.maxSharedPerBlock)
    refuse([&] {
      return fmt::format("expected at most {} bytes of shared memory, got {}",
                         device.maxSharedPerBlock, info->dynamicShared);
    });
  for (const TensorMapInfo &map : info->tensorMaps)
    if (int least = getLeastCapability(map.format);
        device.computeCapability < least)
      refuse([&] {
        return fmt::format("{}: expected compute capability {} or later for "
                           "this tensor map, got {}",
                           kernel->arguments[map.argument].name,
                           describeCapability(least), describeDevice());
      });
  return good;
}

//===----------------------------------------------------------------------===//
// Rules that depend on the arguments
//===----------------------------------------------------------------------===//

bool DeviceVariant::checkGrid(const Environment &environment, Grid &grid,
                              std::vector<std::string> *reasons) const {
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    std::optional<int64_t> value = evaluate(info->grid[i], environment);
    if (value && *value >= 0 && *value <= kMaxGrid[i] &&
        *value % info->cluster[i] == 0) {
      grid.blocks[i] = uint32_t(*value);
      continue;
    }
    good = false;
    if (!reasons)
      return false;
    if (!value) {
      reasons->push_back(explainNoValue(info->grid[i], *kernel, environment));
      continue;
    }
    std::string text = toString(info->grid[i], *kernel);
    if (*value < 0 || *value > kMaxGrid[i])
      reasons->push_back(
          fmt::format("expected a grid of 0 to {} blocks in {}, got {} from {}",
                      kMaxGrid[i], kDimensionNames[i], *value, text));
    else
      reasons->push_back(fmt::format(
          "expected a grid of whole clusters of {} blocks in {}, got {} from "
          "{}",
          info->cluster[i], kDimensionNames[i], *value, text));
  }
  return good;
}

bool DeviceVariant::findSource(const TensorMapInfo &map,
                               const Environment &environment,
                               TensorMapSource &source,
                               std::vector<std::string> *reasons) const {
  bool good = true;
  auto compute = [&](const Expression &expression, int64_t &result) {
    std::optional<int64_t> value = evaluate(expression, environment);
    if (value) {
      result = *value;
      return;
    }
    good = false;
    if (reasons)
      reasons->push_back(explainNoValue(expression, *kernel, environment));
  };
  source = TensorMapSource();
  source.rank = map.format.rank;
  for (size_t i = 0; i < map.extents.size(); ++i)
    compute(map.extents[i], source.extents[i]);
  for (size_t i = 0; i < map.strides.size(); ++i)
    compute(map.strides[i], source.strides[i]);
  int64_t offset = 0;
  compute(map.offset, offset);
  source.address = environment.arguments[map.argument].data + uint64_t(offset);
  return good;
}

bool DeviceVariant::checkMaps(const Environment &environment,
                              LaunchFrame &frame,
                              std::vector<std::string> *reasons) const {
  bool good = true;
  for (size_t i = 0; i < info->tensorMaps.size(); ++i) {
    const TensorMapInfo &map = info->tensorMaps[i];
    TensorMapSource &source = frame.sources[i];
    if (!findSource(map, environment, source, reasons)) {
      good = false;
    } else if (!TensorMapCache::get().lookup(formatIds[i], source)) {
      // A map that was encoded once kept the rules.
      if (auto violation = findViolation(map.format, source)) {
        good = false;
        if (reasons)
          reasons->push_back(fmt::format("{}: {}",
                                         kernel->arguments[map.argument].name,
                                         describe(*violation, map.format)));
      }
    }
    if (!good && !reasons)
      return false;
  }
  return good;
}

std::optional<int64_t> DeviceVariant::predict(const LaunchFrame &frame) const {
  if (!info->cost)
    return std::nullopt;
  const DeviceInfo &device = context.getImpl().info;
  std::optional<int64_t> cost =
      evaluate(*info->cost, {frame.bound, device.multiprocessors,
                             device.computeCapability, /*resident=*/0});
  return cost && *cost >= 0 ? cost : std::nullopt;
}

Acceptance DeviceVariant::accepts(LaunchFrame &frame,
                                  std::vector<std::string> *reasons) const {
  using Answer = Acceptance::Answer;
  Acceptance found = check(frame, /*loosens=*/false, nullptr);
  if (found.answer == Answer::No && hasLooseStrides(*kernel, frame.bound))
    found = check(frame, /*loosens=*/true, nullptr);
  if (reasons && found.answer == Answer::No)
    check(frame, /*loosens=*/false, reasons);
  return found;
}

Acceptance DeviceVariant::check(LaunchFrame &frame, bool loosens,
                                std::vector<std::string> *reasons) const {
  using Answer = Acceptance::Answer;
  bool good = supported;
  if (!good && !reasons)
    return {};
  if (!good)
    checkDevice(reasons);

  const DeviceInfo &device = context.getImpl().info;
  Environment environment{frame.bound, device.multiprocessors,
                          device.computeCapability, /*resident=*/0, loosens};
  for (const Guard &guard : info->guards)
    if (!holds(guard, environment)) {
      good = false;
      if (!reasons)
        return {};
      reasons->push_back(explainFailure(guard, *kernel, environment));
    }
  if (info->indexBits == 32 && !fitsIndex32(*kernel, frame.bound, loosens)) {
    good = false;
    if (!reasons)
      return {};
    reasons->push_back(explainIndex32(*kernel, frame.bound));
  }
  Acceptance found;
  found.loosens = loosens;
  if (usesResident) {
    if (!getLoaded()) {
      found.answer = good ? Answer::NeedsLoad : Answer::No;
      return found;
    }
    environment.resident =
        static_cast<int64_t>(capacity.load(std::memory_order_acquire));
  }
  // An empty grid runs no CTA, so maps of an empty tensor aren't needed.
  if (checkGrid(environment, found.grid, reasons) &&
      (found.grid.isEmpty() || checkMaps(environment, frame, reasons)) && good)
    found.answer = Answer::Yes;
  return found;
}

//===----------------------------------------------------------------------===//
// Needs of a launch
//===----------------------------------------------------------------------===//

void DeviceVariant::moveSources(LaunchFrame &frame, uint64_t from) const {
  for (size_t i = 0; i < info->tensorMaps.size(); ++i) {
    uint16_t argument = info->tensorMaps[i].argument;
    // Others lie where they were.
    if (kernel->arguments[argument].kind == ArgumentInfo::Kind::Workspace)
      frame.sources[i].address += frame.bound[argument].data - from;
  }
}

Status DeviceVariant::encodeMaps(LaunchFrame &frame) const {
  TensorMapCache &cache = TensorMapCache::get();
  for (size_t i = 0; i < info->tensorMaps.size(); ++i) {
    const TensorMapInfo &map = info->tensorMaps[i];
    // Copied, since the next map may take its slot.
    if (const TensorMap *known = cache.lookup(formatIds[i], frame.sources[i])) {
      frame.maps[i] = *known;
      continue;
    }
    CAROUSEL_TRY_ASSIGN(
        TensorMap encoded,
        TensorMap::encode(context, map.format, frame.sources[i],
                          kernel->arguments[map.argument].name));
    cache.store(formatIds[i], frame.sources[i], encoded);
    frame.maps[i] = encoded;
  }
  return {};
}

Result<CUfunction> DeviceVariant::load() const {
  if (CUfunction loaded = getLoaded())
    return loaded;
  Result<CUfunction> loaded = module->getFunction(*kernel, *info);
  if (loaded && (info->cooperative || usesResident))
    CAROUSEL_TRY(findCapacity(*loaded));
  // Threads that come here at once get the same function of the same module.
  if (loaded)
    function.store(*loaded, std::memory_order_release);
  return loaded;
}

//===----------------------------------------------------------------------===//
// Blocks that the device holds at once
//===----------------------------------------------------------------------===//

Status DeviceVariant::findCapacity(CUfunction loaded) const {
  Context::Impl &impl = context.getImpl();
  CurrentContext current(impl);
  CAROUSEL_TRY(current.getStatus());
  uint64_t cluster =
      uint64_t(info->cluster[0]) * info->cluster[1] * info->cluster[2];
  int count = 0;
  uint64_t blocks = 0; // that `count` counts in
  if (cluster == 1) {
    int threads = int(info->block[0] * info->block[1] * info->block[2]);
    CAROUSEL_TRY(
        impl.check(impl.driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                       &count, loaded, threads, info->dynamicShared),
                   "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
    blocks = uint64_t(impl.info.multiprocessors);
  } else {
    LaunchAttributes attributes;
    CUlaunchConfig config = makeLaunchConfig(
        {info->cluster, info->block, info->cluster, info->dynamicShared},
        /*cooperative=*/false, attributes);
    CAROUSEL_TRY(impl.check(
        impl.driver->cuOccupancyMaxActiveClusters(&count, loaded, &config),
        "cuOccupancyMaxActiveClusters"));
    blocks = cluster;
  }
  if (usesResident && count < 1) {
    std::string clusters =
        cluster == 1 ? "" : fmt::format("a cluster of {} ", cluster);
    return fail(ErrorCode::DriverError,
                "{}: expected a device that holds {}{} of {} threads and {} "
                "bytes of dynamic shared memory, got {}",
                info->function, clusters, cluster == 1 ? "a block" : "blocks",
                fmt::join(info->block, " x "), info->dynamicShared, count);
  }
  capacity.store(uint64_t(std::max(count, 0)) * blocks,
                 std::memory_order_release);
  return {};
}

Status DeviceVariant::checkCoresidence(const Grid &grid) const {
  if (!info->cooperative)
    return {};
  uint64_t fits = capacity.load(std::memory_order_acquire);
  // Below 2^63: the first dimension has 31 bits, the others 16.
  uint64_t wanted = uint64_t(grid.blocks[0]) * grid.blocks[1] * grid.blocks[2];
  if (wanted <= fits)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected a grid of at most {} blocks, which the device "
              "holds at once, got {} ({})",
              info->function, fits, wanted, fmt::join(grid.blocks, " x "));
}

Result<Acceptance>
Kernel::Impl::accepts(const DeviceVariant &variant, LaunchFrame &frame,
                      std::optional<Stream> stream,
                      std::vector<std::string> *reasons) const {
  Acceptance found = variant.accepts(frame, reasons);
  if (found.answer == Acceptance::Answer::NeedsLoad) {
    if (stream)
      CAROUSEL_TRY(refuseLoadInCapture(variant, *stream));
    CAROUSEL_TRY(variant.load());
    found = variant.accepts(frame, reasons);
  }
  return found;
}

Result<VariantChoice> Kernel::Impl::choose(LaunchFrame &frame,
                                           std::optional<Stream> stream) const {
  VariantChoice best;
  // The last one that was asked: the frame has the sources of its tensor maps.
  const DeviceVariant *asked = nullptr;
  auto ask = [&](const DeviceVariant &variant) {
    asked = &variant;
    return accepts(variant, frame, stream);
  };
  const TunedInfo *entry = tuned.find(frame.bound);
  for (size_t i = 0; entry && i < entry->times.size() && !best.variant; ++i) {
    const DeviceVariant &variant = *variants[entry->times[i].variant];
    CAROUSEL_TRY_ASSIGN(Acceptance answer, ask(variant));
    if (answer.isYes())
      best = {&variant, answer};
  }
  bool isMeasured = best.variant;
  int64_t least = INT64_MAX;
  for (size_t i = 0; !isMeasured && i < variants.size(); ++i) {
    const DeviceVariant &variant = *variants[i];
    bool hasCost = variant.getInfo().cost.has_value();
    int64_t cost = variant.predict(frame).value_or(INT64_MAX);
    // Whether it would be accepted doesn't matter then.
    if (best.variant && hasCost && cost >= least)
      continue;
    CAROUSEL_TRY_ASSIGN(Acceptance answer, ask(variant));
    if (!answer.isYes())
      continue;
    if (!best.variant || hasCost)
      best = {&variant, answer};
    least = cost;
    if (!hasCost)
      break;
  }
  if (best.variant && best.variant != asked)
    CAROUSEL_TRY(ask(*best.variant));
  if (best.answer.loosens)
    useLooseStrides(*info, frame.bound);
  return best;
}

Error Kernel::Impl::explainNoVariant(LaunchFrame &frame) const {
  // Only of the first ones, if there are many.
  auto explain = [&](const std::unique_ptr<DeviceVariant> &variant) {
    std::vector<std::string> reasons;
    variant->accepts(frame, &reasons);
    return fmt::format(
        "{}: {}", variant->getInfo().function,
        join(reasons, ", ", [](const std::string &reason) { return reason; }));
  };
  return {ErrorCode::NoVariant,
          fmt::format("no variant of '{}' takes these arguments: {}",
                      info->name, join(variants, "; ", explain))};
}

//===----------------------------------------------------------------------===//
// For people and tools
//===----------------------------------------------------------------------===//

const char *describeChoice(const VariantReport &report) noexcept {
  // If times decided, the chosen one has such a time, and else it has none.
  if (report.measured)
    return "measurement";
  return report.predicted ? "prediction" : "order";
}

std::string describeTimes(const VariantReport &report) noexcept {
  std::string text;
  for (auto [name, time] : {std::pair("predicted", report.predicted),
                            std::pair("measured", report.measured)})
    if (time)
      text += fmt::format("{}{} {:.2f} us", text.empty() ? "" : ", ", name,
                          static_cast<double>(*time) / 1e3);
  return text;
}

Result<std::vector<VariantReport>>
Kernel::explain(const Argument *arguments, size_t count) const noexcept {
  CAROUSEL_TRY(checkProcess());
  LaunchFrame frame = impl->getFrame();
  CAROUSEL_TRY(impl->bind(arguments, count, frame));
  std::vector<VariantReport> reports;
  for (const std::unique_ptr<DeviceVariant> &variant : impl->variants) {
    VariantReport report;
    report.function = variant->getInfo().function;
    report.predicted = variant->predict(frame);
    CAROUSEL_TRY_ASSIGN(
        Acceptance answer,
        impl->accepts(*variant, frame, std::nullopt, &report.reasons));
    report.accepted = answer.isYes();
    for (std::string &reason : report.reasons)
      reason = makeMessage(reason);
    reports.push_back(std::move(report));
  }
  if (const TunedInfo *entry = impl->tuned.find(frame.bound))
    for (const TunedInfo::Time &time : entry->times)
      reports[time.variant].measured = time.nanoseconds;
  CAROUSEL_TRY_ASSIGN(VariantChoice choice, impl->choose(frame));
  for (size_t i = 0; i < reports.size(); ++i)
    reports[i].chosen = impl->variants[i].get() == choice.variant;
  return reports;
}

Result<std::vector<int64_t>>
Kernel::getTunedValues(const Argument *arguments, size_t count) const noexcept {
  CAROUSEL_TRY(checkProcess());
  LaunchFrame frame = impl->getFrame();
  CAROUSEL_TRY(impl->bind(arguments, count, frame));
  std::vector<int64_t> values;
  for (const TunedValue &value : impl->info->getTunedValues())
    values.push_back(getValue(value, frame.bound));
  return values;
}

} // namespace carousel::runtime
