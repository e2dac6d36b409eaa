//===- CarouselReduceOps.td - reductions of one thread -----*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions that upstream's dialects lack: in the machine phase, those of one thread into global
// memory that have several elements, which memref.atomic_rmw hasn't; in the block phase, scans by
// any associative operation and sorts (docs/BlockPhase.md, Scans and Sorts). These ops have
// generated files of their own, which CarouselReduceOps.h includes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Carousel_VectorReduceOp : Carousel_FixedOp<"vector.reduce", 90, 81> {
  let summary = "add a vector to neighbouring elements of global memory";
  let description = [{
    Each element of the destination becomes `element + lane`, rounded to nearest even. The update of
    an element is atomic and relaxed at gpu scope, as that of `memref.atomic_rmw`; the update of the
    vector as a whole isn't. Subnormal numbers of f16 and bf16 are kept, and those of f32 as by
    `memref.atomic_rmw`.

    Constraints:

    - The kind is `add`, and the type f16, bf16 or f32. The value is a vector of one dimension, of
      8 or 16 bytes and of the destination's elements. The destination's innermost dimension is
      contiguous (C308).
    - There is one index per dimension (C29).
    - The address is a multiple of the vector's bytes.

    Example:

    ```mlir
    carousel.vector.reduce add bf16 %v to %z[%i, %j]
        : vector<8xbf16>, memref<?x?xbf16, #gpu.address_space<global>>
    ```

    PTX ISA: red, with vectors.
  }];
  let arguments = (ins Carousel_ReduceKindAttr:$kind, Carousel_ReduceTypeAttr:$type,
    AnyVectorOfNonZeroRank:$value,
    Arg<Carousel_GlobalMemRef, "destination", [MemRead<GlobalMemory>,
        MemWrite<GlobalMemory>]>:$destination,
    Variadic<Index>:$destination_indices);
  let assemblyFormat = [{
    custom<Keyword>($kind) custom<Keyword>($type) $value `to` $destination `[` $destination_indices
    `]` attr-dict `:` type($value) `,` type($destination)
  }];
  let hasVerifier = 1;
}

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

    The first results have `s(i)` at coordinate `i`, or `s(i - 1)` with `exclusive`. The last
    results are `s` of all elements, without that dimension: the initial values of a scan that goes
    on. With `reverse` the last element comes first.

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

    The body is associative, but for roundings, and needn't commute. Threads combine ranges in a
    fixed order, so that launches have the same bits.

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
    /// Says of each dimension whether it is the scanned one.
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

def Carousel_SortOp : Op<Carousel_Dialect, "sort", [Pure, InferTypeOpAdaptor]> {
  let summary = "put the elements of vectors in the order of keys, along a dimension";
  let description = [{
    Each line along `dim` is put in the order of the keys, the least one first. Keys are signed
    integers; equal ones keep their order. The first result has where each element was along `dim`,
    and the others have the elements of `values`.

    ```mlir
    %order, %sorted = carousel.sort %key, %x dim(1) : vector<16x128xi32>, vector<16x128xf32>
    ```

    Other orders are made by keys (docs/BlockPhase.md, Sorts): a complement sorts from the largest
    element on, and floats have integers that are in the same order. With `first` the results have
    so many elements along `dim`, which takes less time than a whole sort.

    Constraints: the key is a vector of i8, i16, i32 or i64, values have its shape (C366), `dim` is
    one of its dimensions, and `first` at most its extent (C367).
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$key, Variadic<AnyVectorOfNonZeroRank>:$values,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dim,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$first);
  let results = (outs AnyVectorOfNonZeroRank:$order, Variadic<AnyVectorOfNonZeroRank>:$sorted);
  let assemblyFormat = [{
    $key (`,` $values^)? `dim` `(` $dim `)` (`first` `(` $first^ `)`)? attr-dict `:` type($key)
    (`,` type($values)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::VectorType getType() { return ::mlir::cast<::mlir::VectorType>(getKey().getType()); }
    int64_t getFirstCount() { return getFirst().value_or(getType().getDimSize(getDim())); }
  }];
}

def Carousel_SortedOp : Op<Carousel_Dialect, "sorted", [Pure, InferTypeOpAdaptor]> {
  let summary = "elements along a structured op's reduction loop in the order of keys";
  let description = [{
    The body of a `linalg.generic` with one reduction loop may put the elements along this loop in
    an order (docs/GraphPhase.md, Sorts). Its results have another loop instead, which no operand
    has: in iteration `i` of that, the op's results are where the element is whose key is the `i`-th
    along the reduction loop, and this element of each of `values`. Keys are compared as those of
    `carousel.sort`.

    ```mlir
    %place, %own = carousel.sorted %key, %x : i32, f32
    ```

    Constraints: the key is i8, i16, i32 or i64, and the op is in a `linalg.generic` with one
    reduction loop (C368).
  }];
  let arguments = (ins AnyTypeOf<[I8, I16, I32, I64]>:$key, Variadic<AnyType>:$values);
  let results = (outs I32:$place, Variadic<AnyType>:$sorted);
  let assemblyFormat = [{
    $key (`,` $values^)? attr-dict `:` type($key) (`,` type($values)^)?
  }];
  let hasVerifier = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_TD
