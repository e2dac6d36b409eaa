//===- P2PReport.h - prints what was measured -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_P2P_P2PREPORT_H
#define CAROUSEL_TOOLS_P2P_P2PREPORT_H

#include "P2POptions.h"

namespace carousel::p2p {

std::string formatTable(const Report &report);
std::string formatJSON(const Report &report);

/// Measures, prints and writes files.
Exit run(const Options &options);

} // namespace carousel::p2p

#endif // CAROUSEL_TOOLS_P2P_P2PREPORT_H
