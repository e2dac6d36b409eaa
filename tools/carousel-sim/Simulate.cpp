//===- Simulate.cpp - the steps of carousel-sim ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints lists, or runs schedules until one ends the search.
//
//===----------------------------------------------------------------------===//

#include "Simulate.h"

#include "../support/Process/Messages.h"
#include "Schedules.h"
#include "Simulation.h"

#include "carousel/Dialect/IR/KernelSignature.h"
#include "carousel/Support/Printable.h"

#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace carousel;
using namespace carousel::simtool;

static Exit print(const std::string &text, Exit exit = Exit::Success) {
  return tools::printResult(text) ? exit : Exit::Usage;
}

/// Lines with names and places of the input, for a terminal.
static std::string escape(const std::string &text) {
  return escapeControls(text, "\n\t");
}

template <typename T> static std::string toText(const T &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static Exit listKernels(const Input &input, const Options &options) {
  std::vector<KernelListing> listings;
  for (gpu::GPUFuncOp kernel : input.getKernels()) {
    KernelListing &listing = listings.emplace_back();
    listing.module =
        kernel->getParentOfType<gpu::GPUModuleOp>().getName().str();
    listing.name = kernel.getName().str();
    for (const KernelArgument &argument : getKernelArguments(kernel))
      listing.arguments.push_back(
          {argument.name, toText(argument.type),
           argument.workspace
               ? "workspace"
               : stringifyArgumentAccess(argument.access).str()});
    if (Attribute launch = kernel->getDiscardableAttr(CarouselDialect::kLaunch))
      listing.launch = toText(launch);
  }
  return print(options.json ? formatJSON(listings)
                            : escape(formatText(listings)));
}

static Exit runSchedules(const Simulation &simulation, const Options &options,
                         tools::ProgressMode mode) {
  SimulationReport report;
  report.input = options.input;
  report.kernel = simulation.getKernelName();
  report.policies = options.policies;
  report.firstSeed = options.seed;
  report.schedules = simulation.getScheduleCount();
  report.expectations = options.findings;
  report.replay = options.replay;
  report.bankConflicts = options.bankConflicts;

  unsigned jobs = options.jobs;
  if (jobs == 0)
    jobs = std::max(1u, std::thread::hardware_concurrency());
  std::mutex mutex;
  bool any = false;
  auto begin = std::chrono::steady_clock::now();
  {
    bool several = report.schedules > 1;
    tools::Progress progress(
        mode,
        several ? fmt::format("running schedules of {}", report.kernel)
                : "running " + report.kernel,
        several ? report.schedules : 0, tools::ProgressUnit::Count);
    findFirst(report.schedules, jobs, [&](uint64_t index) {
      std::vector<tools::OutputReport> outputs;
      Outcome outcome = simulation.run(index, outputs);
      progress.advance(1);
      std::lock_guard<std::mutex> lock(mutex);
      ++report.schedulesRun;
      report.steps += outcome.result.figures.steps;
      // The first of those that end the search; until there is one, the first.
      const Outcome &shown = report.shown;
      bool ends = outcome.ends;
      if (!any || ends > shown.ends ||
          (ends == shown.ends && outcome.index < shown.index)) {
        report.shown = std::move(outcome);
        report.outputs = std::move(outputs);
        any = true;
      }
      return ends;
    });
  }
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  report.seconds = seconds.count();
  if (const std::string &error = report.shown.result.error; !error.empty()) {
    tools::printError(error);
    return Exit::Usage;
  }
  // A search ends well at the schedule that was sought, all else without an
  // end.
  report.passed =
      !report.shown.failed && report.shown.ends == options.findings.searches;
  Exit exit = report.passed ? Exit::Success : Exit::Failure;
  if (options.json)
    return print(formatJSON(report), exit);
  return options.quiet && report.passed
             ? exit
             : print(escape(formatText(report)), exit);
}

static Exit run(const Input &input, const Options &options,
                CompiledCode &compiled) {
  if (options.listKernels)
    return listKernels(input, options);
  if (options.bankConflicts && input.hasCode()) {
    tools::printError("expected --bank-conflicts and --bank-conflict-limit "
                      "without PTX, whose accesses aren't counted");
    return Exit::Usage;
  }
  tools::ProgressMode mode = tools::chooseProgressMode(options.quiet);
  auto simulation = Simulation::create(input, options, compiled, mode);
  if (!simulation)
    return Exit::Usage;
  return runSchedules(*simulation, options, mode);
}

Exit simtool::simulate(ArrayRef<Options> runs) {
  const Options &first = runs.front();
  if (first.listFindings)
    return print(first.json ? listFindingsJSON() : listFindingsText());
  Input input;
  if (!input.load(first))
    return Exit::Usage;
  CompiledCode compiled;
  Exit worst = Exit::Success;
  for (const Options &options : runs)
    worst = std::max(worst, run(input, options, compiled));
  return worst;
}
