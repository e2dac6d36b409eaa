//===- CheckKernel.cpp - is a kernel's synchronisation right? -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ways through a kernel, one after the other.
//
//===----------------------------------------------------------------------===//

#include "carousel/Analysis/Proof/CheckKernel.h"

#include "KernelRun.h"

#include "llvm/Support/MathExtras.h"

using namespace carousel;
using namespace carousel::proof;

static constexpr unsigned kMostWays = 1024;
/// Steps of classes of threads, of all ways.
static constexpr uint64_t kMostSteps = 500'000;

llvm::StringRef proof::stringify(Verdict verdict) {
  switch (verdict) {
  case Verdict::Proved:
    return "proved";
  case Verdict::Bounded:
    return "bounded";
  case Verdict::Refuted:
    return "refuted";
  case Verdict::Unknown:
    return "unknown";
  }
  llvm_unreachable("all verdicts have a name");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Takes the threads of a kernel's directives for those that aren't given.
static void readBlock(const ptx::Function &kernel, LaunchShape &launch) {
  for (llvm::StringRef name : {"reqntid", "maxntid"})
    for (const ptx::FunctionDirective &directive : kernel.directives)
      for (size_t dim = 0; dim < 3 && directive.name == name; ++dim)
        if (launch.block[dim] == 0)
          launch.block[dim] =
              dim < directive.values.size() ? directive.values[dim] : 1;
}

static void addVariable(const ptx::Variable &variable, uint64_t dynamicBytes,
                        SharedLayout &layout) {
  if (variable.space != ptx::StateSpace::Shared)
    return;
  uint64_t align = std::max<uint64_t>(variable.align, 16);
  layout.bytes = llvm::alignTo(layout.bytes, align);
  layout.offsets[variable.symbol] = layout.bytes;
  bool isDynamic = variable.linkage == ptx::Linkage::Extern;
  layout.bytes += isDynamic ? dynamicBytes : variable.getBytes().value_or(0);
}

static void addVariables(const ptx::Block &block, SharedLayout &layout) {
  for (const ptx::Statement &statement : block.statements) {
    if (const auto *variable = std::get_if<ptx::Variable>(&statement.value))
      addVariable(*variable, 0, layout);
    if (const auto *inner = std::get_if<ptx::Block>(&statement.value))
      addVariables(*inner, layout);
  }
}

/// Variables of a known size, then what the launch adds.
static SharedLayout layOut(const ptx::Module &module,
                           const ptx::Function &kernel,
                           const LaunchShape &launch) {
  SharedLayout layout;
  layout.symbols = module.symbols;
  addVariables(*kernel.body, layout);
  for (bool isDynamic : {false, true})
    for (const auto &item : module.items) {
      const auto *variable = std::get_if<ptx::Variable>(&item);
      if (variable && (variable->linkage == ptx::Linkage::Extern) == isDynamic)
        addVariable(*variable, launch.sharedBytes, layout);
    }
  return layout;
}

/// The terms of a launch's promises. A parameter that is a multiple of a number
/// has a term for the quotient.
static LaunchFacts findFacts(const ptx::Function &kernel,
                             const SharedLayout &shared,
                             const LaunchShape &launch, Terms &terms) {
  LaunchFacts facts;
  auto getSymbol = [&](unsigned number) {
    return shared.symbols[kernel.parameters[number].symbol].name;
  };
  auto getTerm = [&](unsigned number) {
    return terms.getFree(getLoadName(getSymbol(number)),
                         std::numeric_limits<int32_t>::min(),
                         std::numeric_limits<int32_t>::max());
  };
  auto isParameter = [&](unsigned number) {
    return number < kernel.parameters.size();
  };
  for (auto [number, bytes] : launch.boxes)
    if (isParameter(number))
      facts.boxes[terms.getFree(getBoxName(getSymbol(number)), 0,
                                std::numeric_limits<int64_t>::max())] =
          int64_t(bytes);
  for (auto [number, divisor] : launch.divisors)
    if (isParameter(number))
      facts.divisors[getTerm(number)] = divisor;
  for (const LaunchGuard &guard : launch.guards) {
    if (!llvm::all_of(guard.parameters,
                      [&](auto own) { return isParameter(own.first); }))
      continue;
    Linear sum;
    sum.constant = guard.constant;
    for (auto [number, factor] : guard.parameters) {
      TermId term = getTerm(number);
      auto divisor = facts.divisors.find(term);
      sum = sum.plus(Linear::of(
          term,
          factor * (divisor == facts.divisors.end() ? 1 : divisor->second)));
    }
    if (guard.least != std::numeric_limits<int64_t>::min())
      facts.atLeastZero.push_back(sum.plus({guard.least, {}}, -1));
    if (guard.most != std::numeric_limits<int64_t>::max())
      facts.atLeastZero.push_back(Linear{guard.most, {}}.plus(sum, -1));
  }
  return facts;
}

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

/// Follows all ways.
static Report checkWays(const ptx::Function &kernel, const KernelCode &code,
                        const SharedLayout &shared, const LaunchShape &launch,
                        Terms &terms, LaunchFacts &facts, RunMode mode,
                        bool &hasStates) {
  Report report;
  bool isBounded = false;
  // Decisions of a way, and a run that has taken the first ones.
  struct Way {
    std::vector<bool> script;
    std::shared_ptr<const KernelRun> from;
  };
  std::vector<Way> open(1);
  while (!open.empty()) {
    Way way = std::move(open.back());
    open.pop_back();
    uint64_t mostSteps = kMostSteps - report.steps;
    KernelRun run = way.from
                        ? KernelRun(*way.from, std::move(way.script), mostSteps)
                        : KernelRun(code, shared, launch, terms, facts, mode,
                                    std::move(way.script), mostSteps);
    Ending ending = run.run();
    auto pauses = run.takePauses();
    ++report.ways;
    report.steps += run.getSteps() - run.getEarlierSteps();
    isBounded |= run.isBounded;
    hasStates |= run.hasStates;
    if (ending.kind != Ending::Kind::Complete) {
      report.verdict = ending.kind == Ending::Kind::Refuted ? Verdict::Refuted
                                                            : Verdict::Unknown;
      report.message = ending.message;
      report.at = ending.at;
      report.other = ending.other;
      report.assumptions = run.getAssumptions().print();
      // A fault of a way that no launch may take is none.
      if (report.verdict == Verdict::Refuted &&
          !run.getAssumptions().areFree()) {
        report.verdict = Verdict::Unknown;
        report.message =
            "whether a launch takes the way to this isn't known: " +
            ending.message;
      }
      return report;
    }
    size_t next = 0;
    for (size_t taken = run.given; taken < run.script.size(); ++taken) {
      if (run.bounded.count(taken))
        continue;
      std::vector<bool> other(run.script.begin(), run.script.begin() + taken);
      other.push_back(!run.script[taken]);
      for (; next < pauses.size() && pauses[next]->script.size() <= taken;
           ++next)
        way.from = pauses[next];
      open.push_back({std::move(other), way.from});
    }
    if (!open.empty() &&
        (report.ways == kMostWays || report.steps >= kMostSteps)) {
      report.message = "its synchronisation has too many ways: " +
                       std::to_string(report.ways) + " took " +
                       std::to_string(report.steps) + " steps";
      report.at = kernel.location;
      return report;
    }
  }
  report.verdict = isBounded ? Verdict::Bounded : Verdict::Proved;
  return report;
}

Report proof::checkKernel(const ptx::Module &module,
                          const ptx::Function &kernel, LaunchShape launch) {
  Report report;
  readBlock(kernel, launch);
  uint64_t threads =
      uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  constexpr uint64_t kMostThreads = 1024;
  if (threads == 0 || threads > kMostThreads) {
    report.message = "expected the threads of a CTA, 1 to 1024, got " +
                     std::to_string(threads);
    report.at = kernel.location;
    return report;
  }
  KernelCode code(kernel);
  if (!code.refusal.empty()) {
    report.message = code.refusal;
    report.at = code.refusalAt;
    return report;
  }
  SharedLayout shared = layOut(module, kernel, launch);
  Terms terms;
  LaunchFacts facts = findFacts(kernel, shared, launch, terms);
  for (size_t known = ~size_t(0); known != facts.boxes.size();) {
    known = facts.boxes.size();
    KernelRun(code, shared, launch, terms, facts, RunMode::InferBoxes, {},
              kMostSteps)
        .run();
  }
  bool hasStates = false;
  auto check = [&](RunMode mode) {
    return checkWays(kernel, code, shared, launch, terms, facts, mode,
                     hasStates);
  };
  report = check(RunMode::Repeat);
  if (report.verdict != Verdict::Unknown || !hasStates)
    return report;
  // Some trips are better than none.
  Report bounded = check(RunMode::Bound);
  return bounded.verdict == Verdict::Unknown ? report : bounded;
}
