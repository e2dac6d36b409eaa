//===- GraphProblem.h - structured ops as nodes with loops ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph of linalg ops on tensors, as far as groups depend on it: loops,
// tensors, and which loop goes along which dimension of a tensor. Plain data,
// so that planners can be tested without IR. docs/GraphPhase.md, Fusion groups.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_GRAPHPROBLEM_H
#define CAROUSEL_ANALYSIS_GRAPH_GRAPHPROBLEM_H

#include "carousel/Target/ChipModel.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carousel {

/// An extent that the program doesn't say.
inline constexpr int64_t kUnknownExtent = -1;

/// Planners' assumption of such extents: groups are formed before they are
/// known.
inline constexpr int64_t kAssumedExtent = 4096;
/// The extent, or kAssumedExtent where it is unknown.
int64_t assumeExtent(int64_t extent);

struct GraphTensor {
  llvm::SmallVector<int64_t> extents;
  int64_t elementBytes = 4;
  /// It has to be in memory: a result of the program.
  bool escapes = false;
  /// Its elements have the exponents of f16.
  bool isF16 = false;
  /// Whether a slice has other elements between those of a dimension, so that
  /// it and the next one can't be one. Empty if that is nowhere so.
  llvm::SmallVector<bool> gaps = {};
  /// A divisor of the bytes from row to row of a slice, up to 16. It is 0 for
  /// other tensors, whose extents say so.
  int64_t rowAlignment = 0;
  /// The op that writes it.
  std::optional<unsigned> writer = {};

  /// The bytes, with kAssumedExtent for unknown extents.
  int64_t getBytes() const;
};

struct GraphLoop {
  int64_t extent = kUnknownExtent;
  bool isReduction = false;
  /// The body computes with the number of the iteration.
  bool usesIndex = false;
  /// The op carries values from one iteration to the next, and has results of
  /// each.
  bool isScanned = false;
};

/// An index of a convolution: `stride` times the loop that boxes go along plus
/// `dilation` times that of a tap, less `low`. One of these loops is reduced:
/// that of taps, or that of boxes where a convolution sums pixels. Elements
/// before the tensor's begin and behind its end are zero.
struct GraphWindow {
  unsigned dim = 0; ///< of the tensor
  std::optional<unsigned> along, tap;
  int64_t stride = 1, dilation = 1, low = 0;
};

/// How numbers change: by one that is added to them, or multiplied by. A
/// product of two that are shifted changes by what sums of both say.
enum class ChangeKind { Unknown, Same, Shift, Scale, Product };

/// The part of an op that computes with differences of elements and a row.
struct GraphDifference {
  /// Positions among the op's reads: the elements that the row is subtracted
  /// from.
  std::vector<unsigned> minuends = {};
  /// The op's result is such a difference, times a number.
  bool isDifference = false;
  /// An exponential is of something else, or of an infinite number.
  bool isUnbounded = false;
  /// No difference is multiplied by a number that may be negative.
  bool keepsSign = true;
  /// The result is chosen to be infinity, or minus infinity.
  bool hasHigh = false, hasLow = false;
};

/// How what an op computes, or combines with a result, changes where one
/// operand does.
struct GraphChange {
  ChangeKind kind = ChangeKind::Unknown;
  /// The loops that the number varies along, beside those of the operand's.
  std::vector<unsigned> loops = {};
  /// The operation that has no correction, if the change is unknown.
  std::string obstacle = {};
  /// For an operand that is replaced, or shifted: then it is a difference. For
  /// one that is scaled, only whether exponentials depend on it.
  GraphDifference difference = {};
};

struct GraphAccess {
  unsigned tensor = 0;
  /// By dimension of the tensor: the loop that goes along it, or nullopt where
  /// the index isn't one loop's.
  llvm::SmallVector<std::optional<unsigned>> loops;
  /// Its indices are values that the op computes.
  bool isGather = false;
  /// The tensor that names whole rows that are gathered.
  std::optional<unsigned> table = {};
  /// The windows of a convolution's first factor; `loops` has none for these.
  llvm::SmallVector<GraphWindow> windows = {};
  /// The channels of such a factor are in groups. The last two dimensions, of
  /// groups and of channels, are one in memory.
  bool hasGroups = false;
  /// How what the op computes of a read changes where a number is added to all
  /// elements that are read, where they are multiplied by one, and where they
  /// become others of which only their differences are known.
  GraphChange shifted = {}, scaled = {}, replaced = {};
  /// Whether the op's result is the number that is read, perhaps bounded, or
  /// replaced where it isn't finite; of a reduction, whether its elements are
  /// those that are read.
  bool isKept = true;

