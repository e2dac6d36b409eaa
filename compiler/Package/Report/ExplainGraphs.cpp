//===- ExplainGraphs.cpp - what the graph phase decided -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReportDecisions.h.
//
//===----------------------------------------------------------------------===//

#include "PrintTable.h"

#include "carousel/Package/ReportDecisions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

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
