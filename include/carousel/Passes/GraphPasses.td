//===- GraphPasses.td - graphs of linalg on tensors --------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPHPASSES_TD
#define CAROUSEL_PASSES_GRAPHPASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Graph
//
// From linalg on tensors to groups of ops, one for each kernel.
// docs/GraphPhase.md defines the phase.
//===----------------------------------------------------------------------===//

def NormalizeGraph : Pass<"carousel-normalize-graph", "::mlir::func::FuncOp"> {
  let summary = "Bring what front ends write into few forms";
  let description = [{
    Precondition: a function on tensors, whose calls are inlined. Postcondition: the same values, in
    the normal form of docs/GraphPhase.md:

    - Structured ops are `linalg.generic`, but for fills and convolutions.
    - Dimensions of extent 1 are gone, apart from those that other ops than structured ones need.
      Constants of rank 0 are in bodies.
    - An elementwise op with one user is part of it, and one that only copies is part of all, unless
      the user is a contraction or convolution. Copies are part of contractions, too.
    - `tensor.expand_shape` and `collapse_shape` stand at the edges of the function, beside
      contractions, convolutions and slices, or where a dimension can't be divided.
    - Contractions add floats in f32 or more, and round once.

    Functions without tensors, and ops that aren't structured, stay as they are.

    ```mlir
    %b = linalg.generic ... ins(%bias : tensor<768xf32>) outs(%e : tensor<?x768xf32>) {...yield %in}
    %s = linalg.generic ... ins(%x, %b : tensor<?x768xf32>, tensor<?x768xf32>) {...addf}
    %t = linalg.generic ... ins(%s : tensor<?x768xf32>) {...math.tanh}
    // becomes
    %t = linalg.generic ... ins(%x, %bias : tensor<?x768xf32>, tensor<768xf32>) {...addf, tanh}
    ```
  }];
  let options = [
    Option<"accumulate", "accumulate", "std::string", "\"f32\"",
           "The least type in which contractions add: `f32`, or `as-written`">
  ];
  let statistics = [
    Statistic<"widened", "widened", "contractions that add in f32 instead of what was written">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // CAROUSEL_PASSES_GRAPHPASSES_TD
