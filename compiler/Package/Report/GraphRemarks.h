//===- GraphRemarks.h - collects what the graph phase says ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_COMPILER_PACKAGE_REPORT_GRAPHREMARKS_H
#define CAROUSEL_COMPILER_PACKAGE_REPORT_GRAPHREMARKS_H

#include "carousel/Package/CompilePackage.h"

namespace carousel {

/// Collects remarks of a context until it is destroyed. In a context that has
/// an engine for remarks already, that one gets them.
class GraphRemarks {
public:
  explicit GraphRemarks(mlir::MLIRContext *context);
  ~GraphRemarks();
  GraphRemarks(const GraphRemarks &) = delete;
  GraphRemarks &operator=(const GraphRemarks &) = delete;

  /// In an order that doesn't depend on threads. Emits warnings for those that
  /// are some.
  std::vector<GraphDecision> take(CompilePackageOptions::Misses mode);

private:
  mlir::MLIRContext *context;
  bool isOwner;
  std::vector<GraphDecision> decisions;
};

} // namespace carousel

#endif // CAROUSEL_COMPILER_PACKAGE_REPORT_GRAPHREMARKS_H
