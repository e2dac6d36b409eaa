//===- Reports.cpp - what is said of kernels ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Reports.h.
//
//===----------------------------------------------------------------------===//

#include "Reports.h"

#include "carousel/Support/Printable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace json = llvm::json;
using namespace carousel;
using namespace carousel::proof;
using llvm::ArrayRef;
using llvm::StringRef;

std::array<unsigned, kVerdicts>
carousel::proof::countVerdicts(ArrayRef<CheckedKernel> kernels) {
  std::array<unsigned, kVerdicts> counts = {};
  for (const CheckedKernel &checked : kernels)
    ++counts[unsigned(checked.report.verdict)];
  return counts;
}

void carousel::proof::printText(llvm::raw_ostream &os,
                                const CheckedKernel &checked) {
  const Report &report = checked.report;
  os << escapeControls(checked.file) << ':' << report.at.line << ": "
     << escapeControls(checked.kernel) << ": " << stringify(report.verdict);
  if (!report.message.empty())
    os << ": " << escapeControls(report.message);
  if (report.other.line != 0)
    os << " (line " << report.other.line << ')';
  if (!report.assumptions.empty() && !report.message.empty())
    os << "; where " << escapeControls(report.assumptions);
  os << " [" << report.ways << (report.ways == 1 ? " way, " : " ways, ")
     << report.steps << " steps, " << llvm::format("%.1f", checked.milliseconds)
     << " ms]\n";
}

/// A text of a file, which JSON must have in UTF-8.
static std::string toText(StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

void carousel::proof::printJson(llvm::raw_ostream &os,
                                ArrayRef<CheckedKernel> kernels) {
  json::OStream stream(os, /*IndentSize=*/2);
  stream.object([&] {
    stream.attribute("tool", "carousel-check");
    stream.attribute("version", CAROUSEL_VERSION);
    stream.attributeObject("counts", [&] {
      for (auto [verdict, count] : llvm::enumerate(countVerdicts(kernels)))
        stream.attribute(stringify(Verdict(verdict)), count);
    });
    stream.attributeArray("kernels", [&] {
      for (const CheckedKernel &checked : kernels)
        stream.object([&] {
          const Report &report = checked.report;
          stream.attribute("file", toText(checked.file));
          stream.attribute("kernel", toText(checked.kernel));
          stream.attribute("verdict", stringify(report.verdict));
          stream.attribute("line", report.at.line);
          if (!report.message.empty())
            stream.attribute("message", toText(report.message));
          if (report.other.line != 0)
            stream.attribute("other_line", report.other.line);
          if (!report.assumptions.empty())
            stream.attribute("where", toText(report.assumptions));
          stream.attribute("ways", report.ways);
          stream.attribute("steps", int64_t(report.steps));
          stream.attributeBegin("milliseconds");
          stream.rawValue(llvm::formatv("{0:F3}", checked.milliseconds).str());
          stream.attributeEnd();
        });
    });
  });
  os << '\n';
}

//===----------------------------------------------------------------------===//
// SARIF
//===----------------------------------------------------------------------===//

/// The kind of a result: SARIF 2.1.0, 3.27.9. All but `fail` have no level.
static StringRef getKind(Verdict verdict) {
  switch (verdict) {
  case Verdict::Proved:
    return "pass";
  case Verdict::Refuted:
    return "fail";
  case Verdict::Bounded:
  case Verdict::Unknown:
    return "open";
  }
  llvm_unreachable("a verdict");
}

static StringRef describe(Verdict verdict) {
  switch (verdict) {
  case Verdict::Proved:
    return "no launch has a fault of synchronisation";
  case Verdict::Bounded:
    return "no launch whose loops have few iterations has a fault of "
           "synchronisation";
  case Verdict::Refuted:
    return "a launch has a fault of synchronisation";
  case Verdict::Unknown:
    return "a value or an instruction isn't followed";
  }
  llvm_unreachable("a verdict");
}

static json::Object makeText(const llvm::Twine &text) {
  return json::Object{{"text", toText(text.str())}};
}

static json::Object makeLocation(StringRef file, unsigned line) {
  json::Object physical{
      {"artifactLocation", json::Object{{"uri", toText(file)}}}};
  if (line != 0)
    physical["region"] = json::Object{{"startLine", line}};
  return json::Object{{"physicalLocation", std::move(physical)}};
}

static json::Object makeResult(const CheckedKernel &checked) {
  const Report &report = checked.report;
  std::string text = checked.kernel + ": " +
                     (report.message.empty() ? describe(report.verdict).str()
                                             : report.message);
  if (!report.assumptions.empty() && !report.message.empty())
    text += "; where " + report.assumptions;
  json::Object location = makeLocation(checked.file, report.at.line);
  location["logicalLocations"] = json::Array{
      json::Object{{"name", toText(checked.kernel)}, {"kind", "function"}}};
  json::Object result{
      {"ruleId", stringify(report.verdict)},
      {"ruleIndex", unsigned(report.verdict)},
      {"kind", getKind(report.verdict)},
      {"level", report.verdict == Verdict::Refuted ? "error" : "none"},
      {"message", makeText(text)},
      {"locations", json::Array{std::move(location)}}};
  if (report.other.line != 0) {
    json::Object other = makeLocation(checked.file, report.other.line);
    other["message"] = makeText("the earlier event");
    result["relatedLocations"] = json::Array{std::move(other)};
  }
  return result;
}

void carousel::proof::printSarif(llvm::raw_ostream &os,
                                 ArrayRef<CheckedKernel> kernels) {
  json::Array rules, results;
  for (unsigned verdict = 0; verdict < kVerdicts; ++verdict)
    rules.push_back(json::Object{
        {"id", stringify(Verdict(verdict))},
        {"shortDescription", makeText(describe(Verdict(verdict)))}});
  for (const CheckedKernel &checked : kernels)
    results.push_back(makeResult(checked));
  json::Object driver{{"name", "carousel-check"},
                      {"version", CAROUSEL_VERSION},
                      {"rules", std::move(rules)}};
  json::Object run{{"tool", json::Object{{"driver", std::move(driver)}}},
                   {"results", std::move(results)}};
  os << llvm::formatv("{0:2}", json::Value(json::Object{
                                   {"version", "2.1.0"},
                                   {"runs", json::Array{std::move(run)}}}))
     << '\n';
}