  const GraphWindow *findWindow(unsigned dim) const;
  /// Whether a loop moves one of its indices.
  bool has(unsigned loop) const;
  /// Whether both see a tensor in the same dimensions of memory: windows with a
  /// stride have two each.
  bool hasSameSteps(const GraphAccess &other) const;

  bool isRegular() const;
};

enum class GraphOpKind {
  Elementwise,
  /// Its body combines one element with one result by a known operation.
  Reduction,
  /// A reduction of products of two tensors, neither of which has all loops.
  Contraction,
  /// A contraction whose first factor has windows. Its last dimension is a
  /// loop: of the sum, or of the result where the sum is along pixels. That of
  /// the second factor is this loop of the sum, or one of the result.
  Convolution,
  /// A reduction of products whose first factor has windows, and its channels
  /// in groups of one: the last dimension of that factor is a loop of both
  /// factors and of the result.
  Stencil,
  /// It carries values along one of its loops, by associative operations.
  Scan,
  /// A reduction to the first of its elements in an order.
  Sort,
  /// Any other structured op: other windows, reductions to several results.
  Irregular,
  /// No structured op, and so never part of a kernel: a reshape, a slice.
  Host,
};

/// The unit that multiplies the factors of a product: the tensor cores, the
/// tensor cores once factors are rounded to tf32, or threads.
enum class ProductUnit { TensorCores, RoundingCores, Threads };

/// How a reduction combines elements.
enum class GraphCombiner { None, Sum, Maximum, Minimum, Other };

/// The elements of its init that an op changes, in place: along a loop, those
/// from an offset on that its body computes.
struct GraphUpdate {
  unsigned loop = 0;
  int64_t count = 1; ///< of indices along the loop
};

struct GraphOp {
  std::string name; ///< for remarks
  GraphOpKind kind = GraphOpKind::Elementwise;
  llvm::SmallVector<GraphLoop> loops;
  std::vector<GraphAccess> reads, writes;
  /// Instructions for an element, roughly: functions of math count as eight.
  int64_t work = 1;
  /// Whether an element takes a loop whose length data says.
  bool hasDataLoop = false;
  /// Why a convolution is irregular; empty for other ops.
  std::string refusal = {};
  GraphCombiner combiner = GraphCombiner::None;
  /// Also of results that nothing reads.
  unsigned results = 1;
  ProductUnit unit = ProductUnit::TensorCores;
  /// The body of a product rounds factors of f32 to tf32.
  bool roundsFactors = false;
  /// The product adds to zeros.
  bool startsAtZero = true;
  /// The first of the ops before it that compute the same of the same tensors.
  std::optional<unsigned> copyOf = {};
  /// The op keeps all other elements of its init.
  std::optional<GraphUpdate> update = {};
  /// The loop that a sort's results have in place of the reduced one.
  std::optional<unsigned> places = {};

  bool isExtremum() const {
    return combiner == GraphCombiner::Maximum ||
           combiner == GraphCombiner::Minimum;
  }

  bool reduces() const;
  /// Whether a convolution or stencil sums along the pixels of its first
  /// factor, and keeps their channels, as the gradient of weights does.
  bool isWgrad() const;
  /// The loop of a convolution's channels that only the second factor and the
  /// result have.
  unsigned getOwnChannels() const;
  bool hasImage() const {
    return kind == GraphOpKind::Convolution || kind == GraphOpKind::Stencil;
  }
  bool isProduct() const {
    return kind == GraphOpKind::Contraction || kind == GraphOpKind::Convolution;
  }
  /// Executions of its body, with kAssumedExtent for unknown extents.
  int64_t getIterations() const;
  /// The bytes of a tensor that it reads or writes: those that it changes, of
  /// one that it updates.
  int64_t getBytes(const GraphTensor &tensor) const;
};

/// Ops are in the order of the program.
struct GraphProblem {
  std::vector<GraphTensor> tensors;
  std::vector<GraphOp> ops;
  /// Whether products and reductions may be one pass.
  bool streams = true;
  /// Whether products of online reductions may have any depth: those that are
  /// to be divided.
  bool hasAnyDepth = false;
  /// Whether all factors of f32 are rounded to tf32.
  bool usesTF32 = false;
  /// The chip that the graph is planned for.
  ChipModel chip = ChipModel::getDefault();
  /// CTAs of a cluster that all chips have which kernels are compiled for.
  int64_t clusterSize = 1;

  /// The op that writes a tensor.
  std::optional<unsigned> findWriter(unsigned tensor) const {
    return tensors[tensor].writer;
  }
  /// Adds an op behind all others, and what it writes to.
  void addOp(GraphOp op);
  /// Whether threads multiply and add, since no matrix instruction takes the
  /// factors of a product.
  bool isByThreads(const GraphOp &op) const;
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_GRAPHPROBLEM_H
