//===- ReportMisses.cpp - warn about requests that aren't honoured --------===//
//===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges the misses of variants and chips. A ring that one variant lacks is
// reported; a swizzle only where the variant that a chip prefers lacks it, for
// the others exist because they need less.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/ReportDecisions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

/// The same request in all variants and chips where it isn't honoured.
struct Report {
  const MissedRequest *missed;
  llvm::SetVector<StringRef> chips;
};

class Merger {
public:
  void add(const KernelDescription &kernel);
  ArrayRef<Report> getReports() const { return reports; }
  size_t countChips() const { return chips.size(); }

private:
  void add(const MissedRequest &missed, const VariantDescription &variant);

  std::vector<Report> reports;
  llvm::SetVector<StringRef> chips;
};

} // namespace

static bool isSwizzle(Miss miss) {
  return StringRef(getId(miss)).starts_with("swizzle:");
}

static std::string getText(const MissedRequest &missed) {
  return missed.subject + ": " + missed.reason;
}

void Merger::add(const MissedRequest &missed,
                 const VariantDescription &variant) {
  auto found = llvm::find_if(reports, [&](const Report &report) {
    return report.missed->miss == missed.miss &&
           report.missed->location == missed.location &&
           getText(*report.missed) == getText(missed);
  });
  if (found == reports.end()) {
    reports.push_back({&missed, {}});
    found = std::prev(reports.end());
  }
  for (const std::string &chip : variant.chips)
    found->chips.insert(chip);
}

void Merger::add(const KernelDescription &kernel) {
  llvm::SetVector<StringRef> preferred; // chips whose first variant was seen
  for (const VariantDescription &variant : kernel.variants) {
    bool isPreferred = false;
    for (const std::string &chip : variant.chips) {
      chips.insert(chip);
      isPreferred |= preferred.insert(chip);
    }
    if (!variant.decisions)
      continue;
    for (const MissedRequest &missed : variant.decisions->misses)
      if (getKind(missed.miss) == MissKind::Request &&
          (isPreferred || !isSwizzle(missed.miss)))
        add(missed, variant);
  }
}

LogicalResult carousel::reportMisses(ArrayRef<KernelDescription> kernels,
                                     CompilePackageOptions::Misses mode) {
  using Misses = CompilePackageOptions::Misses;
  if (mode == Misses::Ignore)
    return success();
  Merger merger;
  for (const KernelDescription &kernel : kernels)
    merger.add(kernel);
  for (const Report &report : merger.getReports()) {
    const MissedRequest &missed = *report.missed;
    InFlightDiagnostic diagnostic = mode == Misses::Error
                                        ? emitError(missed.location)
                                        : emitWarning(missed.location);
    diagnostic << getText(missed);
    if (report.chips.size() < merger.countChips())
      diagnostic << ", for " << llvm::join(report.chips, ", ");
    diagnostic << " [" << StringRef(getId(missed.miss)) << ']';
    Diagnostic &note = diagnostic.attachNote();
    if (StringRef remedy(getRemedy(missed.miss)); !remedy.empty())
      note << remedy << "; ";
    note << "see docs/WhyNotPipelined.md";
  }
  return failure(mode == Misses::Error && !merger.getReports().empty());
}
