//===- CarouselTileOps.td - transfers of whole tiles -------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile phase: copies between global memory and tiles in shared memory that a CTA, a
// warpgroup or a warp makes together, as if they were synchronous. docs/Phases.md defines the
// phase. A rounding of values, which all phases have.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELTILEOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELTILEOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "carousel/Dialect/IR/Attrs/CarouselPipelineAttrs.td"

// The options of all transfers, which follow those of the op.
defvar Carousel_TransferOptions = (ins
  DefaultValuedAttr<Carousel_TransferScopeAttr, "::carousel::TransferScope::CTA">:$scope,
  UnitAttr:$in_bounds, UnitAttr:$by_threads,
  DefaultValuedAttr<Carousel_SwizzleAttr, "::carousel::Swizzle::None">:$swizzle,
  DefaultValuedAttr<Carousel_EvictPriorityAttr, "::carousel::EvictPriority::Normal">:$cache,
  OptionalAttr<Carousel_EngineAttr>:$engine, Optional<Carousel_TensorMap>:$map);
defvar Carousel_TransferLeadingFormat = [{
  (`scope` `(` custom<Keyword>($scope)^ `)`)? (`in_bounds` $in_bounds^)? (`by_threads`
  $by_threads^)?
}];
defvar Carousel_TransferTrailingFormat = [{
  (`swizzle` `(` custom<Keyword>($swizzle)^ `)`)? (`cache` `(` custom<Keyword>($cache)^ `)`)?
  (`engine` `` $engine^)? (`map` $map^)? attr-dict
}];
defvar Carousel_TransferMapType = "(`,` type($map)^)?";

// A number with which a load fills, before it is converted to the tile's elements.
def Carousel_FillValueAttr : AnyAttrOf<[F64Attr, I64Attr], "number to fill with">;

// The arguments and the format of a load, and those of a store.
defvar Carousel_LoadArguments = !con((ins
  Carousel_GlobalMemRef:$global, Variadic<Index>:$offsets, Carousel_SharedMemRef:$tile,
  DefaultValuedAttr<Carousel_OutOfBoundsFillAttr, "::carousel::OutOfBoundsFill::Zero">:$fill,
  OptionalAttr<Carousel_FillValueAttr>:$fill_value, OptionalAttr<Carousel_ReductionAttr>:$reduce,
  UnitAttr:$round_tf32),
  Carousel_TransferOptions);
defvar Carousel_LoadFormat = !strconcat(
  "$global `[` $offsets `]` `to` $tile", Carousel_TransferLeadingFormat,
  "(`fill` `(` custom<Fill>($fill, $fill_value)^ `)`)? (`reduce` `` $reduce^)?",
  "(`round_tf32` $round_tf32^)?", Carousel_TransferTrailingFormat,
  "`:` type($global) `,` type($tile)", Carousel_TransferMapType);
defvar Carousel_StoreArguments = !con((ins
  Carousel_SharedMemRef:$tile, Carousel_GlobalMemRef:$global, Variadic<Index>:$offsets,
  OptionalAttr<Carousel_ReductionAttr>:$reduce, UnitAttr:$exclusive),
  Carousel_TransferOptions);
defvar Carousel_StoreFormat = !strconcat(
  "$tile `to` $global `[` $offsets `]`", Carousel_TransferLeadingFormat,
  "(`reduce` `` $reduce^ (`exclusive` $exclusive^)?)?", Carousel_TransferTrailingFormat,
  "`:` type($tile) `,` type($global)", Carousel_TransferMapType);

// A transfer names no mechanism of the hardware, so it has no target requirement.
class Carousel_TransferOp<string mnemonic, list<Trait> traits = []>
    : Op<Carousel_Dialect, mnemonic,
         !listconcat(traits, [AttrSizedOperandSegments, Carousel_TransferOpInterface])> {
  let hasVerifier = 1;
}

