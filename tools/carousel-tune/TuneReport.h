//===- TuneReport.h - prints carousel-tune's results ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints results as text for people and as JSON for programs. docs/Runtime.md
// documents the names of the JSON members. They don't change, but new ones may
// be added.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_TUNE_TUNEREPORT_H
#define CAROUSEL_TOOLS_TUNE_TUNEREPORT_H

#include "StoreTimes.h"

namespace carousel::tune {

struct TuneReport {
  std::string package;
  std::string kernel;
  /// The variants that were measured, in the package's order. The fastest is
  /// the chosen one.
  std::vector<runtime::VariantReport> variants;
  uint64_t launches = 0; ///< timed ones of all variants
  TunedEntry entry;
  std::string file; ///< that has the entry now; empty: none
};

/// Lines of text, each with its line feed.
std::string formatText(const TuneReport &report);
/// One JSON document.
std::string formatJSON(const TuneReport &report);
/// A line of JSON, for the measurement that begins after `done` others.
std::string formatStep(const std::string &function, size_t done, size_t total);

} // namespace carousel::tune

#endif // CAROUSEL_TOOLS_TUNE_TUNEREPORT_H
