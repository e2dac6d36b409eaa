//===- CarouselPipelineAttrs.td - how a loop is pipelined --*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop of the tile phase says of the circular buffers that its transfers go through,
// and the reduction of a store.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD

include "carousel/Dialect/IR/CarouselLaunchAttrs.td"

def Carousel_PipelineAttr : Carousel_Attr<"Pipeline", "pipeline"> {
  let summary = "the circular buffers that a loop's transfers go through";
  let description = [{
    Stands on an `scf.for` as `carousel.pipeline` (C132). It changes how the loop is executed,
    not what it computes: every transfer still behaves as if it were synchronous. What is
    `auto` or left out is chosen by the passes.

    ```
    pipeline ::= `#carousel.pipeline` `<` (field (`,` field)*)? `>`
    field    ::= `stages` `=` (count | `[` count (`,` count)* `]`)  // slots; auto
               | `prefetch` `=` (int | `auto`)            // iterations that loads run ahead; auto
               | `mode` `=` (`unified` | `specialized`)   // unified
               | `scope` `=` (`cta` | `warpgroup` | `warp`)  // cta
               | `release` `=` (`empty_barrier` | `cta_barrier` | `warp_barrier` | `auto`)  // auto
               | `epilogue` `=` (`peeled` | `predicated` | `auto`)  // auto
               | `producers` `=` int                      // warps; 1
               | `producer_registers` `=` int | `consumer_registers` `=` int
    count    ::= int | `auto`
    ```

    - `unified`: all threads of the scope produce and consume. `specialized`: `producers` warps
      issue the loads, the others consume; the two register counts are what a thread of each
      role has after its warpgroup has changed them.
    - `stages`: one count, and the loop's loads share a ring, whose slots have a tile for each
      and one barrier that counts the bytes of all. A list, and each load has a ring of its
      own, in program order, as deep as the list says: its tile is waited for right before its
      own first use and handed back right after its last one.
    - `prefetch`: of a ring that isn't deeper than that, one less than its stages.
    - `scope`: the threads that share a ring. The loop's transfers of this scope go through it.
    - `release` says how a slot is handed back: by arrives on an mbarrier that the producer
      waits for, or by a barrier of the whole CTA or of the warp.
    - `epilogue`: the last iterations, which have nothing to load ahead, are a loop of their own
      (`peeled`), or ask in each iteration (`predicated`, and `auto`: peeling doubles the code
      for 1 % or so). It says nothing of specialised loops, whose producers have no such
      iterations.

    Constraints: at least one stage, a prefetch distance of 0 or more and below the most stages
    (C129); as many counts in a list as the loop has loads of the scope (C183); `specialized` at CTA
    scope, with 1 to 31 producer warps, and register counts of 24 to 256 in steps of 8, both or
    neither; neither producers nor register counts with `unified` (C130); `cta_barrier` at CTA scope
    and `unified`, `warp_barrier` at warp scope (C131).

    Example:

    ```mlir
    #carousel.pipeline<stages = 4, prefetch = 2, mode = specialized, release = empty_barrier>
    #carousel.pipeline<stages = [4, 2, auto]>
    ```
  }];
  let parameters = (ins
    // Nothing: auto.
    OptionalParameter<"std::optional<int64_t>", "of a ring that all loads share">:$stages,
    // Empty: they share one. 0: auto.
    OptionalArrayRefParameter<"int64_t", "of each load's own ring">:$stagesOfEach,
    OptionalParameter<"std::optional<int64_t>">:$prefetch,
    DefaultValuedParameter<"::carousel::PipelineMode", "::carousel::PipelineMode::Unified">:$mode,
    DefaultValuedParameter<"::carousel::TransferScope", "::carousel::TransferScope::CTA">:$scope,
    // Nothing: auto.
    OptionalParameter<"std::optional<::carousel::SlotRelease>">:$release,
    // Nothing: auto.
    OptionalParameter<"std::optional<::carousel::PipelineEpilogue>">:$epilogue,
    DefaultValuedParameter<"int64_t", "1", "warps">:$producers,
    // Nothing: left as they are.
    OptionalParameter<"std::optional<int64_t>", "of a thread">:$producerRegisters,
    OptionalParameter<"std::optional<int64_t>", "of a thread">:$consumerRegisters);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_ReductionAttr : Carousel_Attr<"Reduction", "reduction"> {
  let summary = "a reduction, and what the elements' bits are taken for";
  let description = [{
    Example:

    ```mlir
    #carousel.reduction<add f32>
    ```
  }];
  let parameters = (ins
    EnumParameter<Carousel_ReduceKind>:$kind, EnumParameter<Carousel_ReduceType>:$type);
  let assemblyFormat = "`<` $kind $type `>`";
}

def Carousel_EngineAttr : Carousel_Attr<"Engine", "engine"> {
  let summary = "what carries a transfer out";
  let description = [{
    What `--carousel-select-engine` decides for a transfer.

    ```
    engine ::= `#carousel.engine` `<` `tensor` (`,` `collapse` `=` `[` int (`,` int)* `]`)? `>`
             | `#carousel.engine` `<` `bulk` `>`
             | `#carousel.engine` `<` (`cp_async` | `vector`) `,` `width` `=` int `>`
    ```

    - `tensor`: tensor copies through the transfer's `map`. Its dimensions are those of the global
      memref, or groups of neighbouring ones: `collapse` says how many of the memref's dimensions
      each of the map's is made of, outermost first; all but a group's first are static and
      contiguous. A map element that is wider than the tile's is several of them, side by side. A
      group's coordinate is the linear index of the box's first element in it, counted in map
      elements. The map's box divides the tile, and boxes lie in the tile one behind the other, in
      the row-major order of their positions.
    - `bulk`: one-dimensional bulk copies. The box is contiguous in global memory but for its
      outermost dimension of extent above 1, and starts at a multiple of 16 bytes, as do its rows if
      there are gaps between them. The global memref's end cuts off whole rows, or the tail of a box
      without gaps.
    - `cp_async`: each thread copies pieces of `width` bytes (4, 8 or 16) asynchronously. Loads
      only.
    - `vector`: each thread copies pieces of `width` bytes (1 to 16) through registers.

    The address of each piece is a multiple of its width.

    Constraints: `width` is 4, 8 or 16 for `cp_async`, a power of two up to 16 for `vector`, and
    nothing else has one; `tensor` alone collapses, by groups of at least one dimension (C149).

    Example:

    ```mlir
    #carousel.engine<tensor, collapse = [1, 2]>
    ```
  }];
  let parameters = (ins
    EnumParameter<Carousel_EngineKind>:$kind,
    // 0: has none.
    DefaultValuedParameter<"int64_t", "0", "bytes">:$width,
    OptionalArrayRefParameter<"int64_t">:$collapse);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD
