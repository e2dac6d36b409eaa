//===- ExtractPatterns.h - elements of computed tensors ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write gathers as tensor.extract in the body of a linalg.generic,
// and arithmetic on shapes as tensors of rank 0 and 1.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_SHAPES_EXTRACTPATTERNS_H
#define CAROUSEL_PASSES_GRAPH_SHAPES_EXTRACTPATTERNS_H

#include "EqualExtents.h"

namespace carousel {

/// An extract at the numbers of loops becomes an operand, unless it may be
/// outside of its tensor where a selection discards it. Numbers of loops aren't
/// limited to what they are anyway.
void populateLoopReadPatterns(mlir::RewritePatternSet &patterns,
                              EqualExtentsListener &extents);

/// These, and: an extract of what an elementwise op computes becomes extracts
/// of its operands, and that of a reshape one of what is reshaped. A body that
/// reads a constant that its result starts from has the constant.
void populateExtractPatterns(mlir::RewritePatternSet &patterns,
                             EqualExtentsListener &extents);

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_SHAPES_EXTRACTPATTERNS_H
