//===- Report.cpp - prints carousel-run's results -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the results of runs as text and as JSON.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "carousel/Runtime/Fail.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace carousel;
using namespace carousel::run;
using runtime::ArgumentInfo;
using runtime::KernelInfo;
using runtime::OperandInfo;
using runtime::ProgramInfo;
using runtime::StepInfo;
using runtime::VariantInfo;

//===----------------------------------------------------------------------===//
// Prints carousel-run's results as text
//===----------------------------------------------------------------------===//

static std::string formatDims(const std::array<uint32_t, 3> &dims) {
  return fmt::format("{}", fmt::join(dims, " x "));
}

static const char *getPlural(size_t count) { return count == 1 ? "" : "s"; }

/// Label in a column of its own, for the first of several lines.
static void addLine(std::string &text, const char *label,
                    const std::string &line) {
  text += fmt::format("    {:<10}{}\n", label, line);
}
/// "  arguments   tensor<?xf32> x (in)", with a line for each argument.
static std::string formatSignature(const runtime::SignatureInfo &signature) {
  std::string text = signature.name + "\n";
  const char *label = "arguments";
  for (const runtime::ArgumentInfo &argument : signature.arguments) {
    text += fmt::format("  {:<12}{}\n", label, toString(argument, signature));
    label = "";
  }
  return text;
}

/// Adds the compiler's decisions, for comparison with what is measured.
static void addDecisions(std::string &text,
                         const runtime::DecisionInfo &decisions) {
  const char *label = "rings";
  for (const runtime::RingInfo &ring : decisions.rings) {
    addLine(text, label, toString(ring));
    label = "";
  }
  label = "estimate";
  for (const runtime::OccupancyInfo &occupancy : decisions.occupancies) {
    addLine(text, label, toString(occupancy));
    label = "";
  }
  label = "missed";
  for (const runtime::MissInfo &missed : decisions.misses) {
    addLine(text, label, toString(missed));
    label = "";
  }
  label = "notes";
  for (const auto &[key, value] : decisions.notes) {
    addLine(text, label, key + ": " + value);
    label = "";
  }
}

std::string run::formatText(const Listing &listing) {
  const runtime::Manifest &manifest = *listing.manifest;
  std::string text =
      fmt::format("{}: {} kernel{}, ", listing.package, manifest.kernels.size(),
                  getPlural(manifest.kernels.size()));
  if (size_t count = manifest.programs.size(); count != 0)
    text += fmt::format("{} program{}, ", count, getPlural(count));
  text += fmt::format("written by {}\n", manifest.producer);
  for (const runtime::ProgramInfo &program : manifest.programs) {
    text += "\n" + formatSignature(program);
    text += fmt::format("  {:<12}{}\n", "steps", program.steps.size());
  }
  for (const KernelInfo &kernel : manifest.kernels) {
    text += "\n" + formatSignature(kernel);
    const char *label = "variants";
    for (const VariantInfo &variant : kernel.variants) {
      text += fmt::format("  {:<12}{}: {}\n", label, variant.function,
                          fmt::join(variant.chips, ", "));
      label = "";
    }
    if (size_t count = kernel.tuned.size(); count != 0)
      text += fmt::format("  {:<12}for {} set{} of values\n", "tuned", count,
                          getPlural(count));
  }
  return text;
}

