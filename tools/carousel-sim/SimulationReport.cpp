//===- SimulationReport.cpp - prints carousel-sim's results -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the results of simulations as text and as JSON.
//
//===----------------------------------------------------------------------===//

#include "SimulationReport.h"

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::simtool;

//===----------------------------------------------------------------------===//
// Prints carousel-sim's results as text
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Prints results as JSON
//
// One JSON document for each kind of request, with the names that the text
// uses.
//===----------------------------------------------------------------------===//

using llvm::json::OStream;

template <typename Function> static std::string write(Function function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OStream json(os, /*IndentSize=*/2);
  function(json);
  json.flush();
  os << '\n';
  return text;
}

static llvm::StringRef spellStatus(sim::RunStatus status) {
  switch (status) {
  case sim::RunStatus::Finished:
    return "finished";
  case sim::RunStatus::Deadlock:
    return "deadlock";
  case sim::RunStatus::StepLimit:
    return "step-limit";
  case sim::RunStatus::Aborted:
    return "aborted";
  }
  return "";
}

static void writeKinds(OStream &json, llvm::StringRef key,
                       const KindSet &kinds) {
  json.attributeArray(key, [&] {
    for (unsigned i = 0; i < kinds.size(); ++i)
      if (kinds[i])
        json.value(sim::getIdentifier(sim::FindingKind(i)));
  });
}

static void
writeSharedAccesses(OStream &json,
                    const std::vector<sim::SharedAccesses> &sharedAccesses) {
  json.attributeArray("shared_accesses", [&] {
    for (const sim::SharedAccesses &accesses : sharedAccesses)
      json.object([&] {
        json.attribute("location", llvm::json::fixUTF8(accesses.location));
        json.attribute("op", accesses.op);
        json.attribute("bytes", accesses.bytes);
        json.attribute("accesses", accesses.executions);
        json.attribute("wavefronts", accesses.wavefronts);
        json.attribute("least", accesses.least);
        json.attribute("excess", accesses.getExcess());
      });
  });
}

std::string simtool::formatJSON(const SimulationReport &report) {
  const Outcome &shown = report.shown;
  const sim::RunFigures &figures = shown.result.figures;
  return write([&](OStream &json) {
    json.object([&] {
      json.attribute("input", llvm::json::fixUTF8(report.input));
      json.attribute("kernel", report.kernel);
      json.attribute("passed", report.passed);
      json.attributeArray("policies", [&] {
        for (const std::string &policy : report.policies)
          json.value(policy);
      });
      json.attribute("first_seed", report.firstSeed);
      json.attribute("schedules", report.schedules);
      json.attribute("schedules_run", report.schedulesRun);
      json.attribute("steps", report.steps);
      json.attribute("seconds", report.seconds);
      json.attributeObject("shown", [&] {
        json.attribute("index", shown.index);
        if (shown.policy.empty()) {
          json.attribute("replay", llvm::json::fixUTF8(report.replay));
        } else {
          json.attribute("policy", shown.policy);
          json.attribute("seed", shown.seed);
        }
        json.attribute("status", spellStatus(shown.result.status));
        json.attributeArray("findings", [&] {
          for (const sim::Finding &finding : shown.result.findings)
            json.value(toJSON(finding));
        });
        writeKinds(json, "unexpected", shown.verdict.unexpected);
        writeKinds(json, "missing", shown.verdict.missing);
        json.attributeObject("figures", [&] {
          json.attribute("threads", figures.threads);
          json.attribute("steps", figures.steps);
          json.attribute("transfers", figures.transfers);
          json.attribute("transferred_bytes", figures.transferredBytes);
          json.attribute("read_bytes", figures.readBytes);
          json.attribute("written_bytes", figures.writtenBytes);
          json.attribute("operand_bytes", figures.operandBytes);
          json.attribute("cycles", figures.cycles);
          json.attribute("expired_waits", shown.result.expiredWaits);
        });
        if (report.bankConflicts)
          writeSharedAccesses(json, shown.result.sharedAccesses);
        json.attributeArray("comparisons", [&] {
          for (const tools::ComparisonReport &comparison : shown.comparisons)
            json.rawValue(tools::formatJSON(comparison));
        });
      });
      json.attributeArray("outputs", [&] {
        for (const tools::OutputReport &output : report.outputs)
          json.object([&] {
            json.attribute("argument", output.argument);
            json.attribute("file", llvm::json::fixUTF8(output.file));
          });
      });
    });
  });
}

std::string simtool::listFindingsJSON() {
  return write([](OStream &json) {
    json.array([&] {
      for (unsigned i = 0; i < sim::kNumFindingKinds; ++i)
        json.object([&] {
          json.attribute("id", sim::getIdentifier(sim::FindingKind(i)));
          json.attribute("summary", sim::getSummary(sim::FindingKind(i)));
        });
    });
  });
}

std::string simtool::formatJSON(llvm::ArrayRef<KernelListing> kernels) {
  return write([&](OStream &json) {
    json.array([&] {
      for (const KernelListing &kernel : kernels)
        json.object([&] {
          json.attribute("module", kernel.module);
          json.attribute("name", kernel.name);
          json.attributeArray("arguments", [&] {
            for (const KernelListing::Argument &argument : kernel.arguments)
              json.object([&] {
                json.attribute("name", argument.name);
                json.attribute("type", argument.type);
                json.attribute("access", argument.access);
              });
          });
          json.attribute("launch", kernel.launch.empty()
                                       ? llvm::json::Value(nullptr)
                                       : llvm::json::Value(kernel.launch));
        });
    });
  });
}
