//===- DimClasses.h - dimensions that are the same --------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Classes of dimensions of vectors, each with data of its own, and which
// dimensions the ops of the block phase make one class.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_DISTRIBUTION_DIMCLASSES_H
#define CAROUSEL_ANALYSIS_DISTRIBUTION_DIMCLASSES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <numeric>
#include <optional>

namespace carousel {

/// Says that two dimensions have the same elements.
using UnifyDims = llvm::function_ref<void(mlir::Value a, unsigned dimOfA,
                                          mlir::Value b, unsigned dimOfB)>;

/// The dimensions that an elementwise op, a broadcast, a transpose, a product
/// or a reduction doesn't change. False for any other op.
bool unifyDims(mlir::Operation *op, UnifyDims unify);
/// Those of vectors that a loop or a branch carries.
void unifyCarriedDims(mlir::Operation *op, UnifyDims unify);

template <typename Data> class DimClasses {
public:
  /// The number of the dimension's class, which is one of its own at first.
  unsigned get(mlir::Value vector, unsigned dim) {
    auto [found, isNew] = firstNodes.try_emplace(vector, parents.size());
    if (isNew) {
      size_t rank = mlir::cast<mlir::VectorType>(vector.getType()).getRank();
      parents.resize(parents.size() + rank);
      std::iota(parents.end() - rank, parents.end(), found->second);
      data.resize(parents.size());
    }
    return findRoot(found->second + dim);
  }
  /// The same, if anything is known of the vector.
  std::optional<unsigned> find(mlir::Value vector, unsigned dim) const {
    auto found = firstNodes.find(vector);
    if (found == firstNodes.end())
      return std::nullopt;
    return findRoot(found->second + dim);
  }

  Data &operator[](unsigned number) { return data[number]; }
  const Data &operator[](unsigned number) const { return data[number]; }

  /// Makes one class of two. `merge(into, from)` says what its data is.
  template <typename Merge>
  void unify(mlir::Value a, unsigned dimOfA, mlir::Value b, unsigned dimOfB,
             Merge merge) {
    unsigned rootA = get(a, dimOfA), rootB = get(b, dimOfB);
    if (rootA == rootB)
      return;
    parents[rootB] = rootA;
    merge(data[rootA], data[rootB]);
  }

  /// All data, that of classes that went into others too.
  llvm::ArrayRef<Data> getData() const { return data; }
  auto getVectors() const { return llvm::make_first_range(firstNodes); }

private:
  unsigned findRoot(unsigned node) const {
    while (parents[node] != node)
      node = parents[node];
    return node;
  }

  llvm::DenseMap<mlir::Value, unsigned> firstNodes;
  std::vector<unsigned> parents;
  std::vector<Data> data; ///< by node
};

} // namespace carousel

#endif // CAROUSEL_ANALYSIS_DISTRIBUTION_DIMCLASSES_H