std::string run::formatText(const Explanation &explanation) {
  std::string text;
  for (const runtime::ProgramInfo *program : explanation.programs) {
    if (!text.empty())
      text += "\n";
    text += formatText(*program, *explanation.manifest,
                       explanation.prepared ? &*explanation.prepared : nullptr);
    if (explanation.bench)
      addLine(text, "measured", formatText(*explanation.bench));
  }
  for (const KernelInfo *kernel : explanation.kernels) {
    if (!text.empty())
      text += "\n";
    text += formatSignature(*kernel);
    text += "  variants, the most preferred first\n";
    bool chosen = false;
    for (size_t i = 0; i < kernel->variants.size(); ++i) {
      const VariantInfo &variant = kernel->variants[i];
      const runtime::VariantReport *report =
          explanation.reports ? &(*explanation.reports)[i] : nullptr;
      std::string state;
      if (report && report->chosen)
        state = fmt::format(": chosen by {}", describeChoice(*report));
      else if (report)
        state = report->accepted ? ": would do" : ": refused";
      bool isChosen = report && report->chosen;
      chosen |= isChosen;
      text += fmt::format("  {}. {}{}\n", i + 1, variant.function, state);
      if (report)
        for (const std::string &reason : report->reasons)
          addLine(text, "because", reason);
      if (report && report->accepted)
        if (std::string times = describeTimes(*report); !times.empty())
          addLine(text, "time", times);
      addLine(text, "chips", fmt::format("{}", fmt::join(variant.chips, ", ")));
      const char *label = "guards";
      for (const runtime::Guard &guard : variant.guards) {
        addLine(text, label, toString(guard, *kernel));
        label = "";
      }
      if (variant.guards.empty())
        addLine(text, label, "none");
      if (variant.cost)
        addLine(text, "cost", toString(*variant.cost, *kernel) + " ns");
      addLine(text, "grid",
              fmt::format("{} x {} x {}", toString(variant.grid[0], *kernel),
                          toString(variant.grid[1], *kernel),
                          toString(variant.grid[2], *kernel)));
      addLine(text, "block", formatDims(variant.block));
      if (variant.cluster != std::array<uint32_t, 3>{1, 1, 1})
        addLine(text, "cluster", formatDims(variant.cluster));
      if (variant.cooperative)
        addLine(text, "launch", "cooperative: all blocks at once");
      if (variant.dynamicShared != 0)
        addLine(text, "shared",
                fmt::format("{} bytes, dynamic", variant.dynamicShared));
      if (variant.decisions)
        addDecisions(text, *variant.decisions);
      if (isChosen && explanation.bench)
        addLine(text, "measured", formatText(*explanation.bench));
    }
    if (explanation.reports && !chosen)
      text += "  no variant takes these arguments on this device\n";
  }
  if (!explanation.note.empty())
    text += fmt::format("\nno choice of a variant: {}\n", explanation.note);
  return text;
}

std::string run::formatText(const BenchReport &report) {
  const Summary &summary = report.summary;
  return fmt::format("median {:.2f} us, p10 {:.2f} us, p90 {:.2f} us, {:.1f} "
                     "GB/s; {} launches of {} bytes, L2 {}",
                     summary.median, summary.p10, summary.p90,
                     getGigabytesPerSecond(report.bytes, summary.median),
                     report.launches, report.bytes,
                     report.cold ? "cold" : "warm");
}

