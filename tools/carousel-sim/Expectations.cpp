//===- Expectations.cpp - expected and allowed findings -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets of kinds of findings, and their text.
//
//===----------------------------------------------------------------------===//

#include "Expectations.h"

using namespace carousel;
using namespace carousel::simtool;

KindSet simtool::getKinds(llvm::ArrayRef<sim::Finding> findings) {
  KindSet kinds;
  for (const sim::Finding &finding : findings)
    kinds.set(unsigned(finding.kind));
  return kinds;
}

std::string simtool::listKinds(const KindSet &kinds) {
  std::string list;
  for (unsigned i = 0; i < kinds.size(); ++i)
    if (kinds[i])
      list += (list.empty() ? "" : ", ") +
              sim::getIdentifier(sim::FindingKind(i)).str();
  return list;
}
