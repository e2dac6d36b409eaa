//===- ReportDecisions.cpp - what the compiler decided --------------------===//
//===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReportDecisions.h.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/ReportDecisions.h"

#include "carousel/Dialect/IR/GraphDecisions.h"
#include "carousel/Package/CompilePackage.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace mlir;
using namespace carousel;

using TableRow = std::vector<std::string>;
namespace json = llvm::json;

/// Prints the rows, each column but the last as wide as its longest entry.
static void printTable(llvm::raw_ostream &os, ArrayRef<TableRow> rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const TableRow &row : rows)
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  for (const TableRow &row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      os << llvm::left_justify(row[i], widths[i] + 2);
    os << row.back() << '\n';
  }
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// "gelu.mlir:14", without the column.
static std::string formatLine(LocationAttr location) {
  std::string place = formatPlace(location);
  return place == "?" ? place : StringRef(place).rsplit(':').first.str();
}

static std::string describeTiles(const RingDecision &ring) {
  return (ring.isLoad ? "load " : "store ") + llvm::join(ring.memrefs, ", ");
}

/// The value of a note, or "-".
static std::string findNote(const DecisionNotes &notes, StringRef key) {
  for (const DecisionNote &note : notes)
    if (note.key == key)
      return note.value;
  return "-";
}

static void addDecodeRows(std::vector<TableRow> &rows,
                          const KernelDescription &kernel,
                          const VariantDescription &variant,
                          const OccupancyDescription &occupancy) {
  std::string ctas = (Twine(occupancy.ctasPerSM) + " (" +
                      stringifyOccupancyLimit(occupancy.limit) + ")")
                         .str();
  std::string bytes = std::to_string(occupancy.bytesInFlight);
  if (variant.decisions->rings.empty()) {
    rows.push_back({kernel.name, occupancy.chip, "-", "none", "-", "-", "-",
                    ctas, bytes, "-"});
    return;
  }
  for (const RingDecision &ring : variant.decisions->rings)
    rows.push_back(
        {kernel.name, occupancy.chip, formatLine(ring.loop),
         describeTiles(ring),
         std::to_string(ring.stages) + " x " + std::to_string(ring.slotBytes),
         ring.isLoad ? std::to_string(ring.prefetch) : "-",
         llvm::join(ring.engines, ", "), ctas, bytes,
         findNote(ring.notes, kLimitNote)});
}

/// Code that is slow, without a request that could be missed.
static void printSlow(llvm::raw_ostream &os, const Package &package) {
  llvm::StringSet<> seen;
  for (const KernelDescription &kernel : package.manifest.kernels)
    for (const VariantDescription &variant : kernel.variants) {
      if (!variant.decisions)
        continue;
      for (const MissedRequest &missed : variant.decisions->misses) {
        MissKind kind = getKind(missed.miss);
        if (kind == MissKind::Request || kind == MissKind::Choice)
          continue;
        std::string place = formatLine(missed.location);
        StringRef id(getId(missed.miss));
        if (seen.insert((kernel.name + place + id).str()).second)
          os << "slow: " << kernel.name << " at " << place << ": "
             << missed.reason << "; " << StringRef(getRemedy(missed.miss))
             << " [" << id << "]\n";
      }
    }
}

void carousel::printDecisions(llvm::raw_ostream &os, const Package &package) {
  std::vector<TableRow> rows = {{"kernel", "chip", "loop", "ring",
                                 "stages x bytes", "ahead", "engine", "CTAs/SM",
                                 "in flight", "limit"}};
  for (const KernelDescription &kernel : package.manifest.kernels) {
    llvm::StringSet<> seen;
    for (const VariantDescription &variant : kernel.variants)
      for (const OccupancyDescription &occupancy : variant.occupancies)
        if (variant.decisions && seen.insert(occupancy.chip).second)
          addDecodeRows(rows, kernel, variant, occupancy);
  }
  if (rows.size() > 1)
    printTable(os, rows);
  printSlow(os, package);
}

//===----------------------------------------------------------------------===//
// The reasoning
//===----------------------------------------------------------------------===//

