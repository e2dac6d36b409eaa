//===- GraphDecisions.h - what the graph phase decided ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops of a graph became which kernels, why not fewer, and what will be
// slow: the remarks of the passes of the graph phase, as data.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_GRAPHDECISIONS_H
#define CAROUSEL_DIALECT_IR_GRAPHDECISIONS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace carousel {

/// On a carousel.launch_kernel, the name of the family of schedules that the
/// kernel's is of. --carousel-lower-groups writes it.
inline constexpr llvm::StringLiteral kFamilyAttr{"carousel.family"};

/// A remark.
struct GraphDecision {
  /// Of the remark: "Group", "Boundary", "Library", "Schedule", "Fallback"...
  std::string name;
  std::string function; ///< of the graph, or of a group
  std::string text;     ///< for people
  /// What it has besides the text, by name: the "Bytes" of a boundary.
  std::vector<std::pair<std::string, std::string>> facts;
  mlir::LocationAttr location; ///< of the op

  /// Empty if there is none.
  llvm::StringRef getFact(llvm::StringRef key) const;
  /// Whether users should know without having asked: a fallback, or a check of
  /// elements that is gone.
  bool isWarning() const;
};

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_GRAPHDECISIONS_H
