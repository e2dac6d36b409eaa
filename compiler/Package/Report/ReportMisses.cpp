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
// the others exist because they need less. Kernels that graphs become have no
// requests of users.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/ReportDecisions.h"

#include "carousel/Dialect/IR/GraphDecisions.h"
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
  explicit Merger(bool areSpills) : areSpills(areSpills) {}

  void add(const KernelDescription &kernel);
  ArrayRef<Report> getReports() const { return reports; }
  size_t countChips() const { return chips.size(); }

private:
  void add(const MissedRequest &missed, const VariantDescription &variant);

  bool areSpills;
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

static int64_t getSpilledBytes(const MissedRequest &missed) {
  int64_t bytes = 0;
  (void)StringRef(missed.notes.front().value).getAsInteger(10, bytes);
  return bytes;
}

/// The variant of a kernel that spills most stands for all.
static bool areOne(const MissedRequest &first, const MissedRequest &second) {
  return first.miss == second.miss && first.location == second.location &&
         (first.miss == Miss::SpilledRegisters ||
          getText(first) == getText(second));
}

void Merger::add(const MissedRequest &missed,
                 const VariantDescription &variant) {
  auto found = llvm::find_if(reports, [&](const Report &report) {
    return areOne(*report.missed, missed);
  });
  if (found == reports.end()) {
    reports.push_back({&missed, {}});
    found = std::prev(reports.end());
  } else if (areSpills &&
             getSpilledBytes(*found->missed) < getSpilledBytes(missed)) {
    found->missed = &missed;
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
    bool isOfGraph =
        variant.function && variant.function->hasAttr(kForProgramsAttr);
    for (const MissedRequest &missed : variant.decisions->misses) {
      MissKind kind = getKind(missed.miss);
      if (kind != MissKind::Choice &&
          (kind != MissKind::Request || !isOfGraph) &&
          (kind == MissKind::Spills) == areSpills &&
          (isPreferred || !isSwizzle(missed.miss)))
        add(missed, variant);
    }
  }
}

void carousel::noteSpills(MutableArrayRef<KernelDescription> kernels,
                          StringRef module, StringRef report) {
  llvm::StringMap<int64_t> spills = readSpills(report);
  for (KernelDescription &kernel : kernels)
    for (VariantDescription &variant : kernel.variants)
      if (auto found = spills.find(variant.functionName);
          variant.moduleName == module && variant.decisions &&
          found != spills.end())
        variant.decisions->misses.push_back(
            {Miss::SpilledRegisters,
             variant.function.getLoc(),
             kernel.name,
             "a thread of " + variant.functionName + " spills " +
                 std::to_string(found->second) + " bytes of registers",
             {{"bytes", std::to_string(found->second)}}});
}

void carousel::emitMisses(LocationAttr location, const Twine &text,
                          ArrayRef<Miss> misses, bool isError) {
  InFlightDiagnostic diagnostic =
      isError ? emitError(location) : emitWarning(location);
  diagnostic << text;
  for (Miss miss : misses) {
    diagnostic << " [" << StringRef(getId(miss)) << ']';
    Diagnostic &note = diagnostic.attachNote();
    if (StringRef remedy(getRemedy(miss)); !remedy.empty())
      note << remedy << "; ";
    note << "see docs/WhyNotPipelined.md";
  }
}

static void emit(const Report &report, bool isError, size_t chips) {
  std::string text = getText(*report.missed);
  if (report.chips.size() < chips)
    text += ", for " + llvm::join(report.chips, ", ");
  emitMisses(report.missed->location, text, report.missed->miss, isError);
}

LogicalResult carousel::reportMisses(ArrayRef<KernelDescription> kernels,
                                     CompilePackageOptions::Misses mode,
                                     ArrayRef<MissKind> errors,
                                     bool areSpills) {
  Merger merger(areSpills);
  for (const KernelDescription &kernel : kernels)
    merger.add(kernel);
  bool hasErrors = false;
  for (const Report &report : merger.getReports()) {
    bool isError = llvm::is_contained(errors, getKind(report.missed->miss));
    hasErrors |= isError;
    if (isError || mode == CompilePackageOptions::Misses::Warn)
      emit(report, isError, merger.countChips());
  }
  return failure(hasErrors);
}