static void explainNotes(llvm::raw_ostream &os, StringRef indent,
                         const DecisionNotes &notes) {
  for (const DecisionNote &note : notes)
    os << indent << note.key << ": " << note.value << '\n';
}

static void explainRing(llvm::raw_ostream &os, const RingDecision &ring) {
  os << "    " << describeTiles(ring) << ": " << ring.stages << " stages of "
     << ring.slotBytes << " bytes by " << llvm::join(ring.engines, ", ");
  if (ring.isLoad && ring.mode == PipelineMode::Specialized)
    os << ", filled by producers";
  else if (ring.isLoad)
    os << ", " << ring.prefetch << " iterations ahead";
  if (ring.isLoad)
    os << ", released by " << stringifySlotRelease(ring.release);
  os << '\n';
  explainNotes(os, "      ", ring.notes);
}

static void explainOccupancy(llvm::raw_ostream &os,
                             const OccupancyDescription &occupancy) {
  os << "  on " << occupancy.chip << ": " << occupancy.ctasPerSM
     << " CTAs per SM by " << stringifyOccupancyLimit(occupancy.limit)
     << " (by shared memory " << occupancy.byShared << ", by threads "
     << occupancy.byThreads << ", by registers ";
  if (occupancy.byRegisters)
    os << *occupancy.byRegisters << "); ";
  else
    os << "unknown); ";
  os << "a CTA has " << occupancy.threads << " threads, "
     << occupancy.sharedBytes << " bytes of shared memory, ";
  if (occupancy.registers)
    os << *occupancy.registers << " registers a thread";
  else
    os << "registers unknown";
  os << "; " << occupancy.bytesInFlight << " bytes in flight per SM\n";
}

static void explainVariant(llvm::raw_ostream &os,
                           const VariantDescription &variant) {
  for (const OccupancyDescription &occupancy : variant.occupancies)
    explainOccupancy(os, occupancy);
  const KernelDecisions &decisions = *variant.decisions;
  LocationAttr loop;
  for (const RingDecision &ring : decisions.rings) {
    if (ring.loop != loop)
      os << "  loop " << formatPlace(ring.loop) << ": "
         << stringifyPipelineMode(ring.mode) << ", a ring per "
         << stringifyTransferScope(ring.scope) << '\n';
    loop = ring.loop;
    explainRing(os, ring);
  }
  for (const TransferDecision &transfer : decisions.transfers) {
    os << "  " << (transfer.isLoad ? "load of " : "store to ")
       << transfer.memref << " at " << formatPlace(transfer.location) << ": "
       << transfer.bytes << " bytes by " << transfer.engine << ", "
       << transfer.instructions << " instructions, cost " << transfer.cost
       << '\n';
    for (const DecisionNote &rejection : transfer.rejections)
      os << "    not " << rejection.key << ": " << rejection.value << '\n';
    explainNotes(os, "    ", transfer.notes);
  }
  for (const MissedRequest &missed : decisions.misses) {
    os << "  " << missed.subject << " at " << formatPlace(missed.location)
       << ": " << missed.reason << " [" << StringRef(getId(missed.miss))
       << "]\n";
    explainNotes(os, "    ", missed.notes);
  }
  explainNotes(os, "  ", decisions.notes);
}

void carousel::explainDecisions(llvm::raw_ostream &os, const Package &package) {
  bool isFirst = true;
  for (const KernelDescription &kernel : package.manifest.kernels) {
    // Variants of which the same is said are one entry.
    std::vector<std::pair<std::string, std::vector<std::string>>> variants;
    for (const VariantDescription &variant : kernel.variants) {
      if (!variant.decisions)
        continue;
      std::string text;
      llvm::raw_string_ostream stream(text);
      explainVariant(stream, variant);
      auto found = llvm::find_if(
          variants, [&](const auto &entry) { return entry.first == text; });
      if (found == variants.end())
        found = variants.insert(found, {text, {}});
      found->second.push_back(variant.moduleName + "::" + variant.functionName);
    }
    for (auto &[text, names] : variants) {
      if (!isFirst)
        os << '\n';
      isFirst = false;
      os << kernel.name << ", " << llvm::join(names, ", ") << '\n' << text;
    }
  }
}

