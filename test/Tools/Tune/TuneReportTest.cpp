//===- TuneReportTest.cpp - what carousel-tune prints ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../tools/carousel-tune/TuneReport.h"

#include <gtest/gtest.h>

using namespace carousel::tune;
using carousel::runtime::VariantReport;

namespace {

TuneReport makeReport() {
  TuneReport report;
  report.package = "copy.pkg";
  report.kernel = "copy";
  VariantReport wide, narrow;
  wide.function = "wide";
  wide.measured = 11204;
  narrow.function = "narrow";
  narrow.predicted = 12300;
  narrow.measured = 9100;
  narrow.chosen = true;
  report.variants = {wide, narrow};
  report.launches = 96;
  report.entry = {"Fake GPU", {4096, -1}, {{"narrow", 9100}, {"wide", 11204}}};
  return report;
}

TEST(TuneReport, Text) {
  TuneReport report = makeReport();
  const std::string variants = "wide: measured 11.20 us\n"
                               "narrow: predicted 12.30 us, measured 9.10 us, "
                               "chosen\n";
  EXPECT_EQ(formatText(report), variants +
                                    "2 times of 'copy' on 'Fake GPU' for the "
                                    "values [4096, -1], not stored\n");
  report.file = "copy.pkg/manifest.json";
  EXPECT_EQ(formatText(report),
            variants + "2 times of 'copy' on 'Fake GPU' for the values [4096, "
                       "-1], stored in copy.pkg/manifest.json\n");
  report.entry.times.pop_back();
  report.entry.values.clear();
  EXPECT_EQ(formatText(report),
            variants + "1 time of 'copy' on 'Fake GPU' for the values [], "
                       "stored in copy.pkg/manifest.json\n");
}

TEST(TuneReport, JSON) {
  TuneReport report = makeReport();
  EXPECT_EQ(formatJSON(report), R"({
  "package": "copy.pkg",
  "kernel": "copy",
  "device": "Fake GPU",
  "values": [
    4096,
    -1
  ],
  "variants": [
    {
      "function": "wide",
      "predicted_us": null,
      "measured_us": 11.204,
      "chosen": false
    },
    {
      "function": "narrow",
      "predicted_us": 12.3,
      "measured_us": 9.1,
      "chosen": true
    }
  ],
  "launches": 96,
  "stored": null
}
)");
  report.file = "copy.pkg/manifest.json";
  EXPECT_NE(formatJSON(report).find("\"stored\": \"copy.pkg/manifest.json\""),
            std::string::npos);
}

} // namespace
