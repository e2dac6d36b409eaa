//===- LibraryProducts.h - products that a library computes -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds loops of a product that are the matrices of a library's call, and
// whether the call is faster than a kernel. docs/GraphPhase.md, Libraries.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_GRAPH_LIBRARYPRODUCTS_H
#define CAROUSEL_ANALYSIS_GRAPH_LIBRARYPRODUCTS_H

#include "carousel/Analysis/Graph/GroupPlan.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>

namespace carousel {

/// Loops of one product as a library has them.
struct LibraryProduct {
  /// Loops that are one, outermost first: the tensors that have them have them
  /// next to each other.
  using Run = llvm::SmallVector<unsigned>;
  /// The loops of batches, which the result and a factor have.
  std::vector<Run> batches;
  /// The loops of the first factor and the result, of the second one and the
  /// result, and of the factors.
  Run m, n, k;
  /// The calls of the library. One call goes along the longest batch.
  int64_t calls = 1;
  /// How much of the device a call keeps busy, of what all calls would as one.
  double utilization = 1;
  /// Factors that are copied first, with the batches before all else, in the
  /// order of the result: several batches are one then.
  std::array<bool, 2> isPacked = {false, false};
  /// The bytes that the copies read and write.
  int64_t packedBytes = 0;
};

/// Null, with the reason in `refusal`, where matrices have no dimension in
/// which elements are neighbours, or sums go along several.
std::optional<LibraryProduct> findLibraryProduct(const GraphProblem &problem,
                                                 const GraphOp &op,
                                                 std::string &refusal);

/// A factor's loops in the order of its copy.
llvm::SmallVector<std::optional<unsigned>>
getPackedLoops(const GraphOp &op, const LibraryProduct &product,
               unsigned factor);

/// Has factors copied if that takes less time than the calls that it saves.
void packFactors(const GraphProblem &problem, const GraphOp &op,
                 LibraryProduct &product);

/// How factors are multiplied.
enum class FactorKind { F32, TF32, Half };

/// How a kernel multiplies the factors of a product: those of 16 or 8 bits as
/// Half.
FactorKind getFactorKind(const GraphProblem &problem, const GraphOp &op);

/// The rate of a kernel with a product, in 10^12 operations per second. It is
/// lower where rows of factors aren't multiples of 16 bytes.
double getKernelRate(const GraphProblem &problem, FactorKind kind,
                     const GraphOp &op);

/// Rows with gaps between them begin at multiples of so many bytes: tensor
/// copies take those of 16, but half as fast.
inline constexpr int64_t kPitchedBytes = 32;

/// A plan of which factors of a product get rows with gaps between them.
struct FactorPitches {
  std::array<bool, 2> isPitched = {false, false};
  /// A kernel copies the factor first. Others are written with the pitch.
  std::array<bool, 2> isCopied = {false, false};
  /// Microseconds of the product, of the bytes of copies and pads, and of the
  /// product without these.
  double product = 0, copies = 0, unpitched = 0;
};

/// The fastest way for a product in a kernel of the group.
FactorPitches planPitches(const GraphProblem &problem, const OpGroup &group,
                          FactorKind kind, const GraphOp &op);

/// The rate of a call of the library. It has other kernels where rows of a
/// matrix, also of the result, aren't multiples of 16 bytes: `rowAlignment` is
/// what they are a multiple of, up to 16.
double getLibraryRate(const ChipModel &chip, FactorKind kind,
                      int64_t rowAlignment = 16);

/// Microseconds on the GPU of the problem.
struct ProductTimes {
  /// The time of the kernel of the product's group.
  double kernel = 0;
  /// The time of the calls, and of kernels for the rest of the group.
  double library = 0;
  /// The bytes in memory because the rest isn't part of the product.
  int64_t extraBytes = 0;
};

/// `group` has the product, which is the op of this number. The call computes
/// ops that follow it, too: `absorbed`, with the reshapes before them.
ProductTimes estimateProduct(const GraphProblem &problem, const OpGroup &group,
                             unsigned op, const LibraryProduct &product,
                             FactorKind kind,
                             llvm::ArrayRef<unsigned> absorbed = {});

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_GRAPH_LIBRARYPRODUCTS_H
