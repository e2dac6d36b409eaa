//===- CarouselScanOps.td - scans of vectors ---------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block phase: scans by any associative operation. docs/BlockPhase.md, Scans, says how threads
// share them. These ops have generated files of their own, which CarouselScanOps.h includes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELSCANOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELSCANOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Carousel_ScanOp : Op<Carousel_Dialect, "scan", [
    SameVariadicOperandSize, RecursiveMemoryEffects, RecursivelySpeculatable,
    InferTypeOpAdaptor]> {
  let summary = "combine each element of vectors with those before it, along a dimension";
  let description = [{
    The body combines the values of two neighbouring ranges, the earlier one's first. Along `dim`,
    with `x` the sources' elements and `s` what the initial values and the elements up to one
    combine to:

        s(-1) = init
        s(i) = body(s(i - 1), x(i))

    The first results have `s(i)` at coordinate `i`, or `s(i - 1)` with `exclusive`. The last results
    are `s` of all elements, without that dimension: the initial values of a scan that goes on. With
    `reverse` the last element comes first.

    There are as many initial values as sources, and twice as many arguments of the body: values of
    the earlier range, and of the later one. A linear recurrence `h = a h + x` carries two:

    ```mlir
    %as, %hs, %a, %h = carousel.scan %decay, %x init(%one, %start) dim(1)
        : vector<16x128xf32>, vector<16x128xf32> {
    ^bb0(%a0: f32, %h0: f32, %a1: f32, %h1: f32):
      %a = arith.mulf %a0, %a1 : f32
      %h = math.fma %a1, %h0, %h1 : f32
      gpu.yield %a, %h : f32, f32
    }
    ```

    The body is associative, but for roundings, and needn't commute. Threads combine ranges in a fixed
    order, so that launches have the same bits.

    Constraints: the sources are vectors of one shape, and `dim` is one of their dimensions (C363).
    An initial value has the source's type without that dimension: a number, if there is no other
    (C364). The body has a block without effects, with the arguments above, which `gpu.yield` ends
    with a value of each source's elements (C365).
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$sources, Variadic<AnyType>:$inits,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dim, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources `init` `(` $inits `)` `dim` `(` $dim `)` (`exclusive` $exclusive^)?
    (`reverse` $reverse^)? attr-dict `:`
    custom<ScanTypes>(type($sources), type($inits), ref($dim)) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::VectorType getType() {
      return ::mlir::cast<::mlir::VectorType>(getSources().front().getType());
    }
    /// The source's type without the dimension: a number, if there is no other.
    static ::mlir::Type getTotalType(::mlir::VectorType source, int64_t dim);
    /// Of the dimensions, the one that is scanned.
    ::llvm::SmallVector<bool> getScannedDims() {
      ::llvm::SmallVector<bool> dims(getType().getRank());
      dims[getDim()] = true;
      return dims;
    }
    size_t getCount() { return getSources().size(); }
    ::mlir::ResultRange getScanned() { return getResults().take_front(getCount()); }
    ::mlir::ResultRange getTotals() { return getResults().drop_front(getCount()); }
    ::mlir::Operation *getEnd() { return getBody().front().getTerminator(); }
  }];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELSCANOPS_TD
