//===- ReadLayout.h - layouts from attributes -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_LAYOUTS_READLAYOUT_H
#define CAROUSEL_ANALYSIS_LAYOUTS_READLAYOUT_H

#include "carousel/Analysis/Layouts/LinearLayout.h"
#include "carousel/Dialect/IR/CarouselDialect.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace carousel {

/// The layout that an attribute gives a vector of static extents. Extents are
/// rounded up to powers of two. nullopt and an error, without the attribute's
/// name, if a coordinate is beyond the vector or an element has no place.
std::optional<LinearLayout> readLayout(LayoutAttr attr, mlir::VectorType vector,
                                       std::string &error);

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_LAYOUTS_READLAYOUT_H
