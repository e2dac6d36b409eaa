//===- OutputReport.cpp - reports of comparisons --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints text and JSON. Numbers that JSON lacks are the strings "nan", "inf"
// and "-inf".
//
//===----------------------------------------------------------------------===//

#include "OutputReport.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace carousel;
using namespace carousel::tools;
using JSON = nlohmann::ordered_json;

std::string tools::formatText(const ComparisonReport &report) {
  const Comparison &comparison = report.comparison;
  std::string text = fmt::format("{}: ", report.argument);
  if (comparison.mismatches == 0)
    text += fmt::format("all {} elements match {}", comparison.elements,
                        report.expected);
  else
    text +=
        fmt::format("{} of {} elements differ from {}", comparison.mismatches,
                    comparison.elements, report.expected);
  if (!comparison.worst)
    return text;
  const ElementError &worst = *comparison.worst;
  text += fmt::format("; worst at [{}]: got {}, want {}, error {:.6g}, "
                      "relative {:.6g}",
                      fmt::join(worst.index, ", "),
                      formatElement(report.element, worst.got),
                      formatElement(report.element, worst.want), worst.absolute,
                      worst.relative);
  if (worst.ulps && !isInteger(report.element))
    text += fmt::format(", {} ulp", *worst.ulps);
  return text;
}

static JSON describeNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}

static JSON describeElement(ElementType type, uint64_t bits) {
  return isInteger(type) ? JSON(toInteger(type, bits))
                         : describeNumber(toDouble(type, bits));
}

static JSON describe(const ComparisonReport &report) {
  JSON object;
  object["argument"] = report.argument;
  object["expected"] = report.expected;
  object["elements"] = report.comparison.elements;
  object["mismatches"] = report.comparison.mismatches;
  object["worst"] = nullptr;
  if (const auto &worst = report.comparison.worst) {
    JSON &entry = object["worst"];
    entry["index"] = worst->index;
    entry["got"] = describeElement(report.element, worst->got);
    entry["want"] = describeElement(report.element, worst->want);
    entry["error"] = describeNumber(worst->absolute);
    entry["relative"] = describeNumber(worst->relative);
    entry["ulp"] = worst->ulps ? JSON(*worst->ulps) : JSON(nullptr);
  }
  return object;
}

std::string tools::formatJSON(const ComparisonReport &report) {
  return describe(report).dump(-1, ' ', false, JSON::error_handler_t::replace);
}
