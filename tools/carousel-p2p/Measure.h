//===- Measure.h - times copies between GPUs --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_P2P_MEASURE_H
#define CAROUSEL_TOOLS_P2P_MEASURE_H

#include "P2POptions.h"

#include <functional>

namespace carousel::p2p {

/// Times all rows of all pairs, and compares the bytes of each.
runtime::Result<Report> measure(const Options &options);

/// The fastest ways of a report, by topology and size.
runtime::TransportTable makeTable(const Report &report);

} // namespace carousel::p2p

#endif // CAROUSEL_TOOLS_P2P_MEASURE_H
