//===- ClusterParts.h - what CTAs of a cluster exchange ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs of a cluster exchange partial results as words of carousel.cluster.
// gather: i32, i64, f32 or f64.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_BLOCK_KERNELS_CLUSTERPARTS_H
#define CAROUSEL_PASSES_BLOCK_KERNELS_CLUSTERPARTS_H

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace carousel {

/// The launch of a kernel whose grid counted programs until now, and that a
/// cluster of `ctas` CTAs executes.
LaunchAttr withClusters(LaunchAttr launch, int64_t ctas);

/// Whether a word holds an element of the type.
bool canExchange(mlir::Type element);

/// The words of all CTAs of the cluster, each of which has an `element`.
mlir::Value gatherWords(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value element, int64_t ctas);

/// Elements of a type, one or a vector, that went from CTA to CTA as words.
mlir::Value fromWords(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value words, mlir::Type element);

/// A reduction like `op`, to a scalar, of the vectors that the CTAs have as
/// `own`: each reduces its vector, and all combine the results, and `acc`.
mlir::Value reduceParts(mlir::OpBuilder &builder,
                        mlir::vector::MultiDimReductionOp op, mlir::Value own,
                        mlir::Value acc, int64_t ctas);

/// The number of the program that the cluster of a CTA with this id in x
/// executes, or that of clusters for a number of CTAs.
mlir::Value toPrograms(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value ofCTAs, int64_t ctas);

/// The CTA's rank in its cluster, and where its part of a row begins if each
/// has `elements`.
struct ClusterPart {
  mlir::Value rank, begin;

  ClusterPart(mlir::OpBuilder &builder, mlir::Location loc, int64_t ctas,
              int64_t elements);
};

/// A condition that holds in one CTA of the cluster.
mlir::Value isFirstCTA(mlir::OpBuilder &builder, mlir::Location loc,
                       const ClusterPart &part);

} // namespace carousel

#endif // CAROUSEL_PASSES_BLOCK_KERNELS_CLUSTERPARTS_H
