//===- SimulationReportJSON.cpp - prints results as JSON ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON document for each kind of request, with the names that the text
// uses.
//
//===----------------------------------------------------------------------===//

#include "SimulationReport.h"

using namespace carousel;
using namespace carousel::simtool;
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

static llvm::StringRef describe(sim::RunStatus status) {
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
        json.attribute("status", describe(shown.result.status));
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
