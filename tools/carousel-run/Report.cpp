//===- Report.cpp - prints carousel-run's results as text -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ReportJSON.cpp prints them as JSON.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::run;
using runtime::KernelInfo;
using runtime::VariantInfo;

static std::string formatDims(const std::array<uint32_t, 3> &dims) {
  return fmt::format("{}", fmt::join(dims, " x "));
}

static const char *getPlural(size_t count) { return count == 1 ? "" : "s"; }

/// Label in a column of its own, for the first of several lines.
static void addLine(std::string &text, const char *label,
                    const std::string &line) {
  text += fmt::format("    {:<10}{}\n", label, line);
}

std::string run::formatSignature(const runtime::SignatureInfo &signature) {
  std::string text = signature.name + "\n";
  const char *label = "arguments";
  for (const runtime::ArgumentInfo &argument : signature.arguments) {
    text += fmt::format("  {:<12}{}\n", label, toString(argument, signature));
    label = "";
  }
  return text;
}

/// What the compiler decided, for comparison with what is measured.
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
