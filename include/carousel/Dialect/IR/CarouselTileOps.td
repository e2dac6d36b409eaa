//===- CarouselTileOps.td - transfers of whole tiles -------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile phase: copies between global memory and tiles in shared memory that a CTA, a
// warpgroup or a warp makes together, as if they were synchronous. docs/Phases.md defines the
// phase.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELTILEOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELTILEOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "carousel/Dialect/IR/CarouselPipelineAttrs.td"

// The options of all transfers, behind those of the op.
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

// What a load has between the tile and the options, and a store.
defvar Carousel_LoadArguments = !con((ins
  Carousel_GlobalMemRef:$global, Variadic<Index>:$offsets, Carousel_SharedMemRef:$tile,
  DefaultValuedAttr<Carousel_OutOfBoundsFillAttr, "::carousel::OutOfBoundsFill::Zero">:$fill,
  OptionalAttr<Carousel_ReductionAttr>:$reduce),
  Carousel_TransferOptions);
defvar Carousel_LoadFormat = !strconcat(
  "$global `[` $offsets `]` `to` $tile", Carousel_TransferLeadingFormat,
  "(`fill` `(` custom<Keyword>($fill)^ `)`)? (`reduce` `` $reduce^)?",
  Carousel_TransferTrailingFormat,
  "`:` type($global) `,` type($tile)", Carousel_TransferMapType);
defvar Carousel_StoreArguments = !con((ins
  Carousel_SharedMemRef:$tile, Carousel_GlobalMemRef:$global, Variadic<Index>:$offsets,
  OptionalAttr<Carousel_ReductionAttr>:$reduce, UnitAttr:$exclusive),
  Carousel_TransferOptions);
defvar Carousel_StoreFormat = !strconcat(
  "$tile `to` $global `[` $offsets `]`", Carousel_TransferLeadingFormat,
  "(`reduce` `` $reduce^ (`exclusive` $exclusive^)?)?", Carousel_TransferTrailingFormat,
  "`:` type($tile) `,` type($global)", Carousel_TransferMapType);

// No mechanism is named, so no target is asked for.
class Carousel_TransferOp<string mnemonic, list<Trait> traits = []>
    : Op<Carousel_Dialect, mnemonic,
         !listconcat(traits, [AttrSizedOperandSegments, Carousel_TransferOpInterface])> {
  let hasVerifier = 1;
}

def Carousel_LoadOp : Carousel_TransferOp<"load",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a box of a global memref to a tile in shared memory, collectively";
  let description = [{
    All threads of the scope execute it with the same operands. It starts when all of them have
    arrived, after what they did to the tile and to the elements of the box before, and the
    whole tile is written and seen by all of them before the next operation starts. It orders
    nothing else: it is no barrier for other memory.

    The offsets name the box's first element, one index per dimension of the global memref,
    and may be negative. The tile's dimensions are the last ones of the global memref; in those
    before them the box has extent 1. Elements outside of the global memref are filled with
    zero, or NaN with `fill(nan)`. With `in_bounds` the author promises that there are none.

    - `scope`: `cta` unless given, `warpgroup` (128 consecutive threads) or `warp`. Each
      warpgroup or warp makes a transfer of its own, with operands of its own.
    - `swizzle`: a request for the layout of the tile's machine form. Here the tile is what its
      memref type says, and all of its readers and writers go by that.
    - `cache`: the eviction priority in L2 of what is read.
    - `by_threads`: no engine carries it out, nor cp.async: threads copy through registers.
    - `reduce`: each element of the tile becomes `kind(element of the box, tile's element)`, rounded
      to the element's type. Only threads can do that: it goes with `by_threads`. Tile elements
      outside of the global memref are filled.
    - `engine`, `map`: what carries the transfer out, as `--carousel-select-engine` has decided.
      They change nothing of what it means.

    Constraints: tile and global memref are data in shared and in global memory (C7), with the
    same elements of 8 to 64 bits (C123); the tile has static extents and at most the global
    memref's rank (C124); both layouts are strided, the tile's elements apart from each other
    (C125); one offset per dimension (C29); NaN is for floating-point elements, and nothing is
    filled in bounds (C126); a box in bounds fits (C127); a swizzled tile is contiguous, with
    rows in multiples of the swizzle's span (C128); a map with the engine `tensor` only, of
    the memref's rank or as `collapse` says, with a box that divides the tile (C150); a reduction
    `by_threads` that the hardware has (C45) on elements that hold its type (C46), and threads with
    the engine `vector` only (C182).

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
    All threads of the scope execute it with the same operands. It starts when all of them have
    arrived, after what they did to the tile and to the elements of the box before, and the
    box is written and seen by all of them before the next operation starts. It orders nothing
    else: it is no barrier for other memory.

    Offsets, dimensions, `scope`, `swizzle`, `cache`, `engine` and `map` are as for `carousel.load`.
    Elements outside of the global memref are not written; the box doesn't begin before it. With
    `in_bounds` the author promises that all elements are inside.

    With `reduce`, each element of the box becomes `kind(element, tile's element)`, atomically and
    relaxed at gpu scope, once per transfer, however many threads make it. `exclusive` promises that
    no other thread accesses the box meanwhile, so threads needn't reduce atomically.

    Constraints: as for `carousel.load` (C7, C29, C123, C124, C125, C127, C128, C150), and a
    reduction that the hardware has (C45) on elements that hold its type (C46), and threads with the
    engine `vector` only (C182).

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

#endif // CAROUSEL_DIALECT_IR_CAROUSELTILEOPS_TD