void carousel::explainDecisionsAsJSON(llvm::raw_ostream &os,
                                      const Package &package) {
  json::Array kernels;
  for (const KernelDescription &kernel : package.manifest.kernels) {
    json::Array variants;
    for (const VariantDescription &variant : kernel.variants)
      if (variant.decisions)
        variants.push_back(json::Object{{"function", variant.functionName},
                                        {"module", variant.moduleName},
                                        {"chips", json::Array(variant.chips)},
                                        {"decisions", toJSON(variant)}});
    if (!variants.empty())
      kernels.push_back(json::Object{{"name", kernel.name},
                                     {"variants", std::move(variants)}});
  }
  json::Array graphs;
  for (const GraphDecision &decision : package.graphs) {
    json::Object object{{"name", decision.name},
                        {"function", decision.function},
                        {"text", decision.text}};
    if (std::string place = formatPlace(decision.location); place != "?")
      object["place"] = std::move(place);
    for (const auto &[key, value] : decision.facts)
      object[key] = value;
    graphs.push_back(std::move(object));
  }
  json::Object root{{"kernels", std::move(kernels)}};
  if (!graphs.empty())
    root["graphs"] = std::move(graphs);
  os << llvm::formatv("{0:2}", json::Value(std::move(root))) << '\n';
}

//===----------------------------------------------------------------------===//
// Warn about requests that aren't honoured
//
// Merges the misses of variants and chips. A ring that one variant lacks is
// reported; a swizzle only where the variant that a chip prefers lacks it, for
// the others exist because they need less. Kernels that graphs become have no
// requests of users.
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Summary of a package
//
// Prints two aligned tables: the variants, and the files.
//===----------------------------------------------------------------------===//

static std::string formatBlock(const std::array<int64_t, 3> &sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" +
         std::to_string(sizes[2]);
}

void carousel::printSummary(llvm::raw_ostream &os, const Package &package) {
  std::vector<TableRow> variants = {
      {"kernel", "variant", "guards", "block", "shared", "chips"}};
  for (const KernelDescription &kernel : package.manifest.kernels)
    for (const VariantDescription &variant : kernel.variants)
      variants.push_back(
          {kernel.name, variant.moduleName + "::" + variant.functionName,
           std::to_string(variant.guards.size()), formatBlock(variant.block),
           std::to_string(variant.dynamicShared),
           llvm::join(variant.chips, " ")});
  printTable(os, variants);
  os << '\n';
  std::vector<TableRow> files = {{"file", "bytes"}};
  for (const PackageFile &file : package.files)
    files.push_back({file.name, std::to_string(file.contents.size())});
  printTable(os, files);
}

//===----------------------------------------------------------------------===//
// Decisions of the graph phase
//===----------------------------------------------------------------------===//

/// The steps of a program, and their sums.
static void printTimes(llvm::raw_ostream &os,
                       ArrayRef<const GraphDecision *> times) {
  std::vector<TableRow> rows = {
      {"step", "MB", "GFLOP", "at least us", "predicted us", "ratio", "place"}};
  for (const GraphDecision *time : times) {
    TableRow row;
    for (const DecisionNote &fact : time->facts)
      row.push_back(fact.value);
    row.push_back(formatPlace(time->location));
    rows.push_back(std::move(row));
  }
  if (rows.size() == 1)
    return;
  os << '\n';
  printTable(os, rows);
}

void carousel::explainGraphs(llvm::raw_ostream &os, const Package &package) {
  StringRef function;
  SmallVector<const GraphDecision *> times;
  auto finish = [&] {
    printTimes(os, times);
    times.clear();
  };
  for (const GraphDecision &decision : package.graphs) {
    if (decision.function != function) {
      finish();
      os << (function.empty() ? "" : "\n") << decision.function << '\n';
      function = decision.function;
    }
    if (decision.name == "Time") {
      times.push_back(&decision);
      continue;
    }
    os << "  " << llvm::convertToSnakeFromCamelCase(decision.name) << ": "
       << decision.text;
    if (std::string place = formatPlace(decision.location); place != "?")
      os << " (" << place << ')';
    os << '\n';
  }
  finish();
  if (!package.graphs.empty() && !package.manifest.kernels.empty())
    os << '\n';
}