def Carousel_LoadOp : Carousel_TransferOp<"load",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a box of a global memref to a tile in shared memory, collectively";
  let description = [{
    All threads of the scope execute the op with the same operands. The transfer starts when all of
    them have arrived. It is ordered after their earlier accesses to the tile and to the elements of
    the box. Before the next operation starts, the whole tile is written, and all threads of the
    scope see it. The op orders no other accesses: it isn't a barrier for other memory.

    The offsets name the box's first element, one index per dimension of the global memref. They may
    be negative. The tile's dimensions are the last ones of the global memref; in the leading
    dimensions the box has extent 1. Elements outside the global memref are filled with zero, or by
    `fill` with another value. With `in_bounds` the author promises that there are none.

    - `fill`: `nan`, `inf`, `-inf` or a number, as in `fill(-1.5)`. A number is rounded to the
      tile's element type.
    - `scope`: `cta` (the default), `warpgroup` (128 consecutive threads) or `warp`. Each warpgroup
      or warp makes a transfer of its own, with its own operands.
    - `swizzle`: requests a layout of the tile in the machine phase. In the tile phase the tile has
      the layout of its memref type.
    - `cache`: the eviction priority in L2 of the memory that is read.
    - `by_threads`: threads copy through registers, without an engine and without cp.async.
    - `reduce`: each element of the tile becomes `kind(element of the box, tile's element)`, rounded
      to the element's type. Only threads can do this, so it requires `by_threads`. Tile elements
      outside the global memref are filled.
    - `round_tf32`: each element of the tile is the element of the box as `carousel.round_tf32`
      rounds it. Tensor maps and threads do this.
    - `engine`, `map`: the engine that carries out the transfer, as `--carousel-select-engine`
      decides. They don't change the meaning of the op.

    Constraints:

    - The tile is data in shared memory, and the global memref is in global memory (C7). Both have
      the same elements, of 8 to 64 bits (C123).
    - The tile has static extents, and at most the rank of the global memref (C124).
    - Both layouts are strided, and elements of the tile don't overlap (C125).
    - There is one offset per dimension (C29).
    - NaN is for floating-point elements, and so are numbers that aren't integers. The element type
      holds the number: infinities aren't finite, and integers fit. A load in bounds has no fill
      (C126).
    - A box in bounds fits in the global memref (C127).
    - A swizzled tile is contiguous, with rows that are multiples of the swizzle's span (C128).
    - Only the engine `tensor` has a map. The map has the memref's rank, or that of `collapse`, and
      its box divides the tile (C150).
    - The hardware has the reduction (C45), on elements that hold its type (C46).
    - A load with a reduction is `by_threads`, and `by_threads` allows only the engine `vector`
      (C182).
    - A load that rounds has elements of f32, fills with zero and doesn't reduce. Its engine is
      `tensor`, with a map of tf32, or `vector`. Only such a load has a map of tf32 (C333).

    Example:

    ```mlir
    carousel.load %x[%row, %col] to %tile fill(nan) swizzle(b128) cache(evict_first)
        : memref<?x?xbf16, strided<[?, 1]>, #gpu.address_space<global>>,
          memref<64x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = Carousel_LoadArguments;
  let assemblyFormat = Carousel_LoadFormat;
  let extraClassDeclaration = [{
    bool isLoad() { return true; }
  }];
}

def Carousel_StoreOp : Carousel_TransferOp<"store",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy or reduce a tile in shared memory into a global memref's box, collectively";
  let description = [{
    All threads of the scope execute the op with the same operands. The transfer starts when all of
    them have arrived. It is ordered after their earlier accesses to the tile and to the elements of
    the box. Before the next operation starts, the box is written, and all threads of the scope see
    it. The op orders no other accesses: it isn't a barrier for other memory.

    Offsets, dimensions, `scope`, `swizzle`, `cache`, `by_threads`, `engine` and `map` are as for
    `carousel.load`. Elements outside the global memref aren't written, and offsets must not be
    negative. With `in_bounds` the author promises that all elements are inside.

    With `reduce` each element of the box becomes `kind(element, tile's element)`, once per
    transfer, however many threads make it. The update is atomic and relaxed at gpu scope.
    `exclusive` promises that no other thread accesses the box meanwhile, so that the reduction need
    not be atomic.

    Constraints:

    - As for `carousel.load` (C7, C29, C123, C124, C125, C127, C128, C150).
    - The hardware has the reduction (C45), on elements that hold its type (C46).
    - `by_threads` allows only the engine `vector` (C182).

    Example:

    ```mlir
    carousel.store %tile to %y[%i] reduce<add f32>
        : memref<1024xf32, #gpu.address_space<workgroup>>,
          memref<?xf32, #gpu.address_space<global>>
    ```
  }];
  let arguments = Carousel_StoreArguments;
  let assemblyFormat = Carousel_StoreFormat;
  let extraClassDeclaration = [{
    bool isLoad() { return false; }
  }];
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

def Carousel_RoundTF32Op : Carousel_FixedOp<"round_tf32", 80, 70,
    !listconcat([Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "round to the nearest numbers of tf32";
  let description = [{
    tf32 is f32 with 10 bits of mantissa. The result is the nearest number of tf32, as an f32: of
    two that are as near, the one whose last bit is 0. A NaN stays a NaN.

    A product of rounded factors is the product of tf32: `--carousel-distribute` makes matrix
    instructions of a `vector.contract` whose factors are both rounded. The op is arithmetic: all
    phases have it, and graphs have it in the bodies of `linalg` ops. `--carousel-expand-arith`
    makes operations on integers of it.

    Example:

    ```mlir
    %lhs = carousel.round_tf32 %a : vector<64x32xf32>
    ```

    PTX ISA: cvt.rn.tf32.
  }];
  let arguments = (ins TypeOrValueSemanticsContainer<F32, "f32">:$value);
  let results = (outs TypeOrValueSemanticsContainer<F32, "f32">:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasFolder = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELTILEOPS_TD
