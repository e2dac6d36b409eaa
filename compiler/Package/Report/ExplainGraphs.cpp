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

#include "carousel/Package/ReportDecisions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

void carousel::explainGraphs(llvm::raw_ostream &os, const Package &package) {
  StringRef function;
  for (const GraphDecision &decision : package.graphs) {
    if (decision.function != function) {
      os << (function.empty() ? "" : "\n") << decision.function << '\n';
      function = decision.function;
    }
    os << "  " << llvm::convertToSnakeFromCamelCase(decision.name) << ": "
       << decision.text;
    if (std::string place = formatPlace(decision.location); place != "?")
      os << " (" << place << ')';
    os << '\n';
  }
  if (!package.graphs.empty() && !package.manifest.kernels.empty())
    os << '\n';
}
