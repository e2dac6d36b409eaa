//===- TuneReport.cpp - prints carousel-tune's results --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TuneReport.h.
//
//===----------------------------------------------------------------------===//

#include "TuneReport.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

using namespace carousel;
using namespace carousel::tune;
using JSON = nlohmann::ordered_json;

std::string tune::formatText(const TuneReport &report) {
  std::string text;
  for (const runtime::VariantReport &variant : report.variants)
    text += fmt::format("{}: {}{}\n", variant.function, describeTimes(variant),
                        variant.chosen ? ", chosen" : "");
  std::string what = fmt::format(
      "{} time{} of '{}' on '{}' for the values [{}]",
      report.entry.times.size(), report.entry.times.size() == 1 ? "" : "s",
      report.kernel, report.entry.device, fmt::join(report.entry.values, ", "));
  return text + (report.file.empty()
                     ? what + ", not stored\n"
                     : fmt::format("{}, stored in {}\n", what, report.file));
}

std::string tune::formatJSON(const TuneReport &report) {
  JSON object;
  object["package"] = report.package;
  object["kernel"] = report.kernel;
  object["device"] = report.entry.device;
  object["values"] = report.entry.values;
  object["variants"] = JSON::array();
  for (const runtime::VariantReport &variant : report.variants) {
    JSON entry;
    entry["function"] = variant.function;
    entry["predicted_us"] = nullptr; // a cost may have no value
    if (variant.predicted)
      entry["predicted_us"] = static_cast<double>(*variant.predicted) / 1e3;
    entry["measured_us"] = static_cast<double>(*variant.measured) / 1e3;
    entry["chosen"] = variant.chosen;
    object["variants"].push_back(std::move(entry));
  }
  object["launches"] = report.launches;
  object["stored"] = report.file.empty() ? JSON() : JSON(report.file);
  return object.dump(2, ' ', false, JSON::error_handler_t::replace) + "\n";
}

std::string tune::formatStep(const std::string &function, size_t done,
                             size_t total) {
  JSON object;
  object["function"] = function;
  object["done"] = done;
  object["total"] = total;
  return object.dump(-1, ' ', false, JSON::error_handler_t::replace) + "\n";
}