std::string run::formatText(const RunReport &report) {
  std::string text;
  if (report.variant)
    text =
        fmt::format("{}: {}, grid {}, block {}{}, on {}\n", report.kernel,
                    report.variant->function, formatDims(report.grid),
                    formatDims(report.variant->block),
                    report.variant->cluster == std::array<uint32_t, 3>{1, 1, 1}
                        ? ""
                        : ", cluster " + formatDims(report.variant->cluster),
                    report.device.name);
  else
    text = fmt::format("{}: {} launch{}, {} bytes of workspace, on {}\n",
                       report.program, report.launches,
                       report.launches == 1 ? "" : "es", report.workspaceBytes,
                       report.device.name);
  for (const OutputReport &output : report.outputs)
    text += fmt::format("{}: written to {}\n", output.argument, output.file);
  for (const ComparisonReport &comparison : report.comparisons)
    if (comparison.comparison.mismatches == 0)
      text += formatText(comparison) + "\n";
  if (report.bench)
    text += formatText(*report.bench) + "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Steps of programs as text
//===----------------------------------------------------------------------===//

static std::string formatView(const OperandInfo &operand,
                              const ProgramInfo &program) {
  std::string text = operand.kind == OperandInfo::Kind::Constant
                         ? fmt::format("constant {}", operand.number)
                         : program.arguments[operand.number].name;
  std::string offset = toString(operand.offset, program);
  if (offset != "0")
    text += fmt::format(" from byte {}", offset);
  text += ": ";
  for (const runtime::Expression &extent : operand.extents)
    text += toString(extent, program) + " x ";
  return text + toString(operand.element);
}

static std::string format(const OperandInfo &operand,
                          const ProgramInfo &program) {
  switch (operand.kind) {
  case OperandInfo::Kind::Scalar:
    return program.arguments[operand.number].name;
  case OperandInfo::Kind::Number:
    return toString(operand.value, program);
  case OperandInfo::Kind::Bits:
    return fmt::format("{} with the bits {:#x}", toString(operand.element),
                       operand.bits);
  default:
    return formatView(operand, program);
  }
}

std::string run::formatText(const ProgramInfo &program,
                            const runtime::Manifest &manifest,
                            const runtime::PreparedProgram *prepared) {
  std::string text = formatSignature(program);
  const char *label = "checks";
  for (const runtime::CheckInfo &check : program.checks) {
    text += fmt::format("  {:<12}{}\n", label, toString(check.guard, program));
    label = "";
  }
  text += "  steps, in their order\n";
  size_t number = 0;
  for (const StepInfo &step : program.steps) {
    bool isLaunch = step.kind == StepInfo::Kind::Launch;
    text +=
        fmt::format("  {}. {}", ++number,
                    isLaunch ? "launch " + manifest.kernels[step.kernel].name
                             : toString(step.kind));
    text += step.family.empty() ? "" : fmt::format(" ({})", step.family);
    text += step.isAtLoad ? ", at load\n" : "\n";
    if (!step.sources.empty())
      text +=
          fmt::format("    {:<10}{}\n", "from", fmt::join(step.sources, ", "));
    const char *operandLabel = "operands";
    for (const OperandInfo &operand : step.operands) {
      text +=
          fmt::format("    {:<10}{}\n", operandLabel, format(operand, program));
      operandLabel = "";
    }
  }
  if (!prepared)
    return text;
  text += fmt::format("  on this device, with {} bytes of workspace\n",
                      prepared->getWorkspaceBytes());
  for (const runtime::Launch &launch : prepared->getLaunches())
    text += fmt::format("    {}, grid {}\n", launch.getVariant().function,
                        fmt::join(launch.getGrid(), " x "));
  return text;
}

//===----------------------------------------------------------------------===//
// Prints carousel-run's results as JSON
//===----------------------------------------------------------------------===//

using JSON = nlohmann::ordered_json;

static std::string print(const JSON &value) {
  return value.dump(2, ' ', false, JSON::error_handler_t::replace) + "\n";
}

/// Extents and strides: null is what the caller says.
static JSON describeSizes(const std::vector<int64_t> &sizes) {
  JSON list = JSON::array();
  for (int64_t size : sizes)
    list.push_back(size == ArgumentInfo::kDynamic ? JSON(nullptr) : JSON(size));
  return list;
}

static JSON describe(const ArgumentInfo &argument,
                     const runtime::SignatureInfo &kernel) {
  JSON object;
  object["name"] = argument.name;
  if (argument.kind == ArgumentInfo::Kind::Workspace) {
    object["kind"] = "workspace";
    object["element"] = toString(argument.element);
    object["extents"] = JSON::array();
    for (const runtime::Expression &extent : argument.workspaceExtents)
      object["extents"].push_back(toString(extent, kernel));
    return object;
  }
  bool tensor = argument.kind == ArgumentInfo::Kind::Tensor;
  object["kind"] = tensor ? "tensor" : "scalar";
  object["access"] = argument.access == ArgumentInfo::Access::In    ? "in"
                     : argument.access == ArgumentInfo::Access::Out ? "out"
                                                                    : "inout";
  object["element"] = toString(argument.element);
  if (tensor) {
    object["extents"] = describeSizes(argument.extents);
    object["strides"] = argument.contiguous ? JSON("contiguous")
                                            : describeSizes(argument.strides);
    constexpr const char *kSharings[] = {"", "symmetric", "peer", "multicast"};
    if (argument.isParameter)
      object["parameter"] = true;
    if (argument.sharing != ArgumentInfo::Sharing::None)
      object["sharing"] = kSharings[static_cast<int>(argument.sharing)];
  }
  return object;
}

static JSON describe(const runtime::DecisionNotes &notes) {
  JSON list = JSON::array();
  for (const auto &[key, value] : notes)
    list.push_back({{"key", key}, {"value", value}});
  return list;
}

/// Describes decisions by the members of the manifest.
static JSON describe(const runtime::DecisionInfo &decisions) {
  JSON object;
  object["occupancies"] = JSON::array();
  for (const runtime::OccupancyInfo &info : decisions.occupancies)
    object["occupancies"].push_back(
        {{"chip", info.chip},
         {"ctas_per_sm", info.ctasPerSM},
         {"limit", info.limit},
         {"shared", info.shared},
         {"registers", info.registers ? JSON(*info.registers) : JSON()},
         {"bytes_in_flight", info.bytesInFlight}});
  object["rings"] = JSON::array();
  for (const runtime::RingInfo &info : decisions.rings)
    object["rings"].push_back({{"loop", info.loop},
                               {"is_load", info.isLoad},
                               {"memrefs", info.memrefs},
                               {"engines", info.engines},
                               {"stages", info.stages},
                               {"slot_bytes", info.slotBytes},
                               {"prefetch", info.prefetch},
                               {"scope", info.scope},
                               {"mode", info.mode},
                               {"release", info.release},
                               {"notes", describe(info.notes)}});
  object["transfers"] = JSON::array();
  for (const runtime::TransferInfo &info : decisions.transfers)
    object["transfers"].push_back({{"location", info.location},
                                   {"is_load", info.isLoad},
                                   {"memref", info.memref},
                                   {"bytes", info.bytes},
                                   {"engine", info.engine},
                                   {"instructions", info.instructions},
                                   {"cost", info.cost},
                                   {"rejections", describe(info.rejections)},
                                   {"notes", describe(info.notes)}});
  object["misses"] = JSON::array();
  for (const runtime::MissInfo &info : decisions.misses)
    object["misses"].push_back({{"id", info.id},
                                {"location", info.location},
                                {"subject", info.subject},
                                {"reason", info.reason},
                                {"notes", describe(info.notes)}});
  object["notes"] = describe(decisions.notes);
  return object;
}

static JSON describeTime(std::optional<int64_t> nanoseconds) {
  return nanoseconds ? JSON(static_cast<double>(*nanoseconds) / 1e3) : JSON();
}

static JSON describe(const BenchReport &bench) {
  JSON entry;
  entry["l2"] = bench.cold ? "cold" : "warm";
  entry["launches"] = bench.launches;
  entry["bytes"] = bench.bytes;
  entry["median_us"] = bench.summary.median;
  entry["p10_us"] = bench.summary.p10;
  entry["p90_us"] = bench.summary.p90;
  entry["min_us"] = bench.summary.least;
  entry["max_us"] = bench.summary.most;
  entry["mean_us"] = bench.summary.mean;
  entry["gb_per_s"] = getGigabytesPerSecond(bench.bytes, bench.summary.median);
  return entry;
}

static JSON describe(const VariantInfo &variant, const KernelInfo &kernel) {
  JSON object;
  object["function"] = variant.function;
  object["chips"] = variant.chips;
  object["guards"] = JSON::array();
  for (const runtime::Guard &guard : variant.guards)
    object["guards"].push_back(toString(guard, kernel));
  object["grid"] = JSON::array();
  for (const runtime::Expression &expression : variant.grid)
    object["grid"].push_back(toString(expression, kernel));
  object["block"] = variant.block;
  object["cluster"] = variant.cluster;
  object["dynamic_shared"] = variant.dynamicShared;
  object["cooperative"] = variant.cooperative;
  if (variant.cost)
    object["cost"] = toString(*variant.cost, kernel);
  if (variant.decisions)
    object["decisions"] = describe(*variant.decisions);
  return object;
}

/// Describes tuned entries by the members of the manifest.
static JSON describe(const runtime::TunedInfo &tuned,
                     const KernelInfo &kernel) {
  JSON times = JSON::array();
  for (const runtime::TunedInfo::Time &time : tuned.times)
    times.push_back({{"function", kernel.variants[time.variant].function},
                     {"ns", time.nanoseconds}});
  return {{"device", tuned.device},
          {"values", tuned.values},
          {"times", std::move(times)}};
}

static JSON describeSignature(const runtime::SignatureInfo &signature) {
  JSON object;
  object["name"] = signature.name;
  object["arguments"] = JSON::array();
  for (const ArgumentInfo &argument : signature.arguments)
    object["arguments"].push_back(describe(argument, signature));
  return object;
}

static JSON describe(const runtime::ProgramInfo &program,
                     const runtime::Manifest &manifest) {
  using Kind = runtime::StepInfo::Kind;
  JSON object = describeSignature(program);
  object["checks"] = JSON::array();
  for (const runtime::CheckInfo &check : program.checks)
    object["checks"].push_back(toString(check.guard, program));
  object["steps"] = JSON::array();
  for (const runtime::StepInfo &step : program.steps) {
    JSON entry;
    entry["kind"] = toString(step.kind);
    if (step.kind == Kind::Launch)
      entry["kernel"] = manifest.kernels[step.kernel].name;
    if (step.isAtLoad)
      entry["at_load"] = true;
    if (!step.family.empty())
      entry["family"] = step.family;
    if (!step.sources.empty())
      entry["sources"] = step.sources;
    object["steps"].push_back(std::move(entry));
  }
  return object;
}

static JSON describe(const KernelInfo &kernel) {
  JSON object = describeSignature(kernel);
  object["variants"] = JSON::array();
  for (const VariantInfo &variant : kernel.variants)
    object["variants"].push_back(describe(variant, kernel));
  for (const runtime::TunedInfo &tuned : kernel.tuned)
    object["tuned"].push_back(describe(tuned, kernel));
  return object;
}

std::string run::formatJSON(const Listing &listing) {
  JSON object;
  object["package"] = listing.package;
  object["producer"] = listing.manifest->producer;
  object["kernels"] = JSON::array();
  for (const KernelInfo &kernel : listing.manifest->kernels)
    object["kernels"].push_back(describe(kernel));
  object["programs"] = JSON::array();
  for (const runtime::ProgramInfo &program : listing.manifest->programs)
    object["programs"].push_back(describe(program, *listing.manifest));
  return print(object);
}

std::string run::formatJSON(const Explanation &explanation) {
  JSON object;
  object["package"] = explanation.package;
  object["kernels"] = JSON::array();
  JSON chosen, chosenBy;
  for (const KernelInfo *kernel : explanation.kernels) {
    JSON entry = describe(*kernel);
    for (size_t i = 0; explanation.reports && i < kernel->variants.size();
         ++i) {
      const runtime::VariantReport &report = (*explanation.reports)[i];
      JSON &variant = entry["variants"][i];
      variant["accepted"] = report.accepted;
      variant["reasons"] = report.reasons;
      variant["predicted_us"] = describeTime(report.predicted);
      variant["measured_us"] = describeTime(report.measured);
      if (!report.chosen)
        continue;
      chosen = report.function;
      chosenBy = describeChoice(report);
    }
    object["kernels"].push_back(std::move(entry));
  }
  object["chosen"] = chosen;
  object["chosen_by"] = chosenBy;
  object["note"] =
      explanation.note.empty() ? JSON(nullptr) : JSON(explanation.note);
  // Only where there are any.
  for (const runtime::ProgramInfo *program : explanation.programs) {
    JSON entry = describe(*program, *explanation.manifest);
    if (explanation.prepared) {
      entry["workspace_bytes"] = explanation.prepared->getWorkspaceBytes();
      entry["launches"] = JSON::array();
      for (const runtime::Launch &launch : explanation.prepared->getLaunches())
        entry["launches"].push_back({{"variant", launch.getVariant().function},
                                     {"grid", launch.getGrid()}});
    }
    object["programs"].push_back(std::move(entry));
  }
  if (explanation.bench)
    object["bench"] = describe(*explanation.bench);
  return print(object);
}

std::string run::formatJSON(const RunReport &report) {
  JSON object;
  object["package"] = report.package;
  if (report.variant) {
    object["kernel"] = report.kernel;
    object["variant"] = report.variant->function;
    object["grid"] = report.grid;
    object["block"] = report.variant->block;
    object["cluster"] = report.variant->cluster;
    object["dynamic_shared"] = report.variant->dynamicShared;
  } else {
    object["program"] = report.program;
    object["launches"] = report.launches;
    object["workspace_bytes"] = report.workspaceBytes;
  }
  JSON &device = object["device"];
  device["name"] = report.device.name;
  device["ordinal"] = report.device.ordinal;
  device["compute_capability"] = report.device.computeCapability;
  device["multiprocessors"] = report.device.multiprocessors;
  device["driver_version"] = report.device.driverVersion;
  device["l2_bytes"] = report.device.l2Bytes;
  object["outputs"] = JSON::array();
  for (const OutputReport &output : report.outputs)
    object["outputs"].push_back(
        {{"argument", output.argument}, {"file", output.file}});
  object["comparisons"] = JSON::array();
  for (const ComparisonReport &comparison : report.comparisons)
    object["comparisons"].push_back(JSON::parse(formatJSON(comparison)));
  object["bench"] = nullptr;
  if (report.bench)
    object["bench"] = describe(*report.bench);
  return print(object);
}
