//===- Report.h - prints carousel-run's results -----------------*- C++ -*-===//
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

#ifndef CAROUSEL_TOOLS_RUN_REPORT_H
#define CAROUSEL_TOOLS_RUN_REPORT_H

#include "../support/Launch/Statistics.h"
#include "../support/Tensors/OutputReport.h"

#include "carousel/Runtime/Program.h"

namespace carousel::run {

using namespace tools;

struct Listing {
  std::string package;
  const runtime::Manifest *manifest = nullptr;
};

struct BenchReport {
  Summary summary;
  uint64_t launches = 0, bytes = 0;
  bool cold = true;
};

/// The knowledge of --explain on one kernel.
struct Explanation {
  std::string package;
  const runtime::Manifest *manifest = nullptr;
  std::vector<const runtime::KernelInfo *> kernels;
  std::vector<const runtime::ProgramInfo *> programs;
  /// The program with its arguments on a device.
  std::optional<runtime::PreparedProgram> prepared;
  /// A report for each variant of one kernel with arguments on a device.
  std::optional<std::vector<runtime::VariantReport>> reports;
  /// Why there are no reports; empty if none were requested.
  std::string note;
  /// The times of the chosen variant, with --bench.
  std::optional<BenchReport> bench;
};

struct RunReport {
  std::string package;
  // A kernel's report has these.
  std::string kernel;
  const runtime::VariantInfo *variant = nullptr;
  std::array<uint32_t, 3> grid = {};
  // A program's report has these.
  std::string program;
  uint64_t launches = 0, workspaceBytes = 0;
  runtime::DeviceInfo device;
  std::vector<OutputReport> outputs;
  std::vector<ComparisonReport> comparisons;
  std::optional<BenchReport> bench;
};

/// Lines of text, each with its line feed.
std::string formatText(const Listing &listing);
std::string formatText(const Explanation &explanation);
std::string formatText(const RunReport &report);

/// "median 12.30 us, p10 ..., 812.4 GB/s; 128 launches of 8388608 bytes, L2
/// cold".
std::string formatText(const BenchReport &report);

/// The steps of a program: kernels, what they were made from, and the views
/// that they work on. `prepared`: of this program, or null.
std::string formatText(const runtime::ProgramInfo &program,
                       const runtime::Manifest &manifest,
                       const runtime::PreparedProgram *prepared);

/// One JSON document.
std::string formatJSON(const Listing &listing);
std::string formatJSON(const Explanation &explanation);
std::string formatJSON(const RunReport &report);

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_REPORT_H
