//===- SimulationReport.cpp - prints carousel-sim's results as text -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SimulationReportJSON.cpp prints them as JSON.
//
//===----------------------------------------------------------------------===//

#include "SimulationReport.h"

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::simtool;

std::string simtool::formatCount(uint64_t count) {
  static constexpr const char *kUnits[] = {" k", " M", " G", " T"};
  if (count < 1000)
    return fmt::format("{}", count);
  auto value = static_cast<double>(count) / 1000;
  size_t unit = 0;
  // 999.95 would be printed as 1000.0.
  for (; value >= 999.95 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1000;
  return fmt::format("{:.1f}{}", value, kUnits[unit]);
}

static std::string getPlural(uint64_t count, const char *word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

static const char *describe(sim::RunStatus status) {
  switch (status) {
  case sim::RunStatus::Finished:
    return "finished";
  case sim::RunStatus::Deadlock:
    return "ended in a deadlock";
  case sim::RunStatus::StepLimit:
    return "ended at the step limit";
  case sim::RunStatus::Aborted:
    return "was aborted";
  }
  return "";
}

/// Why the shown schedule failed, in a few words.
static std::string describeFailure(const Outcome &outcome) {
  std::string text;
  auto add = [&text](std::string part) {
    text += (text.empty() ? "" : "; ") + std::move(part);
  };
  if (outcome.verdict.unexpected.any())
    add(listKinds(outcome.verdict.unexpected));
  if (outcome.verdict.missing.any())
    add("no " + listKinds(outcome.verdict.missing));
  for (const tools::ComparisonReport &comparison : outcome.comparisons)
    if (comparison.comparison.mismatches != 0)
      add(fmt::format("{} differs from {}", comparison.argument,
                      comparison.expected));
  if (outcome.hasExcess)
    add(fmt::format("{} excess wavefronts",
                    outcome.result.countExcessWavefronts()));
  if (text.empty())
    add(fmt::format("the run {}", describe(outcome.result.status)));
  return text;
}

static std::string describeReplay(const SimulationReport &report) {
  if (!report.replay.empty())
    return "--replay " + report.replay;
  return fmt::format("--policy {} --seed {}", report.shown.policy,
                     report.shown.seed);
}

static std::string describeEnd(const SimulationReport &report) {
  const Expectations &expectations = report.expectations;
  if (report.passed && expectations.searches)
    return fmt::format("{} in schedule {} of {}, as expected",
                       listKinds(expectations.expected), report.shown.index + 1,
                       report.schedules);
  std::string schedules = getPlural(report.schedules, "schedule");
  if (report.passed && expectations.expected.any())
    return fmt::format("{} with {}, as expected", schedules,
                       listKinds(expectations.expected));
  if (report.passed)
    return fmt::format("{} {}", schedules,
                       expectations.allowed.any() ? "passed" : "clean");
  if (!report.shown.failed)
    return fmt::format("no {} in {}", listKinds(expectations.expected),
                       schedules);
  return fmt::format("{} in schedule {} of {}", describeFailure(report.shown),
                     report.shown.index + 1, report.schedules);
}

/// One line for each place that accesses shared memory, and one for all.
static std::string
formatTable(const std::vector<sim::SharedAccesses> &sharedAccesses) {
  constexpr const char *kRow = "{:<{}}  {:<18}{:>10}{:>12}{:>8}{:>8}\n";
  sim::SharedAccesses total;
  total.location = "total";
  const std::string kPlace = "shared memory", kUnknown = "unknown";
  size_t width = kPlace.size();
  for (const sim::SharedAccesses &accesses : sharedAccesses) {
    width = std::max(width, accesses.location.size());
    total.executions += accesses.executions;
    total.wavefronts += accesses.wavefronts;
    total.least += accesses.least;
  }
  std::string text = fmt::format(kRow, kPlace, width, "op", "accesses",
                                 "wavefronts", "least", "excess");
  auto add = [&](const sim::SharedAccesses &row, const std::string &op) {
    const std::string &place = row.location.empty() ? kUnknown : row.location;
    text += fmt::format(kRow, place, width, op, row.executions, row.wavefronts,
                        row.least, row.getExcess());
  };
  for (const sim::SharedAccesses &accesses : sharedAccesses)
    add(accesses,
        fmt::format("{}, {}", accesses.op, getPlural(accesses.bytes, "byte")));
  add(total, "");
  return text;
}

std::string simtool::formatText(const SimulationReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const Outcome &shown = report.shown;
  for (const sim::Finding &finding : shown.result.findings)
    printText(finding, os);
  for (const tools::ComparisonReport &comparison : shown.comparisons)
    os << tools::formatText(comparison) << '\n';
  for (const tools::OutputReport &output : report.outputs)
    os << output.argument << ": written to " << output.file << '\n';
  if (!shown.result.stopped.empty())
    os << shown.result.stopped << '\n';
  if (shown.result.expiredWaits != 0)
    os << getPlural(shown.result.expiredWaits, "wait")
       << " expired, so outputs are not compared\n";
  if (report.bankConflicts)
    os << formatTable(shown.result.sharedAccesses);
  if (report.schedules == 1) {
    const sim::RunFigures &figures = shown.result.figures;
    os << fmt::format("{}: {}, {} steps, {} of {} bytes, {} cycles\n",
                      report.kernel, getPlural(figures.threads, "thread"),
                      figures.steps, getPlural(figures.transfers, "transfer"),
                      figures.transferredBytes, figures.cycles);
  }
  os << fmt::format("carousel-sim: {}: {}, {} steps in {:.1f} s", report.kernel,
                    describeEnd(report), formatCount(report.steps),
                    report.seconds);
  if (shown.failed)
    os << "; replay with " << describeReplay(report);
  os << '\n';
  return text;
}

std::string simtool::listFindingsText() {
  std::string text;
  for (unsigned i = 0; i < sim::kNumFindingKinds; ++i) {
    auto kind = sim::FindingKind(i);
    text += fmt::format("{:<22}{}\n", sim::getIdentifier(kind).str(),
                        sim::getSummary(kind).str());
  }
  return text;
}

std::string simtool::formatText(llvm::ArrayRef<KernelListing> kernels) {
  std::string text;
  for (const KernelListing &kernel : kernels) {
    text += fmt::format("@{}::@{}\n", kernel.module, kernel.name);
    const char *label = "arguments";
    for (const KernelListing::Argument &argument : kernel.arguments) {
      text += fmt::format("  {:<12}{}: {}, {}\n", label, argument.name,
                          argument.type, argument.access);
      label = "";
    }
    text += fmt::format("  {:<12}{}\n", "launch",
                        kernel.launch.empty() ? "none: give --grid and --block"
                                              : kernel.launch);
  }
  return text;
}
