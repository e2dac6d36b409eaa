//===- GraphPasses.td - graphs of linalg on tensors --------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPHPASSES_TD
#define CAROUSEL_PASSES_GRAPHPASSES_TD

include "mlir/Pass/PassBase.td"

def ProductsOption : Option<"products", "products", "::carousel::ProductFactors",
                            "::carousel::ProductFactors::Exact",
                            "How factors of f32 are multiplied",
                            "::carousel::getProductFactorsValues()">;

//===----------------------------------------------------------------------===//
// Graph
//
// From linalg on tensors to groups of ops, one for each kernel.
// docs/GraphPhase.md defines the phase.
//===----------------------------------------------------------------------===//

def UnrollGraphLoops : Pass<"carousel-unroll-graph-loops", "::mlir::func::FuncOp"> {
  let summary = "Unroll loops around structured ops, and select between branches";
  let description = [{
    Precondition: a function whose calls are inlined. Postcondition: no control flow between
    structured ops; bodies of structured ops keep theirs.

    - `scf.for` is unrolled, and so is `scf.while` that counts. The trip count must be a constant,
      at most 128, and the unrolled loop may have at most 4096 structured ops.
    - Both branches of an `scf.if` are computed, and one of their results is selected. They must be
      free of effects, and may not read elements or slices, which may not exist.

    Other loops and conditions are errors.

    ```mlir
    %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %x) -> (tensor<?xf32>) {
      %e = linalg.exp ins(%v : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
      scf.yield %e : tensor<?xf32>
    }
    // becomes
    %e = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    %y = linalg.exp ins(%e : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let statistics = [
    Statistic<"unrolled", "unrolled", "loops that are unrolled">,
    Statistic<"selected", "selected", "conditions of which both branches are computed">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

// The passes of `carousel-normalize-graph`, in its order.

class NormalFormPass<string flag> : Pass<flag, "::mlir::func::FuncOp"> {
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def AccumulateOption : Option<"accumulate", "accumulate", "::carousel::ContractionSums",
                              "::carousel::ContractionSums::F32",
                              "The least type in which sums add",
                              "::carousel::getContractionSumsValues()">;

def LeastSavedOperationsOption : Option<"leastSavedOperations", "least-saved-operations", "int64_t",
                                    "17179869184",
                                    "Operations that reading few rows of a batch of products has "
                                    "to save">;

def GeneralizeGraph : NormalFormPass<"carousel-generalize-graph"> {
  let summary = "Write ops on tensors as linalg.generic";
  let description = [{
    Precondition: a function on tensors, whose calls are inlined; it is verified (C276).
    Postcondition: structured ops are `linalg.generic`, but for fills and convolutions. One that
    finds a largest or least element and its index (argmax) is two. Checks of elements are gone.
  }];
}

def PropagateChannelsLast : NormalFormPass<"carousel-propagate-channels-last"> {
  let summary = "Give images of convolutions their channels last (NHWC)";
  let description = [{
    Postcondition: where convolutions have channels before pixels, all tensors that ops compute of
    their results, pixel by pixel, have their channels last. Arguments and results of the function
    stay.
  }];
}

def WidenSums : NormalFormPass<"carousel-widen-sums"> {
  let summary = "Add narrow floats in f32, and round once";
  let description = [{
    Precondition: `carousel-generalize-graph`. Postcondition: contractions, sums and products along
    dimensions, windows and scans add floats in f32 or more. The result is rounded once.
  }];
  let statistics = [
    Statistic<"widened", "widened", "sums that add in f32 instead of what was written">
  ];
}

def FuseGraph : NormalFormPass<"carousel-fuse-graph"> {
  let summary = "Fuse elementwise ops, drop dimensions of extent 1, simplify bodies";
  let description = [{
    Precondition: `carousel-generalize-graph`. Postcondition:

    - An elementwise op with one user is part of it, and one that only copies is part of all, unless
      the user is a contraction or convolution. Copies are part of contractions, too.
    - Dimensions of extent 1 are gone, apart from those that other ops than structured ones need.
      Constants of rank 0 are in bodies; what is computed of constants alone is a constant.
    - `tensor.expand_shape` and `collapse_shape` stand at the edges of the function, beside
      contractions, convolutions and slices, or where a dimension can't be divided.
    - Ops without reductions don't read their inits: what they read is an input.

    Passes after this one fuse again where they change something.
  }];
}

def MultiplyBits : NormalFormPass<"carousel-multiply-bits"> {
  let summary = "Count pairs in products of bits";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: ors and xors of the ands of two matrices of
    i1 are contractions in i32, and a comparison with zero or the lowest bit.
  }];
  let statistics = [Statistic<"bits", "bits", "products of bits that count pairs">];
}

def NarrowFactors : NormalFormPass<"carousel-narrow-factors"> {
  let summary = "Read factors of products before they are widened";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: a product of f32 whose factors are widened
    bf16 or f16 reads these. With `accumulate=f32`, numbers that all of a factor is multiplied by
    multiply the result.
  }];
  let options = [AccumulateOption];
  let statistics = [
    Statistic<"narrowed", "narrowed", "products that read floats before they are widened">
  ];
}

def StackExperts : NormalFormPass<"carousel-stack-experts"> {
  let summary = "Make batches of products of unrolled loops over experts (MoE)";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: a sum of terms that are equal but for the
    index of their matrix, which they compare, goes along a loop, where reading few rows of the
    batch saves enough operations.
  }];
  let options = [LeastSavedOperationsOption];
  let statistics = [Statistic<"stacked", "stacked", "sums of terms that differ by an index">];
}

def ReadOneHots : NormalFormPass<"carousel-read-one-hots"> {
  let summary = "Gather the terms that a one-hot factor leaves";
  let description = [{
    Precondition: `carousel-fuse-graph`; sums may leave out terms of zero. Postcondition: a sum of
    which comparisons leave a few terms reads these by their indices. Where the indices are those of
    results (scatters), terms are sorted by them, if that saves enough operations.
  }];
  let options = [LeastSavedOperationsOption];
  let statistics = [Statistic<"oneHots", "one-hots", "sums of few terms that read these">];
}

def BoundSegmentSums : NormalFormPass<"carousel-bound-segment-sums"> {
  let summary = "Bound sums over segments by the rows of each";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: a factor that keeps the rows of one segment,
    whose segment ids are monotonic, keeps a range of rows.
  }];
  let statistics = [Statistic<"bounded", "bounded", "sums that go along a range of rows">];
}

def SplitGates : NormalFormPass<"carousel-split-gates"> {
  let summary = "Split products whose halves meet in an elementwise op";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: a product that only two slices read,
    possibly after an elementwise op, is two products by halves of a factor, if one elementwise op
    reads both slices.
  }];
  let statistics = [
    Statistic<"cut", "cut", "contractions that have become two, by halves of a factor">
  ];
}

def SplitSorts : NormalFormPass<"carousel-split-sorts"> {
  let summary = "Sort no more than what is read, and parts of long lines";
  let description = [{
    Precondition: `carousel-generalize-graph`. Postcondition: a sort whose first elements alone are
    read by slices has these as results. Where they are at most 1024 of more than `most`, parts of
    the line are sorted, and then the first elements of all parts.
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"8192", "elements that threads sort">
  ];
  let statistics = [Statistic<"split", "split", "sorts that have become sorts of parts">];
}

def ExpandSorts : NormalFormPass<"carousel-expand-sorts"> {
  let summary = "Sort by counts what threads of one CTA can't sort";
  let description = [{
    Precondition: `carousel-generalize-graph`. Postcondition: `carousel.sorted` is along loops of 2
    to `most` iterations. Other sorts count how many elements come before each one, and read the
    element that has as many before it as there are. That takes the square of the loop's extent,
    which a remark says.
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"8192", "elements that threads sort">
  ];
  let statistics = [Statistic<"expanded", "expanded", "sorts that have become counts">];
}

def RaiseScans : NormalFormPass<"carousel-raise-scans"> {
  let summary = "Compute recursions over pairs of elements as scans";
  let description = [{
    Precondition: `carousel-generalize-graph`. Postcondition: what combines pairs of neighbours,
    the same of these, and so on, and interleaves the results with those between them, is a scan,
    if it combines at least 4 elements by a reduction's operation or as a linear recurrence, with
    segments or without.
  }];
  let statistics = [Statistic<"raised", "raised", "recursions that have become scans">];
}

def FormScans : NormalFormPass<"carousel-form-scans"> {
  let summary = "Compute reductions over what comes before each element in one pass";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: a reduction of at least 128 elements, of
    which a comparison of two loops' indices selects those before or behind the result's, or a
    window as long as a padded tensor does, is a scan: a `linalg.generic` whose result has its
    reduced loop, too.
  }];
  let statistics = [Statistic<"formed", "formed", "reductions that have become scans">];
}

def SplitScans : NormalFormPass<"carousel-split-scans"> {
  let summary = "Divide long scans of few rows among programs";
  let description = [{
    Precondition: `carousel-form-scans`. Postcondition: a scan of one value by a known operation,
    along 16384 elements or more of at most 64 rows with known extents, is the totals of parts, a
    scan of these, and a scan of each part. Parts depend on extents only, and so do results.
  }];
  let statistics = [Statistic<"split", "split", "scans that have become parts">];
}

def MultiplyGatheredRows : NormalFormPass<"carousel-multiply-gathered-rows"> {
  let summary = "Multiply only the rows of a batch of products that are read";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: where ops read rows of a batch of products
    by computed indices, and nothing else does, products of these rows take the place of the batch,
    if that saves enough operations.
  }];
  let options = [LeastSavedOperationsOption];
  let statistics = [Statistic<"picked", "picked", "reads whose rows are multiplied alone">];
}

def TileGroupedProducts : NormalFormPass<"carousel-tile-grouped-products"> {
  let summary = "Tile grouped (ragged) products by their matrices";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: products whose rows choose their matrices
    are products of tiles of rows, each with one matrix. Tables say which matrix and rows a tile
    has.
  }];
  let statistics = [
    Statistic<"grouped", "grouped", "contractions of rows that choose their matrices">
  ];
}

def JoinPages : NormalFormPass<"carousel-join-pages"> {
  let summary = "Join pages and their rows where products read pages by a table";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: where a product reads pages that a table
    names, all ops that have the pages and their rows as two dimensions have them as one, if each
    goes along both. Computed numbers of pages are a tensor.
  }];
  let statistics = [Statistic<"joined", "joined", "groups of ops with joined pages">];
}

def OrderProducts : NormalFormPass<"carousel-order-products"> {
  let summary = "Order the dimensions of products for their readers";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: a product that only products read, and that
    is the first factor of one, is in the order of that one's dimensions. A product that is only
    transposed writes its result so. Computed indices of rows that a factor gathers are a tensor.
  }];
}

def SplitProducts : NormalFormPass<"carousel-split-products"> {
  let summary = "Split the sums of products with few tiles (split-K)";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: a contraction with so few tiles that it
    needs more than 16 parts is a batch of contractions, and the sum of it.
  }];
  let statistics = [Statistic<"split", "split", "contractions that have become batches">];
}

def LowerConvolutions : NormalFormPass<"carousel-lower-convolutions"> {
  let summary = "Lower convolutions and their gradients to products of windows (im2col)";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: convolutions are `linalg.generic` with
    channels last, and images whose extents are multiples of strides where types say extents. Narrow
    groups and narrow channels are joined to the depth of matrix instructions.
  }];
  let options = [AccumulateOption];
  let statistics = [
    Statistic<"widened", "widened", "sums that add in f32 instead of what was written">
  ];
}

def FoldConstantCopies : NormalFormPass<"carousel-fold-constant-copies"> {
  let summary = "Transpose constants at compile time";
  let description = [{
    Precondition: `carousel-fuse-graph`. Postcondition: structured ops that only move the elements
    of a constant, and write none of them twice, are constants.
  }];
}

def VerifyGraph : NormalFormPass<"carousel-verify-graph"> {
  let summary = "Verify the normal form of graphs";
  let description = [{
    States the normal form that `carousel-normalize-graph` leaves and the passes after it take;
    docs/GraphPhase.md shows what becomes of what front ends write. Structured ops on tensors are
    `linalg.generic`, fills, transposes or poolings, without checks of elements, and those that
    reduce nothing don't read their inits. There are no pads or concatenations. Other properties are
    those of each pass's postcondition. A remark `Broadcast` names each extent that may be 1 where
    elements are read one by one.
  }];
}

def ReorderSums : Pass<"carousel-reorder-sums", "::mlir::func::FuncOp"> {
  let summary = "Sum products of products in the order that another product has";
  let description = [{
    Precondition: the normal form that `--carousel-normalize-graph` leaves. Postcondition: where a
    sum along rows is of weights times a product's results, and another product before it sums the
    same weights times a factor of that product, the sum is of the other factor times these sums,
    along fewer elements. So the gradient of a softmax needs no row of its weights
    (docs/GraphPhase.md, Gradients). Weights are the same if they are equal products of elements,
    but for roundings and for factors that a row has in common, which the new sum is multiplied by.

    ```mlir
    %y = linalg.generic ins(%p, %v) {mulf, addf}        // y[i, d] = sum over j of p[i, j] v[j, d]
    %dp = linalg.generic ins(%dy, %v) {mulf, addf}      // dp[i, j] = sum over d of dy[i, d] v[j, d]
    %sum = linalg.generic ins(%p, %dp) {mulf, addf}     // sum over j
    // becomes
    %sum = linalg.generic ins(%dy, %y) {mulf, addf}     // sum over d
    ```
  }];
  let statistics = [
    Statistic<"reordered", "reordered", "sums in another order">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def RecomputeProducts : Pass<"carousel-recompute-products", "::mlir::func::FuncOp"> {
  let summary = "Compute large products again in each online reduction";
  let description = [{
    Precondition: the normal form that `--carousel-normalize-graph` leaves. Postcondition: where
    several reductions read a product that is larger than its factors, through elementwise ops, and
    can't be one pass, since they go along different dimensions or one needs the other's result,
    each of them that is an online reduction then has copies of the product and of the ops (
    docs/GraphPhase.md, Gradients). Copies have the attribute `carousel.recomputed`, so that CSE
    leaves them alone.

    A remark `Recompute` says of the others why they stay as they are.
  }];
  let options = [
    ProductsOption
  ];
  let statistics = [
    Statistic<"recomputed", "recomputed", "online reductions with copies of products">
  ];
}

def SplitOnlineReductions : Pass<"carousel-split-online-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce the columns of long products by tiles";
  let description = [{
    Precondition: the normal form that `--carousel-normalize-graph` leaves. Postcondition: where all
    that needs a product are reductions along its columns that an online reduction could correct
    (docs/GraphPhase.md, Online reductions), and the product sums over more than a program of an
    online reduction has, ops are along tiles of 256, 128 or 64 columns, and once more along what is
    left behind those of
    256. Each tile has results of its own, which ops that follow correct by the rows of all tiles,
    and combine. So the kernel of the product has the reductions of its tiles, and its elements
    aren't in memory.

    What elementwise ops read of a product at computed columns, as a loss reads the logits of its
    labels, become sums of their own first: one for each element, if they are few.

    Where a product has one row, it is a sum, as it is written without dimensions of one element. If
    all ops from one such sum to another are an online reduction with the row's dimension, they get
    it.

    Products with fewer elements than `tiled-elements` stay as they are, and so do those of which
    other ops need elements. With `libraries`, a product also stays where, by the chip's model, a
    library that writes all elements is faster. A remark `Stream` says what stands in the way: that,
    an unknown number of columns, or an op that can't be written along tiles.

    ```mlir
    %s = linalg.generic ... ins(%x, %w : tensor<?x4096xbf16>, tensor<32000x4096xbf16>) {mulf, addf}
    %m = linalg.generic ... ins(%s : tensor<?x32000xf32>) outs(%lowest : tensor<?xf32>) {maximumf}
    %l = linalg.generic ... ins(%s, %m : tensor<?x32000xf32>, tensor<?xf32>) {subf, exp, addf}
    // becomes
    %tiles = tensor.expand_shape %w [[0, 1], [2]] ... into tensor<125x256x4096xbf16>
    %s = linalg.generic ... ins(%x, %tiles : ...) {mulf, addf} -> tensor<?x125x256xf32>
    %ms = linalg.generic ... ins(%s : ...) {maximumf} -> tensor<?x125xf32>
    %m = linalg.generic ... ins(%ms : ...) {maximumf} -> tensor<?xf32>
    %ls = linalg.generic ... ins(%s, %ms : ...) {subf, exp, addf} -> tensor<?x125xf32>
    %l = linalg.generic ... ins(%ls, %ms, %m : ...) {subf, exp, mulf, addf} -> tensor<?xf32>
    ```
  }];
  let options = [
    ProductsOption,
    Option<"libraries", "libraries", "bool", "false",
           "Leave products that a library that writes all elements computes faster">,
    Option<"tiledElements", "tiled-elements", "int64_t", "16777216",
           "Elements of a product from which on its columns are reduced by tiles">
  ];
  let statistics = [
    Statistic<"divided", "divided", "products whose columns are reduced by tiles">,
    Statistic<"picked", "picked", "single elements of products that are sums of their own">,
    Statistic<"rows", "rows", "streams of one row, which has a dimension">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def BoundMasks : Pass<"carousel-bound-masks", "::mlir::func::FuncOp"> {
  let summary = "Bound what rows need of a stream by numbers that are equal";
  let description = [{
    Precondition: the normal form that `--carousel-normalize-graph` leaves. Postcondition: where a
    mask of an online reduction (docs/GraphPhase.md, Masks) compares a number of a row with one of
    an element, such as those of their documents, ops before it compute the first and the last tile
    of elements that any of 128 rows may need, and the mask compares with these, too. It follows
    from the comparison that the element is between them. So kernels of online reductions leave out
    all other tiles.

    Numbers may be in any order. A tile of 128 elements is needed where the range of its numbers has
    one of the range of the rows' numbers. Bounds are i32. Masks that leave finite numbers stay as
    they are, since a row without any element would be their average, unless each row has one:
    then the number becomes infinite. A remark `Bounds` says why a mask stays.

    ```mlir
    %s = linalg.generic ... ins(%q, %k) {mulf, addf}
    %t = linalg.generic ... ins(%s, %a, %b) { %same = cmpi eq, %a, %b; select %same, %s, -inf }
    // becomes
    %rows = linalg.generic ... { minsi, of tiles of %a }  // and the largest, and those of %b
    %from = linalg.generic ... ins(%rows, ...) { minsi }  // and %to
    %t = linalg.generic ... ins(%s, %a, %b) {
      %same = cmpi eq, %a, %b
      %first = tensor.extract %from[%i / 128]
      %isWithin = cmpi sge, %j, %first                    // and below %to
      %all = andi %same, %isWithin
      select %all, %s, -inf
    }
    ```
  }];
  let options = [
    ProductsOption
  ];
  let statistics = [
    Statistic<"bounded", "bounded", "comparisons of numbers that bound tiles">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FoldSoftmaxSums : Pass<"carousel-fold-softmax-sums", "::mlir::func::FuncOp"> {
  let summary = "Compute the weights of a softmax from rows that are known";
  let description = [{
    Precondition: the normal form, after `--carousel-recompute-products`. Postcondition: where a
    copy of an op computes exponentials of scores less a row, and all reductions that need them read
    polynomials whose products each have them over the sum of their row, they are powers of two of
    scores less one number of the row, which has the logarithm of its sum (docs/GraphPhase.md,
    Gradients). Quotients by the sum cancel, and what a row has in common is an op of rows.

    Scores have to be products of matrices, and what follows from these: where a finite number or a
    tensor in memory may exclude all elements of a row, its sum would be lost in that number.

    ```mlir
    %p = linalg.generic ins(%s, %m) {subf, exp}                    // with carousel.recomputed
    %ds = linalg.generic ins(%dp, %l, %r, %p) { (dp / l - r) * p } // r = delta / l
    // becomes
    %lse = linalg.generic ins(%m, %l) { m * log2(e) + log2(l) }
    %p = linalg.generic ins(%s, %lse) {subf, exp2}                 // s by log2(e)
    %ds = linalg.generic ins(%p, %dp, %delta) { (dp - delta) * p }
    ```
  }];
  let statistics = [
    Statistic<"folded", "folded", "ops of weights that have sums in their exponentials">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SelectLibraries : Pass<"carousel-select-libraries", "::mlir::func::FuncOp"> {
  let summary = "Let a library compute the products that it computes faster";
  let description = [{
    Precondition: the normal form that `--carousel-normalize-graph` leaves. Postcondition: the
    products that a library computes faster, by the model of
    `Analysis/Graph/LibraryProducts.h`, are `carousel.library_matmul`. The model compares a kernel
    of the group that the product is part of with a call of the library and kernels for the rest of
    the group, whose tensors then pass through memory. A remark has the numbers for each product.

    Where all that read a product round it first, the library rounds it. Where one elementwise op
    reads it, the call computes that op, too, if it only adds a bias and a residual and applies a
    function of `carousel.library_matmul`. A remark says of each such op whether it does, or why
    not. Extents that types don't show to be equal are compared by `cf.assert`.

    With `products=tf32`, the library rounds factors of f32 to tf32, as kernels do.

    ```mlir
    %sums = linalg.generic ... ins(%x, %w : tensor<?x768xbf16>, tensor<768x768xbf16>)
        outs(%zeros : tensor<?x768xf32>) {mulf, addf}
    %y = linalg.generic ... ins(%sums : tensor<?x768xf32>) {truncf, ...}
    // becomes
    %sums = carousel.library_matmul ins(%x, %w : tensor<?x768xbf16>, tensor<768x768xbf16>)
        outs(%e : tensor<?x768xbf16>) {indexing_maps = ...} -> tensor<?x768xbf16>
    %y = linalg.generic ... ins(%sums : tensor<?x768xbf16>) {...}
    ```
  }];
  let options = [
    ProductsOption,
    Option<"streams", "streams", "bool", "true",
           "Whether kernels compute products and reductions in one pass">
  ];
  let statistics = [
    Statistic<"calls", "calls", "products that a library computes">,
    Statistic<"epilogues", "epilogues", "elementwise ops that these calls compute, too">,
    Statistic<"missedEpilogues", "missed-epilogues",
              "elementwise ops after such a call that are kernels">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FormGroups : Pass<"carousel-form-groups", "::mlir::ModuleOp"> {
  let summary = "Move ops that become one kernel to a group";
  let description = [{
    Precondition: the normal form that `--carousel-normalize-graph` leaves. Postcondition: in public
    functions on tensors, ops that become one kernel are in a `carousel.group`, which says which
    tensors they read together. Beside the groups there are reshapes, slices, scalars and calls of
    libraries.

    Groups pass as few bytes as possible through memory. Elementwise ops that read no more than they
    write and compute little are in the groups of all their users. Remarks name the ops and the
    family of each group, and say for each tensor between two groups why they aren't one.

    Where rows of a product's factor don't begin at multiples of 16 bytes, they are put in a slice
    of longer ones, by `bufferization.materialize_in_destination`, if the model says that this pays:
    by the group that writes them, or by one that copies them.

    An op that changes some rows of an argument whose memory its result may have
    (docs/GraphPhase.md, Donated arguments) starts from the argument, and is a group of its own.
    Those that change the same rows are one op.

    A product, reductions and a product that need one another along one dimension are one group if
    what each of them has so far can be corrected where an earlier result changes, as in a softmax
    (docs/GraphPhase.md, Online reductions). A remark says which operation has no correction.

    Refuses functions with several blocks, and ops that aren't of linalg, tensor or arith.

    ```mlir
    func.func @main(%x: tensor<?x768xf32>) -> tensor<?x768xf32> {
      %max = linalg.generic ... ins(%x : tensor<?x768xf32>) outs(%lowest : tensor<?xf32>) {maximumf}
      %d = linalg.generic ... ins(%x, %max : tensor<?x768xf32>, tensor<?xf32>) {subf}
    // becomes
    func.func @main(%x: tensor<?x768xf32>) -> tensor<?x768xf32> {
      %d = carousel.group "main_0"(%x, %rows) {
      ^bb0(%own: tensor<?x768xf32>, %n: index):
        ... both ...
      } : (tensor<?x768xf32>, index) -> tensor<?x768xf32>
    ```
  }];
  let options = [
    ProductsOption,
    Option<"streams", "streams", "bool", "true",
           "Whether kernels compute products and reductions in one pass">
  ];
  let statistics = [
    Statistic<"groups", "groups", "groups formed">,
    Statistic<"clones", "clones", "cheap ops computed again, instead of being read from memory">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ScheduleGroups : Pass<"carousel-schedule-groups", "::mlir::ModuleOp"> {
  let summary = "Decide how groups become kernels";
  let description = [{
    Precondition: groups, as `--carousel-form-groups` leaves them or as they are written by hand.
    Postcondition: each has `schedules`. Those that a group has are kept.

    The schedule of `Analysis/Graph/GroupSchedule.h` says which dimensions the grid, loops and
    vectors go along. Vectors are made shorter where a thread would need too many registers for the
    factors of a product. Where there are few programs or few rows, there are further schedules
    (`Analysis/Graph/GroupDivision.h`). A remark prints the schedule.

    Refuses groups with other ops than structured ones, and ops that can't be one kernel.

    ```mlir
    %y = carousel.group "main_0"(%x, %rows) { ... sums of rows ... }
        : (tensor<?x768xf32>, index) -> tensor<?xf32>
    // becomes
    %y = carousel.group "main_0"(%x, %rows) attributes {schedules = [
        #carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 1024>] covered = 1>]} { ... }
        : (tensor<?x768xf32>, index) -> tensor<?xf32>
    ```
  }];
  let options = [
    ProductsOption
  ];
  let dependentDialects = ["::carousel::CarouselDialect"];
}

def LowerGroups : Pass<"carousel-lower-groups", "::mlir::ModuleOp"> {
  let summary = "Write a kernel of the block phase for each group";
  let description = [{
    Precondition: groups with schedules, as `--carousel-schedule-groups` leaves them. Postcondition:
    for each, a kernel of its name in the `gpu.module` `kernels`, at the block phase, with a variant
    for each schedule, and a launch of the kernel. Groups that differ in names and locations only
    have one kernel. Where ops go along two tensors whose types don't say that they are equally
    long, `cf.assert` does. Arguments are the group's tensors as memrefs, scalars that ops use, and
    then the results. Neighbouring dimensions that all ops have in common are one dimension of the
    memrefs.

    With `products=tf32`, factors of products of f32 are rounded to tf32, and tensor cores multiply
    them (`carousel.round_tf32`). The sums stay f32.

    Refuses groups whose schedule is missing or doesn't fit their ops, and ops whose body has no
    form for vectors.

    ```mlir
    %y = carousel.group "main_0"(%x, %rows) attributes {schedules = [
        #carousel.group_schedule<row, [<[0], grid, 1>, <[1], none, 1024>] covered = 1>]} {
      ... sums of rows ...
    } : (tensor<?x768xf32>, index) -> tensor<?xf32>
    // becomes, beside a launch
    gpu.func @main_0(%x: memref<?x768xf32, #gl>, %y: memref<?xf32, #gl>) kernel attributes {
        carousel.block_program = #carousel.block_program<>,
        carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
      %row = gpu.block_id x
      %v = vector.transfer_read %x[%row, %c0], %zero : memref<?x768xf32, #gl>, vector<1024xf32>
      %sum = vector.multi_reduction <add>, %v, %none [0] : vector<1024xf32> to f32
      memref.store %sum, %y[%row] : memref<?xf32, #gl>
    ```
  }];
  let options = [
    ProductsOption
  ];
  let statistics = [
    Statistic<"kernels", "kernels", "kernels written">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
    "::mlir::NVVM::NVVMDialect"
  ];
}

def LowerProgram : Pass<"carousel-lower-program", "::mlir::ModuleOp"> {
  let summary = "Lower programs on tensors to programs on buffers";
  let description = [{
    A program is a public `func.func` on tensors whose body launches kernels. It becomes a function
    on memrefs in global memory, with the unit attribute `carousel.program`. docs/GraphPhase.md
    defines both ("Programs"). Upstream's one-shot bufferization decides which values share memory.

    Precondition: calls are inlined; no function with a body but a program has tensors.
    Postcondition:

    - A tensor argument is a memref of the same extents with an identity layout. It has its
      `carousel.argument`, or one of the name `arg0`, `arg1`... and `in`.
    - A result is a further argument `result0`, `result1`..., or of the name in its
      `carousel.argument`, and `out`. It isn't the memory of another
      argument, so a result that is an argument is copied. So is one that is returned twice.
    - A result whose `carousel.argument` has `may_alias`, or that an argument's `tf.aliasing_output`
      names, may have the memory of that argument (C229). Where a step would read the argument when
      or after the result is written, the result is computed in a buffer and copied, which a remark
      says.
    - If the body shows a result's extents, `cf.assert` compares them with those that the caller
      passes.
    - Intermediate values are `memref.alloc`s, each with a `memref.dealloc` after its last use.
    - A slice that a kernel needs contiguous, and whose type doesn't show that it is, is copied. So
      is an operand of `carousel.library_matmul` whose matrices have no dimension of stride 1.
    - `carousel.library_matmul` has memory for `scratch`.

    A program has the ops that docs/GraphPhase.md lists (C224).

    ```mlir
    func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %c0 = arith.constant 0 : index
      %d = tensor.dim %x, %c0 : tensor<?x64xf32>
      %e = tensor.empty(%d) : tensor<?x64xf32>
      %y = carousel.launch_kernel @kernels::@softmax ins(%x : tensor<?x64xf32>)
          outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    // becomes
    func.func @main(%x: memref<?x64xf32, #gl> {carousel.argument = #carousel.argument<"arg0", in>},
        %y: memref<?x64xf32, #gl> {carousel.argument = #carousel.argument<"result0", out>})
        attributes {carousel.program} {
      ...                 // cf.assert: the extents of %x and %y are equal
      carousel.launch_kernel @kernels::@softmax ins(%x : memref<?x64xf32, #gl>)
          outs(%y : memref<?x64xf32, #gl>)
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"copies", "copies", "copies between buffers that programs have in the end">,
    Statistic<"buffers", "buffers", "buffers that programs allocate">,
    Statistic<"separated", "separated",
              "results that are copied, as the argument whose memory they may have is read late">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PropagateLaunches : Pass<"carousel-propagate-launches", "::mlir::ModuleOp"> {
  let summary = "Tell kernels what all their launches say of memrefs";
  let description = [{
    Kernels with `carousel.for_programs` are launched by programs of the module only. Where all
    their launches agree on a stride of a memref, in elements, the argument's type gets it. Where
    all addresses are multiples of some bytes, as those of buffers are, the argument gets
    `llvm.align`. Contiguous arguments of programs get 16 bytes of it first: a launch of the
    program copies an argument that begins elsewhere. Kernels need fewer variants then.

    Precondition: programs on buffers, before `--carousel-plan-workspace`. Other kernels stay:
    callers may launch them, too.

    ```mlir
    gpu.func @k(%x: memref<8x64xf32, strided<[?, 1], offset: ?>, #gl>) kernel
        attributes {carousel.for_programs}
    %v = memref.subview %p[0, 64] [8, 64] [1, 1] : memref<8x192xf32, #gl> to ...
    carousel.launch_kernel @kernels::@k ins(%v : ...)
    // becomes
    gpu.func @k(%x: memref<8x64xf32, strided<[192, 1], offset: ?>, #gl> {llvm.align = 256 : i64})
    ```
  }];
  let statistics = [
    Statistic<"layouts", "layouts", "arguments whose strides are stated">,
    Statistic<"alignments", "alignments", "arguments whose alignment is stated">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanWorkspace : Pass<"carousel-plan-workspace", "::mlir::func::FuncOp"> {
  let summary = "Place the buffers of a program in workspaces";
  let description = [{
    Replaces the `memref.alloc`s of a program on buffers by views of a last argument, `workspace`,
    whose size `carousel.workspace` states. Buffers that don't live at the same time share bytes.
    All begin at multiples of 256 bytes.

    Buffers whose dynamic extents are the same values form a group, in which sizes differ by
    constant factors. The groups lie one after the other, and share no bytes.

    Steps that follow from parameters and constants have `carousel.at_load` afterwards, and what
    they write is in a workspace of its own, `loaded`, in which no buffers share bytes
    (docs/GraphPhase.md, Parameters). Of launches and products, only those are looked at that have
    the attribute before; it is removed from those that can't have it.

    Precondition: a function with `carousel.program`, whose buffers are contiguous and end by
    `memref.dealloc` (others live to the end). Postcondition: no allocations. Extents of buffers
    must be expressions of a launch, over the program's arguments (C225). Other functions stay.

    ```mlir
    %p = memref.alloc(%m) : memref<?x64xf32, #gl>
    memref.dealloc %p : memref<?x64xf32, #gl>
    // becomes, with %workspace: memref<?xi8, #gl> {carousel.workspace =
    // #carousel.workspace<[ceildiv(extent(0, 0) * 256, 256) * 256]>}
    %p = memref.view %workspace[%c0][%m] : memref<?xi8, #gl> to memref<?x64xf32, #gl>
    ```
  }];
  let statistics = [
    Statistic<"placed", "placed", "buffers placed in workspaces">,
    Statistic<"loaded", "loaded", "steps that can run at load">
  ];
  let dependentDialects = [
    "::carousel::CarouselDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

#endif // CAROUSEL_PASSES_GRAPHPASSES_TD
