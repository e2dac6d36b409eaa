//===- CarouselMultimemOps.td - stores to multicast addresses -*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine phase: stores and reductions of one thread to a multicast address, which stands for
// the parts of all GPUs. docs/Transport.md defines such memory. These ops have generated files of
// their own, which CarouselMultimemOps.h includes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELMULTIMEMOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELMULTIMEMOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"

def Carousel_MultimemStoreOp : Carousel_FixedOp<"multimem.store", 90, 81> {
  let summary = "store a value to a multicast address: to the parts of all GPUs";
  let description = [{
    Writes 4, 8 or 16 bytes at the same place of each GPU's part. The store is weak, and made
    through the generic proxy. It can't be torn between GPUs, but they don't see it at one time.

    A signal orders it before accesses of other GPUs. They access their parts by other addresses
    than the multicast address, so a `fence.proxy alias` stands between the store and the signal.

    Constraints:

    - The value is a number or a vector of 4, 8 or 16 bytes. The memref's elements are its lanes,
      with a contiguous innermost dimension if there are several (C234).
    - There is one index per dimension (C29).
    - The memref is in an argument with `carousel.multicast` or none that is visible (C235).

    Example:

    ```mlir
    carousel.multimem.store %v to %all[%i]
        : vector<4xf32>, memref<?xf32, #gpu.address_space<global>>
    ```

    PTX ISA: multimem.st.
  }];
  let arguments = (ins AnyType:$value,
    Arg<Carousel_GlobalMemRef, "destination", [MemWrite<GlobalMemory>]>:$destination,
    Variadic<Index>:$destination_indices);
  let assemblyFormat = [{
    $value `to` $destination `[` $destination_indices `]` attr-dict
    `:` type($value) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Carousel_MultimemReduceOp : Carousel_FixedOp<"multimem.reduce", 90, 81> {
  let summary = "reduce a value into the parts of all GPUs at a multicast address";
  let description = [{
    Each lane replaces the element at its place of each GPU's part with `kind(element, lane)`. The
    update of an element is atomic, and relaxed at system scope. What is said of
    `carousel.multimem.store` and signals holds here, too.

    Constraints:

    - The hardware has the kind for the type (C45), and the lanes hold it (C46).
    - The value is a number or a vector of 4, 8 or 16 bytes. The memref's elements are its lanes,
      with a contiguous innermost dimension if there are several (C234). Integers and f64 are single
      numbers (C236).
    - There is one index per dimension (C29).
    - The memref is in an argument with `carousel.multicast` or none that is visible (C235).

    Example:

    ```mlir
    carousel.multimem.reduce add f16 %v to %all[%i]
        : vector<8xf16>, memref<?xf16, #gpu.address_space<global>>
    ```

    PTX ISA: multimem.red.
  }];
  let arguments = (ins Carousel_ReduceKindAttr:$kind, Carousel_ReduceTypeAttr:$type, AnyType:$value,
    Arg<Carousel_GlobalMemRef, "destination", [MemRead<GlobalMemory>,
        MemWrite<GlobalMemory>]>:$destination,
    Variadic<Index>:$destination_indices);
  let assemblyFormat = [{
    custom<Keyword>($kind) custom<Keyword>($type) $value `to` $destination `[` $destination_indices
    `]` attr-dict `:` type($value) `,` type($destination)
  }];
  let hasVerifier = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELMULTIMEMOPS_TD
