//===- ChooseVariant.cpp - chooses the variant of a launch ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches, prepared launches and the steps of programs choose by
// Kernel::Impl::choose: by measured times, by predicted ones, or else by the
// variants' order. The frame and the grid are those of the chosen one then.
//
//===----------------------------------------------------------------------===//

#include "Bind/Bind.h"
#include "KernelImpl.h"
#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>

namespace carousel::runtime {

Result<bool> Kernel::Impl::accepts(const DeviceVariant &variant,
                                   const LaunchFrame &frame, Grid &grid,
                                   std::optional<Stream> stream,
                                   std::vector<std::string> *reasons) const {
  Acceptance answer = variant.accepts(frame, grid, reasons);
  if (answer == Acceptance::NeedsLoad) {
    if (stream)
      CAROUSEL_TRY(refuseLoadInCapture(variant, *stream));
    CAROUSEL_TRY(variant.load());
    answer = variant.accepts(frame, grid, reasons);
  }
  return answer == Acceptance::Yes;
}

Result<const DeviceVariant *>
Kernel::Impl::choose(const LaunchFrame &frame, Grid &grid,
                     std::optional<Stream> stream) const {
  if (const TunedInfo *entry = tuned.find(frame.bound))
    for (const TunedInfo::Time &time : entry->times) {
      const DeviceVariant &variant = *variants[time.variant];
      CAROUSEL_TRY_ASSIGN(bool accepted, accepts(variant, frame, grid, stream));
      if (accepted)
        return &variant;
    }
  if (hasCosts)
    return chooseByCost(frame, grid, stream);
  for (const std::unique_ptr<DeviceVariant> &variant : variants) {
    CAROUSEL_TRY_ASSIGN(bool accepted, accepts(*variant, frame, grid, stream));
    if (accepted)
      return variant.get();
  }
  return nullptr;
}

Result<const DeviceVariant *>
Kernel::Impl::chooseByCost(const LaunchFrame &frame, Grid &grid,
                           std::optional<Stream> stream) const {
  const DeviceVariant *best = nullptr;
  int64_t least = INT64_MAX;
  bool isCurrent = false; // the frame and the grid are those of the best one
  for (const std::unique_ptr<DeviceVariant> &variant : variants) {
    // All are asked with the strides that callers gave.
    if (isCurrent && useGivenStrides(*info, frame.bound))
      isCurrent = false;
    bool hasCost = variant->getInfo().cost.has_value();
    int64_t cost = variant->predict(frame).value_or(INT64_MAX);
    // Whether it would be accepted doesn't matter then.
    if (best && hasCost && cost >= least)
      continue;
    isCurrent = false;
    CAROUSEL_TRY_ASSIGN(bool accepted, accepts(*variant, frame, grid, stream));
    if (!accepted)
      continue;
    if (best && !hasCost)
      break;
    best = variant.get();
    least = cost;
    isCurrent = true;
    if (!hasCost)
      break;
  }
  if (!best || isCurrent)
    return best;
  useGivenStrides(*info, frame.bound);
  CAROUSEL_TRY_ASSIGN(bool accepted, accepts(*best, frame, grid, stream));
  return accepted ? best : nullptr;
}

Error Kernel::Impl::explainNoVariant(const LaunchFrame &frame) const {
  // Only of the first ones, if there are many.
  auto explain = [&](const std::unique_ptr<DeviceVariant> &variant) {
    std::vector<std::string> reasons;
    Grid grid;
    variant->accepts(frame, grid, &reasons);
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
    Grid grid;
    CAROUSEL_TRY_ASSIGN(
        report.accepted,
        impl->accepts(*variant, frame, grid, std::nullopt, &report.reasons));
    useGivenStrides(*impl->info, frame.bound); // for the next one
    for (std::string &reason : report.reasons)
      reason = makeMessage(reason);
    reports.push_back(std::move(report));
  }
  if (const TunedInfo *entry = impl->tuned.find(frame.bound))
    for (const TunedInfo::Time &time : entry->times)
      reports[time.variant].measured = time.nanoseconds;
  Grid grid;
  CAROUSEL_TRY_ASSIGN(const auto *chosen, impl->choose(frame, grid));
  for (size_t i = 0; i < reports.size(); ++i)
    reports[i].chosen = impl->variants[i].get() == chosen;
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
