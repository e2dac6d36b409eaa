//===- ValueDepth.h - how far a value's operands are followed ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursion over the ops that compute a value ends at a depth that no index
// of a kernel has: what lies beyond counts as unknown, and no stack overflows.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_VALUES_VALUEDEPTH_H
#define CAROUSEL_ANALYSIS_VALUES_VALUEDEPTH_H

namespace carousel {

/// For recursions that visit each value once.
inline constexpr unsigned kMaxValueDepth = 256;
/// For those that may visit a value once for each path to it.
inline constexpr unsigned kMaxPathDepth = 12;

/// Counts the calls of a recursion that are open.
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
