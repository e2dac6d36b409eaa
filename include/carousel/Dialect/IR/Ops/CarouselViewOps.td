//===- CarouselViewOps.td - views of global memory ---------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views that no layout of a memref describes, so that only transfers can use them. These ops have
// generated files of their own, which CarouselViewOps.h includes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELVIEWOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELVIEWOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "carousel/Dialect/IR/Attrs/CarouselPipelineAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Carousel_RowsOp : Op<Carousel_Dialect, "rows",
    [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>,
     DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "see the rows of a global memref that a table names";
  let description = [{
    Row i of the result is row `table[i]` of the source: a read gathers rows, and a write scatters
    them. Rows are those of the first dimension, and there are as many as the table has numbers.

    A number that isn't one of a row, as -1, names a row outside of the memref: a read gives the
    padding, and a write does nothing. A number may occur twice for reads. For writes it may not,
    since the later one isn't known.

    With `reduce`, writes combine elements with those of the rows, atomically and relaxed at gpu
    scope, and each number may occur any number of times. The order of several additions to a row
    isn't known. Two of them to a row of zeros give the same bits in either order.

    The result has the strides of the source, which don't lead from one of its rows to the next. So
    nothing computes addresses of it: transfers use it, and `memref.dim`. The table is read when the
    transfer is made.

    Constraints:

    - The source is a strided global memref of one dimension or more, whose rows are contiguous if
      there are two. The table is a global memref of one dimension of i32 or i64. The result has
      the source's type, with the extent of the table in the first dimension (C300).
    - Only `vector.transfer_read` and `transfer_write` without a mask or a permutation,
      `carousel.load`, `carousel.store` with the reduction of the rows or none, those of the ring
      phase, and `memref.dim` use the result (C301).
    - Rows that reduce aren't read. The hardware has the reduction for their elements (C306).
    - The table is in an argument that is `in`, so that the kernel doesn't write it (C302).

    Example:

    ```mlir
    %own = carousel.rows %x[%token]
        : memref<?x?xbf16, strided<[?, 1]>, #gpu.address_space<global>>,
          memref<?xi32, #gpu.address_space<global>>
    %sums = carousel.rows %z[%token] reduce<add bf16>
        : memref<?x?xbf16, strided<[?, 1]>, #gpu.address_space<global>>,
          memref<?xi32, #gpu.address_space<global>>
    ```
  }];
  let arguments = (ins Carousel_GlobalMemRef:$source, Carousel_GlobalMemRef:$table,
    OptionalAttr<Carousel_ReductionAttr>:$reduce);
  let results = (outs Carousel_GlobalMemRef:$result);
  let assemblyFormat = [{
    $source `[` $table `]` (`reduce` `` $reduce^)? attr-dict `:` type($source) `,` type($table)
  }];
  let hasVerifier = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELVIEWOPS_TD
