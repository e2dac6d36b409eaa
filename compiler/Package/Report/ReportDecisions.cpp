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

#include "PrintTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace carousel;
namespace json = llvm::json;

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

static void addRows(std::vector<TableRow> &rows,
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
          addRows(rows, kernel, variant, occupancy);
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
    for (const auto &[key, value] : decision.facts)
      object[key] = value;
    graphs.push_back(std::move(object));
  }
  json::Object root{{"kernels", std::move(kernels)}};
  if (!graphs.empty())
    root["graphs"] = std::move(graphs);
  os << llvm::formatv("{0:2}", json::Value(std::move(root))) << '\n';
}
