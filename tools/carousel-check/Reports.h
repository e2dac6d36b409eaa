//===- Reports.h - what is said of kernels ----------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints verdicts as text, as JSON, or as SARIF 2.1.0, which continuous
// integration shows beside lines. docs/Proof.md, Output.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_CHECK_REPORTS_H
#define CAROUSEL_TOOLS_CHECK_REPORTS_H

#include "carousel/Analysis/Proof/CheckKernel.h"
#include "llvm/Support/raw_ostream.h"

namespace carousel::proof {

/// A kernel's verdict.
struct CheckedKernel {
  std::string file, kernel;
  Report report;
  double milliseconds = 0;
};

enum class ReportFormat : uint8_t { Text, Json, Sarif };

/// Counts kernels by verdict.
std::array<unsigned, kVerdicts> countVerdicts(llvm::ArrayRef<CheckedKernel>);

/// Prints a line of text.
void printText(llvm::raw_ostream &os, const CheckedKernel &checked);
/// Prints a document of all kernels.
void printJson(llvm::raw_ostream &os, llvm::ArrayRef<CheckedKernel> kernels);
void printSarif(llvm::raw_ostream &os, llvm::ArrayRef<CheckedKernel> kernels);

} // namespace carousel::proof

#endif // CAROUSEL_TOOLS_CHECK_REPORTS_H
