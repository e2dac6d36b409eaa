//===- CarouselReduceOps.td - reductions of one thread -----*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine phase: reductions of one thread into global memory that have several elements, which
// memref.atomic_rmw hasn't. These ops have generated files of their own, which CarouselReduceOps.h
// includes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"

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

#endif // CAROUSEL_DIALECT_IR_CAROUSELREDUCEOPS_TD
