//===- Misses.h - reasons why requests aren't honoured ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reasons that planners give when they don't do what was asked for, each
// with a stable id. docs/WhyNotPipelined.md explains them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_SUPPORT_MISSES_H
#define CAROUSEL_SUPPORT_MISSES_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace carousel {

enum class Miss {
#define MISS(Name, id, Kind, ...) Name,
#include "carousel/Support/Misses.def"
};

enum class MissKind {
  Request, ///< the user asked for it
  Choice,  ///< a planner that was free to choose would have liked it
  // Code that is slow, without a request that could be missed.
  TensorCores, ///< a product that threads multiply and add
  Alignment,   ///< accesses of single elements
  Spills       ///< registers that the assembler puts into memory
};

/// The name in warnings: "not-ringed:source-written".
constexpr std::string_view getId(Miss miss) {
  switch (miss) {
#define MISS(Name, id, Kind, ...)                                              \
  case Miss::Name:                                                             \
    return id;
#include "carousel/Support/Misses.def"
  }
  return {};
}

constexpr MissKind getKind(Miss miss) {
  switch (miss) {
#define MISS(Name, id, Kind, ...)                                              \
  case Miss::Name:                                                             \
    return MissKind::Kind;
#include "carousel/Support/Misses.def"
  }
  return MissKind::Request;
}

/// Returns the user's way out: "give each load a buffer of its own".
constexpr std::string_view getRemedy(Miss miss) {
  switch (miss) {
#define MISS(Name, id, Kind, ...)                                              \
  case Miss::Name:                                                             \
    return "" __VA_ARGS__;
#include "carousel/Support/Misses.def"
  }
  return {};
}

constexpr std::optional<Miss> findMiss(std::string_view id) {
#define MISS(Name, text, Kind, ...)                                            \
  if (id == text)                                                              \
    return Miss::Name;
#include "carousel/Support/Misses.def"
  return std::nullopt;
}

/// Why something can't be done, or nothing if it can.
struct Obstacle {
  Obstacle() = default;
  Obstacle(Miss miss, std::string text) : miss(miss), text(std::move(text)) {}

  bool empty() const { return text.empty(); }

  Miss miss = {};
  std::string text; ///< a clause: "its tile is loaded twice in the loop"
};

} // namespace carousel

#endif // CAROUSEL_SUPPORT_MISSES_H
