//===- ValueDepth.h - limits of recursions over operands --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A limit for recursions over the ops that compute a value, so that they don't
// overflow the stack. No index of a usual kernel reaches it. Values beyond it
// count as unknown.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_VALUEDEPTH_H
#define CAROUSEL_ANALYSIS_VALUES_VALUEDEPTH_H

namespace carousel {

/// The depth of recursions that visit each value once.
inline constexpr unsigned kMaxValueDepth = 256;
/// The depth of recursions that may visit a value once for each path to it.
inline constexpr unsigned kMaxPathDepth = 12;

/// Counts the open calls of a recursion.
class ValueDepth {
public:
  explicit ValueDepth(unsigned &depth) : depth(depth) { ++depth; }
  ~ValueDepth() { --depth; }
  ValueDepth(const ValueDepth &) = delete;
  ValueDepth &operator=(const ValueDepth &) = delete;

  bool isTooDeep() const { return depth > kMaxValueDepth; }

private:
  unsigned &depth;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_VALUES_VALUEDEPTH_H
