//===- GraphDecisions.h - what the graph phase decided ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels that ops of a graph became, why not fewer, and what will be slow:
// plain structs, which the attribute carousel.decisions carries from the passes
// of the graph phase to the package. A func.func or a module with the
// attribute, even an empty one, asks for the record: each pass that decides
// appends to it. A pass that works on a function appends to the function's, and
// one that removes functions to the module's.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_GRAPHDECISIONS_H
#define CAROUSEL_DIALECT_IR_GRAPHDECISIONS_H

#include "carousel/Dialect/IR/KernelDecisions.h"

namespace carousel {

/// On a carousel.launch_kernel, the name of the family of schedules that the
/// kernel's is of. --carousel-lower-groups writes it.
inline constexpr llvm::StringLiteral kFamilyAttr{"carousel.family"};

/// On an op that reads rows in tiles, without a value: nothing reads the rows
/// of tiles that begin behind the last row of the matrix, nor what follows from
/// them. --carousel-normalize-graph writes it.
inline constexpr llvm::StringLiteral kUnreadTilesAttr{"carousel.unread_tiles"};

/// On a copy of an op, with the copy's number: an online reduction computes it
/// again, and CSE doesn't unite them. --carousel-recompute-products writes it.
inline constexpr llvm::StringLiteral kRecomputedAttr{"carousel.recomputed"};

/// On a kernel, without a value: only programs of the module launch it.
/// --carousel-lower-groups writes it.
inline constexpr llvm::StringLiteral kForProgramsAttr{"carousel.for_programs"};

/// On an argument of a graph or program, without a value: a parameter, which
/// has the same elements at each launch until its user says otherwise.
inline constexpr llvm::StringLiteral kParameterAttr{"carousel.parameter"};

/// On a step of a program, without a value: what it writes follows from
/// parameters and constants, and is kept, so that launches may skip the step.
/// --carousel-lower-groups writes it on launches, and --carousel-plan-workspace
/// decides which steps have it in the end.
inline constexpr llvm::StringLiteral kAtLoadAttr{"carousel.at_load"};

struct GraphDecision {
  std::string pass;
  std::string name;     ///< "Group", "Boundary", "Library", "Fallback"...
  std::string function; ///< of the graph, or of a group
  std::string text;     ///< for people
  /// Its facts besides the text, by name: the "Bytes" of a boundary.
  DecisionNotes facts;
  mlir::LocationAttr location; ///< of the op
  /// Whether users should know without having asked: a fallback, or a check of
  /// elements that is gone.
  bool isWarning = false;
  std::vector<Miss> misses; ///< what a warning is about, if it is of these

  /// Empty if there is none.
  llvm::StringRef getFact(llvm::StringRef key) const;
};

/// Appends to the record of a function or module, if it asks for one.
void appendDecisions(mlir::Operation *holder,
                     llvm::ArrayRef<GraphDecision> decisions);
/// Takes the record away. Empty if there is none, or if it isn't valid.
std::vector<GraphDecision> takeGraphDecisions(mlir::Operation *holder);

/// Parses as parseDecisions does.
mlir::FailureOr<std::vector<GraphDecision>>
parseGraphDecisions(mlir::Attribute attr, std::string &error);

} // namespace carousel

#endif // CAROUSEL_DIALECT_IR_GRAPHDECISIONS_H
